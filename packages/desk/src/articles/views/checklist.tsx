import { useEffect, useMemo, useState } from 'preact/hooks';
import { Button } from '../../shared/views/button.tsx';
import { errorWords } from '../../shared/views/problem-view.tsx';
import type { BrokenLink } from '../api/types.ts';
import { useApp } from '../app-context.ts';
import { type Check, checksOf, linksOf } from '../state/checks.ts';
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
  const { external, seen, broken } = useLinks(open);
  const [found, setFound] = useState<readonly BrokenLink[]>([]);
  const checks = useMemo(() => {
    const present = found.filter(({ url }) => external.includes(url));
    return checksOf(seen, [...broken, ...present]);
  }, [seen, broken, found]);
  return (
    <>
      <p class="hint">{say(checks.length === 0 ? 'nothingToMend' : 'checksHint')}</p>
      {checks.length > 0 && (
        <ul class="missing" aria-label={say('checks')}>
          {checks.map(({ name, count = 1, words = '', place }) => (
            <li key={`${name} ${words}`}>
              <Button kind="quiet" onClick={() => onVisit(place)}>
                {say(`check_${name}`, { count, words })}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {external.length > 0 && <ExternalLinks links={external} onFound={setFound} />}
    </>
  );
}

/** The most links that the service asks at once. */
const AT_ONCE = 30;

/** Asks other sites for their pages, when somebody wants it. */
function ExternalLinks({
  links,
  onFound,
}: {
  links: readonly string[];
  onFound: (broken: readonly BrokenLink[]) => void;
}) {
  const { api, texts } = useApp();
  const { say } = texts;
  const [state, setState] = useState('');
  const [isBusy, setBusy] = useState(false);
  const check = async () => {
    setBusy(true);
    setState(say('checkingLinks'));
    const broken: BrokenLink[] = [];
    try {
      for (let from = 0; from < links.length; from += AT_ONCE)
        broken.push(...(await api.brokenElsewhere(links.slice(from, from + AT_ONCE))));
      setState(say(broken.length === 0 ? 'linksAnswer' : 'linksFound', { count: broken.length }));
    } catch (error) {
      setState(errorWords(error, say));
    }
    onFound(broken);
    setBusy(false);
  };
  return (
    <>
      <Button disabled={isBusy} onClick={() => void check()}>
        {say('checkLinks', { count: links.length })}
      </Button>
      <p class="hint" role="status">
        {state}
      </p>
    </>
  );
}

/** The links of a text, those to no page of the site, and the fields when it was looked through. */
function useLinks(open: OpenArticle) {
  const { api, site } = useApp();
  const fields = open.fields.value;
  const [seen, setSeen] = useState(fields);
  const [broken, setBroken] = useState<readonly BrokenLink[]>([]);
  useEffect(() => {
    const timer = setTimeout(() => setSeen(fields), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [fields]);
  const origin = URL.parse(site.value?.articlePage ?? '')?.origin;
  const { own, external } = useMemo(() => linksOf(seen.content, origin), [seen.content, origin]);
  const links = JSON.stringify(own);
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
  return { external, seen, broken };
}
