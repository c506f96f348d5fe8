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
import { isHostAmong } from '@pressroom/common/fetching/public-address';
import { readConfig, secret, setting } from '@pressroom/common/start/config';
import { ensureHome } from '@pressroom/common/start/home';
import { refuseOtherServers } from '@pressroom/common/stores/store-answers';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { keyOf, type Picture, PictureFault, PictureFetcher, type PictureSource } from './pictures.ts';
import { DiskMap } from './source-entry.ts';

/** Copies pictures into a bucket, under their old addresses. Those that it has are not fetched again. */
export class BucketPictures implements PictureSource {
  readonly #store: PictureStore;
  readonly #fetcher: PictureFetcher;
  /** The new addresses, or why a picture stays where it is. */
  readonly #moved = new LRUCache<string, Promise<string | PictureFault>>({ max: 10_000 });

  /** `privateHosts`: hosts that may have addresses that are not public. */
  constructor(store: PictureStore, privateHosts: readonly string[]) {
    this.#store = store;
    this.#fetcher = new PictureFetcher((url) => isHostAmong(url, privateHosts));
  }

  async close(): Promise<void> {
    this.#store.close();
    await this.#fetcher.close();
  }

  bring(url: string): Promise<string | PictureFault> {
    const known = this.#moved.get(url);
    if (known !== undefined) return known;
    const work = this.#bring(url);
    this.#moved.set(url, work);
    return work;
  }

  /** A fault of a picture is reported; one of the store ends the import. */
  async #bring(url: string): Promise<string | PictureFault> {
    if (this.#store.keysIn(url).length > 0) return url;
    const key = keyOf(url);
    if (!(await this.#store.has(key))) {
      const picture = await this.#fetcher.fetch(url);
      if (picture instanceof PictureFault) return picture;
      await this.#store.put(key, picture);
    }
    return this.#store.addressOf(key);
  }
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
