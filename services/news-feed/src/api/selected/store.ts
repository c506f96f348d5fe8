import { Failure } from '@pressroom/common/failures/failure';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { type ItemRow, item, minimalItem, REPRESENTATION_VERSION } from '../items/representation.ts';
import type { Site } from '../site.ts';
import {
  type Fields,
  historyOf,
  type PageCursor,
  readPageCursor,
  readSyncCursor,
  type SyncCursor,
  writePageCursor,
  writeSyncCursor,
} from './cursor.ts';
import { type Entry, type LedgerState, type Members, readEntries, readMembers } from './ledger.ts';
import type { Change, Changes, ChangesQuery, Snapshot, SnapshotQuery } from './schema.ts';
import { LedgerSettler, SETTLE_BATCH } from './settler.ts';

/** The dependencies of a {@link SelectedStore}. */
export interface SelectedStoreOptions {
  db: Kysely<NewsTables>;
  /** The same database for pages of the snapshot, which may be on a replica. */
  readDb: Kysely<NewsTables>;
  site: Site;
  /** Called after what `db` has read: a replica must contain it from then on. */
  seen: () => void;
  /**
   * Called when the ledger has started over: cursors in cached answers are no longer valid.
   */
  forget: () => void;
}

/** The selected set and its changes, as a mirror reads them (docs/ledger.md). */
export class SelectedStore {
  readonly #db: Kysely<NewsTables>;
  readonly #readDb: Kysely<NewsTables>;
  readonly #site: Site;
  readonly #seen: () => void;
  readonly #settler: LedgerSettler;
  readonly #forget: () => void;
  /** The last epoch that was read. */
  #epoch: string | undefined;

  constructor({ db, readDb, site, seen, forget }: SelectedStoreOptions) {
    this.#db = db;
    this.#readDb = readDb;
    this.#seen = seen;
    this.#forget = forget;
    this.#site = site;
    this.#settler = new LedgerSettler(db);
  }

  /**
   * A page of the set by key. Throws `snapshot_required` for a page of another history, and `invalid_cursor`
   * for one with different `fields`.
   */
  async snapshot({ page, fields, limit }: SnapshotQuery): Promise<Snapshot> {
    const from = page === undefined ? undefined : pageCursor(page, fields);
    // Not needed for correctness, but it keeps changes that the page already shows out of the next answer.
    if (from === undefined) await this.#settler.settle();
    const { items, headAt, ...ledger } = await this.#members(from, limit + 1);
    const begin = () => ({ history: this.#history(ledger), fields: fields ?? 'default', seq: ledger.head });
    const sync: SyncCursor = from?.sync ?? begin();
    this.#assertCurrent(sync, ledger);
    const asOf = from?.asOf ?? headAt;
    const shown = items.slice(0, limit);
    const after = items.length > limit ? shown.at(-1)?.id : undefined;
    return {
      schemaVersion: 1,
      asOf: asOf.toISOString(),
      fields: sync.fields,
      cursor: writeSyncCursor(sync),
      count: shown.length,
      hasMore: after !== undefined,
      nextPage: after === undefined ? null : writePageCursor({ sync, asOf, after }),
      items: shown.map((row) => this.#shown(row, sync.fields)),
    };
  }

  /**
   * The changes since a cursor, including everything that was committed before this was called. Throws
   * `snapshot_required` if the cursor cannot be continued.
   */
  async changes({ cursor: text, limit }: ChangesQuery): Promise<Changes> {
    const cursor = readSyncCursor(text);
    if (cursor === undefined) throw snapshotRequired('the cursor was not issued by this service');
    const behind = (await this.#settler.settle()) === SETTLE_BATCH;
    const page = await readEntries(this.#db, cursor.seq, limit + 1);
    this.#seen();
    this.#assertCurrent(cursor, page);
    const shown = page.entries.slice(0, limit);
    return {
      schemaVersion: 1,
      fields: cursor.fields,
      cursor: writeSyncCursor({ ...cursor, seq: shown.at(-1)?.seq ?? cursor.seq }),
      count: shown.length,
      hasMore: page.entries.length > limit || behind,
      changes: shown.map((entry) => this.#change(entry, cursor.fields)),
    };
  }

  /** A replica that does not have what the page belongs to may only be behind, so the primary is asked. */
  async #members(from: PageCursor | undefined, limit: number): Promise<Members> {
    const after = from?.after ?? '';
    const members = await readMembers(this.#readDb, after, limit);
    if (from === undefined || this.#readDb === this.#db || this.#continues(from.sync, members)) {
      return members;
    }
    return readMembers(this.#db, after, limit).finally(this.#seen);
  }

  #continues({ history, seq }: SyncCursor, ledger: LedgerState): boolean {
    return history === this.#history(ledger) && seq <= ledger.head;
  }

  #assertCurrent(cursor: SyncCursor, ledger: LedgerState): void {
    // A client that is sent back to the snapshot must not get the old one, even before the announcement
    // arrives.
    if (this.#epoch !== undefined && this.#epoch !== ledger.epoch) this.#forget();
    this.#epoch = ledger.epoch;
    if (cursor.history !== this.#history(ledger)) throw snapshotRequired('the ledger has started over');
    if (cursor.seq > ledger.head) throw snapshotRequired('the cursor is ahead of the ledger');
  }

  /** A history ends when the ledger's epoch ends, or when the representation of all items changes at once. */
  #history({ epoch }: LedgerState): string {
    const { linkName, attribution } = this.#site;
    return historyOf(epoch, REPRESENTATION_VERSION, linkName, attribution.name, attribution.url);
  }

  #shown(row: ItemRow, fields: Fields) {
    return fields === 'minimal' ? minimalItem(row, this.#site) : item(row, this.#site);
  }

  #change({ item_id, changed_at, item: row }: Entry, fields: Fields): Change {
    const changedAt = changed_at.toISOString();
    if (row === undefined) return { op: 'remove', changedAt, id: item_id };
    return { op: 'upsert', changedAt, item: this.#shown(row, fields) };
  }
}

function snapshotRequired(why: string): Failure {
  return new Failure('conflict', `${why}; start again from /api/v1/selected/snapshot`, {
    code: 'snapshot_required',
  });
}

function pageCursor(text: string, fields: Fields | undefined): PageCursor {
  const cursor = readPageCursor(text);
  if (cursor === undefined) throw snapshotRequired('the page was not issued by this service');
  if (fields === undefined || fields === cursor.sync.fields) return cursor;
  const message = `the page belongs to a snapshot with fields=${cursor.sync.fields}; omit fields`;
  throw new Failure('refused', message, { code: 'invalid_cursor' });
}
