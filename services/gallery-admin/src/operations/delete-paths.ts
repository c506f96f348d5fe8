import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from '../buckets/bucket.ts';
import { listObjects } from '../listing/object-page.ts';
import { type Doomed, deleteObjects, failuresInWords } from './delete-objects.ts';
import type { Source } from './destination.ts';
import { objects } from './messages.ts';

/**
 * Deletes objects and whole folders, however many objects they hold. Resolves to the number of objects deleted.
 * Throws an `incomplete` {@link Failure} when some of them could not be, saying how many and which.
 */
export async function deleteSources(bucket: Bucket, sources: readonly Source[]): Promise<number> {
  const deletion = await deleteObjects(bucket, objectsOf(bucket, sources));
  if (deletion.failed === 0) return deletion.deleted;
  throw new Failure(
    'incomplete',
    `${objects(deletion.deleted)} are deleted; not confirmed to be deleted: ${failuresInWords(deletion)};` +
      ' send the same request again to delete the rest',
    { cause: deletion.failures[0]?.cause },
  );
}

async function* objectsOf(bucket: Bucket, sources: readonly Source[]): AsyncGenerator<Doomed, void> {
  for (const { kind, path } of sources) {
    if (kind === 'object') yield { key: path };
    else for await (const { key } of listObjects(bucket, path)) yield { key };
  }
}
