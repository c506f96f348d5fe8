import { hash } from 'node:crypto';
import {
  backoffSeconds,
  LEASE_SECONDS,
  Lease,
  RENEW_MS,
  secondsFromNow,
} from '@pressroom/common/database/leases';
import { type Kysely, type RawBuilder, type SqlBool, sql, type Transaction, type UpdateObject } from 'kysely';
import { getDomain } from 'tldts';
import { type FeedEntry, type ParsedFeed, withOwnKey } from '../reading/feed.ts';
import type { Source } from '../reading/sources.ts';
import type { NewsTables } from '../tables.ts';
import { anchorOf, hasNoId, type Identity, identifiedEntries, pageOf } from './entry-identity.ts';

/** An entry as `news.source_entry` keeps it. */
export interface StoredEntry extends Omit<FeedEntry, 'key' | 'publishedAt' | 'image'> {
  /** ISO 8601; the time of discovery if the feed gives none, or one in the future. */
  publishedAt: string;
  /** Absent where the page that shows it could not be read this time. */
  image?: FeedEntry['image'];
  /** Tells this part of its page from other entries of the page, see `partsOf`. */
  part?: string;
}

/** Granularity of `last_seen_at`, in ms: without it every answer would write each entry. */
const SEEN_MS = 6 * 60 * 60 * 1000;

const NONE: EntryCounts = { added: 0, changed: 0 };

/** Outcome of storing the entries of an answer. */
interface StoredTally {
  kept: EntryCounts;
  /** Entries that found no room; nothing of them was kept. */
  leftOut: EntryCounts;
}

/**
 * Keeps the entries of a feed's answer: new and changed ones wait to be edited, as far as there is `room` for
 * each kind, in the feed's order. Many feeds change all their entries at each poll, by a counter in them: new
 * ones still have their room then.
 */
export async function storeEntries(
  tx: Transaction<NewsTables>,
  { id: sourceId, identity }: Pick<Source, 'id' | 'identity'>,
  feed: Pick<ParsedFeed, 'entries' | 'home'> | undefined,
  room: EntryCounts,
  now: Date,
): Promise<StoredTally> {
  if (feed === undefined || feed.entries.length === 0) return { kept: NONE, leftOut: NONE };
  // Several sitemaps may list one address.
  const given = [...new Map(feed.entries.toReversed().map((entry) => [entry.key, entry])).values()];
  const { entries, rows } =
    identity === 'auto'
      ? await withKnown(tx, sourceId, given.toReversed(), feed.home)
      : await withIdentified(tx, sourceId, identity, given.toReversed());
  const known = new Map(rows.map((row) => [row.key, row]));
  const fresh = entries.filter(({ key }) => !known.has(key));
  const parts = new Map([
    ...(await partsBefore(tx, sourceId, fresh)),
    ...partsOf(entries, feed.home, await anchoredBefore(tx, sourceId, fresh)),
  ]);
  const all = entries
    .map((entry) => ({
      ...{ entry, hash: hashOf(entry), before: known.get(entry.key) },
      part: parts.get(entry.key),
    }))
    .filter(({ entry, hash: latest, before }) => before === undefined || !isAsBefore(entry, latest, before));
  const added = all.filter(({ before }) => before === undefined);
  const changed = all.filter(({ before }) => before !== undefined);
  const kept = [...added.slice(0, room.added), ...changed.slice(0, room.changed)];
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
    added: Math.min(added.length, room.added),
    changed: Math.min(changed.length, room.changed),
  };
  return {
    kept: counts,
    leftOut: { added: added.length - counts.added, changed: changed.length - counts.changed },
  };
}

