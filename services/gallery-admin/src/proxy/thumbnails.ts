import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions, zstdDecompress } from 'node:zlib';
import { FairQueue, type FairQueueLimits } from '@pressroom/common/concurrency/fair-queue';
import { Failure } from '@pressroom/common/failures/failure';
import { LRUCache } from 'lru-cache';
import type { Sharp } from 'sharp';
import { decodeStill } from '../stills/decode-still.ts';
import { type StillFormat, stillFormat, type Unseen } from '../stills/formats.ts';
import {
  type MadeThumbnail,
  makeThumbnail,
  reasonOf,
  SIDES,
  type ThumbnailFormat,
  type ThumbnailSize,
} from './image.ts';
import {
  type Media,
  mediaTooLarge,
  notAnImage,
  notMedia,
  upstreamFailed,
  upstreamTooSlow,
} from './media-fetcher.ts';

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

/** The files without a picture that are remembered. */
const MAX_UNSEEN = 10_000;

/** A thumbnail, or its substitute. */
interface Thumbnail {
  body: Buffer;
  contentType: string;
  /** Strong, with its quotes. */
  etag: string;
  /** Explains why the picture is a placeholder, or shows only a part. */
  unseen?: Unseen | 'incomplete' | undefined;
}

export interface ThumbnailSource {
  /** Differs for different bytes, if that can be known: a URL, or an object with its entity tag. */
  id: string;
  fetch: (signal: AbortSignal) => Promise<Media>;
  /** The other host that it comes from, and how long the whole may take, in ms; absent for the bucket. */
  host?: { name: string; wholeMs: number };
  /** Looks at each small thumbnail that is made of it; does not fail. */
  look?: (pixels: Sharp) => Promise<void>;
}

interface FetchedFile {
  contentType: string;
  image: Buffer;
}

/** Fetches and draws files, as many at a time as the memory has room for. */
class Lane {
  readonly fetches: FairQueue;
  /** Slow ones have a separate queue, so that the others wait for none of them. */
  readonly stills = new FairQueue(STILLS);
  waitingStills = 0;

  constructor(limits: FairQueueLimits) {
    this.fetches = new FairQueue(limits);
  }
}

interface ThumbnailRequest {
  source: ThumbnailSource;
  size: ThumbnailSize;
  format: ThumbnailFormat;
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
  /** The reason why a source has no picture, whatever its size: finding out may cost as much as drawing. */
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
    if (lane.waitingStills >= WAITING.pieces)
      throw new Failure('unavailable', WAITING.refusal, { reason: 'busy' });
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
    // A camera's raw file may begin with a small picture that sharp reads.
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
    known?: Unseen,
  ): Thumbnail {
    if (drawn !== undefined) {
      const made = finishedThumbnail(drawn.body, `image/${format}`);
      return drawn.isIncomplete ? { ...made, unseen: 'incomplete' } : made;
    }
    if (mayBeSentWhole(file)) return finishedThumbnail(file.image, file.contentType);
    const unseen = known ?? reasonOf(file.image);
    if (unseen === 'unsupported' && !/^image\//i.test(file.contentType)) throw notMedia(file.contentType);
    this.#unseen.set(source.id, unseen);
    return placeholder(unseen);
  }
}

function placeholder(unseen: Unseen): Thumbnail {
  return { ...finishedThumbnail(PLACEHOLDER, 'image/svg+xml'), unseen };
}

