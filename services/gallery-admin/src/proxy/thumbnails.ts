import { hash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Problem, temporarilyUnavailable } from '@pressroom/common/problems/problem';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import type { MediaFetcher } from './media-fetcher.ts';
import { notAnImage, upstreamFailed } from './problems.ts';
import { SharedWork } from './shared-work.ts';
import type { ProxyHosts, Target } from './target.ts';
import { makeThumbnail, type ThumbnailFormat } from './thumbnail.ts';

/** Images that are fetched or waiting to be decoded at a time, each held whole. */
const FETCHES = 8;

/** Images that are decoded at a time: libuv has four threads, and one is left to files and names. */
const DECODINGS = Math.min(3, availableParallelism());

/** Thumbnails that may wait for their turn. */
const MAX_WAITING = 1000;

/** A thumbnail, or the image itself where none can be made of it. */
export interface Thumbnail {
  body: Buffer;
  contentType: string;
  /** Strong, with its quotes. */
  etag: string;
}

/** What a thumbnail is made of. */
export interface ThumbnailRequest {
  target: Target;
  hosts: ProxyHosts;
  format: ThumbnailFormat;
  /** Aborted when the one who asks is gone. */
  signal: AbortSignal;
}

/** Makes thumbnails, keeps the latest, and makes each once however many ask for it at the same time. */
export class Thumbnails {
  readonly #fetcher: MediaFetcher;
  readonly #kept: LRUCache<string, Thumbnail> | undefined;
  readonly #work = new SharedWork<Thumbnail>();
  readonly #fetches = pLimit(FETCHES);
  readonly #decodings = pLimit(DECODINGS);

  /** @param keepBytes the most bytes of thumbnails that are kept; 0 keeps none */
  constructor(fetcher: MediaFetcher, keepBytes: number) {
    this.#fetcher = fetcher;
    if (keepBytes === 0) return;
    this.#kept = new LRUCache({ maxSize: keepBytes, sizeCalculation: ({ body }) => body.length + 1 });
  }

  /** The thumbnail of what is at the target. Throws the problem that says why there is none. */
  async get({ target, hosts, format, signal }: ThumbnailRequest): Promise<Thumbnail> {
    const key = `${format} ${target.url.href}`;
    const kept = this.#kept?.get(key);
    if (kept !== undefined) return kept;
    return this.#work.do(key, signal, async (inner) => {
      if (this.#fetches.pendingCount >= MAX_WAITING) {
        throw temporarilyUnavailable('more thumbnails are waited for than can be made; try again');
      }
      const request = { target, hosts, format, signal: inner };
      const thumbnail = await this.#fetches(() => this.#make(request));
      if (!inner.aborted) this.#kept?.set(key, thumbnail);
      return thumbnail;
    });
  }

  async #make({ target, hosts, format, signal }: ThumbnailRequest): Promise<Thumbnail> {
    signal.throwIfAborted();
    const media = await this.#fetcher.fetch(target, hosts, { method: 'GET', headers: {}, signal });
    const contentType = media.headers['content-type'] ?? '';
    if (!/^image\//i.test(contentType)) {
      media.body.destroy();
      throw notAnImage(contentType);
    }
    const image = await readWhole(media.body);
    const body = await this.#decodings(() => {
      signal.throwIfAborted();
      return makeThumbnail(image, format);
    });
    if (body === undefined) return finished(image, contentType);
    return finished(body, `image/${format}`);
  }
}

async function readWhole(body: Readable): Promise<Buffer> {
  try {
    return await buffer(body);
  } catch (error) {
    throw error instanceof Problem ? error : upstreamFailed('it broke off', error);
  }
}

function finished(body: Buffer, contentType: string): Thumbnail {
  return { body, contentType, etag: `"${hash('sha256', body, 'base64url').slice(0, 27)}"` };
}
