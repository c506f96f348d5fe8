import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@pressroom/common/log/logging';
import { type Kysely, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';

/** How many articles become searchable in one transaction. */
const BATCH = 20;

/** The pause after a failure, in ms: the database may be away. */
const RETRY_MS = 5000;

/**
 * Makes articles searchable that are not yet (`migrations/0018_content_search.sql`), and returns how many
 * there were: none, when all are.
 */
export async function indexSome(db: Kysely<ContentTables>): Promise<number> {
  const { rows } = await sql<{ indexed: number }>`select content.index_articles(${BATCH}) as indexed`.execute(
    db,
  );
  return rows[0]?.indexed ?? 0;
}

/** Makes the articles searchable that were there before searches were, while the service runs. */
export class Indexing {
  readonly #stopping = new AbortController();
  readonly #done: Promise<void>;

  constructor(db: Kysely<ContentTables>, log: Pick<Logger, 'info' | 'warn'>) {
    this.#done = this.#run(db, log);
  }

  /** Ends the work after the batch in hand; the next start continues it. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#done;
  }

  async #run(db: Kysely<ContentTables>, log: Pick<Logger, 'info' | 'warn'>): Promise<void> {
    const { signal } = this.#stopping;
    for (let articles = 0; !signal.aborted; ) {
      try {
        const some = await indexSome(db);
        articles += some;
        if (some > 0) continue;
        if (articles > 0) log.info({ articles }, 'articles_searchable');
        return;
      } catch (error) {
        log.warn({ err: error }, 'articles_not_searchable');
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
