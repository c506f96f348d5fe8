import { hash } from 'node:crypto';
import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { FeedEntry } from '../feeds/feed.ts';
import type { EntryCounts } from './intake.ts';
import { partsOf } from './parts.ts';

/** An entry as `news.source_entry` keeps it. */
export interface StoredEntry extends Omit<FeedEntry, 'key' | 'publishedAt' | 'image'> {
  /** ISO 8601; the time of discovery if the feed gives none, or one in the future. */
  publishedAt: string;
  /** Absent where the page that shows it could not be read this time. */
  image?: FeedEntry['image'];
  /** Which part of its page it is, where other entries are of the same page, see `partsOf`. */
  part?: string;
}

/** Granularity of `last_seen_at`, in ms: without it every answer would write each entry. */
const SEEN_MS = 6 * 60 * 60 * 1000;

const NONE: EntryCounts = { added: 0, changed: 0 };

/** What came of the entries of an answer. */
export interface StoredTally {
  /** Those that wait to be edited. */
  kept: EntryCounts;
  /** Those for which there was no room, of which nothing was kept. */
  leftOut: EntryCounts;
}

/**
 * Keeps the entries of a feed's answer: new and changed ones wait to be edited, as far as there is `room` for
 * each kind, in the feed's order. Many feeds change all their entries at each poll, by a counter in them: new
 * ones still have their room then.
 */
export async function storeEntries(
  tx: Transaction<NewsTables>,
  sourceId: number,
  given: readonly FeedEntry[],
  room: EntryCounts,
  now: Date,
): Promise<StoredTally> {
  if (given.length === 0) return { kept: NONE, leftOut: NONE };
  // Several sitemaps may list one address.
  const entries = [...new Map(given.toReversed().map((entry) => [entry.key, entry])).values()].toReversed();
  const parts = partsOf(entries);
  const rows = await tx
    .selectFrom('news.source_entry')
    .select(['key', 'hash', 'discovered_at', 'last_seen_at'])
    .where('source_id', '=', sourceId)
    .where('key', '=', sql<string>`any(${entries.map(({ key }) => key)})`)
    .orderBy('key')
    .forUpdate()
    .execute();
  const known = new Map(rows.map((row) => [row.key, row]));
  const all = entries
    .map((entry) => ({
      ...{ entry, hash: hashOf(entry), before: known.get(entry.key) },
      part: parts.get(entry.key),
    }))
    .filter(({ hash: latest, before }) => before === undefined || !before.hash.equals(latest));
  const fresh = all.filter(({ before }) => before === undefined);
  const changed = all.filter(({ before }) => before !== undefined);
  const kept = [...fresh.slice(0, room.added), ...changed.slice(0, room.changed)];
  await keepPending(tx, sourceId, kept, now);
  const written = new Set(kept.map(({ entry }) => entry.key));
  const seen = rows
    .filter(({ key, last_seen_at }) => !written.has(key) && now.getTime() - last_seen_at.getTime() >= SEEN_MS)
    .map(({ key }) => key);
  if (seen.length > 0) {
    await tx
      .updateTable('news.source_entry')
      .set({ last_seen_at: now })
      .where('source_id', '=', sourceId)
      .where('key', '=', sql<string>`any(${seen})`)
      .execute();
  }
  const counts = {
    added: Math.min(fresh.length, room.added),
    changed: Math.min(changed.length, room.changed),
  };
  return {
    kept: counts,
    leftOut: { added: fresh.length - counts.added, changed: changed.length - counts.changed },
  };
}

/** An entry that is to be edited, and since when it is known, if it was before. */
interface PendingEntry {
  entry: FeedEntry;
  hash: Buffer;
  before: { discovered_at: Date } | undefined;
  part: string | undefined;
}

/** Adds entries, or replaces what was kept of them: they wait to be edited. */
async function keepPending(
  tx: Transaction<NewsTables>,
  sourceId: number,
  entries: readonly PendingEntry[],
  now: Date,
): Promise<void> {
  if (entries.length === 0) return;
  await tx
    .insertInto('news.source_entry')
    .values(
      entries.map(({ entry, hash, before, part }) => ({
        source_id: sourceId,
        key: entry.key,
        hash,
        entry: JSON.stringify({ ...storedEntry(entry, before?.discovered_at ?? now, now), part }),
        retry_at: sql<Date>`now()`,
        discovered_at: now,
        last_seen_at: now,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['source_id', 'key']).doUpdateSet((row) => ({
        hash: row.ref('excluded.hash'),
        entry: row.ref('excluded.entry'),
        state: 'pending',
        reason: null,
        attempts: 0,
        retry_at: row.ref('excluded.retry_at'),
        last_seen_at: now,
      })),
    )
    .execute();
}

function storedEntry(
  { title, summary, url, publishedAt, image, language, isUntitled }: FeedEntry,
  discovered: Date,
  now: Date,
): StoredEntry {
  const isUsable = publishedAt !== null && publishedAt <= now;
  const date = (isUsable ? publishedAt : discovered).toISOString();
  return { title, summary, url, publishedAt: date, image, language, ...(isUntitled && { isUntitled }) };
}

function hashOf({ title, summary, url, publishedAt, image, language }: FeedEntry): Buffer {
  // An entry without both has the hash that it had before there were any.
  const others = image === null && language === null ? [] : [image, language];
  return hash('sha256', JSON.stringify([title, summary, url, publishedAt, ...others]), 'buffer');
}
