import type { Operation, OperationContext } from './operation.ts';
import { algorithmOfHeader, checksumHeaders, MAXIMUM_UPLOAD_BYTES } from './payload.ts';
import { headerBytes, headerText, type S3Request } from './request.ts';
import { elementsOf, parseXml, S3Error, textOf, type XmlElement, xmlResponse } from './response.ts';
import type { StoredObject } from './storage.ts';

/** GetObject and HeadObject: conditions first, then the range. */
export const getObject: Operation = async ({ storage, request }) => {
  const { bucket, key, query, headers, method } = request;
  if (query.has('partNumber')) throw new S3Error('NotImplemented', 'Objects are not read by part number.');
  storage.buckets.require(bucket);
  const object = storage.objects.require(bucket, key);
  if (isNotModified(headers, object)) return { status: 304, headers: notModifiedHeaders(object) };

  const requested = isRangeValid(headers['if-range'], object) ? headers.range : undefined;
  const range = parseRange(requested, object.size);
  const { start, length } = range ?? { start: 0, length: object.size };
  return {
    status: range ? 206 : 200,
    headers: {
      ...validatorHeaders(object),
      ...responseHeaders(object.headers, query),
      ...(range ? {} : storedChecksum(request, object)),
      ...(range ? { 'content-range': `bytes ${start}-${start + length - 1}/${object.size}` } : {}),
      'accept-ranges': 'bytes',
      'content-length': String(length),
    },
    ...(method === 'HEAD'
      ? {}
      : { body: storage.contents.read(storage.contents.segments(object.content, start, length)) }),
  };
};

function validatorHeaders({ etag, modified }: StoredObject): Record<string, string> {
  return { etag: `"${etag}"`, 'last-modified': new Date(modified).toUTCString() };
}

function notModifiedHeaders(object: StoredObject): Record<string, string> {
  const { 'cache-control': cacheControl } = object.headers;
  return { ...validatorHeaders(object), ...(cacheControl ? { 'cache-control': cacheControl } : {}) };
}

// With these the SDK checks what it receives.
function storedChecksum({ headers }: S3Request, { checksum }: StoredObject): Record<string, string> {
  return headers['x-amz-checksum-mode']?.toUpperCase() === 'ENABLED' ? checksumHeaders(checksum) : {};
}

/** PutObject: streams the body to disk; the object appears when all of it is there and was right. */
export const putObject: Operation = async ({ storage, request, payload, now }) => {
  const { bucket, key } = request;
  storage.buckets.require(bucket);
  refuseUnimplemented(request.headers);
  payload.checkLength();
  const headers = objectHeaders(request.headers);
  const conditions = writeConditions(request.headers);
  // Checked again when it counts, but so no body is sent in vain.
  checkWrite(conditions, storage.objects.find(bucket, key));
  const object = await storage.receive(payload, ({ id, size }) => {
    storage.buckets.require(bucket);
    const etag = Buffer.from(payload.md5).toString('hex');
    const stored = {
      size,
      etag,
      modified: now(),
      content: id,
      headers,
      checksum: payload.checksum,
      upload: undefined,
    };
    storage.objects.put(bucket, key, stored, conditions);
    return stored;
  });
  return { status: 200, headers: { etag: `"${object.etag}"`, ...checksumHeaders(object.checksum) } };
};

/** CopyObject: the copy refers to the same blobs, so that nothing is read or written. */
export const copyObject: Operation = async (context) => {
  const { storage, request, now } = context;
  const { bucket, key } = request;
  refuseUnimplemented(request.headers);
  const isReplaced = replacesMetadata(request);
  const conditions = writeConditions(request.headers);
  const copy = await storage.change((): StoredObject => {
    storage.buckets.require(bucket);
    const source = findCopySource(context);
    if (!isReplaced && source.bucket === bucket && source.key === key) throw copyToItself();
    if (source.object.size > MAXIMUM_UPLOAD_BYTES) throw tooLarge();
    const segments = storage.contents.segments(source.object.content, 0, source.object.size);
    const headers: ObjectHeaders = isReplaced ? objectHeaders(request.headers) : source.object.headers;
    const content = storage.contents.create(segments);
    const copied = { ...source.object, content, headers, modified: now(), upload: undefined };
    storage.objects.put(bucket, key, copied, conditions);
    return copied;
  });
  return xmlResponse('CopyObjectResult', {
    LastModified: new Date(copy.modified).toISOString(),
    ETag: `"${copy.etag}"`,
  });
};

