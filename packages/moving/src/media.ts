import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { GuardedAgents } from '@pressroom/common/fetching/guarded-agents';
import { withChangedUrls } from '@pressroom/common/html/changed-urls';
import { readConfig, secret, setting } from '@pressroom/common/start/config';
import { ensureHome } from '@pressroom/common/start/home';
import { refuseOtherServers } from '@pressroom/common/stores/store-answers';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { isPicture, picturesOf, type Showing } from './pictures.ts';
import { because, type Reason } from './reasons.ts';
import { DiskMap } from './source-entry.ts';

/** The longest key, in characters: an address has at most 500. */
const MOST_KEY = 300;

/** Pictures of one article that are fetched at once. */
const AT_ONCE = 4;

/** Keeps which pictures came with an import, so that they can go with it. */
export interface PictureLedger {
  /** Takes over a picture that an earlier import brought; waits for whoever removes it. */
  adopt(key: string): Promise<void>;
  /** Notes a picture before the bucket gets it. */
  add(key: string): Promise<void>;
}

interface MoverOptions {
  /** Hosts that may have addresses that are not public. */
  privateHosts: readonly string[];
  /** The folder of the bucket, empty or with a slash at its end. */
  folder?: string | undefined;
  ledger?: PictureLedger | undefined;
  /** The most bytes of all pictures that are fetched. */
  mostBytes?: number | undefined;
  /** Called when a picture is there. */
  onPicture?: (() => Promise<void>) | undefined;
}

/**
 * Copies the pictures of articles into a bucket, under their old addresses, and changes the addresses in the
 * articles. Pictures that the bucket has are not fetched again.
 */
export class MediaMover {
  readonly #store: PictureStore;
  readonly #fetcher: PictureFetcher;
  readonly #options: MoverOptions;
  #bytes = 0;
  /** The new addresses, or why a picture stays where it is. */
  readonly #moved = new LRUCache<string, Promise<string | Error>>({ max: 10_000 });

  constructor(store: PictureStore, options: MoverOptions) {
    this.#store = store;
    this.#options = options;
    this.#fetcher = new PictureFetcher(options.privateHosts);
  }

  async close(): Promise<void> {
    this.#store.close();
    await this.#fetcher.close();
  }

