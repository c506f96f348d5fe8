import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  GetObjectCommand,
  HeadObjectCommand,
  NotFound,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { endBody, GuardedAgents, type GuardedTarget } from '@pressroom/common/fetching/guarded-agents';
import { withChangedUrls } from '@pressroom/common/html/changed-urls';
import { readConfig, secret, setting } from '@pressroom/common/start/config';
import { ensureHome } from '@pressroom/common/start/home';
import { refuseOtherServers } from '@pressroom/common/stores/store-answers';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { because, type Reason } from './reasons.ts';
import { DiskMap } from './source-entry.ts';

const NAMING = new Set(['img src', 'img srcset', 'source srcset', 'video poster', 'a href']);

const PICTURE_PATH = /\.(?:avif|gif|jpe?g|png|webp)$/i;

/** The longest key, in characters: an address has at most 500. */
const MOST_KEY = 300;

interface Showing {
  content: string;
  featured_image?: string | null | undefined;
  social_image?: string | null | undefined;
}

/**
 * Copies the pictures of articles into a bucket, under their old addresses, and changes the addresses in the
 * articles. Pictures that the bucket has are not fetched again.
 */
export class MediaMover {
  readonly #store: PictureStore;
  readonly #fetcher: PictureFetcher;
  /** The new addresses, or why a picture stays where it is. */
  readonly #moved = new LRUCache<string, Promise<string | Error>>({ max: 10_000 });

  /** `privateHosts`: hosts that may have addresses that are not public. */
  constructor(store: PictureStore, privateHosts: readonly string[]) {
    this.#store = store;
    this.#fetcher = new PictureFetcher(privateHosts);
  }

  async close(): Promise<void> {
    this.#store.close();
    await this.#fetcher.close();
  }

  /** The article with the new addresses, and which pictures stay where they are. */
  async move<Article extends Showing>(article: Article): Promise<{ article: Article; notes: Reason[] }> {
    const { content, featured_image, social_image } = article;
    const urls = picturesIn(content);
    for (const image of [featured_image, social_image]) if (image) urls.add(image);
    const moved = new Map<string, string>();
    const notes: Reason[] = [];
    for (const url of urls) {
      const to = await this.#move(url);
      if (to instanceof Error)
        notes.push(because('other', url, `picture ${url}: ${to.message}; it stays where it is`));
      else moved.set(url, to);
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
    const key = keyOf(url);
    if (!(await this.#store.has(key))) {
      const picture = await this.#fetcher.fetch(url).catch((error: unknown) => error as Error);
      if (picture instanceof Error) return picture;
      await this.#store.put(key, picture);
    }
    return this.#store.addressOf(key);
  }
}

/** The addresses of the pictures that HTML shows, or links to. */
function picturesIn(html: string): Set<string> {
  const urls = new Set<string>();
  withChangedUrls(html, (url, attribute) => {
    if (isPicture(url, attribute)) urls.add(url.trim());
    return url;
  });
  return urls;
}

function isPicture(url: string, attribute: string): boolean {
  const parsed = NAMING.has(attribute) ? URL.parse(url) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return false;
  return attribute !== 'a href' || PICTURE_PATH.test(parsed.pathname);
}

/** The key of a picture: its old host and path, so that it is known again. */
function keyOf(address: string): string {
  const { hostname, pathname, search } = new URL(address);
  const hash = createHash('sha256').update(address).digest('hex').slice(0, 12);
  const path = pathname.replaceAll(/%[\dA-F]{2}|[^\w./-]+/gi, '-').replaceAll(/\/{2,}/g, '/');
  const key = `imported/${hostname}${path}`;
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
    const headers = { 'user-agent': 'Pressroom', accept: [...TYPES].join(', ') };
    const { answer } = await this.#agents.follow(
      this.#target(new URL(address)),
      { method: 'GET', headers, signal },
      { most: MOST_REDIRECTS, next: (location, from) => this.#target(new URL(location, from)) },
    );
    const { statusCode, body } = answer;
    const type = String(answer.headers['content-type']).split(';')[0]?.trim().toLowerCase() ?? '';
    try {
      if (statusCode !== 200) throw new Error(`it answers ${statusCode}`);
      if (!TYPES.has(type)) throw new Error(`${type} is not a type of picture that is taken`);
      return { bytes: await wholeOf(body), type };
    } finally {
      endBody(body);
    }
  }

  #target(url: URL): GuardedTarget {
    if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol} is not http or https`);
    return { url, mayBePrivate: this.#privateHosts.includes(url.hostname.replace(/^\[(.*)\]$/, '$1')) };
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

  /** The store that the environment names; `base` is the public address of the bucket. */
  constructor(base: string) {
    const config = readConfig(STORE_SETTINGS, process.env);
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