/** Joins entries with their stored rows; another article under a known key gets a key of its own. */
async function withKnown(
  tx: Transaction<NewsTables>,
  sourceId: number,
  given: readonly FeedEntry[],
  home: string,
) {
  const found = await knownEntries(tx, sourceId, given);
  const unknown = given.filter(({ key }) => !found.some((row) => row.key === key));
  const keys = await keysBefore(tx, sourceId, unknown, given, home);
  const entries = given.map((entry) => ({ ...entry, key: keys.get(entry.key) ?? entry.key }));
  const rows = keys.size === 0 ? found : await knownEntries(tx, sourceId, entries);
  const known = new Map(rows.map((row) => [row.key, row.entry]));
  const shared = await sharedIds(tx, sourceId, [...known.keys()]);
  const own = entries.map((entry) => {
    const before = known.get(entry.key);
    if (before === undefined || entry.title === before.title) return entry;
    const isElsewhere = pageOf(entry.url) !== pageOf(before.url);
    const isOfMany = shared.has(entry.key) || (hasNoId(entry) && pageOf(entry.url) === pageOf(home));
    const isOther = isElsewhere ? isOtherElsewhere(entry, before) : isOfMany && isOtherHere(entry, before);
    return isOther ? withOwnKey(entry, isElsewhere) : entry;
  });
  const others = own.filter((entry, index) => entry !== entries[index]);
  return {
    entries: own,
    rows: others.length === 0 ? rows : [...rows, ...(await knownEntries(tx, sourceId, others))],
  };
}

/** Joins entries with their stored rows as an editor has them told apart. */
async function withIdentified(
  tx: Transaction<NewsTables>,
  sourceId: number,
  identity: Identity,
  given: readonly FeedEntry[],
) {
  const entries = await identifiedEntries(tx, sourceId, identity, given);
  return { entries, rows: await knownEntries(tx, sourceId, entries) };
}

/** A feed may give one id to different articles; a correction leaves address, title or date as it was. */
function isOtherElsewhere({ publishedAt }: FeedEntry, before: StoredEntry): boolean {
  return publishedAt !== null && publishedAt.toISOString() !== before.publishedAt;
}

/** Where many entries have one id, a correction of a title leaves text or date as it was. */
function isOtherHere({ summary, publishedAt }: FeedEntry, before: StoredEntry): boolean {
  if (summary !== null && summary === before.summary) return false;
  return publishedAt?.toISOString() !== before.publishedAt;
}