  /** The article with the new addresses, and which pictures stay where they are. */
  async move<Article extends Showing>(article: Article): Promise<{ article: Article; notes: Reason[] }> {
    const { content, featured_image, social_image } = article;
    const urls = [...picturesOf(article)];
    const moved = new Map<string, string>();
    const notes: Reason[] = [];
    for (let first = 0; first < urls.length; first += AT_ONCE) {
      const some = urls.slice(first, first + AT_ONCE);
      for (const [index, to] of (await Promise.all(some.map((url) => this.#move(url)))).entries()) {
        const url = some[index] ?? '';
        if (to instanceof Error) notes.push(because('picture_stays', url, to.message));
        else moved.set(url, to);
      }
    }
    const placed = (image: string | null | undefined) => image && (moved.get(image) ?? image);
    const changed = withChangedUrls(content, (url, attribute) =>
      isPicture(url, attribute) ? (moved.get(url.trim()) ?? url) : url,
    );
    return {
      article: {
        ...article,
        content: changed,
        featured_image: placed(featured_image),
        social_image: placed(social_image),
      },
      notes,
    };
  }

  #move(url: string): Promise<string | Error> {
    const known = this.#moved.get(url);
    if (known !== undefined) return known;
    const work = this.#bring(url);
    this.#moved.set(url, work);
    return work;
  }

  /** A fault of a picture is reported; one of the store ends the import. */
  async #bring(url: string): Promise<string | Error> {
    if (this.#store.keysIn(url).length > 0) return url;
    const { folder = '', ledger, mostBytes = Number.POSITIVE_INFINITY, onPicture } = this.#options;
    const key = keyOf(url, folder);
    await ledger?.adopt(key);
    if (!(await this.#store.has(key))) {
      if (this.#bytes > mostBytes)
        return new Error(`more than ${mostBytes / 2 ** 30} GiB of pictures have come already`);
      const picture = await this.#fetcher.fetch(url).catch((error: unknown) => error as Error);
      if (picture instanceof Error) return picture;
      this.#bytes += picture.bytes.length;
      await ledger?.add(key);
      await this.#store.put(key, picture);
    }
    await onPicture?.();
    return this.#store.addressOf(key);
  }
}

/** The key of a picture: its old host and path, so that it is known again. */
function keyOf(address: string, folder: string): string {
  const { hostname, pathname, search } = new URL(address);
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 12);
  const path = pathname.replaceAll(/%[\dA-F]{2}|[^\w./-]+/gi, '-').replaceAll(/\/{2,}/g, '/');
  const key = `${folder}imported/${hostname}${path}`;
  if (search === '' && path === pathname && key.length <= MOST_KEY) return key;
  const [, stem = key, extension = ''] = /^(.*?)(\.\w{1,5})?$/.exec(key) ?? [];
  return `${stem.slice(0, MOST_KEY)}-${hash}${extension}`;
}

/** The most bytes of a picture, and how long it may take, in ms. */
const MOST_BYTES = 25 * 2 ** 20;
const MOST_MS = 30_000;

const MOST_REDIRECTS = 5;

/** Types that a browser only ever shows: an SVG, opened by itself, runs its scripts. */
const TYPES = new Set(['image/avif', 'image/gif', 'image/jpeg', 'image/png', 'image/webp']);

interface Picture {
  bytes: Buffer;
  type: string;
}

/** Fetches pictures from public addresses, and from private hosts that are named. */
class PictureFetcher {
  readonly #privateHosts: readonly string[];
  readonly #agents = new GuardedAgents({ connectMs: MOST_MS, headersMs: MOST_MS, pauseMs: MOST_MS });

  constructor(privateHosts: readonly string[]) {
    this.#privateHosts = privateHosts;
  }

  close(): Promise<void> {
    return this.#agents.close();
  }

  /** The picture at an address, and where it redirects to. Throws an error that says why there is none. */
  async fetch(address: string): Promise<Picture> {
    const signal = AbortSignal.timeout(MOST_MS);
    let url = new URL(address);
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
      const { statusCode, headers, body } = await this.#ask(url, signal);
      const { location } = headers;
      if (statusCode >= 300 && statusCode < 400 && typeof location === 'string') {
        stop(body);
        url = new URL(location, url);
        continue;
      }
      const type = String(headers['content-type']).split(';')[0]?.trim().toLowerCase() ?? '';
      try {
        if (statusCode !== 200) throw new Error(`it answers ${statusCode}`);
        if (!TYPES.has(type)) throw new Error(`${type} is not a type of picture that is taken`);
        return { bytes: await wholeOf(body), type };
      } finally {
        stop(body);
      }
    }
    throw new Error(`it redirects more than ${MOST_REDIRECTS} times`);
  }

  #ask(url: URL, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol} is not http or https`);
    const mayBePrivate = this.#privateHosts.includes(url.hostname.replace(/^\[(.*)\]$/, '$1'));
    const headers = { 'user-agent': 'Pressroom', accept: [...TYPES].join(', ') };
    return this.#agents.request({ url, mayBePrivate }, { method: 'GET', headers, signal });
  }
}

async function wholeOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Ends a body together with its connection, if it has not ended. */
function stop(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined).destroy();
}

export interface StoreSettings {
  S3_ENDPOINT: string;
  S3_REGION: string;
  S3_BUCKET: string;
  S3_ACCESS_KEY_ID: string;
  S3_SECRET_ACCESS_KEY: string;
  S3_FORCE_PATH_STYLE: 'true' | 'false';
}

