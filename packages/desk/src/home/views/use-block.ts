import { useEffect, useState } from 'preact/hooks';
import { type ApiProblem, asProblem } from '../../shared/api/problem.ts';
import { useHome } from '../home-context.ts';

/** One service's answer, apart from the others'. */
export interface Block<Value> {
  readonly value?: Value;
  readonly problem?: ApiProblem;
  readonly isLoading: boolean;
  readonly again: () => void;
}

/** Asks a service, and again when it has come back; a service that the site does not have says nothing. */
export function useBlock<Value>(ask: () => Promise<Value>): Block<Value> {
  const { connection } = useHome();
  const [turn, setTurn] = useState(0);
  const [got, setGot] = useState<Pick<Block<Value>, 'value' | 'problem'>>();
  const returns = connection.returns.value;
  useEffect(() => {
    let isCurrent = true;
    const take = (value: typeof got) => isCurrent && setGot(value);
    ask().then(
      (value) => take({ value }),
      (error: unknown) => {
        const problem = asProblem(error);
        take(problem.code === 'not_configured' ? {} : { problem });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [turn, returns]);
  return { ...got, isLoading: got === undefined, again: () => setTurn(turn + 1) };
}
