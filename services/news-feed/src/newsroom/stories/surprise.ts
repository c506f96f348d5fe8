/** ln n! for n up to the most terms of a report. */
const LOG_FACTORIALS: readonly number[] = Array.from({ length: 64 }, (_, n) => {
  let sum = 0;
  for (let factor = 2; factor <= n; factor += 1) sum += Math.log(factor);
  return sum;
});

/**
 * How surprising it is that some item of `stored` shares these terms with a report of `terms` terms, in nats:
 * about e^−surprise items do so by chance. `information` has one number for each shared term, −ln of the
 * share of items that have it; only the most telling of them count, so a further common word takes nothing
 * away. A pure function.
 */
export function surpriseOf(information: readonly number[], terms: number, stored: number): number {
  const most = Math.min(LOG_FACTORIALS.length - 1, Math.max(information.length, Math.round(terms)));
  let best = 0;
  let sum = 0;
  for (const [index, nats] of information.toSorted((a, b) => b - a).entries()) {
    sum += nats;
    // With that many terms, there are so many ways to share some of them.
    best = Math.max(best, sum - logChoices(most, Math.min(most, index + 1)));
  }
  return best - Math.log(Math.max(1, stored));
}

/** ln of the number of ways to choose `k` of `n`. */
function logChoices(n: number, k: number): number {
  const log = (of: number) => LOG_FACTORIALS[of] ?? 0;
  return log(n) - log(k) - log(n - k);
}
