import { setTimeout as delay } from 'node:timers/promises';
import { type DatabaseConfig, openDatabase } from '@pressroom/common/database/database';
import type { Logger } from '@pressroom/common/log/logging';
import { type Kysely, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';

/** How many articles become searchable in one transaction. */
const BATCH = 20;

/** The time limit of one batch, in ms: no reader waits for it. */
const BATCH_MS = 60_000;

/** The pause after a failure, in ms: the database may be away. */
const RETRY_MS = 5000;

/** What happens while {@link indexAll} runs. */
interface IndexingRun {
  /** Ends the run after the batch in hand. */
  signal?: AbortSignal;
  /** Called for an article that fails alone; it stays as it is until the next run. */
  onLeftOut: (article: number, error: unknown) => void;
}

/**
 * Makes the articles searchable that are not yet (`migrations/0018_content_search.sql`), the newest first,
 * and returns how many there were.
 */
export async function indexAll(
  db: Kysely<ContentTables>,
  { signal, onLeftOut }: IndexingRun,
): Promise<number> {
  const leftOut: number[] = [];
  let articles = 0;
  let most = BATCH;
  while (!signal?.aborted) {
    let taken: number[] = [];
    try {
      await db.transaction().execute(async (tx) => {
        taken = await take(tx, most, leftOut);
        if (taken.length > 0) await sql`select content.index_articles(${taken}::integer[])`.execute(tx);
      });
      if (taken.length === 0) break;
      articles += taken.length;
    } catch (error) {
      const [article] = taken;
      if (article === undefined) throw error;
      // One of a batch is to blame, so they are tried one by one until it is found.
      most = 1;
      if (taken.length > 1) continue;
      onLeftOut(article, error);
      leftOut.push(article);
      most = BATCH;
    }
  }
  return articles;
}

/** Locks the newest articles that are not searchable, and returns their ids. */
async function take(tx: Kysely<ContentTables>, most: number, leftOut: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ article_id: number }>`
    select article_id from content.unsearchable_article where article_id <> all(${leftOut}::integer[])
    order by article_id desc limit ${most} for update skip locked`.execute(tx);
  return rows.map(({ article_id }) => article_id);
}

/** Makes the articles searchable that were there before searches were, while the service runs. */
export class Indexing {
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  /** @param config of the database, to which it opens a connection of its own */
  constructor(config: DatabaseConfig, name: string, log: Pick<Logger, 'info' | 'warn'>) {
    const own = { ...config, DATABASE_POOL_SIZE: 1, DATABASE_STATEMENT_TIMEOUT_MS: BATCH_MS };
    const db = openDatabase<ContentTables>(own, name, log);
    this.#done = this.#run(db, log).finally(() => db.destroy());
  }

  /** Ends the work after the batch in hand; the next start continues it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #run(db: Kysely<ContentTables>, log: Pick<Logger, 'info' | 'warn'>): Promise<void> {
    const { signal } = this.#stopping;
    const onLeftOut = (article: number, error: unknown) =>
      log.warn({ err: error, article }, 'article_not_searchable');
    while (!signal.aborted) {
      try {
        const articles = await indexAll(db, { signal, onLeftOut });
        if (articles > 0) log.info({ articles }, 'articles_searchable');
        return;
      } catch (error) {
        log.warn({ err: error }, 'articles_not_searchable');
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
