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
import { readConfig, secret, setting } from '@pressroom/common/start/config';
import { z } from 'zod';
import type { Picture } from './picture-fetcher.ts';

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
    this.#s3 = new S3Client({
      endpoint: config.S3_ENDPOINT,
      region: config.S3_REGION,
      forcePathStyle: config.S3_FORCE_PATH_STYLE === 'true',
      credentials: { accessKeyId: config.S3_ACCESS_KEY_ID, secretAccessKey: config.S3_SECRET_ACCESS_KEY },
    });
    this.#bucket = config.S3_BUCKET;
    this.#base = `${base.replace(/\/+$/, '')}/`;
  }

  /** The public address of a key. */
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

  /** Whether the bucket has a key. */
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
