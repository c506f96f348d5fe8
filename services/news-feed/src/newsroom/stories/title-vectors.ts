import type { Logger } from '@pressroom/common/log/logging';
import type { Kysely } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Calendar } from '../../calendar.ts';
import type { Clock } from '../../clock.ts';
import type { NewsTables } from '../../tables.ts';
import { settleEmbeddings, takeForEmbeddings } from '../models/embedding-budget.ts';
import { EndpointRest } from '../models/endpoint-rest.ts';
import { EndpointFault, type EndpointSettings } from '../models/model-endpoint.ts';
import { embedTitles } from './embed-titles.ts';
import type { EmbeddingConfig } from './embedding-settings.ts';
import { inBytes, type TitleVector } from './title-vector.ts';

/** How long an answer may take, in ms: entries wait for it. */
const TIMEOUT_MS = 10_000;

/** How much of a title is embedded, in characters. */
const MOST_TITLE = 300;

/** How many titles are remembered: several batches of entries of each source that a worker edits at once. */
const REMEMBERED = 500;

/** How many titles are known before any two are compared: what all have in common is not known before. */
const LEAST_KNOWN = 16;

/** Over how many titles the mean is taken, so that it follows what the sources bring. */
const MEAN_OF = 1000;

/** What {@link TitleVectors} work with. */
interface TitleVectorsParts {
  db: Kysely<NewsTables>;
  /** By which the budget's days are. */
  calendar: Calendar;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}

/**
 * The vectors of titles, where the settings name a model that embeds. Whatever fails leaves titles without
 * one: stories are then found as they are without a model.
 */
export class TitleVectors {
  readonly #parts: TitleVectorsParts;
  readonly #settings: EndpointSettings;
  readonly #dailyTokens: number;
  readonly #known = new LRUCache<string, { unit: number[]; values: Int8Array }>({ max: REMEMBERED });
  readonly #rest = new EndpointRest();
  #mean: number[] = [];
  #count = 0;
  #lastReason: string | undefined;

  constructor(parts: TitleVectorsParts, settings: EndpointSettings, dailyTokens: number) {
    this.#parts = parts;
    this.#settings = settings;
    this.#dailyTokens = dailyTokens;
  }

  /** The vector of a title that was read lately. */
  of(title: string): TitleVector | undefined {
    const known = this.#known.get(title);
    if (known === undefined || this.#count < LEAST_KNOWN) return undefined;
    return { model: this.#settings.model, values: known.values, ground: product(known.unit, this.#mean) };
  }

  /** Has the model embed those of the titles that are not known yet; outside any transaction. */
  async read(titles: readonly string[]): Promise<void> {
    const unknown = [...new Set(titles)].filter((title) => title.trim() !== '' && !this.#known.has(title));
    const now = this.#parts.clock();
    if (unknown.length === 0 || this.#rest.isResting(now)) return;
    const shortened = unknown.map((title) => title.slice(0, MOST_TITLE));
    // Hardly any model has more tokens than characters.
    const estimate = shortened.reduce((sum, { length }) => sum + length, 0);
    const day = this.#parts.calendar.date(now);
    if (!(await takeForEmbeddings(this.#parts.db, day, estimate, this.#dailyTokens))) {
      return this.#say('the budget of the day is spent');
    }
    try {
      const { vectors, tokens } = await embedTitles(this.#settings, shortened);
      await settleEmbeddings(this.#parts.db, day, (tokens ?? estimate) - estimate);
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

/** What embeds titles, where the settings name a model. */
export function openTitleVectors(
  config: EmbeddingConfig,
  parts: TitleVectorsParts,
): TitleVectors | undefined {
  const { NEWS_EMBEDDINGS_URL: url, NEWS_EMBEDDINGS_MODEL: model, NEWS_EMBEDDINGS_API_KEY: key } = config;
  if (url === undefined || model === undefined) return undefined;
  return new TitleVectors(
    parts,
    { url, key, model, timeoutMs: TIMEOUT_MS },
    config.NEWS_EMBEDDINGS_DAILY_TOKENS,
  );
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0);
}