function finishedThumbnail(body: Buffer, contentType: string): Thumbnail {
  return { body, contentType, etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}

/** Types that stores have for files with pictures in them, such as a camera's raw ones. */
const DRAWN =
  /^(?:image\/|(?:application\/(?:pdf|postscript|illustrator|octet-stream)|binary\/octet-stream)\s*(?:;|$))/i;

/** True if a file of this media type may be drawn, provided that it has a picture in it. */
export function mayBeDrawn(contentType: string | undefined): boolean {
  return DRAWN.test(contentType ?? '');
}

/**
 * The bytes of an image, without its content coding. Fails as `refused` for anything else, and for more than
 * `maxBytes`.
 */
export async function imageBytes({ headers, body }: Media, maxBytes: number): Promise<Buffer> {
  const contentType = headers['content-type'] ?? '';
  if (!mayBeDrawn(contentType)) {
    body.destroy();
    throw notAnImage(contentType);
  }
  return decoded(await readWhole(body, headers['content-length']), headers['content-encoding'], maxBytes);
}

/**
 * Frees the memory of an image that is no longer read, unless it is shared. V8 counts it towards the heap:
 * left to the collector, every few images would cost a collection of everything.
 */
export function release({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
}

async function readWhole(body: Readable, declared: string | undefined): Promise<Buffer> {
  try {
    if (declared === undefined) return Buffer.concat(await body.toArray());
    // Each chunk is copied to its place at once: the memory never holds a second copy of the image.
    const image = Buffer.allocUnsafeSlow(Number(declared));
    let at = 0;
    body.on('data', (chunk: Buffer) => {
      at += chunk.copy(image, at);
    });
    await finished(body, { writable: false });
    return image.subarray(0, at);
  } catch (error) {
    throw error instanceof Failure ? error : upstreamFailed('the connection broke', error);
  }
}

type Decode = (bytes: Buffer, options: Pick<ZlibOptions, 'maxOutputLength'>) => Promise<Buffer>;

/** Content codings (RFC 9110, section 8.4.1) and how they are undone. */
const DECODERS = new Map<string, Decode>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

/** Codings that change nothing; S3 clients leave `aws-chunked` in stored metadata. */
const PLAIN = new Set(['', 'identity', 'aws-chunked']);

/** The most stacked codings that are decoded. */
const MAX_CODINGS = 3;

/**
 * Undoes the codings of `header` (`Content-Encoding`). Fails if one is unknown or does not match the bytes,
 * or if the result has more than `maxBytes`.
 */
async function decoded(bytes: Buffer, header: string | undefined, maxBytes: number): Promise<Buffer> {
  const codings = (header ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => !PLAIN.has(coding));
  if (codings.length > MAX_CODINGS)
    throw upstreamFailed('its answer has too many layers of Content-Encoding');
  let result = bytes;
  for (const coding of codings.reverse()) result = await decodeOne(result, coding, maxBytes);
  return result;
}

async function decodeOne(bytes: Buffer, coding: string, maxBytes: number): Promise<Buffer> {
  const decode = DECODERS.get(coding);
  if (decode === undefined) throw upstreamFailed(`its answer has an unsupported Content-Encoding`);
  try {
    return await decode(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') throw mediaTooLarge(maxBytes);
    throw upstreamFailed(`its answer is not valid ${coding}, although its Content-Encoding says so`, error);
  }
}

/**
 * Stands for an image of which there is no thumbnail: a sheet with a folded corner, visible on light and
 * dark. No thumbnail is as wide and high as 481 px, by which a page knows it, because it cannot see the
 * headers of what an `<img>` loads.
 */
const PLACEHOLDER = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="481" height="481" viewBox="0 0 24 24" fill="none" stroke="#8a8a84">' +
    '<path d="M8.5 7.5h4.5l2.5 2.5v6.5h-7zM13 7.5v2.5h2.5"/></svg>',
);

/** The most bytes of an image that is sent in place of its thumbnail. */
const MAX_BYTES = 256 * 1024;

/** Images that browsers draw although no thumbnail is made of them. */
const DRAWN_BY_BROWSERS = /^image\/(svg\+xml|bmp|x-icon|vnd\.microsoft\.icon)\s*(;|$)/i;

/** True for an image small enough, and of a kind that browsers draw, to be sent without a thumbnail. */
function mayBeSentWhole({ image, contentType }: { image: Buffer; contentType: string }): boolean {
  return image.length <= MAX_BYTES && DRAWN_BY_BROWSERS.test(contentType);
}

/** A piece of work that several callers wait for. */
interface Shared<T> {
  result: Promise<T>;
  abort: AbortController;
  waiting: number;
}

/**
 * Does each piece of work once for all callers that want it at the same time, and aborts it when none of them
 * is waiting any longer.
 */
export class SharedWork<T> {
  readonly #running = new Map<string, Shared<T>>();

  /** Joins the work named `key`, or starts it. Rejects with the reason of `signal` if that is aborted. */
  do(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const shared = this.#running.get(key) ?? this.#begin(key, work);
    shared.waiting += 1;
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        reject(signal.reason);
        shared.waiting -= 1;
        if (shared.waiting > 0) return;
        this.#forget(key, shared);
        shared.abort.abort(signal.reason);
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      shared.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const abort = new AbortController();
    const shared = { result: work(abort.signal), abort, waiting: 0 };
    this.#running.set(key, shared);
    const forget = () => this.#forget(key, shared);
    shared.result.then(forget, forget);
    return shared;
  }

  #forget(key: string, shared: Shared<T>): void {
    if (this.#running.get(key) === shared) this.#running.delete(key);
  }
}

/**
 * The format of pictures with the greatest weight in `accept` (RFC 9110, section 12.5.1), the earliest of
 * equal ones. All but the last must be named; the last is also what is sent to clients that name none.
 */
export function acceptedFormat<Format extends string>(
  accept: string | undefined,
  formats: readonly [...Format[], Format],
): Format {
  const last = formats[formats.length - 1] as Format;
  const weights = weightsOf(accept);
  const least = [`image/${last}`, 'image/*', '*/*'].map((type) => weights.get(type)).find(isGiven) ?? 0;
  const [best = last] = formats
    .filter(
      (format) => format !== last && weightOf(format, weights) > 0 && weightOf(format, weights) >= least,
    )
    .sort((one, other) => weightOf(other, weights) - weightOf(one, weights));
  return best;
}

/** True if an `Accept` names the media type without refusing it. */
export function namesType(accept: string | undefined, type: string): boolean {
  return (weightsOf(accept).get(type) ?? 0) > 0;
}

function weightOf(format: string, weights: ReadonlyMap<string, number>): number {
  return weights.get(`image/${format}`) ?? 0;
}

function isGiven(weight: number | undefined): weight is number {
  return weight !== undefined;
}

/** The weights of the media types and ranges that are named, from 0 to 1. */
function weightsOf(accept = ''): Map<string, number> {
  const named = accept.split(',').map((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    return [type, Number.isNaN(Number(weight)) ? 1 : Number(weight)] as const;
  });
  return new Map(named);
}
