import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { FairQueue } from '@pressroom/common/concurrency/fair-queue';
import { Failure } from '@pressroom/common/failures/failure';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { imageBytes } from './image-bytes.ts';
import type { Media } from './media-request.ts';
import { mayBeSentWhole, PLACEHOLDER } from './placeholder.ts';
import { SharedWork } from './shared-work.ts';
import { makeThumbnail, type ThumbnailFormat } from './thumbnail.ts';

/** Images decoded at a time: libuv has four threads, and one is left for files and DNS. */
export const DECODINGS = Math.min(3, availableParallelism());

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
  readonly #decodings = new FairQueue({ places: DECODINGS });

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

  /** Resolves when no thumbnail is being made. */
  idle(): Promise<void> {
    return this.#decodings.idle();
  }

  async #make({ source, format, signal }: ThumbnailRequest): Promise<Thumbnail> {
    signal.throwIfAborted();
    const media = await source.fetch(signal);
    const contentType = media.headers['content-type'] ?? '';
    const image = await imageBytes(media, this.#maxBytes);
    const body = await this.#decodings.run('', async () => {
      signal.throwIfAborted();
      return makeThumbnail(image, format);
    });
    if (body !== undefined) return finished(body, `image/${format}`);
    if (mayBeSentWhole(image, contentType)) return finished(image, contentType);
    return { ...finished(PLACEHOLDER, 'image/svg+xml'), isPlaceholder: true };
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
