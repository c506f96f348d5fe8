import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { lockNumber } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import type { Judgement } from '@pressroom/stories';
import { sql, type Transaction } from 'kysely';
import type { CheckItem, ItemChange, ItemInput } from '../editing/item-members.ts';
import {
  type EditedItem,
  editItem,
  type ItemValues,
  insertItems,
  saysTheSame,
  urlOf,
  valuesOf,
} from '../editing/items.ts';
import { BACK_FILLED_MS, canonicalUrl, canonicalUrls } from '../fields.ts';
import type { Judge } from '../grouping/judging.ts';
import type { AssignableItem, ChangedReport, StoryAssigner } from '../grouping/story-assigner.ts';
import type { Source } from '../reading/sources.ts';
import type { NewsTables } from '../tables.ts';
import { type ClaimedEntry, type StoredEntry, siteOf } from './entries.ts';
import { articleSpellings, spellingsOf } from './entry-identity.ts';

/** An entry with the editor's decision about it. */
export interface JudgedEntry {
  claimed: ClaimedEntry;
  /** Its address as the source gives it; the page may have named another one. */
  givenUrl: string;
  judgement: Judgement;
  /** False if the article's page says its address, and could not be read this time. */
  isAddressKnown: boolean;
}

export interface WriteParts {
  /** Checks what is to be an item. */
  checkItem: CheckItem;
  judge: Judge;
  stories: StoryAssigner;
}

/** A judged entry with the row that it has now. */
interface LockedEntry extends JudgedEntry {
  itemId: string | null;
  ownsItem: boolean;
  /** Members as last written; the publication only since it is followed. */
  written: Partial<WrittenMembers & Publication>;
  members: WrittenMembers;
}

/**
 * Makes items of entries, or changes those that they made before. An article that is an item already is
 * linked and left as it is, unless it is on the source's own site and a third party brought it first. Entries
 * that changed since they were claimed, or that another worker has written, are left alone, so writing them
 * twice does nothing. An entry that cannot be an item is refused, with the reason.
 */
export async function writeEntries(
  tx: Transaction<NewsTables>,
  { checkItem, judge, stories }: WriteParts,
  source: Source,
  judged: readonly JudgedEntry[],
  now: Date,
): Promise<void> {
  const locked = await lockEntries(tx, source.id, await withOwnAddresses(tx, source.id, judged));
  const outcomes = new Map<LockedEntry, EntryItem | Failure>();
  for (const entry of locked.filter(({ ownsItem }) => ownsItem)) {
    outcomes.set(entry, await followSource(tx, checkItem, source, entry).catch(refusalOf));
  }
  const others = locked.filter(({ ownsItem }) => !ownsItem);
  const made = await findItems(tx, checkItem, source, others, outcomes);
  for (const [entry, outcome] of await reclaimItems(tx, checkItem, source, outcomes))
    outcomes.set(entry, outcome);
  const written = locked.flatMap((entry) => {
    const item = outcomes.get(entry);
    return item === undefined || item instanceof Failure || item.id === null
      ? []
      : [{ entry, ...item, itemId: item.id }];
  });
  // Late, because workers do this one after the other, until each has committed.
  await stories.assign(
    tx,
    made.map(({ entry, input }) => assignableItem(entry, input.id, source)),
    now,
    (storyOf) =>
      insertItems(
        tx,
        made.map(({ entry, input: { id, ...input }, spellings: [part = ''] }) => ({
          ...valuesOf({ ...input, story: storyOf(id) }, undefined, now),
          ...(entry.claimed.entry.part !== undefined && { canonical_url: part }),
          id,
        })),
      ),
  );
  const kept = written.filter(({ ownsItem }) => ownsItem);
  await judge.keep(
    tx,
    kept.map(({ itemId, entry: { judgement } }) => ({ itemId, judgement })),
    now,
  );
  await finish(tx, source.id, outcomes);
  await stories.renew(
    tx,
    written.flatMap(({ itemId, edited }) =>
      edited === undefined || saysTheSame(edited.before, edited.after) ? [] : [changedReport(itemId, edited)],
    ),
    now,
  );
}

