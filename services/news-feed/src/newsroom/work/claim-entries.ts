import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { StoredEntry } from './store-entries.ts';

/** How long a worker has for the entries that it takes, in seconds: then another one takes them. */
const LEASE_SECONDS = 300;

/** The first and the longest wait after an entry failed, in seconds. */
const RETRY_SECONDS = 30;
const MAX_RETRY_SECONDS = 86_400;

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
  now: Date,
): Promise<ClaimedEntry[]> {
  const leaseEnd = new Date(now.getTime() + LEASE_SECONDS * 1000);
  const { rows } = await sql<ClaimedEntry>`
    with due as (
      select source_id, key from news.source_entry
      where source_id = ${sourceId} and state = 'pending' and retry_at <= ${now}
      order by entry->>'publishedAt', key limit ${limit} for update skip locked
    )
    update news.source_entry as taken set retry_at = ${leaseEnd}, attempts = attempts + 1
    from due where taken.source_id = due.source_id and taken.key = due.key
    returning taken.key, taken.hash, taken.entry, taken.attempts, taken.discovered_at
  `.execute(db);
  return rows.sort((a, b) => compare(a.entry.publishedAt, b.entry.publishedAt) || compare(a.key, b.key));
}

/** Lets an entry wait longer after each failed attempt. */
export async function delayEntry(
  db: Kysely<NewsTables>,
  sourceId: number,
  { key, attempts }: ClaimedEntry,
  reason: string,
  now: Date,
): Promise<void> {
  const seconds = Math.min(MAX_RETRY_SECONDS, RETRY_SECONDS * 2 ** Math.min(20, attempts - 1));
  await db
    .updateTable('news.source_entry')
    .set({ retry_at: new Date(now.getTime() + seconds * 1000), reason })
    .where('source_id', '=', sourceId)
    .where('key', '=', key)
    .where('state', '=', 'pending')
    .execute();
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
