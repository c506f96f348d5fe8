import type { Kysely } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import { listObjects } from '../listing/object-page.ts';
import { OriginalDates } from '../listing/original-dates.ts';
import { deleteObjects } from '../operations/delete-objects.ts';
import { exclusively, TransferRunning } from '../operations/exclusively.ts';
import type { GalleryTables } from '../tables.ts';
import { stampOf, TRASH, TRASH_DAYS, trashedAt } from '../trash-path.ts';

/** Objects that one step removes at most. */
const REMOVED = 1000;

/** What removes things from the trash of a bucket. */
export interface TrashPruning {
  db: Kysely<GalleryTables>;
  /** The database without a pooler, for locks of a session. */
  direct: Kysely<GalleryTables>;
  signal: AbortSignal;
  now?: Date;
}

/**
 * Removes for good what was deleted more than 30 days ago, in small steps, and returns the number of objects.
 * A step waits for no copy or move, of which one may be finishing an old deletion; the next run comes back.
 */
export async function pruneTrash(bucket: Bucket, pruning: TrashPruning): Promise<number> {
  let objects = 0;
  while (!pruning.signal.aborted) {
    const step = await exclusively(pruning.direct, bucket, () => removeSome(bucket, pruning)).catch(
      (error: unknown) => {
        if (error instanceof TransferRunning) return { removed: 0, isLast: true };
        throw error;
      },
    );
    objects += step.removed;
    if (step.isLast) break;
  }
  return objects;
}

async function removeSome(bucket: Bucket, { db, now = new Date() }: TrashPruning) {
  const end = new Date(now);
  end.setUTCDate(end.getUTCDate() - TRASH_DAYS);
  const dates = new OriginalDates(db);
  const old: { key: string }[] = [];
  for await (const { key } of listObjects(bucket, TRASH)) {
    // The oldest come first.
    if (key >= TRASH + stampOf(end) || old.length === REMOVED) break;
    if (trashedAt(key) !== undefined) old.push({ key });
  }
  const { deleted } = await deleteObjects(bucket, each(old), (_, gone) => dates.forget(bucket, gone));
  return { removed: deleted, isLast: deleted < REMOVED };
}

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void> {
  yield* items;
}
