import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { Failure } from '@pressroom/common/failures/failure';
import { readSealed, writeSealed } from './sealed-file.ts';

/** The media of the gallery's bucket in a backup's folder, as JSON, a line each. */
export const MEDIA = 'media.jsonl';

/** Where the gallery keeps what it can make again, and what was deleted. */
const LEFT_OUT = ['.pressroom-renditions/', '.pressroom-trash/'];

interface MediaObject {
  key: string;
  etag: string;
  bytes: number;
}

export interface MediaBucket {
  s3: S3Client;
  name: string;
}

/** What a copy of the media lacks, or has otherwise, by key. */
export interface MediaDifferences {
  same: number;
  missing: string[];
  different: string[];
}

async function* objectsOf({ s3, name }: MediaBucket): AsyncGenerator<MediaObject> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: name })) {
    for (const { Key: key = '', ETag: etag = '', Size: bytes = 0 } of Contents) {
      if (!LEFT_OUT.some((prefix) => key.startsWith(prefix))) yield { key, etag, bytes };
    }
  }
}

/** Writes what the bucket has into a folder. */
export async function writeMediaManifest(
  bucket: MediaBucket,
  directory: string,
  { key, signal }: { key: Buffer | undefined; signal: AbortSignal },
): Promise<void> {
  async function* lines() {
    for await (const object of objectsOf(bucket)) {
      signal.throwIfAborted();
      yield Buffer.from(`${JSON.stringify(object)}\n`);
    }
  }
  await writeSealed(Readable.from(lines()), { directory, name: MEDIA, key });
}

/**
 * Compares a bucket with the media that a backup names. ETags are compared where they are hashes of the
 * content, which those of objects uploaded in parts are not. Throws a {@link Failure} if the backup names
 * none.
 */
export async function compareMedia(
  directory: string,
  copy: MediaBucket,
  key: Buffer | undefined,
): Promise<MediaDifferences> {
  const file = (await readdir(directory)).find((name) => name.startsWith(MEDIA));
  if (file === undefined) throw new Failure('refused', `${directory} has no list of media (${MEDIA})`);
  const copied = new Map<string, MediaObject>();
  for await (const object of objectsOf(copy)) copied.set(object.key, object);
  const differences: MediaDifferences = { same: 0, missing: [], different: [] };
  const lines = createInterface({ input: await readSealed(join(directory, file), key) });
  for await (const line of lines) {
    const object: MediaObject = JSON.parse(line);
    const other = copied.get(object.key);
    if (other === undefined) differences.missing.push(object.key);
    else if (isSame(object, other)) differences.same += 1;
    else differences.different.push(object.key);
  }
  return differences;
}

function isSame(one: MediaObject, other: MediaObject): boolean {
  const comparable = ![one.etag, other.etag].some((etag) => etag.includes('-'));
  return one.bytes === other.bytes && (!comparable || one.etag === other.etag);
}
