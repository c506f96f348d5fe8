import { isDeepStrictEqual } from 'node:util';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { canonicalUrl, canonicalUrls } from '../fields.ts';
import { lockStories, type RenewalParts, renewStories } from '../grouping/story-renewal.ts';
import { survivorsOf } from '../merged-stories.ts';
import { quotingReports } from '../report.ts';
import type { ItemTable, NewsTables } from '../tables.ts';
import { type Edit, type Edited, inEdit } from './edits.ts';
import { ITEM_MEMBERS, type ItemChange, type ItemInput } from './item-members.ts';

type Members = typeof ITEM_MEMBERS;

/** The columns of an item that the newsroom writes. */
export const WRITTEN_COLUMNS = [
  ...Object.values(ITEM_MEMBERS).map(({ column }) => column),
  'canonical_url' as const,
];

/** The columns of an existing item that the newsroom writes. */
type WrittenItem = Pick<Selectable<ItemTable>, 'id' | (typeof WRITTEN_COLUMNS)[number]>;

/** The values of an item's columns, all present. */
export type ItemValues = Omit<WrittenItem, 'id'>;

/** The columns of an item under the names of its members. */
export const MEMBER_COLUMNS = Object.entries(ITEM_MEMBERS).map(
  ([name, { column }]) => `${column} as ${name}`,
) as { [Name in keyof Members]: `${Members[Name]['column']} as ${Name}` }[keyof Members][];

/** Picks the members of an input that have a column of their own. */
function flat({ source, links, ...members }: ItemInput): Record<string, unknown> {
  return { ...members, sourceName: source.name, firstParty: source.firstParty, originalUrl: links.original };
}

/**
 * The values of an item after an input. Members that the input omits keep their values from `known`, the
 * existing item; for a new item they get their defaults, and the time of discovery is `now`.
 */
export function valuesOf(input: ItemInput, known: ItemValues | undefined, now: Date): ItemValues {
  const given = flat({ ...input, discoveredAt: input.discoveredAt ?? known?.discovered_at ?? now });
  const columns = Object.entries(ITEM_MEMBERS).map(([name, { column, ...member }]) => {
    const before = known === undefined && 'initial' in member ? member.initial : known?.[column];
    return [column, given[name] === undefined ? before : given[name]];
  });
  const values: Omit<ItemValues, 'canonical_url'> = Object.fromEntries(columns);
  return {
    ...values,
    directions: [...new Set(values.directions)],
    // The address of a part of a page says more than its link.
    canonical_url:
      known?.original_url === input.links.original ? known.canonical_url : canonicalUrl(input.links.original),
  };
}

function sameValues(a: ItemValues, b: ItemValues): boolean {
  return WRITTEN_COLUMNS.every((column) => isDeepStrictEqual(a[column], b[column]));
}

/** True if two states of an item are the same to those who compare and sum up reports. */
export function saysTheSame(a: ItemValues, b: ItemValues): boolean {
  const columns = ['title', 'original_title', 'summary', 'source_name', 'published_at'] as const;
  return columns.every((column) => isDeepStrictEqual(a[column], b[column]));
}

type ItemOutcome = 'created' | 'changed' | 'unchanged' | Failure;

/** Rows as JSON that PostgreSQL unpacks: one parameter, however many rows there are. */
function recordsOf(items: readonly object[]) {
  return sql`jsonb_populate_recordset(null::news.item, ${JSON.stringify(items)}::jsonb) as row`;
}

const COLUMNS = sql.join(WRITTEN_COLUMNS.map((column) => sql.ref(column)));
const ASSIGNMENTS = sql.join(
  WRITTEN_COLUMNS.map((column) => sql`${sql.ref(column)} = row.${sql.ref(column)}`),
);

/**
 * Upserts items by their id, or by their canonical URL if they do not have one; absent members keep their
 * values. No two of the `inputs` may be about the same item. Returns the outcome of each. If the database
 * unexpectedly refuses a row, throws its error and writes nothing.
 */
export async function upsertItems(
  tx: Transaction<NewsTables>,
  inputs: readonly ItemInput[],
  now: Date,
): Promise<ItemOutcome[]> {
  const known = await readKnown(tx, inputs);
  const stories = await lockStories(tx, [...new Set(inputs.flatMap(({ story }) => story ?? []))]);
  const created: (ItemValues & { id: string | undefined })[] = [];
  const changed: WrittenItem[] = [];
  const outcomes = inputs.map((input): ItemOutcome => {
    const holder = urlsOf(input)
      .map((url) => known.byUrl.get(url))
      .find((row) => row !== undefined);
    const before = input.id === undefined ? holder : known.byId.get(input.id);
    const isMoved = before?.original_url !== input.links.original;
    if (isMoved && holder !== undefined && holder.id !== (before?.id ?? input.id)) {
      return new Failure('conflict', `links.original: item ${holder.id} already has this address`);
    }
    if (input.story && !stories.has(input.story))
      return new Failure('missing', `story: story ${input.story} does not exist`);
    const story = input.story ? stories.get(input.story) : input.story;
    const values = valuesOf({ ...input, story }, before, now);
    if (before === undefined) created.push({ ...values, id: input.id });
    else if (sameValues(before, values)) return 'unchanged';
    else changed.push({ ...values, id: before.id });
    return before === undefined ? 'created' : 'changed';
  });
  if (created.length > 0) await insertItems(tx, created);
  if (changed.length > 0) await writeChanged(tx, changed);
  return outcomes;
}

