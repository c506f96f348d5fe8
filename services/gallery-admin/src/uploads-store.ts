import { createHash, hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type Part,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import { copyObject, findObject, ObjectChanged } from './batches/objects.ts';
import type { TransferParts } from './batches/transfer.ts';
import {
  type Bucket,
  type BucketSource,
  ConditionalWrites,
  isConditionRefused,
  type Write,
  type WriteCondition,
} from './buckets/bucket.ts';
import {
  isNameRefused,
  isRefusal,
  NAME_REFUSED,
  type SlowRequestOptions,
  slowRequest,
} from './buckets/store-errors.ts';
import { isKeyLength, MAX_KEY_BYTES, newDeletion, parentOf, trashPath } from './names.ts';
import { refuseMarkedFolders, type StoredObject } from './objects/object-page.ts';
import type { GalleryTables } from './tables.ts';
import type {
  Completion,
  MultipartSession,
  MultipartUpload,
  Upload,
  UploadedPart,
  UploadRequest,
} from './uploads.ts';

/** The validity of an upload URL, in s (`docs/spec/wire.md`, "Upload"). */
const UPLOAD_URL_S = 900;

/** The time that a store may take to assemble 10,000 parts, in ms. */
const COMPLETE_TIMEOUT_MS = 300_000;

/** The media type is signed, so that the file is stored with the type that was announced. */
const SIGNED_HEADERS = new Set(['content-type']);

/** The attempts at a completion, which starts again if another file has come to its key. */
const COMPLETION_TRIES = 5;

/** The answer to a completion; `size` in bytes. */
interface Completed {
  key: string;
  etag: string;
  size: number;
}

interface UploadsParts {
  buckets: BucketSource;
  announced: AnnouncedUploads;
  completed: CompletedUploads;
  completing: CompletingUploads;
  /** Copies a file that is replaced. */
  copies: Omit<TransferParts, 'bucket'>;
}

/** Uploads into the active bucket: upload URLs, and multipart uploads from creation to completion. */
export class Uploads {
  readonly #parts: UploadsParts;
  readonly #conditionals = new ConditionalWrites();

  constructor(parts: UploadsParts) {
    this.#parts = parts;
  }

  /**
   * A URL to PUT a file to, with the `Content-Type` that was announced. With `trash`, fails as
   * {@link keepReplaced} does, and the headers have to be sent.
   */
  async sign({
    path,
    filename,
    contentType,
    trash,
  }: Upload): Promise<Omit<SignedRequest, 'headers'> & { headers?: SignedRequest['headers'] }> {
    const bucket = await this.#parts.buckets.current();
    await refuseMarkedFolders(bucket, path);
    const { name, signer } = bucket;
    const key = path + filename;
    const condition = trash ? await this.#keep(bucket, { key }) : undefined;
    const put = new PutObjectCommand({ Bucket: name, Key: key, ContentType: contentType, ...condition });
    const url = await getSignedUrl(signer, put, { expiresIn: UPLOAD_URL_S, signableHeaders: SIGNED_HEADERS });
    return { url, key, ...(trash && { headers: headersOf(contentType, condition) }) };
  }

  /**
   * Keeps the file that an upload or its completion replaces; resolves to the condition that nothing else is
   * replaced. If a store honours no condition for completions, whatever comes to their key waits for them.
   */
  async #keep(
    bucket: Bucket,
    { key, uploadId }: { key: string; uploadId?: string },
  ): Promise<WriteCondition | undefined> {
    const write: Write = uploadId === undefined ? 'put' : 'complete';
    if (!(await this.#conditionals.areHonoured(bucket, 'complete')))
      await this.#parts.completing.wait(bucket, key, uploadId);
    const kept = await keepReplaced({ bucket, ...this.#parts.copies }, key);
    return this.#conditionals.unlessChanged(bucket, write, kept);
  }

  /**
   * A URL for one of the requests that a browser sends directly to the store. With `trash`, fails as
   * {@link keepReplaced} does. Fails as `refused` for an id that no store gives.
   */
  async signRequest(request: UploadRequest): Promise<SignedRequest> {
    if ('uploadId' in request && isStrangeUploadId(request.uploadId)) {
      throw new Failure(
        'refused',
        'uploadId: must be as the store gave it, without "." or ".." as a segment',
      );
    }
    const bucket = await this.#parts.buckets.current();
    await refuseMarkedFolders(bucket, parentOf(request.key));
    await this.#assertAnnounced(bucket, request);
    const keeps = 'trash' in request && request.trash;
    return signRequest(bucket, request, keeps ? await this.#keep(bucket, request) : undefined);
  }

  /** Refuses a part, or a completion, that differs from the announcement. */
  async #assertAnnounced(bucket: Bucket, request: UploadRequest): Promise<void> {
    if (!('uploadId' in request)) return;
    const announced = await this.#parts.announced.find(bucket, request);
    if (announced === undefined) return;
    if ('partNumber' in request) assertPart(announced, request.partNumber);
    else if (request.method === 'POST') assertWhole(announced, await this.listParts(request));
  }

  /** Creates a multipart upload. Fails as `refused` for a name that the store does not accept. */
  async create({ path, filename, contentType, size, partSize }: MultipartUpload) {
    const bucket = await this.#parts.buckets.current();
    await refuseMarkedFolders(bucket, path);
    const { name, s3 } = bucket;
    const key = path + filename;
    const command = new CreateMultipartUploadCommand({ Bucket: name, Key: key, ContentType: contentType });
    const { UploadId: uploadId } = await explained(s3.send(command));
    if (uploadId === undefined) throw new Error('the object store created an upload without an UploadId');
    const plan = planParts(size, partSize);
    await this.#parts.announced.add(bucket, { uploadId, key }, { size, partSize: plan.partSize });
    return { uploadId, key, ...plan };
  }

  /**
   * A URL to PUT a part to. Fails as `missing` for an upload that is not open, and as `refused` for a part
   * beyond what was announced.
   */
  async signPart({ uploadId, key }: MultipartSession, partNumber: number) {
    const bucket = await this.#parts.buckets.current();
    const { name, signer } = bucket;
    const part = new UploadPartCommand({
      Bucket: name,
      Key: key,
      UploadId: uploadId,
      PartNumber: partNumber,
    });
    const [url, announced] = await Promise.all([
      getSignedUrl(signer, part, { expiresIn: UPLOAD_URL_S }),
      this.#parts.announced.find(bucket, { uploadId, key }),
      assertOpen(bucket, { uploadId, key }),
    ]);
    assertPart(announced, partNumber);
    return { url, partNumber, expiresIn: UPLOAD_URL_S };
  }

  /** Every uploaded part. Fails as `missing` for an upload that is not open. */
  async listParts(session: MultipartSession): Promise<UploadedPart[]> {
    return explainedByParts(listParts(await this.#parts.buckets.current(), session));
  }

  /**
   * Assembles the object from its parts. Repeating the completion gives the same answer as long as the object
   * is the one it created. Fails as `refused` for parts that do not match the uploaded or the announced ones,
   * and as `missing` for an upload that is not open.
   */
  async complete(completion: Completion): Promise<Completed> {
    const bucket = await this.#parts.buckets.current();
    try {
      return await this.#assemble(bucket, completion);
    } catch (error) {
      // An earlier or concurrent request may have completed it: the object shows that. Some stores put the
      // parts away one by one, so they miss parts before they miss the upload.
      const completed = isRefused(error) ? await this.#completedBefore(bucket, completion) : undefined;
      if (completed === undefined) throw error;
      return completed;
    }
  }

  async #assemble(bucket: Bucket, completion: Completion): Promise<Completed> {
    const { uploadId, key, trash } = completion;
    const arrived = await explainedByParts(listParts(bucket, { uploadId, key }));
    const chosen = choose(completion.parts, arrived);
    assertWhole(await this.#parts.announced.find(bucket, completion), chosen);
    const size = chosen.reduce((sum, part) => sum + part.size, 0);
    const expected = etagOfParts(chosen.map((part) => part.etag));
    await this.#parts.completed.begin(bucket, completion, { etag: expected, size });
    const completed = await explained(
      trash
        ? this.#completeKeeping(bucket, { uploadId, key }, chosen)
        : complete(bucket, { uploadId, key }, chosen),
    );
    // Ceph omits the tag from this answer.
    const etag = completed || (await etagOf(bucket, key).catch(() => expected));
    // The work is done: without this record, the expected tag still identifies the object.
    await this.#parts.completed.finish(bucket, completion, etag).catch(() => undefined);
    return { key, etag, size };
  }

  async #completeKeeping(bucket: Bucket, session: MultipartSession, parts: UploadedPart[]): Promise<string> {
    for (let left = COMPLETION_TRIES; ; left -= 1) {
      const condition = await this.#keep(bucket, session);
      try {
        return await complete(bucket, session, parts, condition);
      } catch (error) {
        if (left === 0 || !isConditionRefused(error)) throw error;
      }
    }
  }

  async #completedBefore(bucket: Bucket, completion: Completion): Promise<Completed | undefined> {
    const { key } = completion;
    const noted = await this.#parts.completed.find(bucket, completion);
    if (noted === undefined) return undefined;
    const etag = await etagOf(bucket, key).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    if (etag === undefined) return undefined;
    return isSameEtag(etag, noted.etag) ? { key, etag: noted.etag, size: noted.size } : undefined;
  }

  /** Aborts a multipart upload and removes its parts. Fails as `missing` for one that is not open. */
  async abort({ uploadId, key }: MultipartSession): Promise<void> {
    const bucket = await this.#parts.buckets.current();
    // MinIO answers 204 for unknown uploads.
    await assertOpen(bucket, { uploadId, key });
    const command = new AbortMultipartUploadCommand({ Bucket: bucket.name, Key: key, UploadId: uploadId });
    await explained(bucket.s3.send(command));
  }
}

async function isOpen(bucket: Bucket, session: MultipartSession): Promise<boolean> {
  return assertOpen(bucket, session).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Failure && error.kind === 'missing') return false;
      throw error;
    },
  );
}

async function assertOpen(bucket: Bucket, session: MultipartSession): Promise<void> {
  await explainedByParts(someParts(bucket, session, 1));
}

/** Resolves to the entity tag of the object; empty if the store does not return it. */
async function complete(
  bucket: Bucket,
  session: MultipartSession,
  parts: UploadedPart[],
  condition?: WriteCondition,
): Promise<string> {
  const command = new CompleteMultipartUploadCommand({
    Bucket: bucket.name,
    Key: session.key,
    UploadId: session.uploadId,
    MultipartUpload: { Parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })) },
    ...condition,
  });
  const send = (options: SlowRequestOptions) => bucket.s3.send(command, options);
  const { ETag = '' } = await slowRequest(bucket, COMPLETE_TIMEOUT_MS, send);
  return ETag;
}

