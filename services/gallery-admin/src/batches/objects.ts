import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  type CopyObjectCommandInput,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type _Error as S3Error,
  type StorageClass,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import { lockNumber } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import type { Bucket } from '../buckets/bucket.ts';
import {
  isNameRefused,
  isRefusal,
  isStoreFault,
  NAME_REFUSED,
  slowRequest,
} from '../buckets/store-errors.ts';
import { isKeyLength } from '../names.ts';
import { type StoredObject, unquoted } from '../objects/object-page.ts';
import type { GalleryTables } from '../tables.ts';

/**
 * Copies `source`, with its metadata, to the key `target`, which must be free. Resolves to the entity tag of
 * the copy once it is complete. If the store supports conditional copies, an object that another writer
 * creates at `target` during the copy is not overwritten. Throws {@link ObjectChanged} if the source has
 * changed or the target is taken by another object.
 */
export async function copyObject(
  bucket: Bucket,
  source: StoredObject,
  target: string,
  limits: CopyLimits,
): Promise<string> {
  const copy = source.size > limits.singleCopyBytes ? copyInParts : isMarker(source) ? copyMarker : copyWhole;
  try {
    const etag = await copy(bucket, source, target, limits);
    if (etag !== source.etag) await assertUnchanged(bucket, source);
    return etag;
  } catch (error) {
    if (!isRefused(error)) throw error;
    return explainRefusal(bucket, source, target, error);
  }
}

async function copyWhole(bucket: Bucket, source: StoredObject, target: string): Promise<string> {
  const input: CopyObjectCommandInput = {
    Bucket: bucket.name,
    Key: target,
    CopySource: copySource(bucket, source.key),
    CopySourceIfMatch: `"${source.etag}"`,
    StorageClass: source.storageClass as CopyObjectCommandInput['StorageClass'],
  };
  const { CopyObjectResult } = await ifFree((condition) =>
    slowRequest(bucket, copyTimeout(source.size), (options) =>
      bucket.s3.send(new CopyObjectCommand({ ...input, ...condition }), options),
    ),
  );
  return unquoted(CopyObjectResult?.ETag ?? '');
}

function isMarker({ key, size }: StoredObject): boolean {
  return key.endsWith('/') && size === 0;
}

/** Written anew where the store copies no marker of a folder: versitygw. */
async function copyMarker(bucket: Bucket, source: StoredObject, target: string): Promise<string> {
  try {
    return await copyWhole(bucket, source, target);
  } catch (error) {
    if (!target.endsWith('/') || !isRefusal(error, 'DirectoryObjectContainsData')) throw error;
  }
  const marker = {
    Bucket: bucket.name,
    Key: target,
    Body: new Uint8Array(0),
    ContentLength: 0,
    StorageClass: source.storageClass as StorageClass | undefined,
    ...(await headersOf(bucket, source)),
  };
  const { ETag = '' } = await ifFree((condition) =>
    bucket.s3.send(new PutObjectCommand({ ...marker, ...condition })),
  );
  return unquoted(ETag);
}

/** A store that ignores conditions on the source may have copied a different version. */
async function assertUnchanged(bucket: Bucket, source: StoredObject): Promise<void> {
  const current = await findObject(bucket, source.key);
  if (current?.etag !== source.etag) throw new ObjectChanged('the source has changed since');
}

/** True for an answer caused by the state of the bucket: the source is gone or a condition is not met. */
function isRefused(error: unknown): boolean {
  if (!isStoreFault(error) || error.name === 'NoSuchBucket') return false;
  return [404, 409, 412].includes(error.$metadata.httpStatusCode ?? 0);
}

/** A request repeated after a lost answer finds its own copy in place, which means it succeeded. */
async function explainRefusal(
  bucket: Bucket,
  source: StoredObject,
  target: string,
  error: unknown,
): Promise<string> {
  const [current, existing] = await Promise.all([findObject(bucket, source.key), findObject(bucket, target)]);
  if (current?.etag !== source.etag) throw new ObjectChanged('the source has changed since');
  if (existing === undefined) throw error;
  if (await isSameObject(bucket, current, existing)) return existing.etag;
  throw new ObjectChanged('the destination has been taken since');
}

/** Parts of one object copied at a time. */
const PARTS_AT_A_TIME = 4;

/** The most parts that S3 accepts for one object. */
const MAX_PARTS = 10_000;

/** One part: its number from 1, and its bytes in the source, the last included. */
interface PartRange {
  number: number;
  first: number;
  last: number;
}

