import { createHash } from 'node:crypto';
import { nameEncoder } from './listing.ts';
import {
  findCopySource,
  objectHeaders,
  parseCopyRange,
  refuseUnimplemented,
  unquote,
  type WriteConditions,
  writeConditions,
} from './objects.ts';
import type { Operation, OperationContext } from './operation.ts';
import {
  algorithmOfHeader,
  checksumAlgorithm,
  checksumElements,
  checksumHeaders,
  hashDigest,
} from './payload.ts';
import { integerParameter } from './request.ts';
import { elementsOf, type ParsedElement, parseXml, S3Error, textOf, xmlResponse } from './response.ts';
import type { Contents, Part, Segment, Upload } from './storage.ts';

const PAGE = { fallback: 1000, minimum: 0, maximum: 2 ** 31 - 1 };
const MAXIMUM_PAGE = 1000;

/** CreateMultipartUpload: what the object will carry is said here. */
export const createMultipartUpload: Operation = async ({ storage, request, payload, now }) => {
  const { bucket, key } = request;
  storage.buckets.require(bucket);
  refuseUnimplemented(request.headers);
  await payload.text();
  const headers = objectHeaders(request.headers);
  const requested = request.headers['x-amz-checksum-algorithm'];
  const algorithm = requested === undefined ? undefined : checksumAlgorithm(requested);
  const uploadId = await storage.change(() => {
    storage.buckets.require(bucket);
    return storage.uploads.create(bucket, key, { headers, checksumAlgorithm: algorithm }, now());
  });
  return xmlResponse(
    'InitiateMultipartUploadResult',
    { Bucket: bucket, Key: key, UploadId: uploadId },
    algorithm ? { 'x-amz-checksum-algorithm': algorithm } : {},
  );
};

/** AbortMultipartUpload: what was uploaded is removed. */
export const abortMultipartUpload: Operation = async ({ storage, request }) => {
  const { bucket, key, query } = request;
  storage.buckets.require(bucket);
  await storage.change(() => {
    const { id } = storage.uploads.require(bucket, key, query.get('uploadId') ?? '');
    storage.uploads.delete(id);
  });
  return { status: 204 };
};

/** ListParts: by number, a page at a time. */
export const listParts: Operation = async ({ storage, request }) => {
  const { bucket, key, query } = request;
  storage.buckets.require(bucket);
  const upload = storage.uploads.require(bucket, key, query.get('uploadId') ?? '');
  const limit = Math.min(integerParameter(query, 'max-parts', PAGE), MAXIMUM_PAGE);
  const after = integerParameter(query, 'part-number-marker', { ...PAGE, fallback: 0 });
  const found = storage.uploads.parts(upload.id, after, limit + 1);
  const parts = found.slice(0, limit);
  return xmlResponse('ListPartsResult', {
    Bucket: bucket,
    Key: nameEncoder(query)(key),
    UploadId: upload.id,
    StorageClass: 'STANDARD',
    ChecksumAlgorithm: upload.checksumAlgorithm,
    PartNumberMarker: after,
    NextPartNumberMarker: parts.at(-1)?.number ?? after,
    MaxParts: limit,
    IsTruncated: limit > 0 && found.length > limit,
    Part: parts.map((part) => ({
      PartNumber: part.number,
      LastModified: new Date(part.modified).toISOString(),
      ETag: `"${part.etag}"`,
      Size: part.size,
      ...checksumElements(part.checksum),
    })),
  });
};

/** The number of a part. @throws S3Error InvalidArgument unless it is 1 to 10,000 */
function partNumber(query: URLSearchParams): number {
  const number = integerParameter(query, 'partNumber', { fallback: 0, minimum: 1, maximum: 10_000 });
  if (number === 0) throw new S3Error('InvalidArgument', 'partNumber must be an integer from 1 to 10000.');
  return number;
}

/** UploadPart: a part with the number of an earlier one takes its place. */
export const uploadPart: Operation = async ({ storage, request, payload, now }) => {
  const { bucket, key, query } = request;
  const number = partNumber(query);
  const uploadId = query.get('uploadId') ?? '';
  storage.buckets.require(bucket);
  storage.uploads.require(bucket, key, uploadId);
  payload.checkLength();
  const part = await storage.receive(payload, ({ id, size }) => {
    const upload = storage.uploads.require(bucket, key, uploadId);
    const etag = Buffer.from(payload.md5).toString('hex');
    const received = { number, size, etag, modified: now(), content: id, checksum: payload.checksum };
    storage.uploads.putPart(upload.id, received);
    return received;
  });
  return { status: 200, headers: { etag: `"${part.etag}"`, ...checksumHeaders(part.checksum) } };
};