async function etagOf({ name, s3 }: Bucket, key: string): Promise<string> {
  const { ETag = '' } = await s3.send(new HeadObjectCommand({ Bucket: name, Key: key }));
  return ETag;
}

function isRefused(error: unknown): boolean {
  return error instanceof Failure && (error.kind === 'missing' || error.kind === 'refused');
}

function isMissing(error: unknown): boolean {
  return isRefusal(error, 'NotFound') || isRefusal(error, 'NoSuchKey');
}

/** The parts that the client names, in the order of their numbers. Fails with the names of missing ones. */
function choose(wanted: Completion['parts'], arrived: UploadedPart[]): UploadedPart[] {
  const byNumber = new Map(arrived.map((part) => [part.partNumber, part]));
  const chosen: UploadedPart[] = [];
  const faults: string[] = [];
  for (const { partNumber, etag } of wanted.toSorted((a, b) => a.partNumber - b.partNumber)) {
    const part = byNumber.get(partNumber);
    if (part === undefined) faults.push(`part ${partNumber} has not been uploaded`);
    else if (!isSameEtag(part.etag, etag)) faults.push(`part ${partNumber} has the etag ${part.etag}`);
    else chosen.push(part);
  }
  if (faults.length === 0) return chosen;
  const more = faults.length > 10 ? ` (and ${faults.length - 10} more)` : '';
  throw new Failure('refused', `parts: ${faults.slice(0, 10).join('; ')}${more}`);
}

