import { openToken, sealToken } from '../continuation-token.ts';
import { type Page, readPage, startAfter } from '../key-pages.ts';
import { integerParameter } from '../request.ts';
import { xmlResponse } from '../response.ts';
import { keyText } from '../storage/keys.ts';
import type { ListedObject } from '../storage/objects.ts';
import type { XmlElement } from '../xml.ts';
import type { Operation, OperationContext } from './context.ts';
import { nameEncoder } from './name-encoding.ts';

const MAXIMUM_KEYS = 1000;

interface ListParameters {
  prefix: string;
  delimiter: string;
  /** What was asked for; a page has 1,000 entries at most. */
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