function replacesMetadata({ headers }: S3Request): boolean {
  const directive = headers['x-amz-metadata-directive'] ?? 'COPY';
  if (directive !== 'COPY' && directive !== 'REPLACE') {
    throw new S3Error('InvalidArgument', 'Unknown metadata directive.');
  }
  return directive === 'REPLACE';
}

function copyToItself(): S3Error {
  return new S3Error(
    'InvalidRequest',
    "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata.",
  );
}

function tooLarge(): S3Error {
  return new S3Error(
    'InvalidRequest',
    `The specified copy source is larger than the maximum allowable size for a copy source: ${MAXIMUM_UPLOAD_BYTES}`,
  );
}

interface CopySource {
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

const MAXIMUM_KEYS = 1000;

/** DeleteObject; deleting a missing object succeeds. */
export const deleteObject: Operation = async ({ storage, request }) => {
  const { bucket, key, headers } = request;
  const conditions = writeConditions(headers);
  await storage.change(() => {
    storage.buckets.require(bucket);
    storage.objects.delete(bucket, key, conditions);
  });
  return { status: 204 };
};

/** DeleteObjects: up to 1,000 keys; those that could not be deleted are listed individually. */
export const deleteObjects: Operation = async (context) => {
  const { storage, request, payload } = context;
  storage.buckets.require(request.bucket);
  requireIntegrity(request.headers);
  const document = parseXml(await payload.text(), 'Delete');
  const objects = elementsOf(document, 'Object').map((element) => ({
    key: textOf(element, 'Key') ?? '',
    ifMatch: textOf(element, 'ETag'),
  }));
  if (objects.length === 0 || objects.length > MAXIMUM_KEYS) {
    throw new S3Error('MalformedXML', `Delete takes 1 to ${MAXIMUM_KEYS} keys.`);
  }
  const results = await storage.change(() => objects.map((object) => deleteOne(context, object)));
  const isQuiet = textOf(document, 'Quiet') === 'true';
  return xmlResponse('DeleteResult', {
    Deleted: isQuiet ? [] : results.flatMap(({ Deleted }) => Deleted ?? []),
    Error: results.flatMap(({ Error: error }) => error ?? []),
  });
};

function deleteOne(
  { storage, request }: OperationContext,
  { key, ifMatch }: { key: string; ifMatch: string | undefined },
): { Deleted?: XmlElement; Error?: XmlElement } {
  try {
    if (key === '') throw new S3Error('InvalidArgument', 'A key must not be empty.');
    storage.objects.delete(request.bucket, key, { ifMatch });
    return { Deleted: { Key: key } };
  } catch (error) {
    if (!(error instanceof S3Error)) throw error;
    return { Error: { Key: key, Code: error.code, Message: error.message } };
  }
}

function requireIntegrity(headers: Record<string, string>): void {
  const isChecked = Object.keys(headers).some((name) => name === 'content-md5' || algorithmOfHeader(name));
  if (isChecked || headers['x-amz-trailer'] !== undefined) return;
  throw new S3Error('InvalidRequest', 'Missing required header for this request: Content-MD5');
}

/** Headers that are kept with an object and sent with it, names in lower case, values as bytes. */
export type ObjectHeaders = Record<string, string>;

const KEPT = [
  'cache-control',
  'content-disposition',
  'content-encoding',
  'content-language',
  'content-type',
  'expires',
];
const METADATA_PREFIX = 'x-amz-meta-';
const MAXIMUM_METADATA_BYTES = 2048;
const DEFAULT_CONTENT_TYPE = 'binary/octet-stream';

// Accepting one of these and ignoring it would be worse than refusing it.
const NOT_IMPLEMENTED = [
  /^x-amz-server-side-encryption/,
  /^x-amz-copy-source-server-side-encryption/,
  /^x-amz-object-lock/,
  /^x-amz-bucket-object-lock/,
  /^x-amz-tagging$/,
  /^x-amz-website-redirect-location$/,
  /^x-amz-grant-/,
  /^x-amz-write-offset-bytes$/,
];
const PRIVATE_ACLS = ['private', 'bucket-owner-full-control'];

/**
 * The request headers that are stored with the object.
 *
 * @throws S3Error MetadataTooLarge
 */
export function objectHeaders(headers: Record<string, string>): ObjectHeaders {
  const kept: ObjectHeaders = { 'content-type': DEFAULT_CONTENT_TYPE };
  let metadataBytes = 0;
  for (const [name, value] of Object.entries(headers)) {
    const isMetadata = name.startsWith(METADATA_PREFIX);
    if (isMetadata) metadataBytes += name.length - METADATA_PREFIX.length + value.length;
    if ((isMetadata || KEPT.includes(name)) && value !== '') kept[name] = value;
  }
  if (metadataBytes > MAXIMUM_METADATA_BYTES) throw new S3Error('MetadataTooLarge');
  return withoutTransferCoding(kept);
}

/** The headers of an object's answer: its own, or overrides in the query. */
function responseHeaders(kept: ObjectHeaders, query: URLSearchParams): ObjectHeaders {
  const headers = { ...kept };
  for (const name of KEPT) {
    const override = query.get(`response-${name}`);
    if (override) headers[name] = headerBytes(override);
  }
  return headers;
}

/**
 * Refuses headers that ask for something this store does not do.
 *
 * @throws S3Error NotImplemented, naming the header
 */
export function refuseUnimplemented(headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    const isRefused =
      NOT_IMPLEMENTED.some((pattern) => pattern.test(name)) ||
      (name === 'x-amz-acl' && !PRIVATE_ACLS.includes(value)) ||
      (name === 'x-amz-storage-class' && value !== 'STANDARD');
    if (isRefused)
      throw new S3Error('NotImplemented', `This object store does not implement ${name}: ${value}`);
  }
}

