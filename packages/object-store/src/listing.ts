import { createHmac, timingSafeEqual } from 'node:crypto';
import { escapeUriPath } from '@smithy/core/protocols';
import type { Operation, OperationContext } from './operation.ts';
import { integerParameter } from './request.ts';
import { S3Error, type XmlElement, xmlResponse } from './response.ts';
import {
  type KeyBound,
  type KeyBytes,
  keyBytes,
  keyText,
  type ListedObject,
  laterBound,
  prefixEnd,
} from './storage.ts';

const MAXIMUM_KEYS = 1000;

interface ListParameters {
  prefix: string;
  delimiter: string;
  /** Entries asked for; a page has 1,000 at most. */
  maxKeys: number;
}

/** ListObjectsV2: keys in the order of their bytes, a page at a time. */
export const listObjectsV2: Operation = async (context) => {
  const { request, secret } = context;
  const { query } = request;
  const parameters = readParameters(query);
  const token = query.get('continuation-token');
  const listing = { ...parameters, bucket: request.bucket };
  const after = token === null ? (query.get('start-after') ?? '') : openToken(secret, listing, token);
  const page = readObjects(context, parameters, after);
  const encode = nameEncoder(query);
  return xmlResponse('ListBucketResult', {
    ...commonElements(context, parameters, page),
    KeyCount: page.rows.length + page.commonPrefixes.length,
    ContinuationToken: token ?? undefined,
    NextContinuationToken: page.isTruncated && page.last ? sealToken(secret, listing, page.last) : undefined,
    StartAfter: encode(query.get('start-after') ?? undefined),
    ...entryElements(page, encode),
  });
};

function readParameters(query: URLSearchParams): ListParameters {
  return {
    prefix: query.get('prefix') ?? '',
    delimiter: query.get('delimiter') ?? '',
    maxKeys: integerParameter(query, 'max-keys', {
      fallback: MAXIMUM_KEYS,
      minimum: 0,
      maximum: 2 ** 31 - 1,
    }),
  };
}

function readObjects(
  { storage, request }: OperationContext,
  parameters: ListParameters,
  after: string,
): Page<ListedObject> {
  const { bucket } = request;
  storage.buckets.require(bucket);
  return readPage((from, to) => storage.objects.between(bucket, from, to), {
    ...parameters,
    start: startAfter(after, parameters),
    limit: Math.min(parameters.maxKeys, MAXIMUM_KEYS),
  });
}

function commonElements(
  { request }: OperationContext,
  { prefix, delimiter, maxKeys }: ListParameters,
  page: Page<ListedObject>,
): XmlElement {
  const encode = nameEncoder(request.query);
  return {
    Name: request.bucket,
    Prefix: encode(prefix),
    Delimiter: delimiter === '' ? undefined : encode(delimiter),
    MaxKeys: Math.min(maxKeys, MAXIMUM_KEYS),
    EncodingType: request.query.get('encoding-type') ?? undefined,
    IsTruncated: page.isTruncated,
  };
}

function entryElements(page: Page<ListedObject>, encode: (name: string) => string): XmlElement {
  return {
    Contents: page.rows.map(({ key, size, etag, modified }) => ({
      Key: encode(keyText(key)),
      LastModified: new Date(modified).toISOString(),
      ETag: `"${etag}"`,
      Size: size,
      StorageClass: 'STANDARD',
    })),
    CommonPrefixes: page.commonPrefixes.map((prefix) => ({ Prefix: encode(prefix) })),
  };
}

/** Writes the name of a key or prefix into a listing; undefined stays undefined. */
type NameEncoder = <Name extends string | undefined>(name: Name) => Name;

/**
 * Returns the encoding of names in a listing: as they are, or percent-encoded with `encoding-type=url`, which
 * also works for characters that XML cannot represent.
 *
 * @throws S3Error InvalidArgument for another encoding
 */
export function nameEncoder(query: URLSearchParams): NameEncoder {
  const encoding = query.get('encoding-type') || undefined;
  if (encoding !== undefined && encoding !== 'url') {
    throw new S3Error('InvalidArgument', 'The only encoding-type is url.');
  }
  return (name) => (encoding && name !== undefined ? (escapeUriPath(name) as typeof name) : name);
}

/** The listing that a token belongs to: it continues no other. */
interface TokenListing {
  bucket: string;
  prefix: string;
  delimiter: string;
}

const MAC_BYTES = 16;

