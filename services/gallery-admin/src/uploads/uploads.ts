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
import { isRefusal } from '../buckets/store-fault.ts';
import { isSameEtag, listParts, someParts } from './arrived.ts';
import { planParts } from './parts.ts';
import type { Completion, MultipartSession, MultipartUpload, Upload, UploadedPart } from './schema.ts';

/** How long a URL to upload to is valid, in s (`docs/spec/wire.md`, "Upload"). */
const EXPIRES_IN = 900;

/** How long a store may take to put 10,000 parts together, in ms. */
const COMPLETE_TIMEOUT_MS = 300_000;

/** The media type is part of the promise: the file is stored as what was announced. */
const SIGNED_HEADERS = new Set(['content-type']);

/** Uploads into the active bucket: URLs to send files to, and multipart uploads from their begin to their end. */
export class Uploads {
  readonly #buckets: BucketSource;

  constructor(buckets: BucketSource) {
    this.#buckets = buckets;
  }

  /** A URL to PUT a file to, with the `Content-Type` that was announced. */
  async sign({ path, filename, contentType }: Upload): Promise<{ url: string; key: string }> {
    const { name, signer } = await this.#buckets.current();
    const key = path + filename;
    const put = new PutObjectCommand({ Bucket: name, Key: key, ContentType: contentType });
    const url = await getSignedUrl(signer, put, { expiresIn: EXPIRES_IN, signableHeaders: SIGNED_HEADERS });
    return { url, key };
  }

  /** Begins a multipart upload. */
  async create({ path, filename, contentType, size, partSize }: MultipartUpload) {
    const { name, s3 } = await this.#buckets.current();
    const key = path + filename;
    const command = new CreateMultipartUploadCommand({ Bucket: name, Key: key, ContentType: contentType });
    const { UploadId: uploadId } = await s3.send(command);
    if (uploadId === undefined) throw new Error('the object store has begun an upload without an UploadId');
    return { uploadId, key, ...planParts(size, partSize) };
  }

  /** A URL to PUT a part to. Fails as `missing` for an upload that is not open. */
  async signPart({ uploadId, key }: MultipartSession, partNumber: number) {
    const bucket = await this.#buckets.current();
    const { name, signer } = bucket;
    const part = new UploadPartCommand({
      Bucket: name,
      Key: key,
      UploadId: uploadId,
      PartNumber: partNumber,
    });
    const [url] = await Promise.all([
      getSignedUrl(signer, part, { expiresIn: EXPIRES_IN }),
      explained(someParts(bucket, { uploadId, key }, 1)),
    ]);
    return { url, partNumber, expiresIn: EXPIRES_IN };
  }

  /** Every part that has arrived. Fails as `missing` for an upload that is not open. */
  async listParts(session: MultipartSession): Promise<UploadedPart[]> {
    return explained(listParts(await this.#buckets.current(), session));
  }

  /** Makes the object of its parts. Fails as `refused` for parts that have not arrived like this, and as `missing`. */
  async complete({ uploadId, key, parts }: Completion): Promise<{ key: string; etag: string; size: number }> {
    const bucket = await this.#buckets.current();
    const arrived = await explained(listParts(bucket, { uploadId, key }));
    const chosen = choose(parts, arrived);
    const etag = await explained(complete(bucket, { uploadId, key }, chosen));
    return { key, etag, size: chosen.reduce((sum, part) => sum + part.size, 0) };
  }

  /** Gives a multipart upload up and removes its parts. Fails as `missing` for one that is not open. */
  async abort({ uploadId, key }: MultipartSession): Promise<void> {
    const { name, s3 } = await this.#buckets.current();
    await explained(s3.send(new AbortMultipartUploadCommand({ Bucket: name, Key: key, UploadId: uploadId })));
  }
}

async function complete(bucket: Bucket, session: MultipartSession, parts: UploadedPart[]): Promise<string> {
  const command = new CompleteMultipartUploadCommand({
    Bucket: bucket.name,
    Key: session.key,
    UploadId: session.uploadId,
    MultipartUpload: { Parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })) },
  });
  const { ETag } = await bucket.s3.send(command, { requestTimeout: COMPLETE_TIMEOUT_MS });
  // Ceph leaves it out of this answer.
  return ETag || etagOf(bucket, session.key);
}

async function etagOf({ name, s3 }: Bucket, key: string): Promise<string> {
  const { ETag = '' } = await s3.send(new HeadObjectCommand({ Bucket: name, Key: key }));
  return ETag;
}

/** The parts that the client names, in the order of their numbers. Fails naming those that are not there. */
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

/** A part changed since it was looked at; or the store is one that wants every part (Ceph). */
const PARTS_REFUSED =
  'parts: the store refuses them; list the parts again, and name every one that has arrived';

const NO_UPLOAD =
  'there is no such upload: it was completed or aborted, or uploadId and key do not belong together';

/** S3's refusals of a multipart upload in the words of the wire. */
async function explained<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    // Ceph calls it NoSuchKey when it is asked for the parts.
    if (isRefusal(error, 'NoSuchUpload') || isRefusal(error, 'NoSuchKey')) {
      throw new Failure('missing', NO_UPLOAD, { code: 'upload_not_found' });
    }
    if (isRefusal(error, 'EntityTooSmall'))
      throw new Failure('refused', 'parts: only the last part may be below 5 MiB');
    if (isRefusal(error, 'InvalidPart')) throw new Failure('refused', PARTS_REFUSED);
    throw error;
  }
}
