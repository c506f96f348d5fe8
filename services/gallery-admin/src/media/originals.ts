import type { ReadPart } from '@pressroom/desk/metadata/bytes';
import { findPlaces } from '@pressroom/desk/metadata/find-places';
import { NotUnderstood, understand } from '@pressroom/desk/metadata/not-understood';
import { isVideo, mayCarryPlace, pictureKind } from '@pressroom/desk/metadata/strip';
import { LRUCache } from 'lru-cache';
import { readAhead } from '../places/read-ahead.ts';
import { readObject } from '../proxy/bucket-media.ts';
import type { Picture } from './renditions.ts';

/** What every kind of file is known by, in bytes. */
const START = 16;

/** Files of which it is remembered what they say, 100 bytes each. */
const REMEMBERED = 20_000;

/** Which public files readers get as they are. */
export class Originals {
  readonly #known = new LRUCache<string, boolean>({ max: REMEMBERED });

  /**
   * Whether a file of `size` bytes says nowhere where it was made. False also for a picture of which that is
   * unknown; true for video, audio and documents, which are not looked into.
   */
  async saysNoPlace({ bucket, key, etag }: Picture, size: number, signal: AbortSignal): Promise<boolean> {
    const id = JSON.stringify([bucket.id, ...bucket.baseUrls, key, etag]);
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const read = readAhead(async (range) => {
      const request = { method: 'GET', headers: { range }, signal } as const;
      const limits = { maxBytes: Number.POSITIVE_INFINITY, ifMatch: etag };
      const { headers, body } = await readObject(bucket, { key, versionId: undefined }, request, limits);
      const isCoded = headers['content-encoding'] !== undefined;
      understand(!isCoded || !/^image\//i.test(headers['content-type'] ?? ''), 'it is compressed');
      return new Uint8Array(Buffer.concat(await body.toArray()));
    }, size);
    const saysNone = await namesNone(read, size).catch((error) => {
      if (error instanceof NotUnderstood) return false;
      throw error;
    });
    this.#known.set(id, saysNone);
    return saysNone;
  }
}

async function namesNone(read: ReadPart, size: number): Promise<boolean> {
  const start = await read(0, START);
  const isPicture = pictureKind(start) !== undefined || (mayCarryPlace(start) && !isVideo(start));
  return !isPicture || (await findPlaces(read, size)).length === 0;
}
