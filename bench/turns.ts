import { stolenTime } from './usage.ts';

/** Most rounds, for each that was asked for, if the hypervisor takes time in some. */
const MOST = 5 / 3;

/** The share of a core that may be stolen from a round: a hundredth. */
const STOLEN = 0.01;

/**
 * Runs rounds in which `work` is done once for each of several, another one first in each round, so that
 * noise hits all alike, until there are as many rounds from which no time was stolen, or far more. Returns
 * the results of each by round, of the rounds that were disturbed least.
 */
export async function inTurns<One, Result>(
  those: readonly One[],
  rounds: number,
  work: (one: One) => Promise<Result>,
): Promise<Result[][]> {
  const all: { stolen: number; results: Result[] }[] = [];
  const isQuiet = ({ stolen }: { stolen: number }) => stolen <= STOLEN;
  for (let round = 0; round < rounds * MOST && all.filter(isQuiet).length < rounds; round += 1) {
    const [before, began] = [stolenTime(), performance.now()];
    const results: Result[] = [];
    for (const offset of those.keys()) {
      const index = (round + offset) % those.length;
      results[index] = await work(those[index] as One);
    }
    all.push({ stolen: (stolenTime() - before) / 1000 / (performance.now() - began), results });
  }
  const kept = all.toSorted((a, b) => a.stolen - b.stolen).slice(0, rounds);
  return those.map((_, index) => kept.map(({ results }) => results[index] as Result));
}

/** Returns the duration of some work, in ms. */
export async function timed(work: () => unknown): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
