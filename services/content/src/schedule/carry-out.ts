import { lockUntilCommit } from '@pressroom/common/database/advisory-locks';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { ContentTables } from '../tables.ts';

/** When something is to happen to an article; the index `article_by_due` is on these words. */
export const DUE = sql<Date>`(case when is_published then unpublish_at else publish_at end)`;

/** What the time made of an article. */
export interface Outcome {
  id: number;
  was_published: boolean;
  is_published: boolean;
  published_at: Date | null;
}

/** What could not be carried out: some articles, or a release. */
export interface LeftOut {
  articles: number[];
  releases: string[];
}

/** Thrown for what could not be carried out; nothing of it was. */
export class NotCarriedOut extends Error {
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
export function carryOutDue(
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
export async function untilNextDue(
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

/** A release that is due. */
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
