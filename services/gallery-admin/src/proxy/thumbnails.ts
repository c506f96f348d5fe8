import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { FairQueue } from '@pressroom/common/concurrency/fair-queue';
import { Failure } from '@pressroom/common/failures/failure';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { Sharp } from 'sharp';
import { decodeStill } from '../stills/decode-still.ts';
import { type StillFormat, stillFormat } from '../stills/formats.ts';
import type { Unseen } from '../stills/still-result.ts';
import { notMedia } from './failures.ts';
import { imageBytes, release } from './image-bytes.ts';
import type { Media } from './media-request.ts';
import { mayBeSentWhole, PLACEHOLDER } from './placeholder.ts';
import { isRaster } from './raster.ts';
import { SharedWork } from './shared-work.ts';
import { makeThumbnail, SIDES, type ThumbnailFormat, type ThumbnailSize } from './thumbnail.ts';

/**
 * Images decoded at a time: one more than there are cores, or one would be idle until the next image begins.
 * Of libuv's four threads, one is left for files and DNS.
 */
const DECODINGS = Math.min(3, availableParallelism() + 1);

/** Images being fetched, waiting or decoded at a time, each entirely in memory: the next two are at hand. */
const FETCHES = DECODINGS + 2;

/** Files that sharp does not read, drawn one at a time in a thread: the next one is at hand. */
const STILLS = 2;

/** Thumbnails that may wait for their turn. */
const MAX_WAITING = 1000;

/** A thumbnail, or what is sent in its place. */
export interface Thumbnail {
  body: Buffer;
  contentType: string;
  /** Strong, with its quotes. */
  etag: string;
  /** Why it only stands for an image of which no thumbnail can be made. */
  unseen?: Unseen | undefined;
}

/** The source of a thumbnail. */
export interface ThumbnailSource {
  /** Differs for different bytes, if that can be known: a URL, or an object with its entity tag. */
  id: string;
  fetch: (signal: AbortSignal) => Promise<Media>;
  /** Looks at each small thumbnail that is made of it; does not fail. */
  look?: (pixels: Sharp) => Promise<void>;
}

/** A file as it was fetched. */
interface FetchedFile {
  contentType: string;
  image: Buffer;
}

/** A requested thumbnail. */
export interface ThumbnailRequest {
  source: ThumbnailSource;
  size: ThumbnailSize;
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
  #waitingStills = 0;
  readonly #fetches = pLimit(FETCHES);
  /** Slow ones have a separate queue, so that the others wait for none of them. */
  readonly #stills = new FairQueue({ places: STILLS });
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
  async get({ signal, ...request }: ThumbnailRequest): Promise<Thumbnail> {
    const key = `${request.size} ${request.format} ${request.source.id}`;
    const kept = this.#kept?.get(key);
    if (kept !== undefined) return kept;
    return this.#work.do(key, signal, async (inner) => {
      if (this.#fetches.pendingCount + this.#waitingStills >= MAX_WAITING) {
        throw new Failure('unavailable', 'too many thumbnails are being made; try again');
      }
      const thumbnail = await this.#make({ ...request, signal: inner });
      if (!inner.aborted) this.#kept?.set(key, thumbnail);
      return thumbnail;
    });
  }

  /** Resolves when no thumbnail is being made. */
  async idle(): Promise<void> {
    await this.#stills.idle();
    await this.#decodings.idle();
  }

  async #make(request: ThumbnailRequest): Promise<Thumbnail> {
    const made = await this.#fetches(async () => {
      const file = await this.#read(request);
      const still = mayBeSentWhole(file) ? undefined : stillFormat(file.image);
      if (still !== undefined) return { still, file: this.#waitingStills < STILLS ? file : undefined };
      return this.#finish(request, file, await this.#draw(request, file.image));
    });
    if (!('still' in made)) return made;
    this.#waitingStills += 1;
    try {
      return await this.#stills.run('', () => this.#makeStill(request, made));
    } finally {
      this.#waitingStills -= 1;
    }
  }

  /** Only the next files are kept in memory; what has waited longer is read again. */
  async #makeStill(
    request: ThumbnailRequest,
    { still, file: kept }: { still: StillFormat; file: FetchedFile | undefined },
  ): Promise<Thumbnail> {
    request.signal.throwIfAborted();
    const file = kept ?? (await this.#read(request));
    const task = { file: file.image, format: still, side: SIDES[request.size] };
    const decoded = await decodeStill(task, 'thumbnails');
    if ('image' in decoded) {
      return this.#finish(request, file, await this.#draw(request, decoded.image));
    }
    // What a raw file of a camera begins with may be a small picture that sharp reads.
    const drawn = await this.#draw(request, file.image);
    return drawn === undefined ? placeholder(decoded.unseen) : this.#finish(request, file, drawn);
  }

  async #read({ source, signal }: ThumbnailRequest): Promise<FetchedFile> {
    signal.throwIfAborted();
    const media = await source.fetch(signal);
    const contentType = media.headers['content-type'] ?? '';
    return { contentType, image: await imageBytes(media, this.#maxBytes) };
  }

  #draw({ format, size, signal, source }: ThumbnailRequest, image: Buffer): Promise<Buffer | undefined> {
    return this.#decodings.run('', async () => {
      signal.throwIfAborted();
      const look = size === 'small' ? source.look : undefined;
      const drawn = await makeThumbnail(image, format, { side: SIDES[size], look });
      if (drawn !== undefined) release(image);
      return drawn;
    });
  }

  #finish({ format }: ThumbnailRequest, file: FetchedFile, drawn: Buffer | undefined): Thumbnail {
    if (drawn !== undefined) return finished(drawn, `image/${format}`);
    if (mayBeSentWhole(file)) return finished(file.image, file.contentType);
    const isKnown = isRaster(file.image) || stillFormat(file.image) !== undefined;
    if (!isKnown && !/^image\//i.test(file.contentType)) throw notMedia(file.contentType);
    return placeholder(isKnown ? 'damaged' : 'unsupported');
  }
}

function placeholder(unseen: Unseen): Thumbnail {
  return { ...finished(PLACEHOLDER, 'image/svg+xml'), unseen };
}

function finished(body: Buffer, contentType: string): Thumbnail {
  return { body, contentType, etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}
