import { setTimeout as delay } from 'node:timers/promises';
import { lockNumber } from '@pressroom/common/database/advisory-locks';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import type { GalleryTables } from '../tables.ts';

/**
 * How long a transfer waits for another one in its bucket to end, in ms, and how often it looks. With a
 * statement that hangs after that (5.5 s) and the record of the outcome (2 s) it is less than 10 s.
 */
const PATIENCE_MS = 2000;
const LOOK_MS = 50;

/**
 * Runs `work` while no other transfer runs in the bucket, on any replica: two moves in opposite directions
 * could each mistake the other's sources for copies. Waits a moment for a short one, and fails as
 * {@link TransferRunning} if it goes on. `hold` throws {@link LockLost} once others may run: the connection
 * is lost, and the lock with it.
 *
 * @param direct the database without a pooler, because the lock belongs to a session
 */
export async function exclusively<T>(
  direct: Kysely<GalleryTables>,
  bucket: Bucket,
  work: (hold: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const lock = lockNumber('transfer in a bucket', `${bucket.id} ${bucket.name}`);
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    // Only the holder keeps a connection: those that wait would leave it none for its records.
    const held = await direct.connection().execute(async (connection) => {
      const taking = sql<{ held: boolean }>`select pg_try_advisory_lock(${lock}) as held`;
      const { rows } = await taking.execute(connection);
      if (!rows[0]?.held) return undefined;
      const hold = async () => {
        await sql`select`.execute(connection).catch((cause: unknown) => {
          throw new LockLost('unavailable', 'the connection to the database was lost', { cause });
        });
      };
      try {
        return { result: await work(hold) };
      } finally {
        // A lost connection has released the lock by itself.
        await sql`select pg_advisory_unlock(${lock})`.execute(connection).catch(() => undefined);
      }
    });
    if (held) return held.result;
    if (performance.now() >= end) {
      const detail = 'another copy or move is running in this bucket; try again when it has finished';
      throw new TransferRunning('unavailable', detail);
    }
    await delay(LOOK_MS);
  }
}

/** Another transfer has the bucket: this one may start when it has finished. */
export class TransferRunning extends Failure {}

/** Others may have changed the bucket: this transfer has to look at everything again. */
export class LockLost extends Failure {}
