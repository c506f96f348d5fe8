import { Failure } from '@pressroom/common/failures/failure';
import type { StoredObject } from '../listing/object-page.ts';
import { isKeyLength, MAX_KEY_BYTES } from '../names.ts';
import { copyObject } from '../operations/copy-object.ts';
import { parentOf } from '../operations/destination.ts';
import { ObjectChanged } from '../operations/object-failure.ts';
import { findObject } from '../operations/stored-object.ts';
import type { TransferParts } from '../operations/transfer.ts';
import { newDeletion, trashPath } from '../trash-path.ts';

/**
 * Copies what is at a key, if anything, to the trash: an upload is about to replace it. It stays in its place
 * until then, so that nothing is lost if the upload fails. Fails as `refused` for a key that has no room in
 * the trash, and as `unavailable` while somebody else replaces the file. Resolves to what is there.
 */
export async function keepReplaced(
  { bucket, limits, dates }: TransferParts,
  key: string,
): Promise<StoredObject | undefined> {
  const source = await findObject(bucket, key);
  if (source === undefined) return undefined;
  const target = trashPath(newDeletion(new Date()), key, parentOf(key));
  if (!isKeyLength(target)) {
    const detail = `the key ${JSON.stringify(target)} would be longer than ${MAX_KEY_BYTES} bytes`;
    throw new Failure('refused', `${detail}; use a shorter name, or replace the file without "trash"`);
  }
  await copyObject(bucket, source, target, limits).catch((cause: unknown) => {
    if (!(cause instanceof ObjectChanged)) throw cause;
    throw new Failure('unavailable', 'somebody else is replacing the file; try again', { cause });
  });
  const copy = await findObject(bucket, target);
  // If its date cannot be kept, it has that of the copy.
  if (copy !== undefined) await dates.keep(bucket, [{ source, copy }]).catch(() => undefined);
  return source;
}