/** Divides `size` bytes into parts of `partBytes`, or larger ones if there would be over 10,000. */
export function partRanges(size: number, partBytes: number): PartRange[] {
  const bytes = Math.max(partBytes, Math.ceil(size / MAX_PARTS));
  return Array.from({ length: Math.ceil(size / bytes) }, (_, index) => ({
    number: index + 1,
    first: index * bytes,
    last: Math.min((index + 1) * bytes, size) - 1,
  }));
}

/**
 * Copies an object that is too large for one request. Resolves to the entity tag of the copy. See
 * `copyObject`.
 */
async function copyInParts(
  bucket: Bucket,
  source: StoredObject,
  target: string,
  { partBytes }: CopyLimits,
): Promise<string> {
  const uploadId = await begin(bucket, source, target);
  const upload = { Bucket: bucket.name, Key: target, UploadId: uploadId };
  try {
    const parts = await copyParts(bucket, source, upload, partBytes);
    const complete = { ...upload, MultipartUpload: { Parts: parts } };
    await ifFree((condition) =>
      slowRequest(bucket, copyTimeout(source.size), (options) =>
        bucket.s3.send(new CompleteMultipartUploadCommand({ ...complete, ...condition }), options),
      ),
    );
  } catch (error) {
    // Parts cost money until they are removed; if the store is unavailable, its own clean-up rule removes
    // them.
    await bucket.s3.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    throw error;
  }
  // Not every store returns the entity tag on completion.
  const copy = await findObject(bucket, target);
  if (copy?.size !== source.size) throw new ObjectChanged('the copy has changed since');
  return copy.etag;
}

/** A multipart upload copies no metadata by itself, so the source's is passed on here. */
async function begin(bucket: Bucket, source: StoredObject, target: string): Promise<string> {
  const { UploadId } = await bucket.s3.send(
    new CreateMultipartUploadCommand({
      Bucket: bucket.name,
      Key: target,
      StorageClass: source.storageClass as StorageClass | undefined,
      ...(await headersOf(bucket, source)),
    }),
  );
  if (UploadId === undefined) throw new Error('the object store started an upload without an id');
  return UploadId;
}

async function copyParts(
  bucket: Bucket,
  source: StoredObject,
  upload: { Bucket: string; Key: string; UploadId: string },
  partBytes: number,
): Promise<CompletedPart[]> {
  const parts: CompletedPart[] = [];
  await forEachConcurrently(
    partRanges(source.size, partBytes),
    PARTS_AT_A_TIME,
    async ({ number, first, last }) => {
      const part = new UploadPartCopyCommand({
        ...upload,
        PartNumber: number,
        CopySource: copySource(bucket, source.key),
        CopySourceIfMatch: `"${source.etag}"`,
        CopySourceRange: `bytes=${first}-${last}`,
      });
      const { CopyPartResult } = await slowRequest(bucket, copyTimeout(last - first + 1), (options) =>
        bucket.s3.send(part, options),
      );
      parts[number - 1] = { PartNumber: number, ETag: CopyPartResult?.ETag };
    },
  );
  return parts;
}

export interface CopyLimits {
  /** Larger objects are copied in parts: S3 copies at most 5 GiB in one request. */
  singleCopyBytes: number;
  /** Bytes of a part, raised if an object would have more than 10,000 parts. */
  partBytes: number;
}

/** S3's own limits: 5 GiB in one copy; parts of 1 GiB, several copied at a time. */
export const S3_COPY_LIMITS: CopyLimits = { singleCopyBytes: 5 * 2 ** 30, partBytes: 2 ** 30 };

/** The slowest copy speed tolerated, in bytes per millisecond (4 MiB/s), on top of {@link ANSWER_MS}. */
const SLOWEST_COPY = (4 * 2 ** 20) / 1000;

const ANSWER_MS = 15_000;

function copyTimeout(bytes: number): number {
  return ANSWER_MS + Math.ceil(bytes / SLOWEST_COPY);
}

/** The value of `x-amz-copy-source`: bucket and key, each segment percent-encoded. */
function copySource(bucket: Bucket, key: string): string {
  return `${bucket.name}/${key.split('/').map(encodeURIComponent).join('/')}`;
}

/** Writes on condition that the target is free, or unconditionally in a store that does not support that. */
async function ifFree<T>(write: (condition: { IfNoneMatch?: '*' }) => Promise<T>): Promise<T> {
  try {
    return await write({ IfNoneMatch: '*' });
  } catch (error) {
    if (!isStoreFault(error) || error.$metadata.httpStatusCode !== 501) throw error;
    return write({});
  }
}

