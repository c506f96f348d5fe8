import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { useNews } from '../news-context.ts';

/** Something that was asked of the newsroom. */
export interface Asked<Value> {
  /** Undefined until it has come. */
  readonly value: Value | undefined;
  readonly problem: ApiProblem | undefined;
  /** Asks again; what there is stays until the answer has come. */
  readonly again: () => void;
}

interface Got<Value> {
  readonly key: string;
  readonly value?: Value;
  readonly problem?: ApiProblem;
}

/**
 * Asks the newsroom, and asks again with another `key` or `turn`, and when the service has come back.
 *
 * @param waitMs how long the key has to stay what it is before it is asked
 */
export function useAnswer<Value>(
  ask: (signal: AbortSignal) => Promise<Value>,
  key: string,
  { turn = 0, waitMs = 0 }: { turn?: number; waitMs?: number } = {},
): Asked<Value> {
  const { connection } = useNews();
  const [got, setGot] = useState<Got<Value>>();
  const [again, setAgain] = useState(0);
  const returns = connection.returns.value;
  useEffect(() => {
    const running = new AbortController();
    const { signal } = running;
    const start = async () => {
      try {
        const value = await ask(signal);
        if (!signal.aborted) setGot({ key, value });
      } catch (error) {
        if (!signal.aborted)
          setGot((before) => ({ ...(before?.key === key && before), key, problem: asProblem(error) }));
      }
    };
    const timer = setTimeout(() => void start(), waitMs);
    return () => {
      clearTimeout(timer);
      running.abort();
    };
  }, [key, turn, again, returns]);
  const current = got?.key === key ? got : undefined;
  return { value: current?.value, problem: current?.problem, again: () => setAgain(again + 1) };
}
