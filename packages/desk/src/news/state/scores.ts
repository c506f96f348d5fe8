export interface Scored {
  readonly id: string;
  readonly score: number;
}

const MOST = 100;

/** Two scores that are closer leave no room for a third one. */
const ROOM = 0.01;

/**
 * The scores that bring things into an order by falling scores, after one of them was moved to `at`: as few
 * changes as possible, from `at` on downwards. A pure function.
 */
export function scoresFor(order: readonly Scored[], at: number): readonly Scored[] {
  const above = order[at - 1]?.score;
  if (above === undefined) {
    const [first, next] = order;
    if (first === undefined || next === undefined) return [];
    if (next.score < MOST) return [{ ...first, score: Math.min(MOST, next.score + 1) }];
    return [{ ...first, score: MOST }, ...scoresFor([{ ...first, score: MOST }, ...order.slice(1)], 1)];
  }
  // Up to the first one that leaves room for those between it and what is above.
  let end = at + 1;
  while (end < order.length && above - (order[end]?.score ?? 0) < ROOM * (end - at + 1)) end += 1;
  const below = order[end]?.score ?? Math.max(0, above - (end - at + 1));
  const step = (above - below) / (end - at + 1);
  return order
    .slice(at, end)
    .map(({ id }, index) => ({ id, score: rounded(above - step * (index + 1), step) }));
}

/** With no more digits than the distance to the neighbours needs. */
function rounded(score: number, step: number): number {
  return Number(score.toFixed(step >= 0.2 ? 1 : 4));
}
