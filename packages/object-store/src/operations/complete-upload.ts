import { createHash } from 'node:crypto';
import { algorithmOfHeader, checksumElements } from '../checksums.ts';
import { unquote, type WriteConditions, writeConditions } from '../conditions.ts';
import { S3Error } from '../errors.ts';
import { xmlResponse } from '../response.ts';
import type { Part, Upload } from '../storage/uploads.ts';
import { elementsOf, type ParsedElement, parseXml, textOf } from '../xml.ts';
import type { Operation, OperationContext } from './context.ts';

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
