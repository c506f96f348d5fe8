import type { Logger } from '@pressroom/common/log/logging';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { askEndpoint, EndpointFault, EndpointRest, type EndpointSettings } from './model-endpoint.ts';

/** Characters of a title that are embedded. */
const MOST_TITLE = 300;

/** Titles remembered: several batches of entries of each source that a worker edits at once. */
const REMEMBERED = 500;

/** No two titles are compared before this many are known: what all have in common is subtracted. */
const LEAST_KNOWN = 16;

/** Over how many titles the mean is taken, so that it follows what the sources bring. */
const MEAN_OF = 1000;

interface TitleVectorsParts {
  settings: EndpointSettings;
  budget: {
    /** Takes an estimate of tokens from the day's budget; false if that is not left. */
    take: (tokens: number, now: Date) => Promise<boolean>;
    /** Corrects an estimate by so many tokens. */
    settle: (tokens: number, now: Date) => Promise<void>;
  };
  clock: () => Date;
  log: Pick<Logger, 'warn'>;
}

/**
 * The vectors of titles, where the settings name a model that embeds. Whatever fails leaves titles without
 * one: stories are then found as they are without a model.
 */
export class TitleVectors {
  readonly #parts: TitleVectorsParts;
  readonly #known = new LRUCache<string, { unit: number[]; values: Int8Array }>({ max: REMEMBERED });
  readonly #rest = new EndpointRest();
  #mean: number[] = [];
  #count = 0;
  #lastReason: string | undefined;

  constructor(parts: TitleVectorsParts) {
    this.#parts = parts;
  }

  /** The vector of a title that was read lately. */
  of(title: string): TitleVector | undefined {
    const known = this.#known.get(title);
    if (known === undefined || this.#count < LEAST_KNOWN) return undefined;
    const { model } = this.#parts.settings;
    return { model, values: known.values, ground: product(known.unit, this.#mean) };
  }

  /** Has the model embed those of the titles that are not known yet; outside any transaction. */
  async read(titles: readonly string[]): Promise<void> {
    const unknown = [...new Set(titles)].filter((title) => title.trim() !== '' && !this.#known.has(title));
    const { settings, budget, clock } = this.#parts;
    const now = clock();
    if (unknown.length === 0 || this.#rest.isResting(now)) return;
    const shortened = unknown.map((title) => title.slice(0, MOST_TITLE));
    // Hardly any model has more tokens than characters.
    const estimate = shortened.reduce((sum, { length }) => sum + length, 0);
    if (!(await budget.take(estimate, now))) return this.#say('the budget of the day is spent');
    try {
      const { vectors, tokens } = await embedTitles(settings, shortened);
      await budget.settle((tokens ?? estimate) - estimate, now);
      this.#rest.worked();
      this.#lastReason = undefined;
      for (const [index, title] of unknown.entries()) this.#keep(title, vectors[index] ?? []);
    } catch (error) {
      if (!(error instanceof EndpointFault)) throw error;
      this.#rest.failed(error, now);
      this.#say(error.message);
    }
  }

  #keep(title: string, vector: readonly number[]): void {
    const length = Math.hypot(...vector);
    const unit = vector.map((value) => value / length);
    // Another model behind the same name.
    if (this.#mean.length !== unit.length) {
      this.#known.clear();
      this.#count = 0;
      this.#mean = unit.map(() => 0);
    }
    this.#count += 1;
    const share = 1 / Math.min(this.#count, MEAN_OF);
    this.#mean = this.#mean.map((mean, index) => mean + share * ((unit[index] ?? 0) - mean));
    this.#known.set(title, { unit, values: inBytes(unit) });
  }

  /** Says why titles are not embedded, once for each reason in a row. */
  #say(reason: string): void {
    if (reason !== this.#lastReason) this.#parts.log.warn({ reason }, 'titles_not_embedded');
    this.#lastReason = reason;
  }
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}

/** A title as a model embeds it. */
export interface TitleVector {
  /** The model: the vectors of two models cannot be compared. */
  model: string;
  values: Int8Array;
  /** Its mean cosine with other titles, which differs by model and by language. */
  ground: number;
}

/** Its short form: the model, the vector, and the ground. */
export type StoredTitle = [model: string, vector: string, ground: number];

/** A ground so near to 1 leaves nothing to compare. */
const MOST_GROUND = 0.99;

/** Likeness of two titles in meaning: 0 as any two, 1 the same; null if their vectors cannot tell. */
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

export function storedTitle({ model, values, ground }: TitleVector): StoredTitle {
  return [
    model,
    Buffer.from(values.buffer, values.byteOffset, values.length).toString('base64'),
    Number(ground.toFixed(4)),
  ];
}

/** A stored vector as it is compared. */
export function titleVector([model, values, ground]: StoredTitle): TitleVector {
  return { model, values: new Int8Array(Buffer.from(values, 'base64')), ground };
}

/** The most numbers of a vector. */
const MOST_DIMENSIONS = 4096;

/** The largest answer that is read, in bytes: a batch of the largest vectors. */
const MOST_BYTES = 4_000_000;

const answer = z.object({
  data: z.array(
    z.object({
      index: z.int(),
      embedding: z
        .array(z.number())
        .min(2)
        .max(MOST_DIMENSIONS)
        .refine((values) => values.some((value) => value !== 0), 'a vector of zeros'),
    }),
  ),
  usage: z.object({ total_tokens: z.int().nonnegative() }).nullish(),
});

/** The vectors of titles, and the tokens that they cost, if the endpoint says so. */
interface EmbeddedTitles {
  vectors: number[][];
  tokens: number | undefined;
}

/** Has a model embed titles. Throws {@link EndpointFault} for whatever goes wrong. */
async function embedTitles(settings: EndpointSettings, titles: readonly string[]): Promise<EmbeddedTitles> {
  const body = { model: settings.model, input: titles };
  const said = await askEndpoint(settings, { path: '/embeddings', body, mostBytes: MOST_BYTES });
  const { data: read, error } = answer.safeParse(said);
  if (read === undefined) throw new EndpointFault(error.issues[0]?.message ?? 'it is not a list of vectors');
  const vectors = read.data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  const isComplete =
    vectors.length === titles.length &&
    new Set(read.data.map(({ index }) => index)).size === titles.length &&
    vectors.every(({ length }) => length === vectors[0]?.length);
  if (!isComplete) throw new EndpointFault('it does not have one vector for each title, all of one length');
  return { vectors, tokens: read.usage?.total_tokens };
}
