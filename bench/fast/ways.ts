import { type Figure, figuresOf } from '../figures/figure.ts';

/** The number of rounds. */
export const ROUNDS = 7;

/** A way of doing what is measured. */
interface Way {
  work: () => unknown;
  /** Ends what many times `work` have begun; belongs to their time. */
  finish?: () => unknown;
}

/** A trick, and what it stands in the place of. */
export interface Tried {
  /** The trick's file. */
  file: string;
  /** Names the plain way. */
  instead: string;
  trick: Way;
  plain: Way;
  /** How often each way is gone in a round. */
  times: number;
}

/** Times a trick and the plain way: figures in µs for each time. */
export async function timed({ file, instead, trick, plain, times }: Tried): Promise<Figure[]> {
  return trickFigures(file, instead, await measure(trick, times), await measure(plain, times));
}

/** The figures of a trick and of the plain way, from the µs of their rounds. */
export function trickFigures(file: string, instead: string, trick: number[], plain: number[]): Figure[] {
  return [figuresOf('trick')(file, 'time', 'µs', trick), figuresOf(instead)(file, 'time', 'µs', plain)];
}

/** The microseconds that each time takes, by round. */
async function measure({ work, finish }: Way, times: number): Promise<number[]> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const begin = performance.now();
    for (let time = 0; time < times; time += 1) {
      const result = work();
      if (result instanceof Promise) await result;
    }
    finish?.();
    rounds.push(((performance.now() - begin) * 1000) / times);
  }
  return rounds;
}
