import { checkCopySource } from '../conditions.ts';
import { S3Error } from '../errors.ts';
import { headerText } from '../request.ts';
import type { StoredObject } from '../storage/objects.ts';
import type { OperationContext } from './context.ts';

/** The object that a copy reads. */
export interface CopySource {
  bucket: string;
  key: string;
  object: StoredObject;
}

/**
 * Finds the source of a copy and checks the conditions on it.
 *
 * @throws S3Error InvalidArgument, NoSuchBucket, NoSuchKey, PreconditionFailed
 */
export function findCopySource({ storage, request }: OperationContext): CopySource {
  const { bucket, key } = parseCopySource(request.headers['x-amz-copy-source'] ?? '');
  storage.buckets.require(bucket);
  const object = storage.objects.require(bucket, key);
  checkCopySource(request.headers, object);
  return { bucket, key, object };
}

function parseCopySource(header: string): { bucket: string; key: string } {
  const [path = '', version] = headerText(header).split('?versionId=');
  if (version !== undefined && version !== 'null')
    throw new S3Error('NotImplemented', 'This object store does not support versions.');
  const decoded = decode(path).replace(/^\//, '');
  const slash = decoded.indexOf('/');
  if (slash < 1 || slash === decoded.length - 1) {
    throw new S3Error('InvalidArgument', 'x-amz-copy-source must be BUCKET/KEY, percent-encoded.');
  }
  return { bucket: decoded.slice(0, slash), key: decoded.slice(slash + 1) };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new S3Error('InvalidArgument', 'x-amz-copy-source is not percent-encoded UTF-8.');
  }
}
