import { BackgroundLoop } from '@pressroom/common/concurrency/background-loop';
import { type DatabaseConfig, isLostRace, openPool, queriesOn } from '@pressroom/common/database/database';
import type { Logger } from '@pressroom/common/log/logging';
import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import type { ContentTables } from '../tables.ts';
import type { ExtraSchema } from './extra-schema.ts';
import type { Extra } from './schema.ts';

const BATCH = 10;

/**
 * Writes are gathered for this long before they become searchable, in ms: an article is often saved again.
 */
const GATHER_MS = 100;

/** The time limit of a batch, in ms: no reader waits for it, but others of the queue do. */
const BATCH_MS = 10_000;

/** The pause after a failure, in ms: the database may be unavailable. */
const RETRY_MS = 5000;

/** After how long an article that failed is tried again, in ms. */
const RETRY_ARTICLE_MS = 600_000;

/** Longest wait of an ending process for the batch in progress, in ms. */
const STOP_MS = 1000;

/** When a queue whose articles other processes hold is checked again, in ms: they may end. */
const LOOK_AGAIN_MS = 1000;

/** A batch of this many articles is worth a line in the log. */
const MANY = 100;

/** A row of the queue: an article, or a tag or author that stands for its articles. */
interface Entry {
  entry: number;
  article_id: number | null;
  tag_id: number | null;
  author_id: number | null;
}

export interface IndexingRun {
  /** Ends the run after the batch in progress. */
  signal?: AbortSignal;
  /** The entries of articles that failed, which are not tried again. */
  leftOut?: Map<number, number>;
  /** Called for an entry that fails; it stays in the queue. */
  onLeftOut: (entry: Entry, error: unknown) => void;
  /** Says which texts of `extra` are searched. */
  extraSchema?: ExtraSchema | undefined;
}

/**
 * Makes the articles of the queue searchable (`indexing.sql`), the last written first,
 * and returns how many there were.
 */
export async function indexAll(
  db: Kysely<ContentTables>,
  { signal, leftOut = new Map(), onLeftOut, extraSchema }: IndexingRun,
): Promise<number> {
  let articles = 0;
  let most = BATCH;
  while (!signal?.aborted) {
    let taken: Entry[] = [];
    try {
      await db.transaction().execute(async (tx) => {
        taken = await take(tx, most, [...leftOut.keys()]);
        articles += await index(tx, taken, extraSchema);
      });
      // Writes of others meanwhile are announced; the articles of a tag or author were only now queued.
      if (taken.length < most && taken.every(({ article_id }) => article_id !== null)) break;
    } catch (error) {
      const [failed] = taken;
      if (failed === undefined || signal?.aborted) throw error;
      // One of a batch is to blame, so they are tried one by one until it is found.
      most = 1;
      if (taken.length > 1 || isLostRace(error)) continue;
      leftOut.set(failed.entry, performance.now());
      onLeftOut(failed, error);
      most = BATCH;
    }
  }
  return articles;
}

