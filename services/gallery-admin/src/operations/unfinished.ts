import { hash } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';
import type { Transfer } from './destination.ts';

/** What a batch does with what it copies. */
export type TransferAction = 'copy' | 'move';

/** How long an interrupted transfer can be finished by running it again, in days. */
const KEPT_DAYS = 30;

/**
 * Remembers in PostgreSQL which transfers have begun and not finished, so that what an interrupted one has
 * left at its destination can be told from what somebody else has put there.
 */
export class UnfinishedTransfers {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /**
   * Runs `work`, on one connection, while no other transfer runs in the bucket, on this replica or another.
   * Fails as `unavailable` when one does: two moves in opposite directions could each take the other's
   * sources for copies.
   */
  exclusively<T>(bucket: Bucket, work: (unfinished: UnfinishedTransfers) => Promise<T>): Promise<T> {
    const lock = sql`hashtextextended(${`gallery transfer ${bucket.id} ${bucket.name}`}, 0)`;
    return this.#db.connection().execute(async (connection) => {
      const { rows } = await sql<{ held: boolean }>`select pg_try_advisory_lock(${lock}) as held`.execute(
        connection,
      );
      if (!rows[0]?.held) {
        const detail = 'another copy or move is running in this bucket; try again when it has finished';
        throw new Failure('unavailable', detail);
      }
      try {
        return await work(new UnfinishedTransfers(connection));
      } finally {
        // A connection that is lost has given up the lock by itself.
        await sql`select pg_advisory_unlock(${lock})`.execute(connection).catch(() => undefined);
      }
    });
  }

  /** Those of `transfers` that have begun in the bucket and not finished. */
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

  /** Remembers that `transfers` begin; forgets those that nobody has finished for a month. */
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

  /** Forgets `transfers`: they have finished. */
  async finish(bucket: Bucket, action: TransferAction, transfers: readonly Transfer[]): Promise<void> {
    if (transfers.length === 0) return;
    const ids = transfers.map((transfer) => idOf(bucket, action, transfer));
    await this.#db.deleteFrom('gallery.unfinished_transfer').where('id', 'in', ids).execute();
  }
}

function idOf(bucket: Bucket, action: TransferAction, { source, target }: Transfer): Buffer {
  const identity = JSON.stringify([bucket.id, bucket.name, action, source.path, target]);
  return hash('sha256', identity, 'buffer');
}
