import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import type { BrokenLink } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { type Check, checksOf, ownLinks } from '../state/checks.ts';
import type { OpenArticle } from '../state/open-article.ts';

/** The pause in typing before the text is looked through, in ms. */
const PAUSE_MS = 500;

/** The warnings, each with a link to its place. */
export function Checklist({
  open,
  onVisit,
}: {
  open: OpenArticle;
  onVisit: (place: Check['place']) => void;
}) {
  const { say } = useApp().texts;
  const checks = useChecks(open);
  if (checks.length === 0) return <p class="hint">{say('nothingToMend')}</p>;
  return (
    <>
      <p class="hint">{say('checksHint')}</p>
      <ul class="missing" aria-label={say('checks')}>
        {checks.map(({ name, count = 1, words = '', place }) => (
          <li key={`${name} ${words}`}>
            <Button kind="quiet" onClick={() => onVisit(place)}>
              {say(`check_${name}`, { count, words })}
            </Button>
          </li>
        ))}
      </ul>
    </>
  );
}

function useChecks(open: OpenArticle): readonly Check[] {
  const { api, site } = useApp();
  const fields = open.fields.value;
  const [seen, setSeen] = useState(fields);
  const [broken, setBroken] = useState<readonly BrokenLink[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => setSeen(fields), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [fields]);
  const origin = URL.parse(site.value?.articlePage ?? '')?.origin;
  const links = useMemo(
    () => JSON.stringify(origin === undefined ? [] : ownLinks(seen.content, origin)),
    [seen.content, origin],
  );
  useEffect(() => {
    let isLast = true;
    const asked: string[] = JSON.parse(links);
    const found = asked.length === 0 ? Promise.resolve([]) : api.brokenLinks(asked);
    // A link that cannot be judged now is not called broken.
    found.then(
      (all) => isLast && setBroken(all),
      () => isLast && setBroken([]),
    );
    return () => {
      isLast = false;
    };
  }, [api, links]);
  return useMemo(() => checksOf(seen, broken), [seen, broken]);
}