/** Inserts items that are not there; one without an id gets one. */
export async function insertItems(
  tx: Transaction<NewsTables>,
  items: readonly (ItemValues & { id: string | undefined })[],
): Promise<void> {
  await sql`
    insert into news.item (id, ${COLUMNS})
    select coalesce(id, uuidv7()::text), ${COLUMNS}
    from ${recordsOf(items)}
  `.execute(tx);
}

async function writeChanged(tx: Transaction<NewsTables>, items: readonly WrittenItem[]): Promise<void> {
  await sql`
    update news.item set ${ASSIGNMENTS}, updated_at = clock_timestamp()
    from ${recordsOf(items)}
    where item.id = row.id
  `.execute(tx);
}

/** The items that `inputs` may be about, locked. */
async function readKnown(tx: Transaction<NewsTables>, inputs: readonly ItemInput[]) {
  const ids = inputs.flatMap(({ id }) => id ?? []);
  const urls = inputs.flatMap(urlsOf);
  const rows: WrittenItem[] = await tx
    .selectFrom('news.item')
    .select(['id', ...WRITTEN_COLUMNS])
    .where((where) =>
      where.or([
        where('id', '=', sql<string>`any(${ids})`),
        where('canonical_url', '=', sql<string>`any(${urls})`),
      ]),
    )
    .orderBy('id')
    .forUpdate()
    .execute();
  return {
    byId: new Map(rows.map((row) => [row.id, row])),
    byUrl: new Map(rows.map((row) => [row.canonical_url, row])),
  };
}

/** The canonical URL that identifies an input's article. */
export function urlOf({ links }: Pick<ItemInput, 'links'>): string {
  return canonicalUrl(links.original);
}

function urlsOf({ links }: ItemInput): string[] {
  return canonicalUrls(links.original);
}

/** An item before and after an edit. */
export interface EditedItem {
  before: ItemValues;
  after: ItemValues;
}

/**
 * Changes the members of an item that `change` has; {@link renewStoriesOf} renews its stories. Throws a
 * {@link Failure}.
 */
export async function editItem(
  tx: Transaction<NewsTables>,
  id: string,
  change: ItemChange & Partial<Pick<ItemInput, 'source' | 'links' | 'publishedAt'>>,
): Promise<EditedItem> {
  const before = await tx
    .selectFrom('news.item')
    .select(['id', ...WRITTEN_COLUMNS])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => noSuchItem(id));
  const stories = await lockStories(tx, change.story ? [change.story] : []);
  if (change.story && !stories.has(change.story))
    throw new Failure('missing', `story ${change.story} does not exist`);
  const story = change.story ? stories.get(change.story) : change.story;
  const input = {
    title: before.title,
    source: { name: before.source_name },
    links: { original: before.original_url },
    publishedAt: before.published_at,
    ...change,
    story,
  };
  const after = valuesOf(input, before, before.discovered_at);
  if (!sameValues(before, after)) await writeChanged(tx, [{ ...after, id }]);
  return { before, after };
}

/** Renews the stories of an edited item. */
export async function renewStoriesOf(
  tx: Transaction<NewsTables>,
  { before, after }: EditedItem,
  renewal: RenewalParts,
): Promise<void> {
  if (before.story === after.story && saysTheSame(before, after)) return;
  const stories = new Set([before.story, after.story].filter((story) => story !== null));
  await renewStories(tx, [...stories], [before.title], renewal);
}

/**
 * Removes an item from every answer, and from the texts of its story. Returns false if it is already
 * withdrawn. Throws a {@link Failure}.
 */
export function withdrawItem(
  tx: Transaction<NewsTables>,
  id: string,
  renewal: RenewalParts,
): Promise<boolean> {
  return setWithdrawal(tx, id, true, renewal);
}

/** Restores a withdrawn item. Returns false if it is not withdrawn. Throws a {@link Failure}. */
export function restoreItem(
  tx: Transaction<NewsTables>,
  id: string,
  renewal: RenewalParts,
): Promise<boolean> {
  return setWithdrawal(tx, id, false, renewal);
}

