import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';
import type { Transfer } from './destination.ts';

/** Whether a batch copies or moves. */
export type TransferAction = 'copy' | 'move';

/**
 * How long a transfer waits for another one in its bucket to end, in ms, and how often it looks. With a
 * statement that hangs after that (5.5 s) and the record of the outcome (2 s) it is less than 10 s.
 */
const PATIENCE_MS = 2000;
const LOOK_MS = 50;

/** For how many days an interrupted transfer can be finished by running it again. */
const KEPT_DAYS = 30;

/**
 * Records in PostgreSQL which transfers have started but not finished, so that copies left by an interrupted
 * one can be distinguished from objects that someone else put at the destination.
 */
export class UnfinishedTransfers {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /**
   * Runs `work` on one connection while no other transfer runs in the bucket, on any replica: two moves in
   * opposite directions could each mistake the other's sources for copies. Waits a moment for a short one,
   * and fails as {@link TransferRunning} if it goes on.
   */
  exclusively<T>(bucket: Bucket, work: (unfinished: UnfinishedTransfers) => Promise<T>): Promise<T> {
    const lock = sql`hashtextextended(${`gallery transfer ${bucket.id} ${bucket.name}`}, 0)`;
    return this.#db.connection().execute(async (connection) => {
      if (!(await isHeld(connection, lock))) {
        const detail = 'another copy or move is running in this bucket; try again when it has finished';
        throw new TransferRunning('unavailable', detail);
      }
      try {
        return await work(new UnfinishedTransfers(connection));
      } finally {
        // A lost connection has released the lock by itself.
        await sql`select pg_advisory_unlock(${lock})`.execute(connection).catch(() => undefined);
      }
    });
  }

  /** Those of `transfers` that have started in the bucket but not finished. */
  async known(
    bucket: Bucket,
    action: TransferAction,
    transfers: readonly Transfer[],
  ): Promise<Set<Transfer>> {
    if (transfers.length === 0) return new Set();
    const ids = transfers.map((transfer) => idOf(bucket, action, transfer));
    const rows = await this.#db
      .selectFrom('gallery.unfinished_transfer')
      .select('id')
      .where('id', 'in', ids)
      .where('started_at', '>', sql<Date>`now() - ${KEPT_DAYS} * interval '1 day'`)
      .execute();
    const begun = new Set(rows.map(({ id }) => id.toString('hex')));
    return new Set(transfers.filter((_, index) => begun.has(ids[index]?.toString('hex') ?? '')));
  }

  /** Records that `transfers` start; deletes records that have been unfinished for a month. */
  async begin(bucket: Bucket, action: TransferAction, transfers: readonly Transfer[]): Promise<void> {
    if (transfers.length === 0) return;
    await this.#db
      .deleteFrom('gallery.unfinished_transfer')
      .where('started_at', '<=', sql<Date>`now() - ${KEPT_DAYS} * interval '1 day'`)
      .execute();
    await this.#db
      .insertInto('gallery.unfinished_transfer')
      .values(transfers.map((transfer) => ({ id: idOf(bucket, action, transfer) })))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }

  /**
   * Deletes the records of `transfers`, which have finished, in one transaction with `record`: whoever asks
   * again after a crash finds either these records or the outcome.
   */
  async finish(
    bucket: Bucket,
    action: TransferAction,
    transfers: readonly Transfer[],
    record: (db: Kysely<GalleryTables>) => Promise<void>,
  ): Promise<void> {
    const ids = transfers.map((transfer) => idOf(bucket, action, transfer));
    await this.#db.transaction().execute(async (db) => {
      if (ids.length > 0) {
        await db.deleteFrom('gallery.unfinished_transfer').where('id', 'in', ids).execute();
      }
      await record(db);
    });
  }
}

/** Takes an advisory lock of the session, if it is free soon; false if it is not. */
async function isHeld(connection: Kysely<GalleryTables>, lock: RawBuilder<unknown>): Promise<boolean> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const taking = sql<{ held: boolean }>`select pg_try_advisory_lock(${lock}) as held`;
    const { rows } = await taking.execute(connection);
    if (rows[0]?.held) return true;
    if (performance.now() >= end) return false;
    await delay(LOOK_MS);
  }
}

/** Another transfer has the bucket: this one may start when it has finished. */
export class TransferRunning extends Failure {}

function idOf(bucket: Bucket, action: TransferAction, { source, target }: Transfer): Buffer {
  const identity = JSON.stringify([bucket.id, bucket.name, action, source.path, target]);
  return hash('sha256', identity, 'buffer');
}