/** A failure of the entry itself; rethrows every other error, which has spoiled the transaction. */
function refusalOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** Pages of articles with other titles that name one address, such as that of their section, name none. */
async function withOwnAddresses(
  tx: Transaction<NewsTables>,
  sourceId: number,
  judged: readonly JudgedEntry[],
): Promise<readonly JudgedEntry[]> {
  const renamed = judged.filter(({ claimed, givenUrl }) => claimed.entry.url !== givenUrl);
  if (renamed.length === 0) return judged;
  const pageOf = ({ claimed }: JudgedEntry) => articleSpellings(claimed.entry.url)[0] ?? '';
  const rows = await tx
    .selectFrom('news.source_entry as entry')
    .innerJoin('news.item as item', 'item.id', 'entry.item_id')
    .select(['entry.key', 'item.canonical_url'])
    .select(sql<string>`coalesce(item.original_title, item.title)`.as('title'))
    .where('entry.source_id', '=', sourceId)
    .where('item.canonical_url', '=', sql<string>`any(${renamed.map(pageOf)})`)
    .execute();
  const named = judged.map((one) => {
    const { key, entry } = one.claimed;
    return { key, canonical_url: pageOf(one), title: entry.title };
  });
  const pages = Map.groupBy([...rows, ...named], ({ canonical_url }) => canonical_url);
  return judged.map((one) => {
    const { claimed, givenUrl } = one;
    const isShared = pages
      .get(pageOf(one))
      ?.some(({ key, title }) => key !== claimed.key && title !== claimed.entry.title);
    return isShared ? { ...one, claimed: { ...claimed, entry: { ...claimed.entry, url: givenUrl } } } : one;
  });
}

/** The entries that are still as they were claimed, locked. */
async function lockEntries(
  tx: Transaction<NewsTables>,
  sourceId: number,
  judged: readonly JudgedEntry[],
): Promise<LockedEntry[]> {
  const rows = await tx
    .selectFrom('news.source_entry')
    .select(['key', 'hash', 'item_id', 'owns_item'])
    .select(sql<LockedEntry['written'] | null>`written`.as('written'))
    .where('source_id', '=', sourceId)
    .where('key', '=', sql<string>`any(${judged.map(({ claimed }) => claimed.key)})`)
    .where('state', '=', 'pending')
    .orderBy('key')
    .forUpdate()
    .execute();
  const known = new Map(rows.map((row) => [row.key, row]));
  // One worker at a time writes an article: two sources may bring it at once.
  const urls = judged.map(({ claimed }) => articleSpellings(claimed.entry.url)[0]);
  await sql`
    select pg_advisory_xact_lock(number) from (
      select distinct ${lockNumber('write an article', sql.ref<string>('url'))} as number
      from unnest(${urls}::text[]) as url order by 1
    ) as numbers
  `.execute(tx);
  return judged.flatMap((entry) => {
    const row = known.get(entry.claimed.key);
    if (row === undefined || !row.hash.equals(entry.claimed.hash)) return [];
    const members = writtenMembers(entry.claimed.entry, entry.judgement);
    const { item_id: itemId, owns_item: ownsItem } = row;
    return [{ ...entry, itemId, ownsItem, written: row.written ?? {}, members }];
  });
}

interface EntryItem {
  /** Null: the item was pruned, and is not made again. */
  id: string | null;
  ownsItem: boolean;
  /** An item that was there, before and after. */
  edited?: EditedItem;
  /** To be kept as written; by default that of the entry. */
  publication?: Partial<Publication>;
}

/** The values of an entry that is to be an item, and the canonical URLs under which it may be one already. */
interface EntryInput {
  entry: LockedEntry;
  input: NewItem;
  spellings: readonly string[];
}

/**
 * Sets the outcomes of entries that made no item before, and returns those that are to make one now; entries
 * of one article share an item.
 */