// `aws-chunked` describes the transfer, not the object's encoding.
function withoutTransferCoding(headers: ObjectHeaders): ObjectHeaders {
  const { 'content-encoding': encoding, ...others } = headers;
  const codings = (encoding ?? '').split(',').map((coding) => coding.trim());
  const kept = codings.filter((coding) => coding !== '' && coding.toLowerCase() !== 'aws-chunked').join(', ');
  return kept === '' ? others : { ...others, 'content-encoding': kept };
}

interface ByteRange {
  /** Offset of the first byte. */
  start: number;
  /** Bytes, at least one. */
  length: number;
}

/**
 * Reads a `Range` header (RFC 9110, section 14). One range is served; a list, another unit or nonsense is
 * ignored, which the RFC allows and S3 does.
 *
 * @returns undefined when the whole object is to be sent
 * @throws S3Error InvalidRange when no byte of the object lies in the range, or it ends before it begins
 */
function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const match = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(header ?? '');
  const [, first = '', last = ''] = match ?? [];
  if (first === '' && last === '') return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start > end) throw unsatisfiable(size);
  return { start, length: end - start + 1 };
}

/**
 * Reads `x-amz-copy-source-range`, which must be `bytes=first-last` and lie within the object.
 *
 * @throws S3Error InvalidArgument, InvalidRange
 */
