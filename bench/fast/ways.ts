import { type Figure, figuresOf } from '../figures/figure.ts';

/** The number of rounds. */
export const ROUNDS = 7;

/** A trick, and what it stands in the place of. */
interface Tried {
  file: string;
  instead: string;
  trick: () => unknown;
  /** Ends what many times `trick` have begun; belongs to their time. */
  finish?: () => unknown;
  plain: () => unknown;
  /** How often each way is gone in a round. */
  times: number;
}

/** Times tricks and the plain ways: figures in µs for each time. */
export async function timed(...tricks: readonly Tried[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const { file, instead, trick, plain, times, finish } of tricks) {
    const ours = await measure(trick, times, finish);
    figures.push(...trickFigures(file, instead, ours, await measure(plain, times)));
  }
  return figures;
}

/** The figures of a trick and of the plain way, from the µs of their rounds. */
export function trickFigures(file: string, instead: string, trick: number[], plain: number[]): Figure[] {
  return [figuresOf('trick')(file, 'time', 'µs', trick), figuresOf(instead)(file, 'time', 'µs', plain)];
}

/** The microseconds that each time takes, by round. */
async function measure(work: () => unknown, times: number, finish?: () => unknown): Promise<number[]> {
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