async function findItems(
  tx: Transaction<NewsTables>,
  checkItem: CheckItem,
  source: Source,
  entries: readonly LockedEntry[],
  outcomes: Map<LockedEntry, EntryItem | Failure>,
): Promise<EntryInput[]> {
  const wanted: EntryInput[] = [];
  for (const entry of entries) {
    const { itemId } = entry;
    const input = itemId === null ? inputOf(entry, checkItem, source) : undefined;
    if (itemId !== null) outcomes.set(entry, { id: itemId, ownsItem: false });
    else if (input instanceof Failure) outcomes.set(entry, input);
    else if (input !== undefined) wanted.push({ entry, input, spellings: spellingsOf(entry.claimed.entry) });
  }
  const known = await itemsOf(tx, wanted);
  return wanted.filter(({ entry, input, spellings }) => {
    const id = known.has(input.id) ? input.id : idOf(spellings, known);
    outcomes.set(entry, { id: id ?? input.id, ownsItem: id === null });
    if (id === null) for (const url of spellings) known.set(url, input.id);
    return id === null;
  });
}

/** Changes the items that are this source's by {@link takeFromThirdParties}, and returns their outcomes. */
async function reclaimItems(
  tx: Transaction<NewsTables>,
  checkItem: CheckItem,
  source: Source,
  outcomes: ReadonlyMap<LockedEntry, EntryItem | Failure>,
): Promise<Map<LockedEntry, EntryItem | Failure>> {
  const linked = [...outcomes].flatMap(([entry, outcome]) =>
    outcome instanceof Failure || outcome.id === null || outcome.ownsItem
      ? []
      : [{ entry, itemId: outcome.id, url: entry.claimed.entry.url }],
  );
  const taken = await takeFromThirdParties(tx, source, linked);
  const reclaimed = new Map<LockedEntry, EntryItem | Failure>();
  for (const { entry, itemId } of linked) {
    const written = taken.get(itemId);
    if (written === undefined) continue;
    taken.delete(itemId);
    const input = inputOf(entry, checkItem, source);
    if (input instanceof Failure) continue;
    const address = urlOf(input);
    const holder = (await itemsOf(tx, [{ entry, input, spellings: [address] }])).get(address) ?? itemId;
    const change = {
      source: input.source,
      publishedAt: input.publishedAt,
      // Another item may have it, of the same article under another spelling.
      ...(holder === itemId && { links: input.links }),
    };
    reclaimed.set(entry, await changeItem(tx, { ...entry, itemId, written }, async () => change));
  }
  return reclaimed;
}

/** The values of an entry's item, or why it cannot be one. */
function inputOf({ claimed, members }: LockedEntry, checkItem: CheckItem, source: Source): NewItem | Failure {
  try {
    const values = newItem(claimed.entry, members, source, claimed.discovered_at);
    return { ...checkItem(values), id: values.id };
  } catch (error) {
    return refusalOf(error);
  }
}

/** The items that are known under one of the inputs' ids or canonical URLs, by either. */
async function itemsOf(
  tx: Transaction<NewsTables>,
  inputs: readonly EntryInput[],
): Promise<Map<string, string>> {
  if (inputs.length === 0) return new Map();
  const rows = await tx
    .selectFrom('news.item')
    .select(['id', 'canonical_url'])
    .where((where) =>
      where.or([
        where('id', '=', sql<string>`any(${inputs.map(({ input }) => input.id)})`),
        where('canonical_url', '=', sql<string>`any(${inputs.flatMap(({ spellings }) => spellings)})`),
      ]),
    )
    .execute();
  return new Map(
    rows.flatMap(({ id, canonical_url }) => [
      [canonical_url, id],
      [id, id],
    ]),
  );
}

/** The first of the items with these URLs, by id. */
function idOf(spellings: readonly string[], items: ReadonlyMap<string, string>): string | null {
  return spellings.flatMap((url) => items.get(url) ?? []).sort()[0] ?? null;
}

