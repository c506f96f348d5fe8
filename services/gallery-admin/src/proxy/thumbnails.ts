import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { FairQueue, type FairQueueLimits } from '@pressroom/common/concurrency/fair-queue';
import { Failure } from '@pressroom/common/failures/failure';
import { LRUCache } from 'lru-cache';
import type { Sharp } from 'sharp';
import { decodeStill } from '../stills/decode-still.ts';
import { type StillFormat, stillFormat } from '../stills/formats.ts';
import type { Unseen } from '../stills/still-result.ts';
import { notMedia, upstreamTooSlow } from './failures.ts';
import { imageBytes, release } from './image-bytes.ts';
import type { Media } from './media-request.ts';
import { mayBeSentWhole, PLACEHOLDER } from './placeholder.ts';
import { reasonOf } from './raster.ts';
import { SharedWork } from './shared-work.ts';
import {
  type MadeThumbnail,
  makeThumbnail,
  SIDES,
  type ThumbnailFormat,
  type ThumbnailSize,
} from './thumbnail.ts';

/**
 * Images decoded at a time: one more than there are cores, or one would be idle until the next image begins.
 * Of libuv's four threads, one is left for files and DNS.
 */
const DECODINGS = Math.min(3, availableParallelism() + 1);

/** Thumbnails that may wait for their turn. */
const WAITING = { pieces: 1000, owners: 128, refusal: 'too many thumbnails are being made; try again' };

/** Images being fetched, waiting or decoded at a time, each entirely in memory: the next two are at hand. */
const BUCKET = { places: DECODINGS + 2, waiting: WAITING };

/** The same of other hosts, apart from the bucket's, with places that no single host has. */
const HOSTS = { places: 8, placesOfOne: 2, waiting: WAITING };

/** Files that sharp does not read, drawn one at a time in a thread: the next one is at hand. */
const STILLS = { places: 2 };

/** Files of which there is no picture that are remembered. */
const MAX_UNSEEN = 10_000;

/** A thumbnail, or what is sent in its place. */
export interface Thumbnail {
  body: Buffer;
  contentType: string;
  /** Strong, with its quotes. */
  etag: string;
  /** Why it only stands for an image of which no thumbnail can be made, or shows only a part of it. */
  unseen?: Unseen | 'incomplete' | undefined;
}

/** The source of a thumbnail. */
export interface ThumbnailSource {
  /** Differs for different bytes, if that can be known: a URL, or an object with its entity tag. */
  id: string;
  fetch: (signal: AbortSignal) => Promise<Media>;
  /** The other host that it comes from, and how long the whole may take, in ms; absent for the bucket. */
  host?: { name: string; wholeMs: number };
  /** Looks at each small thumbnail that is made of it; does not fail. */
  look?: (pixels: Sharp) => Promise<void>;
}

/** A file as it was fetched. */
interface FetchedFile {
  contentType: string;
  image: Buffer;
}

/** Where files are fetched and drawn, as many at a time as the memory has room for. */
class Lane {
  readonly fetches: FairQueue;
  /** Slow ones have a separate queue, so that the others wait for none of them. */
  readonly stills = new FairQueue(STILLS);
  waitingStills = 0;

  constructor(limits: FairQueueLimits) {
    this.fetches = new FairQueue(limits);
  }
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
  /** Why there is no picture of a source, whatever its size: finding out may cost as much as drawing. */
  readonly #unseen = new LRUCache<string, Unseen>({ max: MAX_UNSEEN });
  /** The bucket's files wait for no other host. */
  readonly #bucket = new Lane(BUCKET);
  readonly #hosts = new Lane(HOSTS);
  readonly #stills = new FairQueue({ places: 1 });
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
    const { host, id } = request.source;
    const unseen = host === undefined ? this.#unseen.get(id) : undefined;
    if (unseen !== undefined) return placeholder(unseen);
    const lane = host === undefined ? this.#bucket : this.#hosts;
    const owner = host?.name ?? '';
    const made = await lane.fetches.run(owner, async () => {
      const file = await this.#read(request);
      const still = mayBeSentWhole(file) ? undefined : stillFormat(file.image);
      if (still !== undefined) return { still, file: lane.waitingStills < STILLS.places ? file : undefined };
      return this.#finish(request, file, await this.#draw(request, file.image));
    });
    if (!('still' in made)) return made;
    if (lane.waitingStills >= WAITING.pieces) throw new Failure('unavailable', WAITING.refusal);
    lane.waitingStills += 1;
    try {
      return await lane.stills.run(owner, () => this.#makeStill(request, made));
    } finally {
      lane.waitingStills -= 1;
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
    const decoded = await this.#stills.run('', () => decodeStill(task, 'thumbnails'));
    if ('image' in decoded) {
      return this.#finish(request, file, await this.#draw(request, decoded.image));
    }
    // What a raw file of a camera begins with may be a small picture that sharp reads.
    const drawn = await this.#draw(request, file.image);
    return this.#finish(request, file, drawn, decoded.unseen);
  }

  async #read({ source, signal }: ThumbnailRequest): Promise<FetchedFile> {
    signal.throwIfAborted();
    const { wholeMs } = source.host ?? {};
    const late = wholeMs === undefined ? undefined : AbortSignal.timeout(wholeMs);
    try {
      const media = await source.fetch(late === undefined ? signal : AbortSignal.any([signal, late]));
      const contentType = media.headers['content-type'] ?? '';
      return { contentType, image: await imageBytes(media, this.#maxBytes) };
    } catch (error) {
      if (wholeMs === undefined || !late?.aborted || signal.aborted) throw error;
      throw upstreamTooSlow(wholeMs);
    }
  }

  #draw(
    { format, size, signal, source }: ThumbnailRequest,
    image: Buffer,
  ): Promise<MadeThumbnail | undefined> {
    return this.#decodings.run(source.host?.name ?? '', async () => {
      signal.throwIfAborted();
      const look = size === 'small' ? source.look : undefined;
      const drawn = await makeThumbnail(image, format, { side: SIDES[size], look });
      if (drawn !== undefined) release(image);
      return drawn;
    });
  }

  #finish(
    { format, source }: ThumbnailRequest,
    file: FetchedFile,
    drawn: MadeThumbnail | undefined,
    unseen: Unseen = reasonOf(file.image),
  ): Thumbnail {
    if (drawn !== undefined) {
      const made = finished(drawn.body, `image/${format}`);
      return drawn.isIncomplete ? { ...made, unseen: 'incomplete' } : made;
    }
    if (mayBeSentWhole(file)) return finished(file.image, file.contentType);
    if (unseen === 'unsupported' && !/^image\//i.test(file.contentType)) throw notMedia(file.contentType);
    this.#unseen.set(source.id, unseen);
    return placeholder(unseen);
  }
}

function placeholder(unseen: Unseen): Thumbnail {
  return { ...finished(PLACEHOLDER, 'image/svg+xml'), unseen };
}

function finished(body: Buffer, contentType: string): Thumbnail {
  return { body, contentType, etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}
