import type { QueryExecutorProvider, RawBuilder } from 'kysely';
import { Failure } from '../failures/failure.ts';
import { CursorCodec, historyOf, type PageCursor, type SyncCursor } from './cursor.ts';
import {
  type Entry,
  type LedgerState,
  type Member,
  type Members,
  readEntries,
  readMembers,
  readState,
} from './ledger-rows.ts';
import { LedgerSettler, SETTLE_BATCH } from './settler.ts';

/** The set that a ledger is about, and how it is read. */
interface LedgerSet<Row extends Member, Fields extends string> {
  /** The schema of the ledger's tables. */
  schema: string;
  /** The forms that a client may choose from; the first is the default. */
  fields: readonly [Fields, ...Fields[]];
  /** The path of the snapshot, for clients that must start again. */
  snapshotPath: string;
  /** What the representation of all items depends on: if it changes, every client starts again. */
  representation: readonly string[];
  /** A query of the first `limit` items after a place, which is empty for the beginning. */
  members: (after: string, limit: number, fields: Fields) => RawBuilder<Row>;
  /** The order of the set, by columns of `member`. */
  order: RawBuilder<unknown>;
  /** Where an item is in that order. */
  placeOf: (row: Row) => string;
  /** Whether a text is such a place; anyone can write cursors. */
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
  /**
   * Called when the ledger has started over: cursors in cached answers are no longer valid.
   */
  forget: () => void;
}

/** A page of the set. */
export interface SnapshotPage<Row, Fields extends string> {
  /** The set is as of this time or later. */
  asOf: Date;
  fields: Fields;
  /** Where the changes after the snapshot begin; the same on every page. */
  cursor: string;
  /** The cursor of the next page; null on the last one. */
  nextPage: string | null;
  rows: Row[];
}

/** A page of changes. */
export interface ChangesPage<Row, Fields extends string> {
  fields: Fields;
  /** Where the next changes begin. */
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

  /** Whether two cursors are of one history; false for what is no cursor. */
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