/** The ids that the source is known to give to many entries. */
async function sharedIds(
  tx: Transaction<NewsTables>,
  sourceId: number,
  keys: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select distinct entry ->> 'sharedId' as id from news.source_entry
    where source_id = ${sourceId} and entry ->> 'sharedId' = any(${keys})
  `.execute(tx);
  return new Set(rows.map(({ id }) => id));
}

/**
 * The keys under which the source has had entries that are new by their own: one that came without the
 * others of its id, and one without an id whose address was spelled otherwise.
 */
async function keysBefore(
  tx: Transaction<NewsTables>,
  sourceId: number,
  entries: readonly FeedEntry[],
  all: readonly FeedEntry[],
  home: string,
): Promise<Map<string, string>> {
  const unsure = entries.filter((entry) => entry.sharedId !== undefined || hasNoId(entry));
  const known = await itemsOnPages(tx, sourceId, unsure);
  const taken = new Set(all.map(({ key }) => key));
  const pages = Map.groupBy(all, ({ url }) => pageOf(url));
  const keys = new Map<string, string>();
  for (const entry of unsure) {
    const page = pageOf(entry.url);
    const isAlone = pages.get(page)?.length === 1 && page !== pageOf(home);
    const before = known.get(page)?.find(({ key, url, title }) => {
      if (taken.has(key)) return false;
      return entry.sharedId === undefined ? isAlone && hasNoId({ key, url }) : title === entry.title;
    });
    if (before === undefined) continue;
    taken.add(before.key);
    keys.set(entry.key, before.key);
  }
  return keys;
}

function knownEntries(tx: Transaction<NewsTables>, sourceId: number, entries: readonly FeedEntry[]) {
  return tx
    .selectFrom('news.source_entry')
    .select(['key', 'hash', 'discovered_at', 'last_seen_at'])
    .select(sql<StoredEntry>`entry`.as('entry'))
    .where('source_id', '=', sourceId)
    .where('key', '=', sql<string>`any(${entries.map(({ key }) => key)})`)
    .orderBy('key')
    .forUpdate()
    .execute();
}

/** The addresses with anchors that the source has had on the pages of these entries. */
async function anchoredBefore(
  tx: Transaction<NewsTables>,
  sourceId: number,
  entries: readonly FeedEntry[],
): Promise<string[]> {
  const pages = new Set(entries.flatMap(({ url }) => /^(.*)#./.exec(url)?.[1] ?? []));
  if (pages.size === 0) return [];
  const rows = await tx
    .selectFrom('news.source_entry')
    .select(sql<string>`entry ->> 'url'`.as('url'))
    .where('source_id', '=', sourceId)
    .where(sql<string>`split_part(entry ->> 'url', '#', 1)`, '=', sql<string>`any(${[...pages]})`)
    .execute();
  return rows.map(({ url }) => url);
}

/** An entry of which the source has an item. */
interface EntryOnPage {
  key: string;
  url: string;
  title: string;
  canonical_url: string;
}

/** The entries of the source with items on the pages of others, by page, if one of them is the whole page. */
async function itemsOnPages(
  tx: Transaction<NewsTables>,
  sourceId: number,
  entries: readonly FeedEntry[],
): Promise<Map<string, EntryOnPage[]>> {
  const pages = [...new Set(entries.map(({ url }) => pageOf(url)))];
  if (pages.length === 0) return new Map();
  const ofSource = tx
    .selectFrom('news.source_entry as known')
    .innerJoin('news.item as item', 'item.id', 'known.item_id')
    .select(['known.key', 'item.canonical_url'])
    .select([sql<string>`known.entry ->> 'title'`.as('title'), sql<string>`known.entry ->> 'url'`.as('url')])
    .where('known.source_id', '=', sourceId)
    .where('known.owns_item', '=', true);
  const whole = await ofSource.where('item.canonical_url', '=', sql<string>`any(${pages})`).execute();
  if (whole.length === 0) return new Map();
  const shared = [...new Set(whole.map(({ canonical_url }) => canonical_url))];
  const rows = await ofSource
    .where(sql<string>`split_part(item.canonical_url, '#', 1)`, '=', sql<string>`any(${shared})`)
    .execute();
  return Map.groupBy(rows, ({ canonical_url }) => canonical_url.replace(/#.*$/, ''));
}

/** Parts of entries with an id of their own, on pages of which the source has items by other ids. */
async function partsBefore(
  tx: Transaction<NewsTables>,
  sourceId: number,
  entries: readonly FeedEntry[],
): Promise<Map<string, string>> {
  const own = entries.filter((entry) => !hasNoId(entry));
  const known = await itemsOnPages(tx, sourceId, own);
  return new Map(
    own.flatMap(({ key, url, title }): [string, string][] => {
      const others = known.get(pageOf(url));
      if (others === undefined) return [];
      const same = others.find((other) => other.title === title);
      if (same === undefined) return [[key, partFor(key)]];
      const [, part] = same.canonical_url.split('#');
      return part === undefined ? [] : [[key, part]];
    }),
  );
}

/** An entry that is to be edited, and since when it is known, if it was before. */
interface PendingEntry {
  entry: FeedEntry;
  hash: Buffer;
  before: { discovered_at: Date } | undefined;
  part: string | undefined;
}

/** Adds entries, or replaces stored ones: they wait to be edited. */
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

function storedEntry(entry: FeedEntry, discovered: Date, now: Date): StoredEntry {
  const { title, summary, url, publishedAt, image, language, isUntitled, sharedId } = entry;
  const { authors = [], tags = [], enclosures = [], id, key } = entry;
  const isUsable = publishedAt !== null && publishedAt <= now;
  const date = (isUsable ? publishedAt : discovered).toISOString();
  return {
    ...{ title, summary, url, publishedAt: date, image, language, authors, tags, enclosures },
    ...(isUntitled && { isUntitled }),
    ...(sharedId !== undefined && { sharedId }),
    ...(id !== undefined && id !== key && { id }),
  };
}

function hashOf(entry: FeedEntry): Buffer {
  const { title, summary, url, publishedAt, image, language, authors, tags, enclosures } = entry;
  // An entry without these has the hash that it had before there were any.
  const others = image === null && language === null ? [] : [image, language];
  // Many hosts sign the addresses of recordings anew for each answer.
  const files = enclosures?.map((file) => file.url.replace(/\?.*$/, ''));
  const credits = authors || tags || files ? [{ authors, tags, files }] : [];
  return hash('sha256', JSON.stringify([title, summary, url, publishedAt, ...others, ...credits]), 'buffer');
}

/** An entry of earlier versions, kept without its credits, is not judged again to learn them. */
function isAsBefore(entry: FeedEntry, latest: Buffer, before: { hash: Buffer; entry: StoredEntry }): boolean {
  if (before.hash.equals(latest)) return true;
  if (before.entry.authors !== undefined) return false;
  const { authors: _, tags: __, enclosures: ___, ...others } = entry;
  return before.hash.equals(hashOf(others));
}

/** True if any entry of a source is still known. */
export async function hasEntries(db: Kysely<NewsTables>, sourceId: number): Promise<boolean> {
  const entries = db.selectFrom('news.source_entry').select('key').where('source_id', '=', sourceId);
  return (await entries.limit(1).executeTakeFirst()) !== undefined;
}

/** True if a source has had one of these entries, by its key or its title. */
export async function hasEntryLike(
  db: Kysely<NewsTables>,
  sourceId: number,
  entries: readonly FeedEntry[],
): Promise<boolean> {
  const [keys, titles] = [entries.map(({ key }) => key), entries.map(({ title }) => title)];
  const { rows } = await sql`
    select from news.source_entry
    where source_id = ${sourceId} and (key = any(${keys}) or entry ->> 'title' = any(${titles})) limit 1
  `.execute(db);
  return rows.length > 0;
}

/** The first wait is longer than a lease, so that a failed entry is not taken for one in progress. */
const BACKOFF = { firstSeconds: 2 * LEASE_SECONDS, mostSeconds: 86_400 };

/** One in hand is due when its lease ends. */
const ENTRIES = new Lease({
  table: 'news.source_entry',
  key: ['source_id', 'key'],
  until: 'retry_at',
});

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
  const claimed = await ENTRIES.claim<ClaimedEntry>(db, {
    due: sql`source_id = ${sourceId} and ${isDueEntry()}`,
    order: sql`entry->>'publishedAt', key`,
    most: limit,
    set: sql`attempts = attempts + 1`,
    returning: sql`key, hash, entry, attempts, discovered_at`,
  });
  return claimed.sort((a, b) => compare(a.entry.publishedAt, b.entry.publishedAt) || compare(a.key, b.key));
}

/** Carries out work with entries that were taken, and renews their lease: their pages may be slow. */
export async function withEntryLease<T>(
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

/** An entry with other attempts is in another worker's hand. */
async function renewEntries(
  db: Kysely<NewsTables>,
  sourceId: number,
  claimed: readonly ClaimedEntry[],
): Promise<void> {
  const [keys, attempts] = [claimed.map(({ key }) => key), claimed.map((entry) => entry.attempts)];
  await ENTRIES.renew(
    db,
    sql`source_id = ${sourceId} and state = 'pending' and retry_at < ${ENTRIES.end()}
      and (key, attempts) in (select * from unnest(${keys}::text[], ${attempts}::int[]))`,
  );
}

/** Lets an entry wait longer after each failed attempt. */
export async function delayEntry(
  db: Kysely<NewsTables>,
  sourceId: number,
  entry: ClaimedEntry,
  reason: string,
): Promise<void> {
  const wait = backoffSeconds(BACKOFF, entry.attempts);
  await updateClaimed(db, sourceId, entry, { retry_at: secondsFromNow(wait), reason });
}

/** Records that an entry does not become an item; an item that it already has stays as it is. */
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

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Numbers of entries that a source's feed has not had before, and of those that it has changed. */
interface EntryCounts {
  added: number;
  changed: number;
}

/**
 * The most entries of a source that are kept within 24 hours, of new ones and of changed ones each: every one
 * costs a judgement and the search for its story. Twice what one answer may have.
 */
const MOST_OF_A_DAY = 2000;

const DAY_MS = 86_400_000;

/** Entries of a source since its day began. */
interface Intake {
  since: Date;
  taken: EntryCounts;
  /** Entries that it may still bring. */
  room: EntryCounts;
}

/** Returns the intake of a source; its day begins with the first entry after the last one ended. */
export function intakeOf(
  { taken_since, taken, taken_changes }: Pick<Source, 'taken_since' | 'taken' | 'taken_changes'>,
  now: Date,
): Intake {
  const lasts = taken_since !== null && now.getTime() - taken_since.getTime() < DAY_MS;
  const { added, changed } = lasts ? { added: taken, changed: taken_changes } : { added: 0, changed: 0 };
  return {
    since: lasts ? taken_since : now,
    taken: { added, changed },
    room: { added: Math.max(0, MOST_OF_A_DAY - added), changed: Math.max(0, MOST_OF_A_DAY - changed) },
  };
}

/** The message to editors about a source that exceeds its limits; null if nothing was left out. */
export function intakeFault(leftOut: EntryCounts): string | null {
  const kinds = [...(leftOut.added > 0 ? ['new'] : []), ...(leftOut.changed > 0 ? ['changed'] : [])];
  if (kinds.length === 0) return null;
  const amounts = kinds.map((kind) => `more than ${MOST_OF_A_DAY} ${kind} entries`).join(' and ');
  return `it brought ${amounts} within 24 hours; the others are read later, if its feed still has them then`;
}

/**
 * The registered domain of a host, by the Public Suffix List, as sites of one owner share it; sites on a host
 * like `github.io` are of different owners. A host without a domain stands for itself.
 */
export function siteOf({ host, hostname }: URL): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? host;
}

/**
 * Tells the entries of one page apart, by the entry's key, where they say different things, such as the notes
 * of a release or the messages of a status page: in one document, under other anchors `before`, or where the
 * page is the `home` of all.
 */
export function partsOf(
  entries: readonly FeedEntry[],
  home: string,
  before: readonly string[] = [],
): Map<string, string> {
  const parts = new Map<string, string>();
  const pages = Map.groupBy(entries, ({ url }) => pageOf(url));
  const known = Map.groupBy(before, pageOf);
  for (const [page, sharing] of pages) {
    const isShared = page === pageOf(home) || hasOther(known.get(page), sharing[0]);
    // Most pages are those of one entry.
    if (sharing.length === 1 && !isShared) continue;
    const contents = [...Map.groupBy(sharing, contentOf).values()];
    if (contents.length === 1 && !isShared) continue;
    const anchors = contents.map(([first]) => anchorOf(first?.url ?? ''));
    const areOwn = new Set(anchors).size === contents.length && anchors.every((anchor) => anchor !== '');
    for (const [index, [first, ...others]] of contents.entries()) {
      if (first === undefined) continue;
      const own = areOwn ? anchors[index] : undefined;
      const part = own ?? partFor(first.key);
      for (const { key } of [first, ...others]) parts.set(key, part);
    }
  }
  return parts;
}

function partFor(key: string): string {
  return hash('sha256', key).slice(0, 16);
}

/** True if a page was known by another anchor than that of an entry. */
function hasOther(known: readonly string[] = [], entry: FeedEntry | undefined): boolean {
  const own = anchorOf(entry?.url ?? '');
  return known.map(anchorOf).some((anchor) => anchor !== '' && anchor !== own);
}

function contentOf({ title, summary, publishedAt }: FeedEntry): string {
  return JSON.stringify([title, summary, publishedAt]);
}