/** Parts in a page of S3's list. */
const PAGE = 1000;

/**
 * A page of the uploaded parts, after the part `marker`. Throws S3's `NoSuchUpload`, and fails as `missing`
 * for an id that no store gives.
 */
async function someParts(
  { name, s3 }: Bucket,
  { uploadId, key }: MultipartSession,
  max: number,
  marker?: string,
): Promise<ListPartsCommandOutput> {
  if (isStrangeUploadId(uploadId)) throw noUpload();
  return s3.send(
    new ListPartsCommand({
      Bucket: name,
      Key: key,
      UploadId: uploadId,
      MaxParts: max,
      PartNumberMarker: marker,
    }),
  );
}

/** Every uploaded part, by number, over all pages. Throws S3's `NoSuchUpload`. */
async function listParts(bucket: Bucket, session: MultipartSession): Promise<UploadedPart[]> {
  const parts: UploadedPart[] = [];
  let marker: string | undefined;
  do {
    const page = await someParts(bucket, session, PAGE, marker);
    parts.push(...(page.Parts ?? []).map(partOf));
    marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
  } while (marker !== undefined);
  return parts;
}

function partOf({ PartNumber = 0, ETag = '', Size = 0, LastModified = new Date(0) }: Part): UploadedPart {
  return { partNumber: PartNumber, etag: ETag, size: Size, lastModified: LastModified.toISOString() };
}

