import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { listObjects } from '../listing/object-page.ts';
import { type Doomed, deleteObjects, failuresInWords } from './delete-objects.ts';
import type { Source } from './destination.ts';
import { foldedInWords, objects } from './messages.ts';
import type { OperationRequest, Outcome } from './operation.ts';
import { foldOverlaps } from './overlaps.ts';
import { findSources } from './sources.ts';
import type { Watch } from './watch.ts';

/** The outcome of the same request before, if its answer may have been lost, and who follows the work. */
export interface Deleting {
  before: Outcome | undefined;
  watch: Watch;
}

/** Deletes what the paths name. If nothing is left, the outcome of `before` is returned. */
export async function deletePaths(
  bucket: Bucket,
  { paths, filesOnly }: Pick<OperationRequest, 'paths' | 'filesOnly'>,
  { before, watch }: Deleting,
): Promise<Outcome> {
  const found = await findSources(bucket, paths);
  const { sources, folded } = foldOverlaps(
    filesOnly ? found.sources.filter(({ kind }) => kind === 'object') : found.sources,
  );
  if (before && sources.length === 0) return before;
  const affected = await deleteSources(bucket, sources, watch);
  return { message: `${objects(affected)} deleted${foldedInWords(folded)}`, affected };
}

/**
 * Deletes objects and whole folders of any size. Resolves to the number of objects deleted. Throws an
 * `incomplete` {@link Failure} that says how many objects could not be deleted and which.
 */
async function deleteSources(bucket: Bucket, sources: readonly Source[], watch: Watch): Promise<number> {
  const report = (deleted: number) => watch.progress(deleted, null);
  const deletion = await deleteObjects(bucket, objectsOf(bucket, sources, watch.signal), report);
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
  signal: AbortSignal,
): AsyncGenerator<Doomed, void> {
  for (const { kind, path } of sources) {
    signal.throwIfAborted();
    if (kind === 'object') yield { key: path };
    else
      for await (const { key } of listObjects(bucket, path)) {
        signal.throwIfAborted();
        yield { key };
      }
  }
}
