import { DeleteObjectCommand, DeleteObjectsCommand, type _Error as S3Error } from '@aws-sdk/client-s3';
import type { Bucket } from '../buckets/bucket.ts';
import { slowRequest } from '../buckets/slow-request.ts';
import { isStoreFault } from '../buckets/store-fault.ts';
import { forEachConcurrently, inBatches } from './concurrently.ts';
import { MAX_NAMED } from './messages.ts';
import { ObjectFailure, reasonOf } from './object-failure.ts';
import { findObject } from './stored-object.ts';

/** The most keys that one DeleteObjects accepts. */
const BATCH = 1000;

/** DeleteObjects requests at a time. */
const BATCHES_AT_A_TIME = 3;

/** How long a store may take to delete a thousand objects, in ms: some remove them one by one. */
const DELETE_TIMEOUT_MS = 120_000;

/** Refused objects looked up at a time. */
const LOOKUPS = 16;

/** An object to delete. */
export interface Doomed {
  key: string;
  /** If given, and if the store supports conditional deletes, another version of the object is kept. */
  etag?: string;
}

/** The result of a deletion: how many objects are gone, and why the first of the others are not. */
export interface Deletion {
  deleted: number;
  failed: number;
  /** The failures, at most twenty. */
  failures: ObjectFailure[];
}

/**
 * Deletes objects as they arrive, a thousand per request. Objects not confirmed as deleted are counted and
 * reported; `report` is called with the number deleted so far, and with what has just been deleted. After a
 * request without an answer, or if `objects` itself fails, no more requests are sent.
 */
export async function deleteObjects(
  bucket: Bucket,
  objects: AsyncIterable<Doomed>,
  report: (deleted: number, gone: readonly Doomed[]) => void | Promise<void> = () => undefined,
): Promise<Deletion> {
  const deletion: Deletion = { deleted: 0, failed: 0, failures: [] };
  const fail = (failures: readonly ObjectFailure[]) => {
    deletion.failed += failures.length;
    deletion.failures.push(...failures.slice(0, MAX_NAMED - deletion.failures.length));
  };
  const deleteOne = async (batch: Doomed[]) => {
    const failures = await deleteBatch(bucket, batch).catch((error: unknown) => {
      fail(batch.map(({ key }) => new ObjectFailure(key, error)));
      throw new Unanswered();
    });
    const kept = new Set(failures.map(({ key }) => key));
    const gone = batch.filter(({ key }) => !kept.has(key));
    deletion.deleted += gone.length;
    fail(failures);
    await report(deletion.deleted, gone);
  };
  try {
    await forEachConcurrently(inBatches(objects, BATCH), BATCHES_AT_A_TIME, deleteOne);
  } catch (error) {
    if (error instanceof Unanswered) return deletion;
    if (deletion.deleted + deletion.failed === 0) throw error;
    fail([new ObjectFailure('', error)]);
  }
  return deletion;
}

/** The whole request failed; its objects are already counted. */
class Unanswered extends Error {}

async function deleteBatch(bucket: Bucket, batch: readonly Doomed[]): Promise<ObjectFailure[]> {
  const inXml = batch.filter(({ key }) => isXmlText(key));
  const failures = inXml.length === 0 ? [] : await deleteTogether(bucket, inXml);
  for (const doomed of batch.filter(({ key }) => !isXmlText(key))) {
    await deleteAlone(bucket, doomed).catch(async (error: unknown) => {
      const code = error instanceof Error ? error.name : '';
      if (!(await isGone(bucket, doomed.key, code))) failures.push(new ObjectFailure(doomed.key, error));
    });
  }
  return failures;
}

async function deleteAlone(bucket: Bucket, { key, etag }: Doomed): Promise<void> {
  const send = (condition: { IfMatch?: string }) =>
    bucket.s3.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: key, ...condition }));
  if (etag === undefined) return void (await send({}));
  await send({ IfMatch: `"${etag}"` }).catch((error: unknown) => {
    if (!isUnknownDemand(error)) throw error;
    return send({});
  });
}

async function deleteTogether(bucket: Bucket, batch: readonly Doomed[]): Promise<ObjectFailure[]> {
  const errors = await sendBatch(bucket, batch).catch((error: unknown) => {
    // A store without conditional deletes may reject the whole document.
    if (!isUnknownDemand(error) || batch.every(({ etag }) => etag === undefined)) throw error;
    return sendBatch(
      bucket,
      batch.map(({ key }) => ({ key })),
    );
  });
  const failures: ObjectFailure[] = [];
  await forEachConcurrently(errors, LOOKUPS, async ({ Key = '', Code = 'unknown' }) => {
    if (!(await isGone(bucket, Key, Code))) failures.push(new ObjectFailure(Key, namedError(Code)));
  });
  return failures;
}

/**
 * True if an object that was refused does not exist. A deletion that is repeated because its answer was lost
 * finds nothing that its condition could hold for.
 */
async function isGone(bucket: Bucket, key: string, code: string): Promise<boolean> {
  if (code === 'NoSuchKey') return true;
  if (code !== 'PreconditionFailed') return false;
  return findObject(bucket, key).then(
    (object) => object === undefined,
    () => false,
  );
}

async function sendBatch(bucket: Bucket, batch: readonly Doomed[]): Promise<S3Error[]> {
  const Objects = batch.map(({ key, etag }) => ({ Key: key, ...(etag && { ETag: `"${etag}"` }) }));
  const command = new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Objects, Quiet: true } });
  const { Errors = [] } = await slowRequest(bucket, DELETE_TIMEOUT_MS, (options) =>
    bucket.s3.send(command, options),
  );
  return Errors;
}

function isUnknownDemand(error: unknown): boolean {
  return isStoreFault(error) && [400, 501].includes(error.$metadata.httpStatusCode ?? 0);
}

/** S3 reports the error of one key among others only as a code. */
function namedError(code: string): Error {
  return Object.assign(new Error(code), { name: code, $metadata: { httpStatusCode: 200 } });
}

/** True for a key that can be written in XML (XML 1.0, section 2.2) and is read back unchanged. */
function isXmlText(key: string): boolean {
  return !/[\p{Cc}\uFFFE\uFFFF]/u.test(key);
}

/** The failures of a deletion in words. */
export function failuresInWords({ failures, failed }: Deletion): string {
  const shown = failures.map(({ key, cause }) =>
    key === ''
      ? `the rest of the listing (${reasonOf(cause)})`
      : `${JSON.stringify(key)} (${reasonOf(cause)})`,
  );
  return shown.join(', ') + (failed > failures.length ? ' and more' : '');
}