/** The headers that a browser must send with the URL. */
interface SignedRequest {
  url: string;
  /** The object's final name, in Unicode's composed form. */
  key: string;
  /** The signed headers; they must be sent unchanged. */
  headers: Record<string, string>;
}

/** The headers that a browser sends with a signed write. */
function headersOf(contentType: string | undefined, condition?: WriteCondition): Record<string, string> {
  const headers: Record<string, string> = {};
  if (contentType !== undefined) headers['Content-Type'] = contentType;
  if (condition !== undefined && 'IfMatch' in condition) headers['If-Match'] = condition.IfMatch;
  if (condition !== undefined && 'IfNoneMatch' in condition) headers['If-None-Match'] = condition.IfNoneMatch;
  return headers;
}

/**
 * Signs one of the six S3 requests of an upload to a key, and no others: none of them reads or deletes the
 * object or lists anything but the parts of one upload.
 *
 * @param condition of the request that puts the file at its key
 */
async function signRequest(
  { name, signer }: Bucket,
  request: UploadRequest,
  condition?: WriteCondition,
): Promise<SignedRequest> {
  const { key } = request;
  const contentType = 'contentType' in request ? request.contentType : undefined;
  const url = await presigned(signer, { Bucket: name, Key: key, ...condition }, request, {
    expiresIn: UPLOAD_URL_S,
    // A type that was not given must not be signed: the SDK adds its own for parts and part lists.
    ...(contentType !== undefined && { signableHeaders: new Set(['content-type']) }),
  });
  return { url, key, headers: headersOf(contentType, condition) };
}

function presigned(
  signer: Bucket['signer'],
  target: { Bucket: string; Key: string },
  request: UploadRequest,
  options: Parameters<typeof getSignedUrl>[2],
): Promise<string> {
  if (!('uploadId' in request)) {
    const described = { ...target, ContentType: request.contentType };
    if (request.method === 'PUT') return getSignedUrl(signer, new PutObjectCommand(described), options);
    return getSignedUrl(signer, new CreateMultipartUploadCommand(described), options);
  }
  const upload = { ...target, UploadId: request.uploadId };
  switch (request.method) {
    case 'PUT': {
      const part = new UploadPartCommand({ ...upload, PartNumber: request.partNumber });
      return getSignedUrl(signer, part, options);
    }
    case 'GET':
      return getSignedUrl(signer, new ListPartsCommand(upload), options);
    case 'POST':
      return getSignedUrl(signer, new CompleteMultipartUploadCommand(upload), options);
    case 'DELETE':
      return getSignedUrl(signer, new AbortMultipartUploadCommand(upload), options);
  }
}

/** For how many days a completion is remembered; after that, a repeated request finds no upload. */
const KEPT_DAYS = 7;

interface CompletedUpload {
  /** Identifies the object as the one that the upload created. */
  etag: string;
  /** In bytes. */
  size: number;
}

/**
 * Records in PostgreSQL, for a week, what each upload was completed to, so that a client that missed the
 * answer can ask again on any replica. The record is written before the store is asked, so that it exists
 * even if the service dies before the answer arrives.
 */
export class CompletedUploads {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Records what `completion` is about to create; deletes records older than a week. */
  async begin(bucket: Bucket, completion: Completion, expected: CompletedUpload): Promise<void> {
    await this.#db
      .deleteFrom('gallery.completed_upload')
      .where('begun_at', '<=', sql<Date>`now() - ${KEPT_DAYS} * interval '1 day'`)
      .execute();
    await this.#db
      .insertInto('gallery.completed_upload')
      .values({ id: idOf(bucket, completion), ...expected })
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }

