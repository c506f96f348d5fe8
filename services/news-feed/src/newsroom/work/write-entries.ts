import { Failure } from '@pressroom/common/failures/failure';
import { sql, type Transaction } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { editItem, upsertItems } from '../editing/items.ts';
import type { Editor, Judgement } from '../editorial/editor.ts';
import type { importLineReader, LineOf } from '../import/import-line.ts';
import type { Source } from '../sources/source-store.ts';
import type { StoryAssigner } from '../stories/story-assigner.ts';
import { articleSpellings } from './article-spellings.ts';
import type { ClaimedEntry } from './claim-entries.ts';
import { changedMembers, newItemLine, type WrittenMembers, writtenMembers } from './item-line.ts';

/** The advisory locks of articles, by the hash of their address: "news" in ASCII, plus 1. */
const ARTICLE_LOCKS = 1_852_143_476;

/** An entry with what the editor has decided about it. */
export interface JudgedEntry {
  claimed: ClaimedEntry;
  judgement: Judgement;
}

/** What writes entries. */
export interface WriteParts {
  read: ReturnType<typeof importLineReader>;
  editor: Editor;
  stories: StoryAssigner;
}

/** A judged entry with the row that it has now. */
interface LockedEntry extends JudgedEntry {
  itemId: string | null;
  ownsItem: boolean;
  written: Partial<WrittenMembers>;
}

/**
 * Makes items of entries, or changes those that they made before. An article that is an item already, of
 * whatever source, is linked and left as it is. Entries that changed since they were claimed, or that another
 * worker has written, are left alone, so writing them twice does nothing. An entry that cannot be an item is
 * refused, with the reason.
 */
export async function writeEntries(
  tx: Transaction<NewsTables>,
  { read, editor, stories }: WriteParts,
  source: Source,
  judged: readonly JudgedEntry[],
  now: Date,
): Promise<void> {
  for (const locked of await lockEntries(tx, source.id, judged)) {
    const { claimed, judgement } = locked;
    const members = writtenMembers(claimed.entry, judgement);
    const item = await (locked.ownsItem
      ? changeItem(tx, locked, members)
      : makeItem(tx, read, source, locked, members, now)
    ).catch(refusalOf);
    if (item instanceof Failure) {
      await finish(tx, source.id, claimed.key, { state: 'refused', reason: item.message });
      continue;
    }
    const { id, isNew, ownsItem } = item;
    if (ownsItem && id !== null) await editor.keep(tx, id, judgement, now);
    if (isNew && id !== null) await joinStory(tx, stories, id, locked, members, source, now);
    await finish(tx, source.id, claimed.key, {
      state: 'done',
      reason: null,
      item_id: id,
      owns_item: ownsItem,
      written: JSON.stringify(members),
    });
  }
}

/** A failure of the entry itself; rethrows every other error, which has spoiled the transaction. */
function refusalOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
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
    .select(sql<Partial<WrittenMembers> | null>`written`.as('written'))
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
    select pg_advisory_xact_lock(${ARTICLE_LOCKS}, code) from
      (select distinct hashtext(url) as code from unnest(${urls}::text[]) as url order by 1) as codes
  `.execute(tx);
  return judged.flatMap((entry) => {
    const row = known.get(entry.claimed.key);
    if (row === undefined || !row.hash.equals(entry.claimed.hash)) return [];
    return [{ ...entry, itemId: row.item_id, ownsItem: row.owns_item, written: row.written ?? {} }];
  });
}

/** The item of an entry. */
interface EntryItem {
  /** Null: the item was pruned, and is not made again. */
  id: string | null;
  isNew: boolean;
  ownsItem: boolean;
}

async function makeItem(
  tx: Transaction<NewsTables>,
  read: WriteParts['read'],
  source: Source,
  { claimed, itemId }: LockedEntry,
  members: WrittenMembers,
  now: Date,
): Promise<EntryItem> {
  if (itemId !== null) return { id: itemId, isNew: false, ownsItem: false };
  const line = read(JSON.stringify(newItemLine(claimed.entry, members, source, claimed.discovered_at)));
  if (line.type !== 'item') throw new Error('the line of an item is another one');
  const known = await itemOf(tx, line);
  if (known !== undefined) return { id: known, isNew: false, ownsItem: false };
  const [outcome] = await upsertItems(tx, [line], now);
  if (outcome instanceof Failure) throw outcome;
  return { id: (await itemOf(tx, line)) ?? null, isNew: true, ownsItem: true };
}

async function itemOf(tx: Transaction<NewsTables>, { links }: LineOf<'item'>): Promise<string | undefined> {
  const row = await tx
    .selectFrom('news.item')
    .select('id')
    .where('canonical_url', '=', sql<string>`any(${articleSpellings(links.original)})`)
    .orderBy('id')
    .executeTakeFirst();
  return row?.id;
}

async function changeItem(
  tx: Transaction<NewsTables>,
  { itemId, written }: LockedEntry,
  members: WrittenMembers,
): Promise<EntryItem> {
  if (itemId === null) return { id: null, isNew: false, ownsItem: true };
  const row = await tx
    .selectFrom('news.item')
    .select(['title', 'original_title', 'summary', 'category', 'score', 'selected', 'reason', 'directions'])
    .where('id', '=', itemId)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return { id: null, isNew: false, ownsItem: true };
  const { original_title: originalTitle, ...others } = row;
  const change = changedMembers({ ...others, originalTitle }, written, members);
  if (Object.keys(change).length > 0) await editItem(tx, itemId, change);
  return { id: itemId, isNew: false, ownsItem: true };
}

async function joinStory(
  tx: Transaction<NewsTables>,
  stories: StoryAssigner,
  id: string,
  { claimed }: LockedEntry,
  { title, originalTitle, summary, category }: WrittenMembers,
  source: Source,
  now: Date,
): Promise<void> {
  await stories.assign(
    tx,
    {
      id,
      title,
      originalTitle: originalTitle ?? null,
      summary: summary ?? null,
      sourceName: source.name,
      category: category ?? null,
      publishedAt: new Date(claimed.entry.publishedAt),
      discoveredAt: claimed.discovered_at,
    },
    now,
  );
}

async function finish(
  tx: Transaction<NewsTables>,
  sourceId: number,
  key: string,
  columns: {
    state: 'done' | 'refused';
    reason: string | null;
    item_id?: string | null;
    owns_item?: boolean;
    written?: string;
  },
): Promise<void> {
  await tx
    .updateTable('news.source_entry')
    .set(columns)
    .where('source_id', '=', sourceId)
    .where('key', '=', key)
    .execute();
}
