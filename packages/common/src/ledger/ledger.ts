import { hash } from 'node:crypto';
import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely';
import { LoadsInTurn } from '../caching/representation-cache.ts';
import { Failure } from '../failures/failure.ts';
import type { Meter } from '../metrics/meter.ts';

/** The set that a ledger is about, and how it is read. */
interface LedgerSet<Row extends Member, Fields extends string> {
  /** The schema of the ledger's tables. */
  schema: string;
  /** The forms that a client may choose from; the first is the default. */
  fields: readonly [Fields, ...Fields[]];
  /** The path of the snapshot, for clients that must start again. */
  snapshotPath: string;
  /** Values that determine the representation of all items: if one changes, every client starts again. */
  representation: readonly string[];
  /** A query of the first `limit` items after a place, which is empty for the beginning. */
  members: (after: string, limit: number, fields: Fields) => RawBuilder<Row>;
  /** The order of the set, by columns of `member`. */
  order: RawBuilder<unknown>;
  /** Returns an item's place in that order. */
  placeOf: (row: Row) => string;
  /** True if a text is such a place; anyone can write cursors. */
  isPlace: (text: string) => boolean;
  /** A query of the item whose key is `entry.item_id`, without a row if it is not in the set. */
  member: (fields: Fields) => RawBuilder<Row>;
}

/** The dependencies of a {@link Ledger}. */
export interface LedgerOptions<Row extends Member, Fields extends string> {
  set: LedgerSet<Row, Fields>;
  db: QueryExecutorProvider;
  /** The same database for pages of the snapshot, which may be on a replica. */
  readDb: QueryExecutorProvider;
  /** Called after what `db` has read: a replica must contain it from then on. */
  seen: () => void;
  /** Called when the ledger has started over: cursors in cached answers are no longer valid. */
  forget: () => void;
}

interface SnapshotPage<Row, Fields extends string> {
  /** The set is as of this time or later. */
  asOf: Date;
  fields: Fields;
  /** Cursor of the changes after the snapshot; the same on every page. */
  cursor: string;
  /** The cursor of the next page; null on the last one. */
  nextPage: string | null;
  rows: Row[];
}

interface ChangesPage<Row, Fields extends string> {
  fields: Fields;
  cursor: string;
  hasMore: boolean;
  entries: Entry<Row>[];
}

/** A set and its changes, as a mirror reads them (docs/ledger.md). */
export class Ledger<Row extends Member, Fields extends string> {
  readonly #options: LedgerOptions<Row, Fields>;
  readonly #cursors: CursorCodec<Fields>;
  readonly #settler: LedgerSettler;
  /** The last epoch that was read. */
  #epoch: string | undefined;

  constructor(options: LedgerOptions<Row, Fields>) {
    this.#options = options;
    this.#cursors = new CursorCodec(options.set.fields);
    this.#settler = new LedgerSettler(options.db, options.set.schema);
  }