  /** Records the entity tag that the store returned; some derive it from more than the parts. */
  async finish(bucket: Bucket, completion: Completion, etag: string): Promise<void> {
    await this.#db
      .updateTable('gallery.completed_upload')
      .set({ etag })
      .where('id', '=', idOf(bucket, completion))
      .execute();
  }

  /**
   * The file that `completion`, with exactly these parts, created or would have created; undefined if it was
   * never started.
   */
  async find(bucket: Bucket, completion: Completion): Promise<CompletedUpload | undefined> {
    return this.#db
      .selectFrom('gallery.completed_upload')
      .select(['etag', 'size'])
      .where('id', '=', idOf(bucket, completion))
      .executeTakeFirst();
  }
}

/** For how long another upload waits for one that neither ends nor is aborted, in s. */
const LEASE_S = UPLOAD_URL_S + COMPLETE_TIMEOUT_MS / 1000;

/** The longest that a request waits for another upload of its name, and the pause between looks, in ms. */
const PATIENCE_MS = 2000;
const LOOK_MS = 100;

/**
 * Records in PostgreSQL which upload is being completed at a key. It has the key until the store no longer
 * knows it: then its file is there.
 */
export class CompletingUploads {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Waits until no upload has the key, then takes it for `uploadId`. Fails as `unavailable` meanwhile. */
  async wait(bucket: Bucket, key: string, uploadId: string | undefined): Promise<void> {
    const end = performance.now() + PATIENCE_MS;
    await this.#removeOver();
    for (let ended: string | null = null; ; ) {
      const other: string | undefined =
        uploadId === undefined
          ? await this.#holder(bucket, key)
          : await this.#take(bucket, { key, uploadId }, ended);
      if (other === undefined || (uploadId === undefined && other === ended)) return;
      ended = (await isOpen(bucket, { key, uploadId: other })) ? null : other;
      if (ended !== null) continue;
      if (performance.now() >= end) {
        const detail = 'another upload of this name is being completed; try again when it is there';
        throw new Failure('unavailable', `${detail}, or in ${LEASE_S / 60} minutes`);
      }
      await delay(LOOK_MS);
    }
  }

