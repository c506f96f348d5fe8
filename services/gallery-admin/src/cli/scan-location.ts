import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { Bytes, ReadPart } from '@pressroom/pictures/bytes';
import { findPlaces } from '@pressroom/pictures/find-places';
import { NotUnderstood, understand } from '@pressroom/pictures/not-understood';
import { forEachConcurrently, reasonOf } from '../batches/objects.ts';
import type { Bucket } from '../buckets/bucket.ts';
import { isLastingRefusal, isMisconfiguration, isStoreFault } from '../buckets/store-errors.ts';
import { mediaKindOf, mediaTypeOf } from '../listing.ts';
import { isInTrash, RENDITIONS } from '../names.ts';
import { listObjects, type StoredObject } from '../objects/object-page.ts';

const AT_A_TIME = 8;

/** Kinds of pictures that say no place. */
const PLACELESS = /\.(svg|gif|bmp|ico)$/i;

/** Prints which pictures below `prefix` name a place, and which files may and cannot be looked into. */
export async function scanLocation(
  bucket: Bucket,
  prefix: string,
  print: (line: string) => void,
): Promise<void> {
  const count = { files: 0, found: 0, unknown: 0 };
  await forEachConcurrently(listObjects(bucket, prefix), AT_A_TIME, async (object) => {
    const kind = mediaKindOf(mediaTypeOf(object.key));
    const { key, size } = object;
    if (
      isInTrash(key) ||
      key.startsWith(RENDITIONS) ||
      PLACELESS.test(key) ||
      !(kind === 'image' || kind === 'video')
    )
      return;
    count.files += 1;
    try {
      const places = await findPlaces(reading(bucket, object), size);
      if (places.length === 0) return;
      count.found += 1;
      print(`${places.join(', ')}\t${JSON.stringify(key)}`);
    } catch (error) {
      count.unknown += 1;
      print(`unknown\t${JSON.stringify(key)}\t${whyUnknown(error)}`);
    }
  });
  print(
    `${count.found} of ${count.files} pictures and videos name a place; of ${count.unknown} it is unknown.`,
  );
}

/** Only the store ends the scan: a file may be anything, and changed or deleted since it was listed. */
function whyUnknown(error: unknown): string {
  if (error instanceof NotUnderstood) return error.message;
  if (!isStoreFault(error)) return 'it could not be read';
  if (isLastingRefusal(error) && !isMisconfiguration(error)) return reasonOf(error);
  throw error;
}

function reading(bucket: Bucket, { key, etag, size }: StoredObject): ReadPart {
  return readAhead(async (Range) => {
    const part = { Bucket: bucket.name, Key: key, Range, IfMatch: `"${etag}"` };
    const { Body } = await bucket.s3.send(new GetObjectCommand(part));
    return new Uint8Array(Buffer.concat(await (Body as Readable).toArray()));
  }, size);
}

/** The least and the most that one request reads, in bytes, and the most requests for a file. */
const [READ, LONGEST, REQUESTS] = [2 ** 16, 2 ** 24, 16];

/** Reads parts of a file of `size` bytes, ahead, because metadata lies together. */
function readAhead(read: (range: string) => Promise<Bytes>, size: number): ReadPart {
  let held = { from: 0, bytes: new Uint8Array() as Bytes };
  let requests = 0;
  return async (from, length) => {
    const end = Math.min(from + length, size);
    if (from >= end) return new Uint8Array();
    if (from < held.from || end > held.from + held.bytes.length) {
      requests += 1;
      understand(requests <= REQUESTS, 'its metadata is scattered over the file');
      understand(end - from <= LONGEST, 'its metadata is too long');
      const last = Math.min(Math.max(end, from + READ), size) - 1;
      held = { from, bytes: await read(`bytes=${from}-${last}`) };
    }
    return held.bytes.subarray(from - held.from, end - held.from);
  };
}