  /**
   * A page of the set by place. Throws `snapshot_required` for a page of another history, and
   * `invalid_cursor` for one with different `fields`.
   */
  async snapshot({
    page,
    fields,
    limit,
  }: {
    page?: string | undefined;
    fields?: Fields | undefined;
    limit: number;
  }): Promise<SnapshotPage<Row, Fields>> {
    const { set } = this.#options;
    const from = page === undefined ? undefined : this.#pageCursor(page, fields);
    // Not needed for correctness, but it keeps changes that the page already shows out of the next answer.
    if (from === undefined) await this.#settler.settle();
    const form = from?.sync.fields ?? fields ?? set.fields[0];
    const { rows, hasMore, headAt, ...state } = await this.#members(from, limit, form);
    const begin = () => ({ history: this.#history(state), fields: form, seq: state.head });
    const sync: SyncCursor<Fields> = from?.sync ?? begin();
    this.#assertCurrent(sync, state);
    const asOf = from?.asOf ?? headAt;
    const last = hasMore ? rows.at(-1) : undefined;
    return {
      asOf,
      fields: form,
      cursor: this.#cursors.writeSync(sync),
      nextPage: last === undefined ? null : this.#cursors.writePage({ sync, asOf, after: set.placeOf(last) }),
      rows,
    };
  }

  /**
   * The changes since a cursor, including everything that was committed before this was called. Throws
   * `snapshot_required` if the cursor cannot be continued.
   */
  async changes({
    cursor: text,
    limit,
  }: {
    cursor: string;
    limit: number;
  }): Promise<ChangesPage<Row, Fields>> {
    const { set, db, seen } = this.#options;
    const cursor = this.#cursors.readSync(text);
    if (cursor === undefined) throw this.#snapshotRequired('the cursor was not issued by this service');
    const { fields, seq } = cursor;
    const behind = (await this.#settler.settle()) === SETTLE_BATCH;
    const { entries, ...page } = await readEntries(db, set.schema, set.member(fields), { seq, limit });
    seen();
    this.#assertCurrent(cursor, page);
    return {
      fields,
      cursor: this.#cursors.writeSync({ ...cursor, seq: entries.at(-1)?.seq ?? seq }),
      hasMore: page.hasMore || behind,
      entries,
    };
  }

  /** The cursor, of the default form, of a copy that has everything committed before this was called. */
  async head(): Promise<string> {
    const { set, db } = this.#options;
    while ((await this.#settler.settle()) === SETTLE_BATCH);
    const { head: seq, ...state } = await readState(db, set.schema);
    return this.#cursors.writeSync({ history: this.#history(state), fields: set.fields[0], seq });
  }

  /** True if two cursors are of one history; false for a text that is no cursor. */
  haveSameHistory(one: string, other: string): boolean {
    const history = this.#cursors.readSync(one)?.history;
    return history !== undefined && history === this.#cursors.readSync(other)?.history;
  }

  /** A replica that does not have what the page belongs to may only be behind, so the primary is asked. */
  async #members(from: PageCursor<Fields> | undefined, limit: number, fields: Fields): Promise<Members<Row>> {
    const { set, db, readDb, seen } = this.#options;
    const read = (where: QueryExecutorProvider) =>
      readMembers(where, set.schema, set.members(from?.after ?? '', limit + 1, fields), {
        order: set.order,
        limit,
      });
    const members = await read(readDb);
    if (from === undefined || readDb === db || this.#continues(from.sync, members)) return members;
    return read(db).finally(seen);
  }

  #continues({ history, seq }: SyncCursor<Fields>, state: LedgerState): boolean {
    return history === this.#history(state) && seq <= state.head;
  }

  #assertCurrent(cursor: SyncCursor<Fields>, state: LedgerState): void {
    // A client that is sent back to the snapshot must not get the old one, even before the announcement
    // arrives.
    if (this.#epoch !== undefined && this.#epoch !== state.epoch) this.#options.forget();
    this.#epoch = state.epoch;
    if (cursor.history !== this.#history(state)) {
      throw this.#snapshotRequired('the ledger has started over');
    }
    if (cursor.seq > state.head) throw this.#snapshotRequired('the cursor is ahead of the ledger');
  }

  /** A history ends when the ledger's epoch ends, or when the representation of all items changes at once. */
  #history({ epoch }: Pick<LedgerState, 'epoch'>): string {
    return historyOf(epoch, ...this.#options.set.representation);
  }

  #pageCursor(text: string, fields: Fields | undefined): PageCursor<Fields> {
    const cursor = this.#cursors.readPage(text);
    if (cursor === undefined || !this.#options.set.isPlace(cursor.after)) {
      throw this.#snapshotRequired('the page was not issued by this service');
    }
    if (fields === undefined || fields === cursor.sync.fields) return cursor;
    const message = `the page belongs to a snapshot with fields=${cursor.sync.fields}; omit fields`;
    throw new Failure('refused', message, { code: 'invalid_cursor' });
  }

  #snapshotRequired(why: string): Failure {
    return new Failure('conflict', `${why}; start again from ${this.#options.set.snapshotPath}`, {
      code: 'snapshot_required',
    });
  }
}

/** A position in the ledger: everything up to `seq` is known. */
export interface SyncCursor<Fields extends string> {
  /** The history that `seq` belongs to, named by `historyOf`. */
  history: string;
  fields: Fields;
  seq: number;
}

/** A position in a snapshot: the items up to the place `after` are known. */
export interface PageCursor<Fields extends string> {
  /** Cursor of the changes after this snapshot, fixed on its first page. */
  sync: SyncCursor<Fields>;
  /** `asOf` of the first page. */
  asOf: Date;
  after: string;
}

/** The first byte of every cursor; increase it when the layout of the rest changes. */
const VERSION = 1;

const SYNC = 0;
const PAGE = 1;

/** Bytes: version, kind, fields, history, seq; a page adds asOf and its place; all end with a checksum. */
const HISTORY_AT = 3;
const SEQ_AT = 11;
const AS_OF_AT = 17;
const AFTER_AT = 23;
const CHECKSUM_BYTES = 6;

const MAX_LENGTH = 512;

/** A name of 16 hexadecimal digits for `parts`: equal only for equal parts. */
export function historyOf(...parts: string[]): string {
  return hash('sha256', JSON.stringify(parts), 'hex').slice(0, 2 * (SEQ_AT - HISTORY_AT));
}

/** Writes and reads the cursors of a ledger. */
export class CursorCodec<Fields extends string> {
  readonly #fields: readonly Fields[];

  /** A cursor holds the index of its `fields` in this list. */
  constructor(fields: readonly Fields[]) {
    this.#fields = fields;
  }

  writeSync(cursor: SyncCursor<Fields>): string {
    return seal(this.#head(SYNC, cursor));
  }

  /** Writes the cursor of a snapshot's next page. */
  writePage({ sync, asOf, after }: PageCursor<Fields>): string {
    const time = Buffer.alloc(AFTER_AT - AS_OF_AT);
    time.writeUIntBE(asOf.getTime(), 0, time.length);
    return seal(Buffer.concat([this.#head(PAGE, sync), time, Buffer.from(after)]));
  }

  /** Parses a sync cursor; undefined if `text` is not one, or was altered. */
  readSync(text: string): SyncCursor<Fields> | undefined {
    const bytes = unseal(text, SYNC);
    return bytes?.length === AS_OF_AT ? this.#syncOf(bytes) : undefined;
  }

  /** Parses the cursor of a snapshot's page; undefined if `text` is not one, or was altered. */
  readPage(text: string): PageCursor<Fields> | undefined {
    const bytes = unseal(text, PAGE);
    const sync = bytes && bytes.length > AFTER_AT ? this.#syncOf(bytes) : undefined;
    if (bytes === undefined || sync === undefined) return undefined;
    const asOf = new Date(bytes.readUIntBE(AS_OF_AT, AFTER_AT - AS_OF_AT));
    return { sync, asOf, after: bytes.toString('utf8', AFTER_AT) };
  }

  #head(kind: number, { history, fields, seq }: SyncCursor<Fields>): Buffer {
    const bytes = Buffer.alloc(AS_OF_AT);
    bytes.writeUInt8(VERSION, 0);
    bytes.writeUInt8(kind, 1);
    bytes.writeUInt8(this.#fields.indexOf(fields), 2);
    bytes.write(history, HISTORY_AT, 'hex');
    bytes.writeUIntBE(seq, SEQ_AT, AS_OF_AT - SEQ_AT);
    return bytes;
  }

  #syncOf(bytes: Buffer): SyncCursor<Fields> | undefined {
    const fields = this.#fields[bytes.readUInt8(2)];
    if (fields === undefined) return undefined;
    const history = bytes.toString('hex', HISTORY_AT, SEQ_AT);
    return { history, fields, seq: bytes.readUIntBE(SEQ_AT, AS_OF_AT - SEQ_AT) };
  }
}

/** Not a secret: it detects an altered or truncated cursor. */
function checksum(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer').subarray(0, CHECKSUM_BYTES);
}

function seal(bytes: Buffer): string {
  return Buffer.concat([bytes, checksum(bytes)]).toString('base64url');
}

/** The bytes before the checksum, if it matches and they have this version and `kind`. */
function unseal(text: string, kind: number): Buffer | undefined {
  if (text.length > MAX_LENGTH) return undefined;
  const sealed = Buffer.from(text, 'base64url');
  // Node ignores characters that are not base64url, but a cursor has only one spelling.
  if (sealed.length < AS_OF_AT + CHECKSUM_BYTES || sealed.toString('base64url') !== text) return undefined;
  const bytes = sealed.subarray(0, -CHECKSUM_BYTES);
  if (!checksum(bytes).equals(sealed.subarray(-CHECKSUM_BYTES))) return undefined;
  return bytes.readUInt8(0) === VERSION && bytes.readUInt8(1) === kind ? bytes : undefined;
}

interface LedgerState {
  /** Names the history that the numbers belong to. */
  epoch: string;
  head: number;
}

/** An item of the set as it is now, in columns of the service's own. */
export interface Member {
  key: string;
  /** Size of the item in a page; 0 where items are so small that only their number counts. */
  bytes: number;
}

/** Total size of a page's items, unless the first alone takes more. */
const MOST_BYTES = sql.lit(8 * 1024 * 1024);

/** Selects the rows of a range that fit into a page; removals take nothing. */
const FITS = sql`coalesce(filled, 0) <= ${MOST_BYTES} or filled = bytes`;

/** A range of the set, with the state of the ledger at the same moment. */
interface Members<Row> extends LedgerState {
  headAt: Date;
  rows: Row[];
  hasMore: boolean;
}

/** The latest change of an item, and the item as it is now, which is absent if it is not in the set. */
interface Entry<Row> {
  key: string;
  seq: number;
  changedAt: Date;
  row: Row | undefined;
}

/** A range of the ledger in the order of its numbers. */
interface Entries<Row> extends LedgerState {
  entries: Entry<Row>[];
  hasMore: boolean;
}

type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null };

/** A row of a page that may be full before all its rows are in it. */
interface Found {
  /** Rows found for the page. */
  found: number;
}

/** The state of the ledger of `schema`. */
async function readState(db: QueryExecutorProvider, schema: string): Promise<LedgerState> {
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
async function readMembers<Row extends Member>(
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
async function readEntries<Row extends Member>(
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

/** The maximum number of changes that one pass numbers: a fraction of a second's work. */
const SETTLE_BATCH = 5000;

/**
 * Assigns committed changes their numbers in the ledger of a schema (docs/ledger.md). Only one pass runs at a
 * time in this process. Callers that arrive during a pass share the next one, because the current one may
 * have begun before the changes that they need.
 */
export class LedgerSettler {
  readonly #db: QueryExecutorProvider;
  readonly #schema: string;
  readonly #passes = new LoadsInTurn<number>();

  constructor(db: QueryExecutorProvider, schema: string) {
    this.#db = db;
    this.#schema = schema;
  }

  /**
   * Numbers the changes that had been committed when this was called, at most one batch, and returns how many
   * there were.
   */
  settle(): Promise<number> {
    return this.#passes.load('ledger', () => this.#settleOnce());
  }

  async #settleOnce(): Promise<number> {
    const result = await sql<{ taken: number }>`
      select ${sql.id(this.#schema, 'settle_ledger')}(${SETTLE_BATCH}) as taken
    `.execute(this.#db);
    return result.rows[0]?.taken ?? 0;
  }
}

/** The most changes that are counted, so that reading the metrics stays cheap. */
const COUNTED = 10_000;

/** The head of the ledger of `schema`, and the changes that wait for a number. */
export function ledgerMeters(db: QueryExecutorProvider, schema: string): Meter[] {
  return [
    {
      name: `${schema}_ledger_head`,
      help: 'The largest number in the ledger',
      kind: 'gauge',
      read: async () => {
        const head = sql<{ value: number }>`select head as value from ${sql.id(schema, 'ledger')}`;
        return (await head.execute(db)).rows;
      },
    },
    {
      name: `${schema}_ledger_pending`,
      help: `Changes without a number yet, counted up to ${COUNTED}; clients that follow assign them`,
      kind: 'gauge',
      read: async () => {
        const pending = sql<{ value: number }>`
          select count(*) as value from (
            select from ${sql.id(schema, 'ledger_change')} limit ${COUNTED}
          ) as pending
        `;
        return (await pending.execute(db)).rows;
      },
    },
  ];
}
