import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { listObjects } from '../listing/object-page.ts';
import { type Doomed, deleteObjects, failuresInWords } from './delete-objects.ts';
import type { Source } from './destination.ts';
import { foldedInWords, objects } from './messages.ts';
import { foldOverlaps } from './overlaps.ts';
import type { Outcome } from './store.ts';
import type { Watch } from './watch.ts';

/** What to delete, and the outcome of the same request before, if its answer reached nobody. */
export interface Deleting {
  sources: readonly Source[];
  before: Outcome | undefined;
  /** Follows the work, if somebody does. */
  watch?: Watch;
}

/** Deletes what was found. If nothing is left, the outcome of `before` is returned. */
export async function deleteFound(
  bucket: Bucket,
  { sources: named, before, watch }: Deleting,
): Promise<Outcome> {
  const { sources, folded } = foldOverlaps(named);
  if (before && sources.length === 0) return before;
  const affected = await deleteSources(bucket, sources, watch);
  return { message: `${objects(affected)} deleted${foldedInWords(folded)}`, affected };
}

/**
 * Deletes objects and whole folders of any size. Resolves to the number of objects deleted. Throws an
 * `incomplete` {@link Failure} that says how many objects could not be deleted and which.
 */
async function deleteSources(
  bucket: Bucket,
  sources: readonly Source[],
  watch: Watch | undefined,
): Promise<number> {
  const told = (deleted: number) => watch?.progress(deleted, null);
  const deletion = await deleteObjects(bucket, objectsOf(bucket, sources, watch?.signal), told);
  if (deletion.failed === 0) return deletion.deleted;
  throw new Failure(
    'incomplete',
    `${objects(deletion.deleted)} deleted; not confirmed as deleted: ${failuresInWords(deletion)};` +
      ' send the same request again to delete the rest',
    { cause: deletion.failures[0]?.cause },
  );
}

async function* objectsOf(
  bucket: Bucket,
  sources: readonly Source[],
  signal: AbortSignal | undefined,
): AsyncGenerator<Doomed, void> {
  for (const { kind, path } of sources) {
    signal?.throwIfAborted();
    if (kind === 'object') yield { key: path };
    else
      for await (const { key } of listObjects(bucket, path)) {
        signal?.throwIfAborted();
        yield { key };
      }
  }
}