/** UploadPartCopy: the part refers to the blobs of the source, which are read once for the ETag. */
export const uploadPartCopy: Operation = async (context) => {
  const { storage, request, now } = context;
  const { bucket, key, query } = request;
  const number = partNumber(query);
  const uploadId = query.get('uploadId') ?? '';
  storage.buckets.require(bucket);
  storage.uploads.require(bucket, key, uploadId);
  const { object } = findCopySource(context);
  const { start, length } = parseCopyRange(request.headers['x-amz-copy-source-range'], object.size);
  const segments = storage.contents.segments(object.content, start, length);
  const release = storage.contents.hold(segments);
  try {
    const etag = await md5(storage.contents, segments);
    const modified = now();
    await storage.change(() => {
      const upload = storage.uploads.require(bucket, key, uploadId);
      const content = storage.contents.create(segments);
      storage.uploads.putPart(upload.id, {
        number,
        size: length,
        etag,
        modified,
        content,
        checksum: undefined,
      });
    });
    return xmlResponse('CopyPartResult', {
      LastModified: new Date(modified).toISOString(),
      ETag: `"${etag}"`,
    });
  } finally {
    release();
  }
};

async function md5(contents: Contents, segments: Segment[]): Promise<string> {
  const digest = hashDigest('md5');
  for await (const chunk of contents.read(segments)) digest.update(chunk);
  return Buffer.from(await digest.digest()).toString('hex');
}

const MINIMUM_PART_BYTES = 5 * 1024 * 1024;

/** A part as the client names it. */
interface ListedPart {
  number: number;
  etag: string;
  element: ParsedElement;
}

/**
 * CompleteMultipartUpload: the object becomes the list of its parts, in one transaction. Repeating the
 * completion gives the first answer again, for clients that lost it.
 */
export const completeMultipartUpload: Operation = async (context) => {
  const { storage, request, payload } = context;
  const { bucket, key, query, headers } = request;
  storage.buckets.require(bucket);
  refuseObjectChecksum(headers);
  const listed = readParts(await payload.text());
  const conditions = writeConditions(headers);
  const uploadId = query.get('uploadId') ?? '';
  const etag = await storage.change(() => {
    const upload = storage.uploads.find(bucket, key, uploadId);
    return upload ? assemble(context, upload, listed, conditions) : completedBefore(context, uploadId);
  });
  return xmlResponse('CompleteMultipartUploadResult', {
    Location: `http://${headers.host ?? ''}${encodeURI(request.path)}`,
    Bucket: bucket,
    Key: key,
    ETag: `"${etag}"`,
  });
};

function readParts(xml: string): ListedPart[] {
  const parts = elementsOf(parseXml(xml, 'CompleteMultipartUpload'), 'Part').map((element) => ({
    number: Number(textOf(element, 'PartNumber') ?? Number.NaN),
    etag: unquote(textOf(element, 'ETag') ?? ''),
    element,
  }));
  if (parts.length === 0 || parts.some(({ number }) => !Number.isInteger(number)))
    throw new S3Error('MalformedXML');
  const isAscending = parts.every(({ number }, index) => number > (parts[index - 1]?.number ?? 0));
  if (!isAscending) throw new S3Error('InvalidPartOrder');
  return parts;
}

function assemble(
  { storage, request, now }: OperationContext,
  upload: Upload,
  listed: ListedPart[],
  conditions: WriteConditions,
): string {
  const { bucket, key } = request;
  const parts = selectParts(storage.uploads.parts(upload.id, 0, -1), listed);
  const segments = parts.flatMap(({ content, size }) => storage.contents.segments(content, 0, size));
  const size = parts.reduce((total, part) => total + part.size, 0);
  const etag = etagOf(parts);
  const content = storage.contents.create(segments);
  const { headers, id } = upload;
  const object = { size, etag, modified: now(), content, headers, checksum: undefined, upload: id };
  storage.objects.put(bucket, key, object, conditions);
  storage.uploads.delete(id);
  return etag;
}

function selectParts(uploaded: Part[], listed: ListedPart[]): Part[] {
  const byNumber = new Map(uploaded.map((part) => [part.number, part]));
  const parts = listed.map(({ number, etag, element }) => {
    const part = byNumber.get(number);
    if (part?.etag !== etag || !matchesChecksum(part, element)) throw new S3Error('InvalidPart');
    return part;
  });
  const tooSmall = parts.slice(0, -1).find(({ size }) => size < MINIMUM_PART_BYTES);
  if (!tooSmall) return parts;
  throw new S3Error(
    'EntityTooSmall',
    `Part ${tooSmall.number} has ${tooSmall.size} bytes; all but the last need ${MINIMUM_PART_BYTES}.`,
  );
}

function matchesChecksum(part: Part, element: ParsedElement): boolean {
  return Object.entries(checksumElements(part.checksum)).every(([name, value]) => {
    const listed = textOf(element, name);
    return listed === undefined || listed === value;
  });
}

// S3's ETag of such an object: the MD5 of the MD5s, and how many there were.
function etagOf(parts: Part[]): string {
  const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag, 'hex')));
  return `${createHash('md5').update(digests).digest('hex')}-${parts.length}`;
}

function completedBefore({ storage, request }: OperationContext, uploadId: string): string {
  const object = storage.objects.find(request.bucket, request.key);
  if (object?.upload !== uploadId) throw new S3Error('NoSuchUpload');
  return object.etag;
}

function refuseObjectChecksum(headers: Record<string, string>): void {
  const name = Object.keys(headers).find((header) => algorithmOfHeader(header));
  if (name)
    throw new S3Error('NotImplemented', `This object store does not check ${name} for a whole upload.`);
}
