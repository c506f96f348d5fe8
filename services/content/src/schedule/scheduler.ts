import { BackgroundLoop } from '@pressroom/common/concurrency/background-loop';
import { type DatabaseConfig, openDatabase } from '@pressroom/common/database/database';
import { isDatabaseAway } from '@pressroom/common/database/database-fault';
import type { Logger } from '@pressroom/common/log/logging';
import type { Kysely } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { carryOutDue, type LeftOut, NotCarriedOut, type Outcome, untilNextDue } from './carry-out.ts';

/** How many articles of the same moment are published in one transaction. */
const BATCH = 100;

/** The longest sleep, in ms; then what the database refused is tried again. */
const LONGEST_MS = 30_000;

/** The pause, in ms, before a row that is being changed, or an unavailable database, is tried again. */
const RETRY_MS = 250;

/** Publishes what is due, while the service runs, and sleeps until something is. */
export class Scheduler {
  readonly #db: Kysely<ContentTables>;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #loop: BackgroundLoop;
  #away = false;

  /** @param config of the database, to which it opens a separate connection: no request makes it wait */
  constructor(config: DatabaseConfig, name: string, log: Pick<Logger, 'info' | 'warn'>) {
    this.#db = openDatabase<ContentTables>({ ...config, DATABASE_POOL_SIZE: 1 }, name, log);
    this.#log = log;
    this.#loop = new BackgroundLoop((signal) => this.#work(signal));
  }

  /** Announces that something may be due at another time than known. */
  wake(): void {
    this.#loop.wake();
  }

  /** Ends the work after the transaction in progress. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await this.#db.destroy();
  }

  /** Carries out all that is due, and resolves to the ms until there is more to do. */
  async #work(signal: AbortSignal): Promise<number> {
    const leftOut: LeftOut = { articles: [], releases: [] };
    try {
      await this.#carryOut(leftOut, signal);
      const next = await untilNextDue(this.#db, leftOut);
      if (this.#away) this.#log.info('schedule_back');
      this.#away = false;
      return Math.min(next === undefined || next > 0 ? (next ?? LONGEST_MS) : RETRY_MS, LONGEST_MS);
    } catch (error) {
      if (!this.#away) this.#log.warn({ err: error }, 'schedule_lost');
      this.#away = true;
      return RETRY_MS;
    }
  }

  /** Carries out all that is due. What the database refuses is left out. */
  async #carryOut(leftOut: LeftOut, signal: AbortSignal): Promise<void> {
    let most = BATCH;
    while (!signal.aborted) {
      try {
        const outcomes = await carryOutDue(this.#db, most, leftOut);
        if (outcomes === undefined) return;
        for (const outcome of outcomes) this.#tell(outcome);
      } catch (error) {
        if (!(error instanceof NotCarriedOut) || isDatabaseAway(error.cause)) throw error;
        // One of a batch is at fault, so they are tried one by one until it is found.
        most = error.what.articles.length > 1 ? 1 : BATCH;
        if (most === 1) continue;
        leftOut.articles.push(...error.what.articles);
        leftOut.releases.push(...error.what.releases);
        this.#log.warn({ err: error.cause, ...error.what }, 'schedule_refused');
      }
    }
  }

  #tell({ id, is_published, was_published, published_at }: Outcome): void {
    if (is_published) this.#log.info({ article: id, published_at }, 'article_published');
    else this.#log.info({ article: id }, was_published ? 'article_unpublished' : 'article_expired');
  }
}