async function setWithdrawal(
  tx: Transaction<NewsTables>,
  id: string,
  isWithdrawn: boolean,
  renewal: RenewalParts,
): Promise<boolean> {
  const now = sql<Date>`clock_timestamp()`;
  const changed = await tx
    .updateTable('news.item')
    .set({ withdrawn_at: isWithdrawn ? now : null, updated_at: now })
    .where('id', '=', id)
    .where('withdrawn_at', isWithdrawn ? 'is' : 'is not', null)
    .returning('story')
    .executeTakeFirst();
  if (changed === undefined) {
    const known = tx.selectFrom('news.item').select('id').where('id', '=', id);
    await known.executeTakeFirstOrThrow(() => noSuchItem(id));
    return false;
  }
  if (changed.story !== null) await renewStories(tx, [changed.story], [], renewal);
  return true;
}

function noSuchItem(id: string): Failure {
  return new Failure('missing', `item ${id} does not exist`);
}

/**
 * All that an editor sees of an item, withdrawn or not: its members, its story, the sources that carry it,
 * and the reports that quote it. Throws a {@link Failure} if it does not exist.
 */
export async function readItemDetail(db: Kysely<NewsTables>, id: string) {
  const item = await db
    .selectFrom('news.item')
    .select(['id', ...MEMBER_COLUMNS, 'withdrawn_at as withdrawnAt', 'updated_at as updatedAt'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow(() => new Failure('missing', `item ${id} does not exist`));
  const [survivors, sources, reports] = await Promise.all([
    survivorsOf(db, item.story === null ? [] : [item.story]),
    carriersOf(db, id),
    quotingReports(db, id),
  ]);
  const story = survivors.get(item.story ?? '');
  return {
    ...item,
    story: story === undefined ? null : { publicId: story.publicId, title: story.title },
    sources,
    reports,
  };
}

/** All that an editor sees of an item. */
export type ItemDetail = Awaited<ReturnType<typeof readItemDetail>>;

/** The sources whose feeds have an item; the one that it follows first. */
function carriersOf(db: Kysely<NewsTables>, id: string) {
  return db
    .selectFrom('news.source_entry as entry')
    .innerJoin('news.source as source', 'source.id', 'entry.source_id')
    .select(['source.id', 'source.name', 'entry.owns_item as isFollowed'])
    .where('entry.item_id', '=', id)
    .where('source.removed', 'is', null)
    .orderBy('entry.owns_item', 'desc')
    .orderBy('source.id')
    .execute();
}

/** The items that were withdrawn last, the latest first. */
export function readWithdrawn(db: Kysely<NewsTables>, limit: number) {
  return db
    .selectFrom('news.item')
    .select(['id', 'title', 'source_name as sourceName', 'published_at as publishedAt', 'category', 'score'])
    .select(['selected', 'withdrawn_at as withdrawnAt'])
    .where('withdrawn_at', 'is not', null)
    .orderBy('withdrawn_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** An edit of an item, with its author and conditions. */
export interface ItemEdit extends Edit {
  actor: string;
  renewal: RenewalParts;
  /** Checks the item as it is; throws to forbid the edit. */
  precondition?: ((item: ItemDetail) => void) | undefined;
}

/** Changes an item, and renews its stories. Throws as `editItem`, and whatever the precondition does. */
export function changeItem(
  db: Kysely<NewsTables>,
  id: string,
  change: ItemChange,
  { renewal, precondition, ...edit }: ItemEdit,
): Promise<Edited<void>> {
  return inEdit(db, edit, async (tx) => {
    if (precondition !== undefined) precondition(await lockedDetail(tx, id));
    await renewStoriesOf(tx, await editItem(tx, id, change), renewal);
  });
}

async function lockedDetail(tx: Transaction<NewsTables>, id: string): Promise<ItemDetail> {
  await tx.selectFrom('news.item').select('id').where('id', '=', id).forUpdate().execute();
  return readItemDetail(tx, id);
}

/** Adds an item, and returns its id. Throws a `Failure` if there is one with its id or address. */
export function addItem(
  db: Kysely<NewsTables>,
  input: ItemInput,
  edit: Edit & { actor: string },
  now: Date,
): Promise<Edited<string>> {
  return inEdit(db, edit, async (tx) => {
    const [outcome] = await upsertItems(tx, [input], now);
    if (outcome instanceof Failure) throw outcome;
    const id = await idOf(tx, input);
    if (outcome !== 'created') throw new Failure('conflict', `item ${id} already has this id or address`);
    return id;
  });
}

async function idOf(tx: Transaction<NewsTables>, input: ItemInput): Promise<string> {
  if (input.id !== undefined) return input.id;
  const { id } = await tx
    .selectFrom('news.item')
    .select('id')
    .where('canonical_url', '=', urlOf(input))
    .executeTakeFirstOrThrow();
  return id;
}
