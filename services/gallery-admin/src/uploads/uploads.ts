import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket, BucketSource } from '../buckets/bucket.ts';
import { type SlowRequestOptions, slowRequest } from '../buckets/slow-request.ts';
import { isRefusal } from '../buckets/store-fault.ts';
import { refuseMarkedFolders } from '../listing/marked-folders.ts';
import { parentOf } from '../operations/destination.ts';
import type { TransferParts } from '../operations/transfer.ts';
import { keepReplaced } from '../trash/keep-replaced.ts';
import { type AnnouncedUploads, assertPart, assertWhole } from './announced.ts';
import { listParts, someParts } from './arrived.ts';
import {
  ConditionalWrites,
  isConditionRefused,
  type Write,
  type WriteCondition,
} from './conditional-writes.ts';
import { etagOfParts, isSameEtag } from './etag.ts';
import { planParts } from './parts.ts';
import { explained, explainedByParts } from './refusals.ts';
import type {
  Completion,
  MultipartSession,
  MultipartUpload,
  Upload,
  UploadedPart,
  UploadRequest,
} from './schema.ts';
import { headersOf, type SignedRequest, signRequest } from './sign-request.ts';
import type { CompletedUploads } from './store.ts';
import { isStrangeUploadId } from './upload-id.ts';

/** How long an upload URL is valid, in s (`docs/spec/wire.md`, "Upload"). */
const EXPIRES_IN = 900;

/** How long a store may take to assemble 10,000 parts, in ms. */
const COMPLETE_TIMEOUT_MS = 300_000;

/** The media type is signed, so that the file is stored with the type that was announced. */
const SIGNED_HEADERS = new Set(['content-type']);

/** How often a completion begins again because another file has come to its key. */
const COMPLETION_TRIES = 5;

/** The answer to a completion; `size` in bytes. */
export interface Completed {
  key: string;
  etag: string;
  size: number;
}

/** What {@link Uploads} works with. */
export interface UploadsParts {
  buckets: BucketSource;
  announced: AnnouncedUploads;
  completed: CompletedUploads;
  /** How a file that is replaced is kept. */
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
    const condition = trash ? await this.#keep(bucket, key, 'put') : undefined;
    const put = new PutObjectCommand({ Bucket: name, Key: key, ContentType: contentType, ...condition });
    const url = await getSignedUrl(signer, put, { expiresIn: EXPIRES_IN, signableHeaders: SIGNED_HEADERS });
    return { url, key, ...(trash && { headers: headersOf(contentType, condition) }) };
  }

  /** Keeps what a write replaces; resolves to the condition that nothing else is replaced, where there is one. */
  async #keep(bucket: Bucket, key: string, write: Write): Promise<WriteCondition | undefined> {
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
    const { key, method } = request;
    const write = method === 'PUT' ? 'put' : 'complete';
    const keeps = 'trash' in request && request.trash;
    return signRequest(bucket, request, keeps ? await this.#keep(bucket, key, write) : undefined);
  }

  /** Holds a part, or a completion, to what was announced. */
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
      getSignedUrl(signer, part, { expiresIn: EXPIRES_IN }),
      this.#parts.announced.find(bucket, { uploadId, key }),
      assertOpen(bucket, { uploadId, key }),
    ]);
    assertPart(announced, partNumber);
    return { url, partNumber, expiresIn: EXPIRES_IN };
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
      const condition = await this.#keep(bucket, session.key, 'complete');
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
