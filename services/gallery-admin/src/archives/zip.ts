import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { makeZip, predictLength } from 'client-zip';
import type { Bucket } from '../buckets/bucket.ts';
import type { StoredObject } from '../listing/object-page.ts';
import type { ArchiveEntry } from './entries.ts';

/** An archive that is about to be sent. */
export interface Zip {
  /** In bytes. */
  length: bigint;
  body: Readable;
}

/**
 * A zip of the entries, which are read from the store one after the other, as fast as the archive is read.
 * They are not compressed, because media are already; so its length is known. The body fails if an object has
 * changed since or the store fails; `signal` ends it.
 */
export function zipOf(bucket: Bucket, entries: readonly ArchiveEntry[], signal: AbortSignal): Zip {
  async function* files() {
    for (const entry of entries) {
      const file = described(entry);
      yield 'size' in file ? { ...file, input: await read(bucket, entry.object, signal) } : file;
    }
  }
  const zip = makeZip(files()) as ReadableStream<Uint8Array>;
  return { length: predictLength(entries.map(described)), body: Readable.fromWeb(zip) };
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
