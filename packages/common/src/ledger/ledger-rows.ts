import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';

/** The state of a ledger. */
export interface LedgerState {
  /** Names the history that the numbers belong to. */
  epoch: string;
  /** The largest number assigned. */
  head: number;
}

/** An item of the set as it is now, in columns of the service's own. */
export interface Member {
  /** What the ledger calls the item. */
  key: string;
}

/** A range of the set, with the state of the ledger at the same moment. */
export interface Members<Row> extends LedgerState {
  /** When the head was assigned. */
  headAt: Date;
  rows: Row[];
}

/** The latest change of an item, and the item as it is now, which is absent if it is not in the set. */
export interface Entry<Row> {
  key: string;
  seq: number;
  changedAt: Date;
  row: Row | undefined;
}

/** A range of the ledger in the order of its numbers. */
export interface Entries<Row> extends LedgerState {
  entries: Entry<Row>[];
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/**
 * The rows of `members` in one statement with the head of the ledger of `schema`, so that the head belongs to
 * the same state as the items.
 *
 * @param members a query of the items of a range of the set
 * @param order their order, by columns of `member`
 */
export async function readMembers<Row extends Member>(
  db: QueryExecutorProvider,
  schema: string,
  members: RawBuilder<Row>,
  order: RawBuilder<unknown>,
): Promise<Members<Row>> {
  const { rows } = await sql<LedgerState & { headAt: Date } & (Row | Nullable<Row>)>`
    select ledger.epoch, ledger.head, ledger.head_at as "headAt", member.*
    from ${sql.id(schema, 'ledger')} as ledger
    left join lateral (${members}) as member on true
    order by ${order}
  `.execute(db);
  const { epoch, head, headAt } = first(rows, schema);
  return { epoch, head, headAt, rows: rows.flatMap((row) => (isMember<Row>(row) ? [row] : [])) };
}

/**
 * The entries with numbers after `seq`, in one statement with the head of the ledger of `schema`.
 *
 * @param member a query of the item whose key is `entry.item_id`, without a row if it is not in the set
 */
export async function readEntries<Row extends Member>(
  db: QueryExecutorProvider,
  schema: string,
  member: RawBuilder<Row>,
  { seq, limit }: { seq: number; limit: number },
): Promise<Entries<Row>> {
  type Columns = { item_id: string | null; seq: number; changedAt: Date };
  const { rows } = await sql<LedgerState & Columns & (Row | Nullable<Row>)>`
    select ledger.epoch, ledger.head, entry.item_id, entry.seq, entry.changed_at as "changedAt", member.*
    from ${sql.id(schema, 'ledger')} as ledger
    left join lateral (
      select item_id, seq, changed_at from ${sql.id(schema, 'ledger_entry')}
      where seq > ${seq} order by seq limit ${limit}
    ) as entry on true
    left join lateral (${member}) as member on true
    order by entry.seq
  `.execute(db);
  const { epoch, head } = first(rows, schema);
  const entries = rows.flatMap((row) => {
    if (row.item_id === null) return [];
    const { item_id: key, changedAt } = row;
    return [{ key, seq: row.seq, changedAt, row: isMember<Row>(row) ? row : undefined }];
  });
  return { epoch, head, entries };
}

function isMember<Row extends Member>(row: Row | Nullable<Row>): row is Row {
  return row.key !== null;
}

/** The ledger has exactly one row, so a result that includes it has at least one. */
function first<Row>(rows: Row[], schema: string): Row {
  const [row] = rows;
  if (row === undefined) throw new Error(`${schema}.ledger has no row; run the migrations`);
  return row;
}
