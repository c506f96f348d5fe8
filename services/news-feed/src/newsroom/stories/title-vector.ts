import type { StoredReport } from '../../tables.ts';

/** A title as a model embeds it. */
export interface TitleVector {
  /** The model: the vectors of two models cannot be compared. */
  model: string;
  values: Int8Array;
  /** Its mean cosine with other titles, which differs by model and by language. */
  ground: number;
}

/** A ground so near to 1 leaves nothing to compare. */
const MOST_GROUND = 0.99;

/** How alike two titles are in meaning: 0 as any two, 1 the same; null if their vectors do not say it. */
export function meaningOf(a: TitleVector | undefined, b: TitleVector | undefined): number | null {
  if (a === undefined || b === undefined) return null;
  const ground = (a.ground + b.ground) / 2;
  if (a.model !== b.model || a.values.length !== b.values.length || ground > MOST_GROUND) return null;
  let [product, mine, theirs] = [0, 0, 0];
  for (const [index, value] of a.values.entries()) {
    const other = b.values[index] ?? 0;
    product += value * other;
    mine += value ** 2;
    theirs += other ** 2;
  }
  const cosine = product / Math.sqrt(mine * theirs);
  return Number.isNaN(cosine) ? null : (cosine - ground) / (1 - ground);
}

/** A vector of any length in steps of 1/127 of its largest value: a byte each, which no cosine notices. */
export function inBytes(vector: readonly number[]): Int8Array {
  const largest = vector.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return Int8Array.from(vector, (value) => Math.round((127 * value) / largest));
}

/** A vector as it is stored. */
export function storedTitle({ model, values, ground }: TitleVector): NonNullable<StoredReport['title']> {
  return [
    model,
    Buffer.from(values.buffer, values.byteOffset, values.length).toString('base64'),
    Number(ground.toFixed(4)),
  ];
}

/** A stored vector as it is compared. */
export function titleVector([model, values, ground]: NonNullable<StoredReport['title']>): TitleVector {
  return { model, values: new Int8Array(Buffer.from(values, 'base64')), ground };
}
