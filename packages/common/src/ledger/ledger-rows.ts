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
  /** How much of a page the item takes; 0 where items are so small that only their number counts. */
  bytes: number;
}

/** How much the items of a page take together, unless the first alone takes more. */
const MOST_BYTES = sql.lit(8 * 1024 * 1024);

/** Which rows of a range fit into a page; removals take nothing. */
const FITS = sql`coalesce(filled, 0) <= ${MOST_BYTES} or filled = bytes`;

/** A range of the set, with the state of the ledger at the same moment. */
export interface Members<Row> extends LedgerState {
  /** When the head was assigned. */
  headAt: Date;
  rows: Row[];
  /** Whether there are more. */
  hasMore: boolean;
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
  /** Whether there are more. */
  hasMore: boolean;
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** A row of a page that may be full before all its rows are in it. */
interface Found {
  /** How many rows were found for the page. */
  found: number;
}

/** The state of the ledger of `schema`. */
export async function readState(db: QueryExecutorProvider, schema: string): Promise<LedgerState> {
  const { rows } = await sql<LedgerState>`
    select epoch, head from ${sql.id(schema, 'ledger')}
  `.execute(db);
  return first(rows, schema);
}

/**
 * The first `limit` rows of `members` at most, in one statement with the head of the ledger of `schema`, so
 * that the head belongs to the same state as the items.
 *
 * @param members a query of the items of a range of the set, one more than `limit`
 * @param order their order, by columns of `member`
 */
export async function readMembers<Row extends Member>(
  db: QueryExecutorProvider,
  schema: string,
  members: RawBuilder<Row>,
  { order, limit }: { order: RawBuilder<unknown>; limit: number },
): Promise<Members<Row>> {
  const { rows } = await sql<LedgerState & { headAt: Date } & Found & (Row | Nullable<Row>)>`
    select ledger.epoch, ledger.head, ledger.head_at as "headAt", member.*
    from ${sql.id(schema, 'ledger')} as ledger
    left join lateral (
      select member.*, sum(bytes) over (order by ${order}) as filled, count(*) over () as found
      from (${members}) as member
    ) as member on ${FITS}
    order by ${order}
  `.execute(db);
  const { epoch, head, headAt } = first(rows, schema);
  const found = rows.flatMap((row) => (isMember<Row>(row) ? [row] : []));
  return { epoch, head, headAt, ...pageOf(found, limit) };
}

/**
 * The first `limit` entries at most with numbers after `seq`, in one statement with the head of the ledger of
 * `schema`.
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
  const { rows } = await sql<LedgerState & Columns & Found & (Row | Nullable<Row>)>`
    select ledger.epoch, ledger.head, entry.*
    from ${sql.id(schema, 'ledger')} as ledger
    left join lateral (
      select entry.item_id, entry.seq, entry.changed_at as "changedAt", member.*,
        sum(member.bytes) over (order by entry.seq) as filled, count(*) over () as found
      from (
        select item_id, seq, changed_at from ${sql.id(schema, 'ledger_entry')}
        where seq > ${seq} order by seq limit ${limit + 1}
      ) as entry
      left join lateral (${member}) as member on true
    ) as entry on ${FITS}
    order by entry.seq
  `.execute(db);
  const { epoch, head } = first(rows, schema);
  const page = pageOf(
    rows.filter(({ item_id }) => item_id !== null),
    limit,
  );
  const entries = page.rows.map((row) => {
    const { item_id: key, changedAt } = row;
    return { key: key ?? '', seq: row.seq, changedAt, row: isMember<Row>(row) ? row : undefined };
  });
  return { epoch, head, entries, hasMore: page.hasMore };
}

function pageOf<Row extends Found>(found: Row[], limit: number): { rows: Row[]; hasMore: boolean } {
  const rows = found.slice(0, limit);
  return { rows, hasMore: (rows[0]?.found ?? 0) > rows.length };
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
