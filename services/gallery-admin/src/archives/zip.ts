import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { makeZip, predictLength } from 'client-zip';
import type { Bucket } from '../buckets/bucket.ts';
import type { StoredObject } from '../listing/object-page.ts';
import type { ArchiveEntry } from './entries.ts';

/** The length of the zip of the entries, in bytes; known, because media are not compressed once more. */
export function zipLength(entries: readonly ArchiveEntry[]): bigint {
  return predictLength(entries.map(described));
}

/**
 * A zip of the entries, which are read from the store one after the other, as fast as the archive is read.
 * Fails if an object has changed since or the store fails; `signal` ends it.
 */
export function zipOf(bucket: Bucket, entries: readonly ArchiveEntry[], signal: AbortSignal): Readable {
  async function* files() {
    for (const entry of entries) {
      const file = described(entry);
      yield 'size' in file ? { ...file, input: await read(bucket, entry.object, signal) } : file;
    }
  }
  return Readable.fromWeb(makeZip(files()) as ReadableStream<Uint8Array>);
}

function described({ name, object: { lastModified, size } }: ArchiveEntry) {
  return name.endsWith('/') ? { name, lastModified } : { name, lastModified, size };
}

async function read(bucket: Bucket, { key, etag }: StoredObject, signal: AbortSignal): Promise<Readable> {
  const get = new GetObjectCommand({ Bucket: bucket.name, Key: key, IfMatch: `"${etag}"` });
  const { Body } = await bucket.s3.send(get, { abortSignal: signal });
  const body = Body as Readable;
  const stop = () => void body.destroy();
  signal.addEventListener('abort', stop, { once: true });
  body.once('close', () => signal.removeEventListener('abort', stop));
  return body;
}
