import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { Icon } from '../../shared/views/icon.tsx';
import { Loading } from '../../shared/views/loading.tsx';
import { ProblemView } from '../../shared/views/problem-view.tsx';
import { useOrganise } from '../organise-context.ts';

/** The time without a key after which a search begins, in ms. */
export const TYPING_MS = 200;

/**
 * Loads pages of results, and starts again when the text or one of `others` changes. `read` adds the next
 * page to those before it.
 */
export function usePages<Found>(
  text: string,
  others: readonly unknown[],
  read: (before: Found | undefined) => Promise<Found>,
) {
  const { connection } = useOrganise();
  const [found, setFound] = useState<Found>();
  const [problem, setProblem] = useState<ApiProblem>();
  // Only the answer to the last question is shown.
  const turn = useRef(0);
  const load = async (before?: Found) => {
    turn.current += 1;
    const mine = turn.current;
    setProblem(undefined);
    try {
      const next = await read(before);
      if (mine === turn.current) setFound(() => next);
    } catch (error) {
      if (mine !== turn.current) return;
      setFound(undefined);
      setProblem(asProblem(error));
    }
  };
  const returns = connection.returns.value;
  useEffect(() => {
    const timer = setTimeout(() => void load(), text === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [...others, text, returns]);
  return { found, problem, reload: () => load(), loadMore: () => load(found) };
}

interface SearchFieldProps {
  label: string;
  text: string;
  onText: (text: string) => void;
}

export function SearchField({ label, text, onText }: SearchFieldProps) {
  return (
    <div class="search organise-search">
      <Icon name="search" size={16} />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={100}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
    </div>
  );
}

interface ListingProps {
  /** Undefined while it is read, or where that failed. */
  count: number | undefined;
  problem: ApiProblem | undefined;
  reload: () => Promise<void>;
  text: string;
  /** Said where there is none at all, with a hint, and where none has the text. */
  none: string;
  noneHint: string;
  notFound: string;
  children: ComponentChildren;
}

/** The results, or the reason why there are none. */
export function Listing({ count, problem, reload, text, none, noneHint, notFound, children }: ListingProps) {
  if (count === undefined)
    return problem === undefined ? (
      <Loading />
    ) : (
      <ProblemView problem={problem} onRetry={() => void reload()} />
    );
  if (count > 0) return <>{children}</>;
  const isSearch = text !== '';
  return (
    <div class="empty">
      <Icon name={isSearch ? 'search' : 'organise'} size={32} />
      <p class="empty-title">{isSearch ? notFound : none}</p>
      {!isSearch && <p class="hint">{noneHint}</p>}
    </div>
  );
}
