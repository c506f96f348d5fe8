import { Failure } from '@pressroom/common/failures/failure';
import type { SecretBox } from '@pressroom/common/secrets/secret-box';
import { type Kysely, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';
import { asManyEdits } from '../editing/edits.ts';
import type { NewsTables, SourceTable } from '../tables.ts';
import { transactWithRetries } from '../transactions.ts';
import type { Vocabulary } from '../words.ts';
import { type OpmlFeed, opmlSettings } from './opml.ts';
import type { Reader } from './reader.ts';
import { accessColumns, changesAccess, type SourceAccess } from './source-access.ts';
import {
  applyInThreads,
  DROPPED_BY,
  faultsOfPatterns,
  type RuleSubject,
  type Ruling,
  rulingOf,
} from './source-rules.ts';
import { checkSettings, type SourceSettings, sourceUrl } from './source-settings.ts';

/** A row of `news.source`. */
export type Source = Selectable<SourceTable>;

/**
 * Adds a source that is due immediately. Returns its id, and false for `added` if its address is known
 * already; the known source is left as it is. Without a name it has `title`, else its host, until it has been
 * read. Throws a {@link Failure} for an address that is not one.
 */
export async function addSource(
  db: Kysely<NewsTables>,
  address: string,
  settings: SourceSettings,
  now: Date,
  title = '',
): Promise<{ id: number; added: boolean }> {
  const url = sourceUrl(address);
  const known = await db
    .selectFrom('news.source')
    .select('id')
    .where((where) => where.or([where('url', '=', url), where('given_url', '=', url)]))
    .executeTakeFirst();
  if (known !== undefined) return { id: known.id, added: false };
  const inserted = await db
    .insertInto('news.source')
    .values({
      ...{ url, given_url: url, name: title || new URL(url).host, next_poll_at: now },
      ...columnsOf(settings),
    })
    .onConflict((conflict) => conflict.column('url').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted === undefined) return addSource(db, address, settings, now, title);
  return { id: inserted.id, added: true };
}

/** Returns a source as editors see it, without its hash, its secrets and without the work in progress. */
export function sourceMembers(source: Source) {
  const { body_hash: _hash, lease_until: _lease, holder: _holder, removed: _was, ...others } = source;
  const { secrets: _secrets, ...members } = others;
  return members;
}

/** All sources, in the order in which they were added. */
export function listSources(db: Kysely<NewsTables>): Promise<Source[]> {
  return db.selectFrom('news.source').selectAll().where('removed', 'is', null).orderBy('id').execute();
}

/** A page of them: those after the one with this id, 0 for the first page. */
export function sourcesAfter(
  db: Kysely<NewsTables>,
  id: number,
  limit: number,
  state?: Source['state'] | 'failing',
): Promise<Source[]> {
  return db
    .selectFrom('news.source')
    .selectAll()
    .where('id', '>', id)
    .where('removed', 'is', null)
    .$if(state !== undefined, (query) =>
      query.where('state', '=', state === undefined || state === 'failing' ? 'active' : state),
    )
    .$if(state === 'failing', (query) => query.where('failures', '>', 0))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** The source with an id or an address. Throws a {@link Failure} if there is none. */
export async function findSource(db: Kysely<NewsTables>, idOrUrl: string): Promise<Source> {
  const isId = /^\d{1,15}$/.test(idOrUrl);
  const address = isId ? '' : sourceUrl(idOrUrl);
  return db
    .selectFrom('news.source')
    .selectAll()
    .where((where) =>
      isId
        ? where('id', '=', Number(idOrUrl))
        : where.or([where('url', '=', address), where('given_url', '=', address)]),
    )
    .where('removed', 'is', null)
    .orderBy('id')
    .executeTakeFirstOrThrow(() => new Failure('missing', `source ${idOrUrl} does not exist`));
}

/** An edit of a source, with its author and conditions. */
interface SourceEdit {
  /** For the history of items that lose their pictures. */
  actor?: string;
  /** Checks the source as it is; throws to forbid the change. */
  precondition?: (source: Source) => void;
  /** Seals what is secret; undefined without a key. */
  secrets?: SecretBox | undefined;
}

/**
 * Changes the settings of a source; without images, its items lose theirs. Throws a {@link Failure} if
 * another source has the new address, and whatever the precondition throws.
 */
export function editSource(
  db: Kysely<NewsTables>,
  id: number,
  settings: SourceSettings & SourceAccess & { url?: string },
  now: Date,
  { actor, precondition, secrets }: SourceEdit = {},
): Promise<void> {
  const { url: address, ...rest } = settings;
  const url = address === undefined ? undefined : sourceUrl(address);
  return transactWithRetries(db, async (tx) => {
    const before = await lockSource(tx, id);
    precondition?.(before);
    if (url !== undefined) await refuseTaken(tx, id, [url]);
    const moved = url === undefined ? {} : { url, given_url: url };
    const isReadAnew = url !== undefined || settings.page !== undefined;
    const anew = { ...forgotten(now), last_success_at: null, answered_site: null };
    await update(tx, id, {
      ...columnsOf(rest),
      ...accessColumns(before, rest, url ?? before.given_url, secrets),
      ...moved,
      // At once, so that whoever has changed it sees if it helps.
      ...((changesAccess(rest) || settings.identity !== undefined) && forgotten(now)),
      ...(isReadAnew && anew),
    });
    if (url !== undefined) await tx.deleteFrom('news.source_sitemap').where('source_id', '=', id).execute();
    if (settings.images === false) {
      await asManyEdits(tx, { ...(actor !== undefined && { actor }), action: 'sources edit' });
      await takeImagesAway(tx, id);
    }
    // Other rules may keep entries that were dropped.
    if (settings.rules !== undefined) await offerAgain(tx, id, isDropped());
  });
}

async function lockSource(tx: Kysely<NewsTables>, id: number): Promise<Source> {
  return tx
    .selectFrom('news.source')
    .selectAll()
    .where('id', '=', id)
    .where('removed', 'is', null)
    .forUpdate()
    .executeTakeFirstOrThrow(() => new Failure('missing', `source ${id} does not exist`));
}

async function refuseTaken(tx: Kysely<NewsTables>, id: number, addresses: readonly string[]): Promise<void> {
  const holder = await tx
    .selectFrom('news.source')
    .select('id')
    .where(({ or, eb }) => or([eb('url', 'in', addresses), eb('given_url', 'in', addresses)]))
    .where('id', '<>', id)
    .executeTakeFirst();
  if (holder !== undefined) throw new Failure('conflict', `source ${holder.id} already has this address`);
}

/** Reason to refuse waiting entries of a source that is removed. */
const REMOVED = 'its source was removed';

/** Lets entries of a source wait to be edited once more. */
async function offerAgain(db: Kysely<NewsTables>, id: number, which: RawBuilder<unknown>): Promise<void> {
  await sql`
    update news.source_entry set state = 'pending', reason = null, attempts = 0, retry_at = clock_timestamp()
    where source_id = ${id} and ${which}
  `.execute(db);
}

function isDropped() {
  return sql<boolean>`state = 'refused' and starts_with(reason, ${DROPPED_BY})`;
}

/** Pictures that an editor has chosen stay. */
async function takeImagesAway(db: Kysely<NewsTables>, id: number): Promise<void> {
  await sql`
    update news.item set image = null, updated_at = clock_timestamp() from news.source_entry as entry
    where entry.source_id = ${id} and entry.owns_item and entry.item_id = item.id
      and item.image = entry.written->'image'
  `.execute(db);
}

/** Stops polling a source until {@link resumeSource}. */
export function pauseSource(db: Kysely<NewsTables>, id: number): Promise<void> {
  return update(db, id, { state: 'paused' });
}

/** Polls a source again, and at once, whatever made it stop. */
export function resumeSource(db: Kysely<NewsTables>, id: number, now: Date): Promise<void> {
  return update(db, id, { state: 'active', ...forgotten(now) });
}

/** Removes a source, which {@link restoreSource} brings back until it is forgotten; its items stay. */
export function removeSource(db: Kysely<NewsTables>, id: number): Promise<void> {
  return transactWithRetries(db, async (tx) => {
    await sql`
      update news.source set state = 'removed', url = 'removed:' || id, given_url = 'removed:' || id,
        removed = jsonb_build_object('at', clock_timestamp(), 'url', url, 'given_url', given_url, 'state', state)
      where id = ${id} and removed is null
    `.execute(tx);
    // Its hub is told, and waiting entries do not become items until the source is restored.
    await tx
      .updateTable('news.websub_subscription')
      .set({ source_id: null })
      .where('source_id', '=', id)
      .execute();
    await sql`
      update news.source_entry set state = 'refused', reason = ${REMOVED}
      where source_id = ${id} and state = 'pending'
    `.execute(tx);
  });
}

/**
 * Brings a removed source back as it was, and reads it at once if it was read; one that is there stays as it
 * is. Throws a {@link Failure} if it is forgotten by now, and if another source has its address.
 */
export function restoreSource(db: Kysely<NewsTables>, id: number, now: Date): Promise<void> {
  return transactWithRetries(db, async (tx) => {
    const source = await tx
      .selectFrom('news.source')
      .select('removed')
      .where('id', '=', id)
      .forUpdate()
      .executeTakeFirstOrThrow(() => new Failure('missing', `source ${id} no longer exists`));
    if (source.removed === null) return;
    const { url, given_url, state } = source.removed;
    await refuseTaken(tx, id, [url, given_url]);
    await tx
      .updateTable('news.source')
      .set({ url, given_url, state, removed: null, ...forgotten(now) })
      .where('id', '=', id)
      .execute();
    await offerAgain(tx, id, sql`state = 'refused' and reason = ${REMOVED}`);
  });
}

/** Forgets the sources that were removed before a time. */
export async function forgetRemoved(db: Kysely<NewsTables>, before: Date): Promise<void> {
  await sql`delete from news.source where (removed ->> 'at')::timestamptz < ${before}`.execute(db);
}

/** The columns of a source that is to be read afresh, and at once. */
function forgotten(now: Date): Updateable<SourceTable> {
  return {
    etag: null,
    last_modified: null,
    body_hash: null,
    failures: 0,
    failing_since: null,
    last_error: null,
    offered_url: null,
    next_poll_at: now,
    lease_until: null,
  };
}

function columnsOf(settings: SourceSettings): Updateable<SourceTable> {
  const { name, category, directions, firstParty, weight, select, readPages, images, rules, page } = settings;
  const { identity, textSelector } = settings;
  return {
    ...(name !== undefined && { is_named: name !== '', ...(name !== '' && { name }) }),
    ...(category !== undefined && { category: category || null }),
    ...(directions !== undefined && { directions: [...directions] }),
    ...(firstParty !== undefined && { first_party: firstParty }),
    ...(weight !== undefined && { weight }),
    ...(select !== undefined && { select_rule: select }),
    ...(readPages !== undefined && { reads_pages: readPages }),
    ...(textSelector !== undefined && { text_selector: textSelector.trim() || null, unmatched_pages: 0 }),
    ...(identity !== undefined && { identity }),
    ...(images !== undefined && { takes_images: images }),
    ...(rules !== undefined && { rules: [...rules], stopped_rules: '[]' }),
    ...(page !== undefined && { list_selectors: page === false ? null : page }),
  };
}

async function update(db: Kysely<NewsTables>, id: number, columns: Updateable<SourceTable>): Promise<void> {
  if (Object.keys(columns).length === 0) throw new Failure('refused', 'nothing to change');
  const { numUpdatedRows } = await db
    .updateTable('news.source')
    .set(columns)
    .where('id', '=', id)
    .where('removed', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw new Failure('missing', `source ${id} does not exist`);
}

/** Counts what all sources, or those with these ids, have brought. */
export async function sourceCounts(db: Kysely<NewsTables>, now: Date, ids?: readonly number[]) {
  const dayAgo = new Date(now.getTime() - 86_400_000);
  return db
    .selectFrom('news.source_entry')
    .select('source_id')
    .select((build) => [
      build.fn.countAll<number>().filterWhere('discovered_at', '>', dayAgo).as('day'),
      build.fn.countAll<number>().filterWhere('state', '=', 'pending').as('pending'),
      build.fn.countAll<number>().filterWhere('state', '=', 'refused').as('refused'),
    ])
    .$if(ids !== undefined, (query) => query.where('source_id', '=', sql<number>`any(${ids}::bigint[])`))
    .groupBy('source_id')
    .execute();
}

/** Periods of 24 hours that {@link newEntries} counts. */
const DAYS = 14;

/** The new entries of these sources in each of the last 14 times 24 hours, the latest last. */
export async function newEntries(
  db: Kysely<NewsTables>,
  now: Date,
  ids: readonly number[],
): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ source_id: number; ago: number; entries: number }>`
    select source_id, floor(extract(epoch from ${now}::timestamptz - discovered_at) / 86400)::int as ago, count(*)::int as entries
    from news.source_entry
    where source_id = any(${ids}::bigint[])
      and discovered_at > ${now}::timestamptz - ${DAYS} * interval '24 hours' and discovered_at <= ${now}
    group by source_id, ago
  `.execute(db);
  const days = new Map(ids.map((id) => [id, new Array<number>(DAYS).fill(0)]));
  for (const { source_id, ago, entries } of rows) days.get(source_id)?.splice(DAYS - 1 - ago, 1, entries);
  return days;
}

/** Lists the newest refused entries of a source, with the reasons. */
export function refusedEntries(db: Kysely<NewsTables>, id: number) {
  return db
    .selectFrom('news.source_entry')
    .select(['key', 'reason', sql<string>`entry->>'title'`.as('title')])
    .where('source_id', '=', id)
    .where('state', '=', 'refused')
    .orderBy('discovered_at', 'desc')
    .limit(10)
    .execute();
}

/** The newest entries that rules have dropped, with the rule. */
export function droppedEntries(db: Kysely<NewsTables>, id: number) {
  return db
    .selectFrom('news.source_entry')
    .select([sql<string>`entry->>'title'`.as('title'), 'discovered_at'])
    .select(sql<string>`substr(reason, length(${DROPPED_BY}) + 1)`.as('rule'))
    .where('source_id', '=', id)
    .where(isDropped())
    .orderBy('discovered_at', 'desc')
    .orderBy('key')
    .limit(200)
    .execute();
}

/** The newest entries of a source, on which its rules are tried. */
async function newestEntries(db: Kysely<NewsTables>, id: number): Promise<RuleSubject[]> {
  const rows = await db
    .selectFrom('news.source_entry')
    .select(sql<RuleSubject>`entry`.as('entry'))
    .where('source_id', '=', id)
    .orderBy('discovered_at', 'desc')
    .orderBy('key')
    .limit(200)
    .execute();
  return rows.map(({ entry }) => entry);
}

/** Outcome of adding the feeds of an OPML file. */
interface AddedFeeds {
  added: number;
  known: number;
  refused: { url: string; reason: string }[];
}

/** Adds the feeds of an OPML file that are not sources yet. */
export async function addListed(
  db: Kysely<NewsTables>,
  feeds: readonly OpmlFeed[],
  { vocabulary, reader, now }: { vocabulary: Vocabulary; reader: Reader; now: Date },
): Promise<AddedFeeds> {
  const refused: AddedFeeds['refused'] = [];
  let added = 0;
  for (const feed of feeds) {
    const { url } = feed;
    try {
      const settings = opmlSettings(feed, vocabulary);
      checkSettings(settings, vocabulary);
      const [fault] = await faultsOfPatterns(reader, settings.rules);
      if (fault !== undefined) throw new Failure('invalid', fault.message);
      if ((await addSource(db, url, settings, now)).added) added += 1;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      refused.push({ url, reason: error.message });
    }
  }
  return { added, known: feeds.length - added - refused.length, refused };
}

/** An entry with the outcome of rules that are tried. */
export type TriedEntry = { title: string } & Ruling;

/** Tries rules on the newest entries of a source. Throws a `Failure` if one cannot be applied. */
export async function tryRules(
  { db, reader }: { db: Kysely<NewsTables>; reader: Reader },
  id: number,
  rules: readonly string[],
): Promise<TriedEntry[]> {
  const entries = await newestEntries(db, id);
  const { applied, faults } = await applyInThreads(reader, `rules of ${id}`, rules, entries);
  const [fault] = faults;
  if (fault !== undefined) throw new Failure('invalid', fault.reason);
  return entries.map(({ title }, entry) => ({ title, ...rulingOf(applied, entry) }));
}
