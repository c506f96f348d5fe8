import { Failure } from '@pressroom/common/failures/failure';
import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { lockStories } from '../stories/lock-stories.ts';
import { type RenewalParts, renewStories } from '../stories/renew-stories.ts';
import { canonicalUrl } from './canonical-url.ts';
import type { ItemChange, ItemInput } from './item-input.ts';
import {
  type ItemValues,
  sameValues,
  saysTheSame,
  valuesOf,
  WRITTEN_COLUMNS,
  type WrittenItem,
} from './item-values.ts';

/** The outcome of an item. */
export type ItemOutcome = 'created' | 'changed' | 'unchanged' | Failure;

/** The rows of a statement as JSON that PostgreSQL unpacks: one parameter, however many rows there are. */
const RECORD = sql.raw(`(
  id text, title text, original_title text, summary text, source_name text, source_first_party boolean,
  original_url text, canonical_url text, published_at timestamptz, discovered_at timestamptz, category text,
  score double precision, selected boolean, reason text, directions text[], image jsonb, language text, story text
)`);

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
    const before = input.id === undefined ? known.byUrl.get(urlOf(input)) : known.byId.get(input.id);
    const holder = known.byUrl.get(urlOf(input));
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
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as row ${RECORD}
  `.execute(tx);
}

/** Writes the values of existing items. */
async function writeChanged(tx: Transaction<NewsTables>, items: readonly WrittenItem[]): Promise<void> {
  await sql`
    update news.item set ${ASSIGNMENTS}, updated_at = clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(items)}::jsonb) as row ${RECORD}
    where item.id = row.id
  `.execute(tx);
}

/** The items that `inputs` may be about, locked. */
async function readKnown(tx: Transaction<NewsTables>, inputs: readonly ItemInput[]) {
  const ids = inputs.flatMap(({ id }) => id ?? []);
  const urls = inputs.map(urlOf);
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

/** The canonical URL by which an input's article is recognised. */
export function urlOf({ links }: Pick<ItemInput, 'links'>): string {
  return canonicalUrl(links.original);
}

/** An item before and after an edit. */
export interface EditedItem {
  before: ItemValues;
  after: ItemValues;
}

/**
 * Changes the members of an item that `change` has, and nothing of its story: {@link retellItem} does that.
 * Throws a {@link Failure}.
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

/** Lets the stories of an edited item say what it says now. */
export async function retellItem(
  tx: Transaction<NewsTables>,
  { before, after }: EditedItem,
  renewal: RenewalParts,
): Promise<void> {
  if (before.story === after.story && saysTheSame(before, after)) return;
  const stories = new Set([before.story, after.story].filter((story) => story !== null));
  await renewStories(tx, [...stories], [before.title], renewal);
}

/**
 * Removes an item from every answer, and what its story says of it. Returns false if it is already withdrawn.
 * Throws a {@link Failure}.
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
