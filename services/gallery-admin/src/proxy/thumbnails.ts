import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import { Failure } from '@pressroom/common/failures/failure';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { decoded } from './content-coding.ts';
import { notAnImage, upstreamFailed } from './failures.ts';
import type { Media } from './media-request.ts';
import { mayBeSentWhole, PLACEHOLDER } from './placeholder.ts';
import { SharedWork } from './shared-work.ts';
import { makeThumbnail, type ThumbnailFormat } from './thumbnail.ts';

/** Images decoded at a time: libuv has four threads, and one is left for files and DNS. */
const DECODINGS = Math.min(3, availableParallelism());

/** Images being fetched, waiting or decoded at a time, each entirely in memory: the next ones are at hand. */
const FETCHES = 2 * DECODINGS;

/** Thumbnails that may wait for their turn. */
const MAX_WAITING = 1000;

/** A thumbnail, or what is sent in its place. */
export interface Thumbnail {
  body: Buffer;
  contentType: string;
  /** Strong, with its quotes. */
  etag: string;
  /** Whether it only stands for an image of which no thumbnail can be made. */
  isPlaceholder: boolean;
}

/** The source of a thumbnail. */
export interface ThumbnailSource {
  /** Differs for different bytes, if that can be known: a URL, or an object with its entity tag. */
  id: string;
  fetch: (signal: AbortSignal) => Promise<Media>;
}

/** A requested thumbnail. */
export interface ThumbnailRequest {
  source: ThumbnailSource;
  format: ThumbnailFormat;
  /** Aborted when the client is gone. */
  signal: AbortSignal;
}

/**
 * Makes thumbnails, caches the latest, and makes each only once however many clients request it at the same
 * time.
 */
export class Thumbnails {
  readonly #maxBytes: number;
  readonly #kept: LRUCache<string, Thumbnail> | undefined;
  readonly #work = new SharedWork<Thumbnail>();
  readonly #fetches = pLimit(FETCHES);
  readonly #decodings = pLimit(DECODINGS);

  /**
   * @param maxBytes the most bytes of an image, decoded
   * @param keepBytes the most bytes of cached thumbnails; 0 disables the cache
   */
  constructor(maxBytes: number, keepBytes: number) {
    this.#maxBytes = maxBytes;
    if (keepBytes === 0) return;
    this.#kept = new LRUCache({ maxSize: keepBytes, sizeCalculation: ({ body }) => body.length + 1 });
  }

  /** The thumbnail of the source. Throws a failure that says why there is none. */
  async get({ source, format, signal }: ThumbnailRequest): Promise<Thumbnail> {
    const key = `${format} ${source.id}`;
    const kept = this.#kept?.get(key);
    if (kept !== undefined) return kept;
    return this.#work.do(key, signal, async (inner) => {
      if (this.#fetches.pendingCount >= MAX_WAITING) {
        throw new Failure('unavailable', 'too many thumbnails are being made; try again');
      }
      const request = { source, format, signal: inner };
      const thumbnail = await this.#fetches(() => this.#make(request));
      if (!inner.aborted) this.#kept?.set(key, thumbnail);
      return thumbnail;
    });
  }

  async #make({ source, format, signal }: ThumbnailRequest): Promise<Thumbnail> {
    signal.throwIfAborted();
    const media = await source.fetch(signal);
    const contentType = media.headers['content-type'] ?? '';
    if (!/^image\//i.test(contentType)) {
      media.body.destroy();
      throw notAnImage(contentType);
    }
    const sent = await readWhole(media.body);
    const image = await decoded(sent, media.headers['content-encoding'], this.#maxBytes);
    const body = await this.#decodings(() => {
      signal.throwIfAborted();
      return makeThumbnail(image, format);
    });
    if (body !== undefined) return finished(body, `image/${format}`);
    if (mayBeSentWhole(image, contentType)) return finished(image, contentType);
    return { ...finished(PLACEHOLDER, 'image/svg+xml'), isPlaceholder: true };
  }
}

async function readWhole(body: Readable): Promise<Buffer> {
  try {
    return Buffer.concat(await body.toArray());
  } catch (error) {
    throw error instanceof Failure ? error : upstreamFailed('the connection broke', error);
  }
}

function finished(body: Buffer, contentType: string): Thumbnail {
  return {
    body,
    contentType,
    etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"`,
    isPlaceholder: false,
  };
}
