import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { ITEM_COLUMNS, type ItemRow } from '../items/representation.ts';

/** The state of the ledger. */
export interface LedgerState {
  /** Names the history that the numbers belong to. */
  epoch: string;
  /** The largest number assigned. */
  head: number;
}

/** A range of the set by key, with the state of the ledger at the same moment. */
export interface Members extends LedgerState {
  /** When the head was assigned. */
  headAt: Date;
  items: ItemRow[];
}

/** The latest change of an item, and the item as it is now, which is absent if it is not in the set. */
export interface Entry {
  item_id: string;
  seq: number;
  changed_at: Date;
  item: ItemRow | undefined;
}

/** A range of the ledger in the order of its numbers. */
export interface Entries extends LedgerState {
  entries: Entry[];
}

/**
 * Items in the set with keys after `after`. One statement, so that the ledger's head belongs to the same
 * state as the items.
 */
export async function readMembers(db: Kysely<NewsTables>, after: string, limit: number): Promise<Members> {
  const rows = await db
    .selectFrom('news.ledger as ledger')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('news.item')
          .select(ITEM_COLUMNS)
          .where('in_selected_set', '=', true)
          .where('id', '>', after)
          .orderBy('id')
          .limit(limit)
          .as('item'),
      (join) => join.onTrue(),
    )
    .select(['ledger.epoch', 'ledger.head', 'ledger.head_at as headAt'])
    .selectAll('item')
    .orderBy('item.id')
    .execute();
  const { epoch, head, headAt } = first(rows);
  return { epoch, head, headAt, items: rows.filter(isItem) };
}

/** Entries with numbers after `seq`, in one statement with the head. */
export async function readEntries(db: Kysely<NewsTables>, seq: number, limit: number): Promise<Entries> {
  const rows = await db
    .selectFrom('news.ledger as ledger')
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom('news.ledger_entry')
          .select(['item_id', 'seq', 'changed_at'])
          .where('seq', '>', seq)
          .orderBy('seq')
          .limit(limit)
          .as('entry'),
      (join) => join.onTrue(),
    )
    .leftJoin('news.item as item', (join) =>
      join.onRef('item.id', '=', 'entry.item_id').on('item.in_selected_set', '=', true),
    )
    .select(['ledger.epoch', 'ledger.head', 'entry.item_id', 'entry.seq', 'entry.changed_at'])
    .select(ITEM_COLUMNS.map((column) => `item.${column}` as const))
    .orderBy('entry.seq')
    .execute();
  const { epoch, head } = first(rows);
  const entries = rows.filter(isEntry).map((row) => ({ ...row, item: isItem(row) ? row : undefined }));
  return { epoch, head, entries };
}

function isItem<Row extends { id: string | null }>(row: Row): row is Row & ItemRow {
  return row.id !== null;
}

function isEntry<Row extends { item_id: string | null }>(row: Row): row is Row & Omit<Entry, 'item'> {
  return row.item_id !== null;
}

/** The ledger has exactly one row, so a result that includes it has at least one. */
function first<Row>(rows: Row[]): Row {
  const [row] = rows;
  if (row === undefined) throw new Error('news.ledger has no row; run the migrations');
  return row;
}