/** The most keys that one DeleteObjects accepts. */
const BATCH = 1000;

const BATCHES_AT_A_TIME = 3;

/** The timeout for deleting a thousand objects, in ms: some stores remove them one by one. */
const DELETE_TIMEOUT_MS = 120_000;

/** Refused objects looked up at a time. */
const LOOKUPS = 16;

export interface ObjectToDelete {
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
  objects: AsyncIterable<ObjectToDelete>,
  report: (deleted: number, gone: readonly ObjectToDelete[]) => void | Promise<void> = () => undefined,
): Promise<Deletion> {
  const deletion: Deletion = { deleted: 0, failed: 0, failures: [] };
  const fail = (failures: readonly ObjectFailure[]) => {
    deletion.failed += failures.length;
    deletion.failures.push(...failures.slice(0, MAX_NAMED - deletion.failures.length));
  };
  const deleteOne = async (batch: ObjectToDelete[]) => {
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

async function deleteBatch(bucket: Bucket, batch: readonly ObjectToDelete[]): Promise<ObjectFailure[]> {
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

async function deleteAlone(bucket: Bucket, { key, etag }: ObjectToDelete): Promise<void> {
  const send = (condition: { IfMatch?: string }) =>
    bucket.s3.send(new DeleteObjectCommand({ Bucket: bucket.name, Key: key, ...condition }));
  if (etag === undefined) return void (await send({}));
  await send({ IfMatch: `"${etag}"` }).catch((error: unknown) => {
    if (!isUnknownDemand(error)) throw error;
    return send({});
  });
}

async function deleteTogether(bucket: Bucket, batch: readonly ObjectToDelete[]): Promise<ObjectFailure[]> {
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

async function sendBatch(bucket: Bucket, batch: readonly ObjectToDelete[]): Promise<S3Error[]> {
  const Objects = batch.map(({ key, etag }) => ({ Key: key, ...(etag && { ETag: `"${etag}"` }) }));
  const command = new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Objects, Quiet: true } });
  const { Errors = [] } = await slowRequest(bucket, DELETE_TIMEOUT_MS, (options) =>
    bucket.s3.send(command, options),
  );
  const keys = new Set(batch.map(({ key }) => key));
  const strange = Errors.find(({ Key = '' }) => !keys.has(Key));
  if (strange !== undefined) throw new Error(`the store kept an object that was not named: ${strange.Key}`);
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

/**
 * Looks up the object `key`; undefined if it does not exist. Throws the store's refusal of a name it does not
 * accept.
 */
export async function findObject(bucket: Bucket, key: string): Promise<StoredObject | undefined> {
  // A longer name cannot be a key, and stores reject the request.
  if (!isKeyLength(key)) return undefined;
  try {
    const head = await bucket.s3.send(new HeadObjectCommand({ Bucket: bucket.name, Key: key }));
    return {
      key,
      size: head.ContentLength ?? 0,
      etag: unquoted(head.ETag ?? ''),
      lastModified: head.LastModified ?? new Date(0),
      storageClass: head.StorageClass,
    };
  } catch (error) {
    if (isRefusal(error, 'NotFound') || isRefusal(error, 'NoSuchKey')) return undefined;
    throw await explainedHead(bucket, key, error);
  }
}

/** The answer to a HEAD has no body, so a second request finds out what a refusal means. */
export async function explainedHead({ name, s3 }: Bucket, key: string, error: unknown): Promise<unknown> {
  if (!isStoreFault(error) || error.$metadata.httpStatusCode !== 400) return error;
  const get = new GetObjectCommand({ Bucket: name, Key: key, Range: 'bytes=0-0' });
  return s3.send(get).then(
    ({ Body }) => {
      (Body as Readable | undefined)?.destroy();
      return error;
    },
    (explained: unknown) => explained,
  );
}

/** The headers that readers get with an object, which a copy carries. */
async function headersOf(bucket: Bucket, { key, etag }: StoredObject) {
  const input = { Bucket: bucket.name, Key: key, IfMatch: `"${etag}"` };
  const head = await bucket.s3.send(new HeadObjectCommand(input));
  return {
    ContentType: head.ContentType,
    CacheControl: head.CacheControl,
    ContentDisposition: head.ContentDisposition,
    ContentEncoding: head.ContentEncoding,
    ContentLanguage: head.ContentLanguage,
    Expires: head.ExpiresString === undefined ? undefined : new Date(head.ExpiresString),
    Metadata: head.Metadata,
  };
}

/**
 * True if two objects have the same bytes, type and metadata, so that nothing is lost with one of them. Equal
 * entity tags and sizes are enough for the bytes. Stores give the same bytes a different tag if they are
 * encrypted or were written in other parts; then the bytes are compared.
 */
export async function isSameObject(bucket: Bucket, a: StoredObject, b: StoredObject): Promise<boolean> {
  if (a.size !== b.size) return false;
  const [headersA, headersB] = await Promise.all([headersOf(bucket, a), headersOf(bucket, b)]);
  if (!isDeepStrictEqual(headersA, headersB)) return false;
  if (a.etag === b.etag) return true;
  const [hashA, hashB] = await Promise.all([contentHash(bucket, a), contentHash(bucket, b)]);
  return hashA.equals(hashB);
}

async function contentHash(bucket: Bucket, { key, etag }: StoredObject): Promise<Buffer> {
  const input = { Bucket: bucket.name, Key: key, IfMatch: `"${etag}"` };
  const { Body } = await bucket.s3.send(new GetObjectCommand(input));
  const hash = createHash('sha256');
  await pipeline(Body as Readable, hash);
  return hash.digest();
}

/** An object has changed since the operation looked at it: someone else is working in the bucket. */
export class ObjectChanged extends Error {}

/** The failure of one object, with its key. */
export class ObjectFailure extends Error {
  readonly key: string;

  constructor(key: string, cause: unknown) {
    super(`${JSON.stringify(key)} failed: ${reasonOf(cause)}`, { cause });
    this.key = key;
  }
}

/** The reason an object could not be processed, for the user: S3's error code, or that no answer came. */
export function reasonOf(error: unknown): string {
  if (error instanceof ObjectChanged || error instanceof LockLost) return error.message;
  if (isNameRefused(error)) return NAME_REFUSED;
  if (!isStoreFault(error)) return 'an internal error';
  return error.$metadata.httpStatusCode === undefined ? 'the object store did not answer' : error.name;
}

/**
 * The longest that a transfer waits for another one in its bucket, in ms, and the pause between looks. With a
 * statement that hangs after that (5.5 s) and the record of the outcome (2 s), it stays below 10 s.
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
export async function withTransferLock<T>(
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
          const message = 'the connection to the database was lost';
          throw new LockLost('unavailable', message, { reason: 'database', cause });
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

/** The most paths that a message names. */
export const MAX_NAMED = 20;

/** Names paths in a message, the first twenty of them. */
export function quotedPaths(paths: readonly string[]): string {
  const shown = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  return shown.join(', ') + (paths.length > MAX_NAMED ? ' and more' : '');
}

/** `1 object`, `2 objects`. */
export function objectCount(count: number): string {
  return count === 1 ? '1 object' : `${count} objects`;
}

/** The addition to a message if paths were named twice or lie inside others; else empty. */
export function foldedInWords(folded: number): string {
  if (folded === 0) return '';
  const paths = folded === 1 ? '1 path that was' : `${folded} paths that were`;
  return ` (${paths} named twice or inside another went with it)`;
}

/** The paths of a change, as they are logged. */
export function loggedPaths(paths: readonly string[]) {
  return { paths: paths.slice(0, MAX_NAMED), pathCount: paths.length };
}

/**
 * Runs `work` on every item, at most `limit` at a time, and takes an item from `items` only when there is
 * room for it, so that a source of any length is never in memory as a whole. After a failure nothing new
 * starts; running work is awaited, and then the first failure is thrown.
 */
export async function forEachConcurrently<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const iterator = asyncIterator(items);
  const worker = async () => {
    while (failures.length === 0) {
      const next = await iterator.next();
      if (next.done || failures.length > 0) return;
      await work(next.value);
    }
  };
  const guarded = () => worker().catch((error) => void failures.push(error));
  await Promise.all(Array.from({ length: limit }, guarded));
  if (failures.length > 0) throw failures[0];
}

/** An async generator hands out its items one by one even if several workers ask at once. */
async function* asyncIterator<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T, void> {
  yield* items;
}

/** Gathers items into lists of `size`, the last one shorter. */
export async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[], void> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Follows long work from outside. */
export interface Watch {
  /** Ends the work between two objects when it is aborted. */
  signal: AbortSignal;
  /** Called after each step; `total` is null while it is unknown. */
  progress(done: number, total: number | null): void;
}
