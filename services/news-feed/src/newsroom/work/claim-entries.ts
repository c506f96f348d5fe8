import { type Kysely, type RawBuilder, type SqlBool, sql, type UpdateObject } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { leaseEnd, RENEW_MS } from './leases.ts';
import type { StoredEntry } from './store-entries.ts';

/** The first and the longest wait after an entry failed, in seconds. */
const RETRY_SECONDS = 30;
const MAX_RETRY_SECONDS = 86_400;

/**
 * A row of `news.source_entry` that is to be edited, by the database's clock; as of the statement, for the
 * index.
 */
export function isDueEntry(): RawBuilder<SqlBool> {
  return sql`state = 'pending' and retry_at <= statement_timestamp()`;
}

/** An entry that a worker has taken. */
export interface ClaimedEntry {
  key: string;
  hash: Buffer;
  entry: StoredEntry;
  attempts: number;
  discovered_at: Date;
}

/**
 * Takes up to `limit` entries of a source that wait to be edited, the oldest first. No other worker gets them
 * before the lease ends, so a worker that is killed only delays them.
 */
export async function claimEntries(
  db: Kysely<NewsTables>,
  sourceId: number,
  limit: number,
): Promise<ClaimedEntry[]> {
  const { rows } = await sql<ClaimedEntry>`
    with due as (
      select source_id, key from news.source_entry
      where source_id = ${sourceId} and ${isDueEntry()}
      order by entry->>'publishedAt', key limit ${limit} for update skip locked
    )
    update news.source_entry as taken set retry_at = ${leaseEnd()}, attempts = attempts + 1
    from due where taken.source_id = due.source_id and taken.key = due.key
    returning taken.key, taken.hash, taken.entry, taken.attempts, taken.discovered_at
  `.execute(db);
  return rows.sort((a, b) => compare(a.entry.publishedAt, b.entry.publishedAt) || compare(a.key, b.key));
}

/** Carries out work with entries that were taken, and renews their lease: their pages may be slow. */
export async function keepingEntries<T>(
  db: Kysely<NewsTables>,
  sourceId: number,
  claimed: readonly ClaimedEntry[],
  work: () => Promise<T>,
): Promise<T> {
  // Without the database, the lease ends by itself.
  const renew = () => void renewEntries(db, sourceId, claimed).catch(() => undefined);
  const timer = setInterval(renew, RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** A locked entry is being written at the moment, and one with other attempts is in another worker's hand. */
async function renewEntries(
  db: Kysely<NewsTables>,
  sourceId: number,
  claimed: readonly ClaimedEntry[],
): Promise<void> {
  const [keys, attempts] = [claimed.map(({ key }) => key), claimed.map((entry) => entry.attempts)];
  await sql`
    update news.source_entry set retry_at = ${leaseEnd()} where source_id = ${sourceId} and key in (
      select key from news.source_entry
      where source_id = ${sourceId} and state = 'pending' and retry_at < ${leaseEnd()}
        and (key, attempts) in (select * from unnest(${keys}::text[], ${attempts}::int[]))
      for update skip locked
    )
  `.execute(db);
}

/** Lets an entry wait longer after each failed attempt. */
export async function delayEntry(
  db: Kysely<NewsTables>,
  sourceId: number,
  entry: ClaimedEntry,
  reason: string,
): Promise<void> {
  const seconds = Math.min(MAX_RETRY_SECONDS, RETRY_SECONDS * 2 ** Math.min(20, entry.attempts - 1));
  await updateClaimed(db, sourceId, entry, { retry_at: secondsFromNow(seconds), reason });
}

/** Settles that an entry is not to be an item; one that it has already stays as it is. */
export async function refuseEntry(
  db: Kysely<NewsTables>,
  sourceId: number,
  entry: ClaimedEntry,
  reason: string,
): Promise<void> {
  await updateClaimed(db, sourceId, entry, { state: 'refused', reason });
}

/** Gives back an entry that was not tried. */
export async function releaseEntry(
  db: Kysely<NewsTables>,
  sourceId: number,
  entry: ClaimedEntry,
): Promise<void> {
  await updateClaimed(db, sourceId, entry, { retry_at: secondsFromNow(0), attempts: entry.attempts - 1 });
}

/** Not an entry that has changed since it was taken, or that another worker has taken. */
async function updateClaimed(
  db: Kysely<NewsTables>,
  sourceId: number,
  { key, hash, attempts }: ClaimedEntry,
  columns: UpdateObject<NewsTables, 'news.source_entry'>,
): Promise<void> {
  await db
    .updateTable('news.source_entry')
    .set(columns)
    .where('source_id', '=', sourceId)
    .where('key', '=', key)
    .where('hash', '=', hash)
    .where('attempts', '=', attempts)
    .where('state', '=', 'pending')
    .execute();
}

function secondsFromNow(seconds: number): RawBuilder<Date> {
  return sql`clock_timestamp() + ${seconds} * interval '1 second'`;
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
