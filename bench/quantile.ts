/** The value that a share `q` of the values, from 0 to 1, lies below. */
export function quantile(values: number[], q: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * q)] ?? Number.NaN;
}

/** Values divided by others, round by round. */
export function quotients(values: readonly number[], others: readonly number[]): number[] {
  return values.map((value, round) => value / (others[round] ?? Number.NaN));
}
