import { Readable } from 'node:stream';
import { GetObjectCommand, type GetObjectCommandOutput, HeadObjectCommand } from '@aws-sdk/client-s3';
import { Failure } from '@pressroom/common/failures/failure';
import { explainedHead } from '../batches/objects.ts';
import type { Bucket } from '../buckets/bucket.ts';
import {
  isBusy,
  isLastingRefusal,
  isMisconfiguration,
  isNameRefused,
  isStoreFault,
  statusOf,
} from '../buckets/store-errors.ts';
import {
  boundedBody,
  type ForwardedHeaders,
  type Media,
  type MediaRequest,
  mediaTooLarge,
  noSuchVersion,
  notMedia,
  RangeOutside,
  upstreamFailed,
} from './media-fetcher.ts';

/** An object of a bucket, named by a URL. */
export interface BucketObject {
  key: string;
  versionId: string | undefined;
}

/** The object of `bucket` that `url` points to, signed or not; undefined for any other URL. */
export function objectOf(url: URL, bucket: Bucket): BucketObject | undefined {
  const base = bucket.baseUrls.find((start) => `${url.origin}${url.pathname}`.startsWith(start));
  if (base === undefined) return undefined;
  const escaped = `${url.origin}${url.pathname}`.slice(base.length);
  try {
    const key = decodeURIComponent(escaped);
    return key === '' ? undefined : { key, versionId: url.searchParams.get('versionId') ?? undefined };
  } catch {
    return undefined;
  }
}

/** The entity tag of an object, as the store returns it. Fails as {@link fetchObject} does. */
export async function objectTag(bucket: Bucket, object: BucketObject, signal: AbortSignal): Promise<string> {
  const command = new HeadObjectCommand(inputOf(bucket, object));
  const { ETag = '' } = await bucket.s3
    .send(command, { abortSignal: signal })
    .catch((error) => refused(bucket, object, error));
  return ETag;
}

/**
 * Reads media as {@link readObject} does. Throws a failure that says why no media is returned,
 * {@link RangeOutside}, or the store's error.
 */
export async function fetchObject(
  bucket: Bucket,
  object: BucketObject,
  request: MediaRequest,
  limits: ReadLimits & { accepts: (contentType: string | undefined) => boolean },
): Promise<Media> {
  const media = await readObject(bucket, object, request, limits);
  if (media.status === 304 || limits.accepts(media.headers['content-type'])) return media;
  media.body.on('error', () => undefined).destroy();
  throw notMedia(media.headers['content-type']);
}

export interface ReadLimits {
  /** The most bytes of a body. */
  maxBytes: number;
  /** If given, another version of the object is not read. */
  ifMatch?: string | undefined;
}

/**
 * Reads an object of any type with the service's own credentials, over http or https; only objects of the
 * bucket can be read this way. Throws a failure that says why it is not returned, {@link RangeOutside}, or
 * the store's error.
 */
export async function readObject(
  bucket: Bucket,
  object: BucketObject,
  { method, headers, signal }: MediaRequest,
  { maxBytes, ifMatch }: ReadLimits,
): Promise<Media> {
  const input = { ...inputOf(bucket, object), ...conditions(headers), ...(ifMatch && { IfMatch: ifMatch }) };
  const options = { abortSignal: signal };
  try {
    const answer: GetObjectCommandOutput =
      method === 'HEAD'
        ? await bucket.s3.send(new HeadObjectCommand(input), options)
        : await bucket.s3.send(new GetObjectCommand(input), options);
    return await accepted(answer, maxBytes);
  } catch (error) {
    const status = isStoreFault(error) ? statusOf(error) : undefined;
    if (status === 304) return { status, headers: headersOf(error), body: Readable.from([]) };
    if (status === 416) throw new RangeOutside(headersOf(error)['content-range']);
    if (status === 412 && headers['if-range'] !== undefined) {
      // The range was for another version, so the whole object is sent (RFC 9110, section 13.1.5).
      return readObject(bucket, object, { method, headers: {}, signal }, { maxBytes, ifMatch });
    }
    if (status === 412) {
      throw new Failure('unavailable', 'the file is being replaced; try again', { cause: error });
    }
    return refused(bucket, object, error);
  }
}

function inputOf({ name }: Bucket, { key, versionId }: BucketObject) {
  return { Bucket: name, Key: key, ...(versionId !== undefined && { VersionId: versionId }) };
}

/**
 * The client's range and conditions. S3 does not support `If-Range`: a strong tag becomes `If-Match`; with
 * any other value the range is dropped.
 */
function conditions({
  range,
  'if-range': ifRange,
  'if-none-match': noneMatch,
  'if-modified-since': since,
}: ForwardedHeaders) {
  const date = new Date(since ?? '');
  const keepsRange = range !== undefined && (ifRange === undefined || ifRange.startsWith('"'));
  return {
    ...(keepsRange && { Range: range }),
    ...(keepsRange && ifRange !== undefined && { IfMatch: ifRange }),
    ...(noneMatch !== undefined && { IfNoneMatch: noneMatch }),
    ...(noneMatch === undefined && !Number.isNaN(date.getTime()) && { IfModifiedSince: date }),
  };
}

async function accepted(answer: GetObjectCommandOutput, maxBytes: number): Promise<Media> {
  const body = answer.Body instanceof Readable ? answer.Body : Readable.from([]);
  try {
    if ((answer.ContentLength ?? 0) > maxBytes) throw mediaTooLarge(maxBytes);
    const status = answer.ContentRange === undefined ? 200 : 206;
    const isDeclared = answer.ContentLength !== undefined;
    return { status, headers: describing(answer), body: await boundedBody(body, maxBytes, isDeclared) };
  } catch (error) {
    body.on('error', () => undefined).destroy();
    throw error;
  }
}

function describing(answer: GetObjectCommandOutput): Record<string, string> {
  const described = {
    'content-type': answer.ContentType,
    'content-length': answer.ContentLength?.toString(),
    'content-encoding': answer.ContentEncoding,
    'content-range': answer.ContentRange,
    'accept-ranges': answer.AcceptRanges,
    etag: answer.ETag,
    'last-modified': answer.LastModified?.toUTCString(),
  };
  const entries = Object.entries(described).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(entries);
}

/** The headers that a client may read of an answer that the SDK treats as an error. */
function headersOf(error: unknown): Record<string, string> {
  const { headers = {} } = (error as { $response?: { headers?: Record<string, string> } }).$response ?? {};
  const kept = ['etag', 'last-modified', 'content-range'].filter((name) => headers[name] !== undefined);
  return Object.fromEntries(kept.map((name) => [name, headers[name] ?? '']));
}

/** True if the store says that it has no object with the key, or can have none. */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof Failure) || !isStoreFault(error.cause)) return false;
  return statusOf(error.cause) === 404 || isNameRefused(error.cause);
}

/** A missing object is reported like a missing file on any host; other errors are the store's. */
async function refused(bucket: Bucket, { key, versionId }: BucketObject, answered: unknown): Promise<never> {
  const error = await explainedHead(bucket, key, answered);
  // Stores differ in how they refuse a version that does not exist, or an id that no version can have.
  if (versionId !== undefined && isLastingRefusal(error) && !isMisconfiguration(error)) {
    throw noSuchVersion(versionId, error);
  }
  const status = isStoreFault(error) && !isMisconfiguration(error) ? statusOf(error) : undefined;
  if (status === undefined || status >= 500 || status < 300 || isBusy(error)) throw error;
  throw upstreamFailed(`it answered with status ${status}`, error);
}
