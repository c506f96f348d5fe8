import { BackgroundLoop } from '@pressroom/common/concurrency/background-loop';
import {
  type DatabaseConfig,
  isDatabaseAway,
  lockUntilCommit,
  openDatabase,
} from '@pressroom/common/database/database';
import type { Logger } from '@pressroom/common/log/logging';
import type { Meter } from '@pressroom/common/metrics/meter';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { DUE } from './schedule.ts';
import type { ContentTables } from './tables.ts';

interface Outcome {
  id: number;
  was_published: boolean;
  is_published: boolean;
  published_at: Date | null;
}

/** Plans that could not be carried out: some articles, or a release. */
interface LeftOut {
  articles: number[];
  releases: string[];
}

/** Thrown for a plan that could not be carried out; nothing of it was. */
class NotCarriedOut extends Error {
  readonly what: LeftOut;

  constructor(what: LeftOut, cause: unknown) {
    super('the database refused it', { cause });
    this.name = 'NotCarriedOut';
    this.what = what;
  }
}

/**
 * Carries out, in one transaction, what is due first: up to `most` articles of the same moment, or a release
 * with all of its articles. In the order of time, and on one replica at a time; what is being changed at this
 * moment is skipped. Resolves to what it did, undefined if there was nothing to do.
 *
 * @throws NotCarriedOut if the database refuses what is due
 */
function carryOutDue(
  db: Kysely<ContentTables>,
  most: number,
  leftOut: LeftOut,
): Promise<Outcome[] | undefined> {
  return db.transaction().execute(async (tx) => {
    await lockUntilCommit(tx, 'publish at a time');
    const release = await takeRelease(tx, leftOut.releases);
    const before = release ? sql`${release.publish_at}` : sql`statement_timestamp()`;
    const articles = await takeArticles(tx, most, before, leftOut.articles);
    if (articles.length === 0 && release === undefined) return undefined;
    const refuse = (what: Partial<LeftOut>) => (error: unknown) => {
      throw new NotCarriedOut({ articles: [], releases: [], ...what }, error);
    };
    if (articles.length === 0 && release !== undefined)
      return publishRelease(tx, release).catch(refuse({ releases: [release.name] }));
    return flip(tx, sql`publish_at`, sql`id = any(${articles}::integer[])`).catch(refuse({ articles }));
  });
}

/** The ms until the next is due; undefined if nothing is planned. Negative if it is overdue. */
async function untilNextDue(
  db: Kysely<ContentTables>,
  { articles, releases }: LeftOut,
): Promise<number | undefined> {
  const { rows } = await sql<{ ms: number | null }>`
    select ceil(extract(epoch from least(
      (select ${DUE} from content.article where ${DUE} is not null and id <> all(${articles}::integer[])
        order by ${DUE} limit 1),
      (select publish_at from content.release
        where published_at is null and publish_at is not null and name <> all(${releases}::text[])
        order by publish_at limit 1)
    ) - clock_timestamp()) * 1000)::float8 as ms
  `.execute(db);
  return rows[0]?.ms ?? undefined;
}

interface DueRelease {
  name: string;
  publish_at: Date;
}

async function takeRelease(
  tx: Transaction<ContentTables>,
  leftOut: readonly string[],
): Promise<DueRelease | undefined> {
  const { rows } = await sql<DueRelease>`
    select name, publish_at from content.release
    where published_at is null and publish_at <= statement_timestamp() and name <> all(${leftOut}::text[])
    order by publish_at, name limit 1 for update skip locked
  `.execute(tx);
  return rows[0];
}

/** Locks the articles of the first moment at which any is due. */
async function takeArticles(
  tx: Transaction<ContentTables>,
  most: number,
  before: RawBuilder<unknown>,
  leftOut: readonly number[],
): Promise<number[]> {
  const take = async (condition: RawBuilder<unknown>, limit: number) => {
    const { rows } = await sql<{ id: number; due: Date }>`
      select id, ${DUE} as due from content.article where ${condition} and id <> all(${leftOut}::integer[])
      order by ${DUE}, id limit ${limit} for update skip locked
    `.execute(tx);
    return rows;
  };
  const [first] = await take(sql`${DUE} <= ${before}`, 1);
  if (first === undefined) return [];
  return (await take(sql`${DUE} = ${first.due}`, most)).map(({ id }) => id);
}

async function publishRelease(
  tx: Transaction<ContentTables>,
  { name, publish_at }: DueRelease,
): Promise<Outcome[]> {
  const outcomes = await flip(tx, sql`${publish_at}::timestamptz`, sql`release = ${name}`);
  await tx
    .updateTable('content.release')
    .set({ published_at: sql<Date>`clock_timestamp()` })
    .where('name', '=', name)
    .execute();
  return outcomes;
}

/**
 * Publishes drafts, as at the minute that was promised, and takes back what is published. A draft whose end
 * has come as well is not shown at all.
 */
async function flip(
  tx: Transaction<ContentTables>,
  time: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
): Promise<Outcome[]> {
  const begins = sql`(not is_published and (unpublish_at is null or unpublish_at > statement_timestamp()))`;
  const { rows } = await sql<Outcome>`
    update content.article set
      is_published = ${begins},
      published_at = case when ${begins} then coalesce(published_at, ${time}) else published_at end,
      unpublish_at = case when is_published then null else unpublish_at end,
      publish_at = null,
      release = null,
      updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
    where ${condition}
    returning id, old.is_published as was_published, new.is_published, new.published_at
  `.execute(tx);
  return rows;
}

/** Articles of the same moment that are published in one transaction. */
const BATCH = 100;

/** The longest sleep, in ms; then what the database refused is tried again. */
const LONGEST_MS = 30_000;

/** The pause, in ms, before a row that is being changed, or an unavailable database, is tried again. */
const RETRY_MS = 250;

/** Carries out plans when they are due, while the service runs. */
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

  /** Carries out all due plans, and resolves to the ms until the next is due. */
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

  /** Carries out all due plans, except those that the database refuses. */
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

/** Metrics of late publications; one that the database refuses stays late, so it is seen. */
export function scheduleMeters(db: Kysely<ContentTables>): Meter[] {
  return [
    {
      name: 'content_schedule_lag_seconds',
      help: 'For how long the oldest publication or withdrawal that is due has waited',
      kind: 'gauge',
      labels: [],
      read: async () => {
        const ms = (await untilNextDue(db, { articles: [], releases: [] })) ?? 0;
        return [{ labels: {}, value: Math.max(0, -ms / 1000) }];
      },
    },
  ];
}