/** The token that continues a listing after `last`. Only a holder of `secret` can make one. */
function sealToken(secret: string, listing: TokenListing, last: KeyBytes): string {
  return Buffer.concat([macOf(secret, listing, last), last]).toString('base64url');
}

/** The last entry of the page before. @throws S3Error `InvalidArgument` for a token of another listing */
function openToken(secret: string, listing: TokenListing, token: string): string {
  const last = Buffer.from(token, 'base64url').subarray(MAC_BYTES);
  const given = Buffer.from(token);
  const issued = Buffer.from(sealToken(secret, listing, last));
  const isOurs = given.length === issued.length && timingSafeEqual(given, issued);
  if (isOurs && last.length > 0) return last.toString('utf8');
  throw new S3Error('InvalidArgument', 'The continuation token was not issued for this listing.');
}

function macOf(secret: string, { bucket, prefix, delimiter }: TokenListing, last: KeyBytes): Buffer {
  const identity = JSON.stringify(['continuation', bucket, prefix, delimiter]);
  return createHmac('sha256', secret).update(identity).update(last).digest().subarray(0, MAC_BYTES);
}

interface PageQuery {
  /** Only keys that begin with it. */
  prefix: string;
  /**
   * Keys that share the part between the prefix and this form one entry, a common prefix. Empty: every key is
   * an entry.
   */
  delimiter: string;
  start: KeyBound;
  /** Entries at most. */
  limit: number;
}

interface Page<Row> {
  rows: Row[];
  commonPrefixes: string[];
  /** The last entry, key or common prefix; undefined for an empty page. */
  last: KeyBytes | undefined;
  isTruncated: boolean;
}

interface FoldedNames {
  prefix: KeyBytes;
  delimiter: KeyBytes;
}

/** Rows in the order of their keys, from a bound up to (and without) an end. */
type KeyRange<Row> = (from: KeyBound, to: Uint8Array) => Iterable<Row>;

/**
 * Returns the start of the page after an entry, be it a key or a common prefix. Keys under a common prefix
 * that the entry lies in are passed over, as they were listed with it.
 */
export function startAfter(
  after: string,
  { prefix, delimiter }: { prefix: string; delimiter: string },
): KeyBound {
  const start: KeyBound = { bytes: keyBytes(prefix), inclusive: true };
  if (after === '') return start;
  const common = commonPrefix(keyBytes(after), { prefix: keyBytes(prefix), delimiter: keyBytes(delimiter) });
  const bound = common
    ? { bytes: prefixEnd(common), inclusive: true }
    : { bytes: keyBytes(after), inclusive: false };
  return laterBound(start, bound);
}

/** Reads a page, skipping from one common prefix to the next without reading what lies below it. */
export function readPage<Row extends { key: KeyBytes }>(range: KeyRange<Row>, query: PageQuery): Page<Row> {
  const names = { prefix: keyBytes(query.prefix), delimiter: keyBytes(query.delimiter) };
  const page: Page<Row> = { rows: [], commonPrefixes: [], last: undefined, isTruncated: false };
  let from: KeyBound | undefined = query.limit > 0 ? query.start : undefined;
  while (from) {
    const folded: KeyBytes | undefined = addRows(
      page,
      range(from, prefixEnd(names.prefix)),
      names,
      query.limit,
    );
    from = folded && { bytes: prefixEnd(folded), inclusive: true };
  }
  return page;
}

// Adds rows up to the first that lies under a common prefix, adds the prefix in its place, and returns it.
function addRows<Row extends { key: KeyBytes }>(
  page: Page<Row>,
  rows: Iterable<Row>,
  names: FoldedNames,
  limit: number,
): KeyBytes | undefined {
  for (const row of rows) {
    if (page.rows.length + page.commonPrefixes.length >= limit) {
      page.isTruncated = true;
      return undefined;
    }
    const folded = commonPrefix(row.key, names);
    page.last = folded ?? row.key;
    if (folded) {
      page.commonPrefixes.push(keyText(folded));
      return folded;
    }
    page.rows.push(row);
  }
  return undefined;
}

function commonPrefix(key: KeyBytes, { prefix, delimiter }: FoldedNames): KeyBytes | undefined {
  if (delimiter.length === 0) return undefined;
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  if (!bytes.subarray(0, prefix.length).equals(prefix)) return undefined;
  const at = bytes.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : bytes.subarray(0, at + delimiter.length);
}
