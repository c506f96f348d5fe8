import { BackgroundLoop } from '@pressroom/common/concurrency/background-loop';
import { type DatabaseConfig, isLostRace, openPool, queriesOn } from '@pressroom/common/database/database';
import type { Logger } from '@pressroom/common/log/logging';
import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import type { ContentTables } from '../tables.ts';
import type { ExtraSchema } from './extra-schema.ts';
import type { Extra } from './schema.ts';
import { asWritten, decodeText, FOLDING, foldText, foldWritten, formsOf } from './search-text.ts';

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

/**
 * A row of the queue: an article, or a tag or author that stands for its articles. What another release has
 * made searchable is in no queue: its `entry` is its id below 0.
 */
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
      // Writes of others meanwhile are announced.
      if (taken.length === 0) break;
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

/** Takes the last entries that no other process holds, of the queue or else of what is to be made anew. */
async function take(tx: Kysely<ContentTables>, most: number, leftOut: readonly number[]): Promise<Entry[]> {
  const queued = await sql<Entry>`
    delete from content.unsearchable_article where entry = any(array(
      select entry from content.unsearchable_article where entry <> all(${leftOut}::bigint[])
      order by entry desc limit ${most} for update skip locked
    )) returning entry, article_id, tag_id, author_id`.execute(tx);
  if (queued.rows.length > 0) return queued.rows;
  const old = await sql<Entry>`
    select -article_id as entry, article_id, null as tag_id, null as author_id from content.article_search
    where folding < ${FOLDING} and -article_id <> all(${leftOut}::bigint[])
    order by folding desc, article_id desc limit ${most} for update skip locked`.execute(tx);
  return old.rows;
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
    await makeSearchable(tx, ids, extraSchema);
    for (const noun of ['author', 'tag'] as const) await keepNames(tx, noun, ids);
    await sql`select content.keep_search_words(${ids}::integer[])`.execute(tx);
  }
  return ids.length;
}

interface Texts {
  id: number;
  title: string;
  excerpt: string | null;
  tags: string[];
  authors: string | null;
  /** The article's text with references to characters. */
  text: string;
  extra: Extra | null;
}

/** Of two processes with one article, the second has the newer text: it is locked before it is read. */
async function makeSearchable(
  tx: Kysely<ContentTables>,
  ids: readonly number[],
  schema: ExtraSchema | undefined,
): Promise<void> {
  await sql`
    select pg_advisory_xact_lock('content.article_search'::regclass::oid::integer, id)
    from unnest(${ids}::integer[]) as id`.execute(tx);
  const { rows } = await sql<Texts>`
    select id, title, excerpt, content.text_without_tags(content) as text, extra, array(
        select tag.name from unnest(tag_ids) with ordinality as given (tag_id, place)
        join content.tag as tag on tag.id = given.tag_id order by place
      ) as tags, content.author_names(author_ids) as authors
    from content.article where id = any(${ids}::integer[]) order by id`.execute(tx);
  for (const { id, title, excerpt, tags, authors, text, extra } of rows) {
    const plain = decodeText(text);
    // No highlight shows these.
    const searched = schema?.marks && extra !== null ? await schema.searched(extra) : '';
    const name = asWritten(title);
    const head = [name, ...[excerpt ?? '', ...tags, authors ?? ''].map(asWritten)];
    const body = [plain, searched].map(asWritten);
    await sql`select content.make_searchable(${id}, ${foldWritten(name)}, ${joined(head.map(foldWritten))},
      ${joined(body.map(foldWritten))}, ${plain}, ${formsOf(joined([...head, ...body]))}, ${FOLDING})`.execute(
      tx,
    );
  }
}

/** Keeps what the names of these articles' tags or authors are found by, in an order as that of words. */
async function keepNames(
  tx: Kysely<ContentTables>,
  noun: 'author' | 'tag',
  articleIds: readonly number[],
): Promise<void> {
  const [kept, id] = [sql.id('content', `${noun}_search`), sql.id(`${noun}_id`)];
  // One that is deleted meanwhile would fail the articles.
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from ${sql.id('content', noun)} where id in (
      select ${id} from ${sql.id('content', `article_${noun}`)} where article_id = any(${articleIds}::integer[])
    ) order by id for key share`.execute(tx);
  const ids = rows.map((row) => row.id);
  const names = rows.map(({ name }) => foldText(name));
  await sql`
    insert into ${kept} as kept (${id}, name)
    select found.id, found.name from unnest(${ids}::integer[], ${names}::text[]) as found (id, name)
    where not exists (select from ${kept} as same where (same.${id}, same.name) = (found.id, found.name))
    order by found.id on conflict (${id}) do update set name = excluded.name`.execute(tx);
}

function joined(parts: readonly string[]): string {
  return parts.filter(Boolean).join('\n');
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