/** Takes the last entries that no other process holds out of the queue. */
async function take(tx: Kysely<ContentTables>, most: number, leftOut: readonly number[]): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    delete from content.unsearchable_article where entry = any(array(
      select entry from content.unsearchable_article where entry <> all(${leftOut}::bigint[])
      order by entry desc limit ${most} for update skip locked
    )) returning entry, article_id, tag_id, author_id`.execute(tx);
  return rows;
}

/** Makes these articles searchable, in an order in which no two processes wait for each other. */
async function index(
  tx: Kysely<ContentTables>,
  taken: readonly Entry[],
  extraSchema: ExtraSchema | undefined,
): Promise<number> {
  const tags = taken.flatMap(({ tag_id }) => tag_id ?? []);
  const authors = taken.flatMap(({ author_id }) => author_id ?? []);
  if (tags.length > 0 || authors.length > 0) {
    await sql`
      insert into content.unsearchable_article (article_id)
      select article_id from content.article_tag where tag_id = any(${tags}::integer[])
      union select article_id from content.article_author where author_id = any(${authors}::integer[])
      order by article_id
    `.execute(tx);
  }
  const ids = [...new Set(taken.flatMap(({ article_id }) => article_id ?? []))].sort((a, b) => a - b);
  if (ids.length > 0) {
    const texts = extraSchema?.marks ? await searchedTexts(tx, ids, extraSchema) : [];
    await sql`
      select content.index_article(id, searched) from unnest(${ids}::integer[], ${texts}::text[]) as one (id, searched)
    `.execute(tx);
    await sql`select content.keep_search_words(${ids}::integer[])`.execute(tx);
  }
  return ids.length;
}

/**
 * The texts of `extra` that are searched, of each article; no other process indexes these in the meantime.
 */
async function searchedTexts(
  tx: Kysely<ContentTables>,
  ids: readonly number[],
  schema: ExtraSchema,
): Promise<string[]> {
  // Before the articles are read, as in content.index_article.
  await sql`
    select pg_advisory_xact_lock('content.article_search'::regclass::oid::integer, id)
    from unnest(${ids}::integer[]) as id`.execute(tx);
  const { rows } = await sql<{ extra: Extra | null }>`
    select extra from unnest(${ids}::integer[]) with ordinality as given (id, place)
    left join content.article using (id) order by place`.execute(tx);
  return Promise.all(rows.map(({ extra }) => (extra === null ? '' : schema.searched(extra))));
}

/** Makes articles searchable soon after they are written. */
export class Indexing {
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #db: Kysely<ContentTables>;
  readonly #extraSchema: ExtraSchema | undefined;
  readonly #loop: BackgroundLoop;
  /** The entries that failed, and when, in ms. */
  readonly #leftOut = new Map<number, number>();
  #client: pg.PoolClient | undefined;

  /** @param config of the database, to which it opens a separate connection */
  constructor(
    config: DatabaseConfig,
    name: string,
    log: Pick<Logger, 'info' | 'warn'>,
    extraSchema: ExtraSchema | undefined,
  ) {
    this.#log = log;
    this.#extraSchema = extraSchema;
    const own = { ...config, DATABASE_POOL_SIZE: 1, DATABASE_STATEMENT_TIMEOUT_MS: BATCH_MS };
    const pool = openPool(own, name, log);
    pool.on('acquire', (client) => {
      this.#client = client;
    });
    this.#db = queriesOn<ContentTables>(pool);
    this.#loop = new BackgroundLoop((signal) => this.#index(signal));
  }

  /** Called when something was written that has to become searchable. */
  wake(): void {
    this.#loop.wakeIn(GATHER_MS);
  }

  /** Ends the work, also in the middle of a batch: its transaction is then as if it had not been. */
  async stop(): Promise<void> {
    const hangUp = setTimeout(() => this.#client?.connection.stream.destroy(), STOP_MS);
    await this.#loop.stop();
    await this.#db.destroy();
    clearTimeout(hangUp);
  }

  /** Returns after how many ms the queue is looked at again, unless something is written before. */
  async #index(signal: AbortSignal): Promise<number> {
    for (const [entry, failedAt] of this.#leftOut) {
      if (performance.now() - failedAt > RETRY_ARTICLE_MS) this.#leftOut.delete(entry);
    }
    const onLeftOut = ({ article_id: article, tag_id: tag, author_id: author }: Entry, error: unknown) =>
      this.#log.warn({ err: error, article, tag, author }, 'article_not_searchable');
    try {
      const articles = await indexAll(this.#db, {
        signal,
        leftOut: this.#leftOut,
        onLeftOut,
        extraSchema: this.#extraSchema,
      });
      if (articles >= MANY) this.#log.info({ articles }, 'articles_searchable');
      if (await hasOthers(this.#db, [...this.#leftOut.keys()])) return LOOK_AGAIN_MS;
      return this.#leftOut.size > 0 ? RETRY_ARTICLE_MS : Infinity;
    } catch (error) {
      if (!signal.aborted) this.#log.warn({ err: error }, 'articles_not_searchable');
      return RETRY_MS;
    }
  }
}

async function hasOthers(db: Kysely<ContentTables>, leftOut: readonly number[]): Promise<boolean> {
  const { rows } = await sql`
    select from content.unsearchable_article where entry <> all(${leftOut}::bigint[]) limit 1`.execute(db);
  return rows.length > 0;
}