/** The settings of the store: those of the gallery's. */
const STORE_SETTINGS = {
  S3_ENDPOINT: setting(z.url(), 'The object store.'),
  S3_REGION: setting(z.string().default('us-east-1'), 'Its region.'),
  S3_BUCKET: setting(z.string(), 'The bucket.'),
  S3_ACCESS_KEY_ID: setting(z.string(), 'The access key.'),
  S3_SECRET_ACCESS_KEY: setting(secret(z.string()), 'The secret key.'),
  S3_FORCE_PATH_STYLE: setting(z.enum(['true', 'false']).default('true'), 'Where the bucket is named.'),
};

/** The pictures in the gallery's bucket, which has a public address. */
export class PictureStore {
  readonly #s3: S3Client;
  readonly #bucket: string;
  readonly #base: string;

  /** `base` is the public address of the bucket; without settings it is the one that the environment names. */
  constructor(base: string, config: StoreSettings = readConfig(STORE_SETTINGS, process.env)) {
    ensureHome();
    this.#s3 = new S3Client({
      endpoint: config.S3_ENDPOINT,
      region: config.S3_REGION,
      forcePathStyle: config.S3_FORCE_PATH_STYLE === 'true',
      credentials: { accessKeyId: config.S3_ACCESS_KEY_ID, secretAccessKey: config.S3_SECRET_ACCESS_KEY },
    });
    refuseOtherServers(this.#s3);
    this.#bucket = config.S3_BUCKET;
    this.#base = `${base.replace(/\/+$/, '')}/`;
  }

  addressOf(key: string): string {
    return this.#base + key.split('/').map(encodeURIComponent).join('/');
  }

  /** The keys of the public addresses in a text, HTML or an address alone. */
  keysIn(text: string): string[] {
    return text
      .split(this.#base)
      .slice(1)
      .flatMap((rest) => {
        const [path = ''] = /^[^\s"'<>(),?#\\]*/.exec(rest) ?? [];
        try {
          return path === '' ? [] : [decodeURIComponent(path.replaceAll('&amp;', '&'))];
        } catch {
          return [];
        }
      });
  }

  async has(key: string): Promise<boolean> {
    try {
      await this.#s3.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key }));
      return true;
    } catch (error) {
      if (error instanceof NotFound) return false;
      throw error;
    }
  }

  async put(key: string, { bytes, type }: Picture): Promise<void> {
    await this.#s3.send(
      new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: bytes, ContentType: type }),
    );
  }

  async delete(key: string): Promise<void> {
    await this.#s3.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key }));
  }

  /** Writes what a key has to a file of its name in a folder. */
  async save(key: string, folder: string): Promise<void> {
    const file = join(folder, key);
    if (!file.startsWith(join(folder, sep))) throw new Error('its key leads out of the folder');
    const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
    await mkdir(dirname(file), { recursive: true });
    await pipeline(Body as Readable, createWriteStream(file));
  }

  close(): void {
    this.#s3.destroy();
  }
}

/** Saves the pictures that an export shows from the bucket, each once. */
export class SavedPictures {
  readonly #store: PictureStore;
  readonly #folder: string;
  readonly #keys = new DiskMap<true>();
  #missing = 0;

  constructor(store: PictureStore, folder: string) {
    this.#store = store;
    this.#folder = folder;
  }

  get saved(): number {
    return this.#keys.size - this.#missing;
  }

  get isWhole(): boolean {
    return this.#missing === 0;
  }

  /** Saves those that a line shows; prints those that the bucket does not have. */
  async save(line: string): Promise<void> {
    for (const key of this.#store.keysIn(line)) {
      if (this.#keys.has(key)) continue;
      this.#keys.add(key, true);
      try {
        await this.#store.save(key, this.#folder);
      } catch (error) {
        this.#missing += 1;
        console.error(`picture ${key}: ${error instanceof Error ? error.message : error}`);
      }
    }
  }
}