  async #holder(bucket: Bucket, key: string): Promise<string | undefined> {
    const kept = await this.#db
      .selectFrom('gallery.completing_upload')
      .select('upload_id')
      .where('id', '=', placeOf(bucket, key))
      .where('leased_until', '>', sql<Date>`now()`)
      .executeTakeFirst();
    return kept?.upload_id;
  }

  /** Resolves to the upload that has the key, unless that is this one now. */
  async #take(
    bucket: Bucket,
    { key, uploadId }: MultipartSession,
    ended: string | null,
  ): Promise<string | undefined> {
    const { rows } = await sql<{ upload_id: string }>`
      insert into gallery.completing_upload as kept (id, upload_id, leased_until)
      values (${placeOf(bucket, key)}, ${uploadId}, now() + ${LEASE_S} * interval '1 second')
      on conflict (id) do update set upload_id = excluded.upload_id, leased_until = excluded.leased_until
        where kept.upload_id in (excluded.upload_id, ${ended}) or kept.leased_until <= now()
      returning upload_id
    `.execute(this.#db);
    if (rows.length > 0) return undefined;
    return (await this.#holder(bucket, key)) ?? uploadId;
  }

  async #removeOver(): Promise<void> {
    await sql`
      delete from gallery.completing_upload where id in (
        select id from gallery.completing_upload where leased_until <= now()
        order by leased_until limit ${REMOVED_AT_ONCE} for update skip locked
      )
    `.execute(this.#db);
  }
}

function placeOf({ id, name }: Bucket, key: string): Buffer {
  return hash('sha256', JSON.stringify([id, name, key]), 'buffer');
}

function idOf(bucket: Bucket, { key, uploadId, parts }: Completion): Buffer {
  const named = parts.map(({ partNumber, etag }) => [partNumber, bareEtag(etag)] as const);
  const identity = [bucket.id, bucket.name, key, uploadId, named.sort(([a], [b]) => a - b)];
  return hash('sha256', JSON.stringify(identity), 'buffer');
}

const NO_UPLOAD = 'the upload does not exist: it was completed or aborted, or uploadId and key do not match';

/** A part has changed since it was checked, or the store requires every part (Ceph). */
const PARTS_REFUSED = 'parts: the store rejects them; list the parts again and name every uploaded part';

/** The failure for an upload that is not open. */
function noUpload(cause?: unknown): Failure {
  return new Failure('missing', NO_UPLOAD, { code: 'upload_not_found', cause });
}

/** Runs `ask` about an upload that should be open, and explains S3's refusals. */
async function explained<T>(ask: Promise<T>): Promise<T> {
  try {
    return await ask;
  } catch (error) {
    throw failureOf(error) ?? error;
  }
}

function failureOf(error: unknown): Failure | undefined {
  // Ceph answers NoSuchKey to a list of parts.
  if (isRefusal(error, 'NoSuchUpload') || isRefusal(error, 'NoSuchKey')) return noUpload(error);
  if (isRefusal(error, 'EntityTooSmall')) {
    return new Failure('refused', 'parts: only the last part may be smaller than 5 MiB');
  }
  if (isRefusal(error, 'InvalidPart')) return new Failure('refused', PARTS_REFUSED);
  if (isNameRefused(error)) return new Failure('refused', NAME_REFUSED);
  return undefined;
}

/**
 * Like {@link explained}, for requests about parts: an upload whose key or id the store rejects is not open.
 */
async function explainedByParts<T>(ask: Promise<T>): Promise<T> {
  return explained(
    ask.catch((error: unknown) => {
      throw isNameRefused(error) ? noUpload(error) : error;
    }),
  );
}

/** One MiB, in bytes. */
const MIB = 2 ** 20;

/** Parts of one multipart upload, as S3 limits them. */
export const MAX_PARTS = 10_000;

/** The smallest part but the last, in bytes. */
export const MIN_PART_SIZE = 5 * MIB;

/** The largest part, in bytes. */
export const MAX_PART_SIZE = 5 * 1024 * MIB;

/** The default part size, in bytes (`docs/spec/gallery-admin.md`, "Limits"). */
export const DEFAULT_PART_SIZE = 32 * MIB;

/** The largest object, in bytes: 5 TiB. */
export const MAX_SIZE = 5 * 2 ** 40;

interface PartPlan {
  /** Size of every part but the last, in bytes. */
  partSize: number;
  partCount: number;
}

/**
 * Cuts `size` bytes into parts of `wanted` bytes, or of more whole MiB if that would be over 10,000 parts.
 */
export function planParts(size: number, wanted: number): PartPlan {
  const needed = Math.ceil(size / MAX_PARTS / MIB) * MIB;
  const partSize = size > wanted * MAX_PARTS ? needed : wanted;
  return { partSize, partCount: Math.ceil(size / partSize) };
}

/** A segment with which a path leads elsewhere. */
const LEADS_ELSEWHERE = /(?:^|[/\\])\.{1,2}(?:$|[/\\])/;

/**
 * True for an id that no store gives. versitygw takes the id of an upload for the name of a file, so `../..`
 * would be the folder of another bucket.
 */
export function isStrangeUploadId(uploadId: string): boolean {
  return LEADS_ELSEWHERE.test(uploadId);
}

/** An entity tag without its quotes, in lower case: stores and clients spell tags in several ways. */
function bareEtag(etag: string): string {
  return etag.replace(/^"(.*)"$/, '$1').toLowerCase();
}

/** True for two spellings of the same entity tag: clients send it with or without quotes. */
function isSameEtag(one: string, other: string): boolean {
  return bareEtag(one) === bareEtag(other);
}

/**
 * The entity tag that S3 gives an object with these parts: the MD5 of their MD5s and the number of parts.
 * Stores that encrypt or number parts differently give another one.
 */
function etagOfParts(etags: readonly string[]): string {
  const digest = createHash('md5');
  for (const etag of etags) digest.update(Buffer.from(bareEtag(etag), 'hex'));
  return `"${digest.digest('hex')}-${etags.length}"`;
}

/** For how many days an upload is remembered; stores are told to drop unfinished ones long before. */
const ANNOUNCED_DAYS = 90;

/** The most old records that one upload removes. */
const REMOVED_AT_ONCE = 100;

/** The most parts that a message names. */
const NAMED = 10;

/** The sizes that an upload announced, in bytes. */
interface Announced {
  size: number;
  /** The size of each part but the last. */
  partSize: number;
}

/** Keeps in PostgreSQL what the uploads that this service created were announced as. */
export class AnnouncedUploads {
  readonly #db: Kysely<GalleryTables>;

  constructor(db: Kysely<GalleryTables>) {
    this.#db = db;
  }

  /** Keeps what an upload was announced as; forgets the oldest ones. */
  async add(bucket: Bucket, session: MultipartSession, { size, partSize }: Announced): Promise<void> {
    await sql`
      delete from gallery.announced_upload where id in (
        select id from gallery.announced_upload
        where begun_at <= now() - ${ANNOUNCED_DAYS} * interval '1 day'
        order by begun_at limit ${REMOVED_AT_ONCE} for update skip locked
      )
    `.execute(this.#db);
    await this.#db
      .insertInto('gallery.announced_upload')
      .values({ id: announcedId(bucket, session), size, part_size: partSize })
      .execute();
  }

  /** Undefined for an upload that the browser or another program created. */
  async find(bucket: Bucket, session: MultipartSession): Promise<Announced | undefined> {
    return this.#db
      .selectFrom('gallery.announced_upload')
      .select(['size', 'part_size as partSize'])
      .where('id', '=', announcedId(bucket, session))
      .executeTakeFirst();
  }
}

function announcedId({ id, name }: Bucket, { key, uploadId }: MultipartSession): Buffer {
  return hash('sha256', JSON.stringify([id, name, key, uploadId]), 'buffer');
}

/** Fails as `refused` for a part that an upload does not have. */
function assertPart(announced: Announced | undefined, partNumber: number): void {
  if (announced === undefined || partNumber <= partCount(announced)) return;
  const { size } = announced;
  const detail = `the upload was announced with ${size} bytes, in ${partCount(announced)} parts`;
  throw new Failure('refused', `partNumber: there is no part ${partNumber}: ${detail}`);
}

/** Fails as `refused`, with their numbers, unless `parts` are those that were announced. */
function assertWhole(announced: Announced | undefined, parts: readonly UploadedPart[]): void {
  if (announced === undefined) return;
  const sizes = new Map(parts.map(({ partNumber, size }) => [partNumber, size]));
  const faults: string[] = [];
  for (let number = 1; number <= partCount(announced); number += 1) {
    const [size, expected] = [sizes.get(number), sizeOfPart(announced, number)];
    sizes.delete(number);
    if (size === undefined) faults.push(`part ${number} is missing`);
    else if (size !== expected) faults.push(`part ${number} has ${size} bytes instead of ${expected}`);
  }
  for (const number of sizes.keys()) faults.push(`part ${number} was not announced`);
  if (faults.length === 0) return;
  const more = faults.length > NAMED ? ` (and ${faults.length - NAMED} more)` : '';
  const detail = `the upload was announced with ${announced.size} bytes, in ${partCount(announced)} parts`;
  throw new Failure('refused', `parts: ${faults.slice(0, NAMED).join('; ')}${more}; ${detail}`);
}

function partCount({ size, partSize }: Announced): number {
  return Math.ceil(size / partSize);
}

function sizeOfPart({ size, partSize }: Announced, number: number): number {
  return Math.min(partSize, size - (number - 1) * partSize);
}

/**
 * Copies what is at a key, if anything, to the trash: an upload is about to replace it. It stays in its place
 * until then, so that nothing is lost if the upload fails. Fails as `refused` for a key that has no room in
 * the trash, and as `unavailable` while somebody else replaces the file. Resolves to what is there.
 */
async function keepReplaced(
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
    throw beingReplaced(cause);
  });
  const [copy, current] = await Promise.all([findObject(bucket, target), findObject(bucket, key)]);
  // Copying takes a while, and not every store replaces on condition.
  if (current?.etag !== source.etag) throw beingReplaced();
  // If its date cannot be kept, it has that of the copy.
  if (copy !== undefined) await dates.keep(bucket, [{ source, copy }]).catch(() => undefined);
  return source;
}

function beingReplaced(cause?: unknown): Failure {
  return new Failure('unavailable', 'somebody else is replacing the file; try again', { cause });
}
