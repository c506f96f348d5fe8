import { useEffect, useId, useState } from 'preact/hooks';
import { asProblem } from '../../shared/api/problem.ts';
import type { Redirect } from '../api/redirects.ts';
import { useOrganise } from '../organise-context.ts';
import type { Say } from '../text/texts.ts';
import { TYPING_MS } from './listing.tsx';
import { onSite, pathElsewhere, readable } from './site-address.ts';
import { reasonOf } from './words.ts';

interface TryAddressProps {
  siteOrigin: string | undefined;
  /** Counts what may have changed where addresses lead. */
  version: number;
}

/** A field that says where an address leads, after all redirects that follow. */
export function TryAddress({ siteOrigin, version }: TryAddressProps) {
  const { redirects, texts } = useOrganise();
  const { say } = texts;
  const id = useId();
  const [typed, setTyped] = useState('');
  const [answer, setAnswer] = useState('');
  useEffect(() => {
    const from = onSite(typed, siteOrigin);
    if (from === '') return setAnswer('');
    const path = pathElsewhere(from);
    if (path !== undefined) return setAnswer(say('fromElsewhere', { path }));
    if (!from.startsWith('/')) return setAnswer(say('fromWrong'));
    let isCurrent = true;
    const tell = (words: string) => {
      if (isCurrent) setAnswer(words);
    };
    const timer = setTimeout(() => {
      redirects.find(from).then(
        (found) => tell(leadingWords(from, found, say)),
        (error: unknown) => tell(reasonOf(asProblem(error), say)),
      );
    }, TYPING_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [redirects, typed, siteOrigin, version, say]);
  return (
    <div class="field organise-try">
      <label for={id}>{say('tryAddress')}</label>
      <input
        id={id}
        value={typed}
        placeholder="/2016/old-news"
        spellcheck={false}
        autocapitalize="none"
        autocomplete="off"
        inputMode="url"
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <p class="hint" role="status">
        {answer}
      </p>
    </div>
  );
}

function leadingWords(from: string, found: Redirect | undefined, say: Say): string {
  if (found === undefined) return say('leadsNowhere', { from });
  const { answer } = found;
  if (answer === null) return say('leadsInCircle', { from });
  if (answer.status === 410) return say('isGone', { from });
  return say(`leads_${answer.status}`, { from, to: readable(answer.location) });
}