export function parseCopyRange(header: string | undefined, size: number): ByteRange {
  if (header === undefined) return { start: 0, length: size };
  const match = /^bytes=(\d+)-(\d+)$/.exec(header);
  if (!match) {
    throw new S3Error(
      'InvalidArgument',
      'The x-amz-copy-source-range value must be of the form bytes=first-last.',
    );
  }
  const [start, end] = [Number(match[1]), Number(match[2])];
  if (start > end || end >= size) throw unsatisfiable(size);
  return { start, length: end - start + 1 };
}

function unsatisfiable(size: number): S3Error {
  return new S3Error('InvalidRange', undefined, { 'content-range': `bytes */${size}` });
}

interface Validators {
  /** Without quotes. */
  etag: string;
  /** ms since 1970. */
  modified: number;
}

/** Conditions of a write on what is there already. */
export interface WriteConditions {
  /** Value of `If-Match`. */
  ifMatch?: string | undefined;
  /** Value of `If-None-Match`. */
  ifNoneMatch?: string | undefined;
}

type Headers = Record<string, string>;

/**
 * Checks the conditions of GET and HEAD in the order of RFC 9110, section 13.2.2.
 *
 * @returns whether the answer is 304
 * @throws S3Error PreconditionFailed
 */
function isNotModified(headers: Headers, object: Validators): boolean {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  if (match !== undefined) {
    if (!matches(match, object.etag)) throw new S3Error('PreconditionFailed');
  } else if (isModifiedSince(headers['if-unmodified-since'], object) === true) {
    throw new S3Error('PreconditionFailed');
  }
  if (noneMatch !== undefined) return matches(noneMatch, object.etag);
  return isModifiedSince(headers['if-modified-since'], object) === false;
}

/** True to honor a `Range`: `If-Range` is absent or names the current object. */
function isRangeValid(ifRange: string | undefined, object: Validators): boolean {
  if (ifRange === undefined) return true;
  if (ifRange.startsWith('"')) return matches(ifRange, object.etag);
  return isModifiedSince(ifRange, object) === false;
}

/**
 * Checks the conditions of a copy on its source, whose headers have other names.
 *
 * @throws S3Error PreconditionFailed
 */
function checkCopySource(headers: Headers, object: Validators): void {
  const renamed: Headers = {};
  for (const name of ['if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since']) {
    const value = headers[`x-amz-copy-source-${name}`];
    if (value !== undefined) renamed[name] = value;
  }
  if (isNotModified(renamed, object)) throw new S3Error('PreconditionFailed');
}

/** The conditions that a request sets on what its write replaces or removes. */
export function writeConditions(headers: Headers): WriteConditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*') {
    throw new S3Error('NotImplemented', 'A write only accepts If-None-Match: *.');
  }
  return { ifMatch, ifNoneMatch };
}

/**
 * Checks the conditions of a write.
 *
 * @throws S3Error PreconditionFailed
 */
export function checkWrite(
  { ifMatch, ifNoneMatch }: WriteConditions,
  existing: Validators | undefined,
): void {
  if (ifNoneMatch !== undefined && existing) throw new S3Error('PreconditionFailed');
  if (ifMatch === undefined) return;
  if (!existing || !matches(ifMatch, existing.etag)) throw new S3Error('PreconditionFailed');
}

/** True if a list of entity tags (or `*`) names this one; quotes are optional, as in S3. */
function matches(list: string, etag: string): boolean {
  return list.split(',').some((item) => {
    const tag = unquote(item);
    return tag === '*' || tag === etag;
  });
}

/** An entity tag without its quotes and weakness. */
export function unquote(tag: string): string {
  return tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1');
}

// Dates of HTTP are whole seconds. Undefined: there is no date, or it is not one.
function isModifiedSince(date: string | undefined, { modified }: Validators): boolean | undefined {
  const since = Date.parse(date ?? '');
  return Number.isNaN(since) ? undefined : Math.floor(modified / 1000) * 1000 > since;
}