/** Changes an entry's item as its source has changed the entry. */
function followSource(
  tx: Transaction<NewsTables>,
  checkItem: CheckItem,
  source: Source,
  entry: LockedEntry,
): Promise<EntryItem> {
  const { written, claimed, isAddressKnown } = entry;
  return changeItem(tx, entry, async (itemId, item) => {
    const input = inputOf(entry, checkItem, source);
    if (input instanceof Failure) return {};
    const hasNewLink =
      isAddressKnown && hasOtherLink(item, { link: input.links.original }) && !hasOtherLink(item, written);
    // A date that is missing or unusable says nothing: the entry then has the time of its discovery.
    const hasNewDate =
      input.publishedAt.getTime() !== claimed.discovered_at.getTime() && !hasOtherDate(item, written);
    return {
      ...(hasNewLink && (await takesLink(tx, itemId, input)) && { links: input.links }),
      ...(hasNewDate && takesDate(item, input.publishedAt) && { publishedAt: input.publishedAt }),
    };
  });
}

/** Changes the members of an entry's item that an editor has left as they were, and further ones. */
async function changeItem(
  tx: Transaction<NewsTables>,
  { itemId, written, members }: LockedEntry,
  furtherOf: (itemId: string, item: PublishedItem) => Promise<Partial<ItemInput>>,
): Promise<EntryItem> {
  if (itemId === null) return { id: null, ownsItem: true };
  const row = await tx
    .selectFrom('news.item')
    .select(['title', 'original_title', 'summary', 'category', 'score', 'selected', 'reason', 'directions'])
    .select(['authors', 'tags', 'enclosures'])
    .select(['image', 'language', 'original_url', 'canonical_url', 'published_at', 'discovered_at'])
    .where('id', '=', itemId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return { id: null, ownsItem: true };
  const { original_title: originalTitle, ...others } = row;
  const further = await furtherOf(itemId, row);
  const change = { ...changedMembers({ ...others, originalTitle }, written, members), ...further };
  const edited = Object.keys(change).length > 0 ? await editItem(tx, itemId, change) : undefined;
  const { original_url: link, published_at } = edited?.after ?? row;
  const publication = {
    ...written,
    ...((further.links !== undefined || !hasOtherLink(row, written)) && { link }),
    ...((further.publishedAt !== undefined || !hasOtherDate(row, written)) && {
      publishedAt: published_at.toISOString(),
    }),
  };
  return { id: itemId, ownsItem: true, ...(edited && { edited }), publication };
}

function changedReport(id: string, { before, after }: EditedItem): ChangedReport {
  return {
    id,
    title: after.title,
    originalTitle: after.original_title,
    summary: after.summary,
    sourceName: after.source_name,
    category: after.category,
    publishedAt: after.published_at,
    discoveredAt: after.discovered_at,
    formerTitle: before.title,
  };
}

function assignableItem(
  { claimed, members: { title, originalTitle, summary, category } }: LockedEntry,
  id: string,
  source: Source,
): AssignableItem {
  return {
    id,
    title,
    originalTitle: originalTitle ?? null,
    summary: summary ?? null,
    sourceName: source.name,
    category: category ?? null,
    publishedAt: new Date(claimed.entry.publishedAt),
    discoveredAt: claimed.discovered_at,
  };
}

/** Keeps what has become of the entries. */
async function finish(
  tx: Transaction<NewsTables>,
  sourceId: number,
  outcomes: ReadonlyMap<LockedEntry, EntryItem | Failure>,
): Promise<void> {
  const rows = Array.from(outcomes, ([{ claimed, members, ...before }, item]) => {
    const { key } = claimed;
    if (item instanceof Failure) {
      const { itemId, ownsItem, written } = before;
      return { key, state: 'refused', reason: item.message, item_id: itemId, owns_item: ownsItem, written };
    }
    const { url: link, publishedAt } = claimed.entry;
    const written = { ...(item.publication ?? { link, publishedAt }), ...members };
    return { key, state: 'done', reason: null, item_id: item.id, owns_item: item.ownsItem, written };
  });
  await sql`
    update news.source_entry as entry set state = row.state, reason = row.reason, item_id = row.item_id,
      owns_item = row.owns_item, written = row.written
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (key text, state text, reason text, item_id text, owns_item boolean, written jsonb)
    where entry.source_id = ${sourceId} and entry.key = row.key collate "C"
  `.execute(tx);
}

/** Address and date of an article, as the worker last wrote them to its item. */
interface Publication {
  link: string;
  /** ISO 8601. */
  publishedAt: string;
}

/** An item's own values of it. */
type PublishedItem = Pick<ItemValues, 'original_url' | 'canonical_url' | 'published_at' | 'discovered_at'>;

/** The canonical URL without the part of the page that an item may be; `#!` names a page. */
function pageOf(canonicalUrl: string): string {
  return canonicalUrl.replace(/#(?!!).*$/s, '');
}

/** True if an item has another link than this one; than the worker wrote: an editor has imported it. */
function hasOtherLink({ canonical_url }: PublishedItem, { link }: Partial<Publication>): boolean {
  return link !== undefined && !canonicalUrls(link).includes(pageOf(canonical_url));
}

function hasOtherDate({ published_at }: PublishedItem, { publishedAt }: Partial<Publication>): boolean {
  return publishedAt !== undefined && publishedAt !== published_at.toISOString();
}

/**
 * True if an item takes another date from its source. None after the discovery, because the article was there
 * by then: it is that of an edit. And none that would move the item in the timeline, out of the sight of
 * readers or to the top.
 */
function takesDate({ published_at, discovered_at }: PublishedItem, latest: Date): boolean {
  const isBackFilled = (date: Date) => discovered_at.getTime() - date.getTime() > BACK_FILLED_MS;
  return latest <= discovered_at && !isBackFilled(published_at) && !isBackFilled(latest);
}

/** True if an item takes another address from its source: not that of another item. */
async function takesLink(
  tx: Transaction<NewsTables>,
  itemId: string,
  { links }: Pick<ItemInput, 'links'>,
): Promise<boolean> {
  const holder = await tx
    .selectFrom('news.item')
    .select('id')
    .where('canonical_url', '=', sql<string>`any(${articleSpellings(links.original)})`)
    .where('id', '<>', itemId)
    .executeTakeFirst();
  return holder === undefined;
}

/** An article that a source lists, and the item that it is already. */
interface ListedArticle {
  itemId: string;
  url: string;
}

/**
 * Takes the items of articles on a source's own site from the entries of other sites' sources that brought
 * them first, so that no third party can speak for a site by being quicker. Returns what those had written,
 * by the item's id. Items that no entry made stay as they are: a person has imported them.
 */
async function takeFromThirdParties(
  tx: Transaction<NewsTables>,
  source: Source,
  articles: readonly ListedArticle[],
): Promise<Map<string, Partial<WrittenMembers>>> {
  const own = new Map(
    articles.filter(({ url }) => isOnSiteOf(source, url)).map(({ itemId, url }) => [itemId, url]),
  );
  if (own.size === 0) return new Map();
  const rows = await tx
    .selectFrom('news.source_entry as entry')
    .innerJoin('news.source as source', 'source.id', 'entry.source_id')
    .select(['entry.source_id', 'entry.key', 'entry.item_id'])
    // A removed source has given its addresses away, and still is on its site.
    .select(sql<string>`coalesce(source.removed ->> 'url', source.url)`.as('url'))
    .select(sql<string>`coalesce(source.removed ->> 'given_url', source.given_url)`.as('given_url'))
    .select(sql<Partial<WrittenMembers> | null>`entry.written`.as('written'))
    .where('entry.item_id', '=', sql<string>`any(${[...own.keys()]})`)
    .where('entry.owns_item', '=', true)
    .where('entry.source_id', '<>', source.id)
    .orderBy('entry.source_id')
    .orderBy('entry.key')
    .forUpdate('entry')
    .execute();
  const taken = new Map<string, Partial<WrittenMembers>>();
  for (const { source_id, key, item_id, written, ...thirdParty } of rows) {
    const url = item_id === null ? undefined : own.get(item_id);
    if (item_id === null || url === undefined || isOnSiteOf(thirdParty, url)) continue;
    await tx
      .updateTable('news.source_entry')
      .set({ owns_item: false })
      .where('source_id', '=', source_id)
      .where('key', '=', key)
      .execute();
    taken.set(item_id, written ?? {});
  }
  return taken;
}

/** True if an article is on the site of a source: of its feed, or of the page that an editor gave. */
function isOnSiteOf({ url, given_url }: Pick<Source, 'url' | 'given_url'>, article: string): boolean {
  const [plain = ''] = articleSpellings(article);
  const site = siteOf(new URL(`https://${plain}`));
  return [url, given_url].some((address) => siteOf(new URL(address)) === site);
}

/** The members of an item that the worker writes, and writes again when the source changes its entry. */
type WrittenMembers = Required<
  Pick<
    ItemChange,
    | 'title'
    | 'originalTitle'
    | 'summary'
    | 'category'
    | 'score'
    | 'selected'
    | 'reason'
    | 'directions'
    | 'language'
    | 'authors'
    | 'tags'
    | 'enclosures'
  >
> &
  // Absent where the page that shows it could not be read this time.
  Pick<ItemChange, 'image'>;

/** Returns the members that an entry and its judgement give an item. */
function writtenMembers(entry: StoredEntry, judgement: Judgement): WrittenMembers {
  const { title, summary, category, score, selected, reason, directions } = judgement;
  return {
    title: title ?? entry.title,
    originalTitle: title === undefined || title === entry.title ? null : entry.title,
    summary: summary ?? entry.summary,
    category,
    score,
    selected,
    reason: reason === '' ? null : reason,
    directions: [...directions],
    language: entry.language,
    authors: orNull(entry.authors),
    tags: orNull(entry.tags),
    enclosures: orNull(entry.enclosures),
    ...(entry.image !== undefined && { image: entry.image }),
  };
}

function orNull<T>(list: T[] = []): T[] | null {
  return list.length === 0 ? null : list;
}

/** The values of an item that an entry makes. */
type NewItem = ItemInput & { id: string };

function newItem(entry: StoredEntry, members: WrittenMembers, source: Source, discoveredAt: Date): NewItem {
  return {
    id: itemId(
      entry.part === undefined ? canonicalUrl(entry.url) : `${canonicalUrl(entry.url)}#${entry.part}`,
      discoveredAt,
    ),
    ...members,
    source: { name: source.name, firstParty: source.first_party },
    links: { original: entry.url },
    publishedAt: new Date(entry.publishedAt),
    discoveredAt,
  };
}

/**
 * Returns the members to update after an edit at the source: those still as the worker last wrote them.
 * Changes by an editor stay.
 */
function changedMembers(
  current: WrittenMembers,
  written: Partial<WrittenMembers>,
  latest: WrittenMembers,
): Partial<ItemInput> {
  const names = Object.keys(latest) as (keyof WrittenMembers)[];
  const changed = names.filter(
    (name) => same(current[name], written[name]) && !same(current[name], latest[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, latest[name]]));
}

function same(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a ?? null, b ?? null);
}

/**
 * The id of a new item: a UUID of version 8 (RFC 9562) from the time of discovery and the canonical address.
 * Ids decide between equals in rankings and reports, so the same feeds always end in the same news.
 */
export function itemId(canonicalUrl: string, discoveredAt: Date): string {
  const time = discoveredAt.getTime().toString(16).padStart(12, '0').slice(-12);
  const digits = hash('sha256', canonicalUrl);
  const variant = ((Number.parseInt(digits.slice(3, 4), 16) & 0b0011) | 0b1000).toString(16);
  const parts = [
    time.slice(0, 8),
    time.slice(8),
    `8${digits.slice(0, 3)}`,
    `${variant}${digits.slice(4, 7)}`,
  ];
  return [...parts, digits.slice(7, 19)].join('-');
}
