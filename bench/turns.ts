/**
 * Runs `work` for each of several once, another one first in each round, so that none always follows the same
 * one. The results are in the order of `those`.
 */
export async function oneTurn<One, Result>(
  those: readonly One[],
  round: number,
  work: (one: One) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const offset of those.keys()) {
    const index = (round + offset) % those.length;
    results[index] = await work(those[index] as One);
  }
  return results;
}

/** Runs `rounds` rounds of turns, so that a noisy second hits all alike: the results of each by round. */
export async function inTurns<One, Result>(
  those: readonly One[],
  rounds: number,
  work: (one: One) => Promise<Result>,
): Promise<Result[][]> {
  const results = those.map((): Result[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, result] of (await oneTurn(those, round, work)).entries()) results[index]?.push(result);
  }
  return results;
}

/** How long some work takes, in ms. */
export async function timed(work: () => unknown): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
