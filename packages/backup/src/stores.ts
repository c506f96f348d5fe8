import { createReadStream, createWriteStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { Failure } from '@pressroom/common/failures/failure';
import type { BackupConfig } from '@pressroom/common/start/backup-settings';
import { ensureHome } from '@pressroom/common/start/home';
import { refuseOtherServers } from '@pressroom/common/stores/store-answers';
import {
  DUMP,
  listsMedia,
  MANIFEST,
  MEDIA,
  type MediaBucket,
  madeAt,
  NOTES,
  readManifest,
} from './backup-folder.ts';

/** Timeouts of a connection, and then of the answer to a part of 5 MiB or more, in ms. */
const TIMEOUTS = { connectionTimeout: 5000, requestTimeout: 300_000, throwOnRequestTimeout: true };

/** A store, and the keys to it; without keys, those that the machine or the cluster gives. */
interface Store {
  endpoint: string | undefined;
  region: string;
  accessKeyId: string | undefined;
  secretAccessKey: string | undefined;
  forcePathStyle: boolean;
}

export function openBackupStore(config: BackupConfig): S3Client {
  return open({
    endpoint: config.BACKUP_S3_ENDPOINT,
    region: config.BACKUP_S3_REGION,
    accessKeyId: config.BACKUP_S3_ACCESS_KEY_ID,
    secretAccessKey: config.BACKUP_S3_SECRET_ACCESS_KEY,
    forcePathStyle: config.BACKUP_S3_FORCE_PATH_STYLE,
  });
}

/** The bucket of the backups, if the settings name one. */
export function openBackupBucket(config: BackupConfig): BackupBucket | undefined {
  const { BACKUP_BUCKET: name } = config;
  return name === undefined ? undefined : new BackupBucket(openBackupStore(config), name);
}

/** The gallery's bucket, if the settings name one. */
export function openMediaBucket(config: BackupConfig): MediaBucket | undefined {
  if (config.S3_BUCKET === undefined) return undefined;
  const s3 = open({
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
  });
  return { s3, name: config.S3_BUCKET };
}

function open({ endpoint, region, accessKeyId, secretAccessKey, forcePathStyle }: Store): S3Client {
  ensureHome();
  const s3 = new S3Client({
    ...{ region, forcePathStyle, requestHandler: TIMEOUTS },
    ...(endpoint !== undefined && { endpoint }),
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey } }),
    // Other stores than AWS's refuse checksums that they do not know.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
  refuseOtherServers(s3);
  return s3;
}

/** The files of a backup, and no other ones are downloaded: whoever may write to the bucket chooses names. */
const FILES = [MANIFEST, ...[DUMP, MEDIA].flatMap((name) => [name, `${name}.age`])];

/** The object that says whose bucket it is. */
const OWNER = 'deployment-id';

interface BackupCopy {
  name: string;
  madeAt: Date;
  listsMedia: boolean;
}

/** The bucket with copies of the backups, the files of each below its name. */
export class BackupBucket {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  /** The finished copies, which have a manifest: it comes last. */
  async list(): Promise<BackupCopy[]> {
    const copies = Map.groupBy(await this.#keys(''), (key) => key.split('/', 1)[0] ?? '');
    return [...copies].flatMap(([name, keys]) => {
      const files = keys.map((key) => key.slice(name.length + 1));
      const time = madeAt(name);
      if (time === undefined || !files.includes(MANIFEST)) return [];
      return [{ name, madeAt: time, listsMedia: listsMedia(files) }];
    });
  }

  /** The deployment that the bucket belongs to: `id`, if it has been nobody's. */
  async claim(id: string): Promise<string> {
    const object = { Bucket: this.#bucket, Key: OWNER };
    if ((await this.#keys(OWNER)).length === 0) {
      await this.#s3.send(new PutObjectCommand({ ...object, Body: id }));
    }
    const { Body } = await this.#s3.send(new GetObjectCommand(object));
    return (await Body?.transformToString()) ?? '';
  }

  /** Copies a backup from its folder, large files in parts; of a finished copy what it lacks. */
  async upload(name: string, directory: string, signal: AbortSignal): Promise<void> {
    const keys = await this.#keys(`${name}/`);
    const there = keys.includes(`${name}/${MANIFEST}`) ? keys : [];
    const files = (await readdir(directory)).filter((file) => file !== MANIFEST && !NOTES.includes(file));
    for (const file of [...files, MANIFEST].filter((one) => !there.includes(`${name}/${one}`))) {
      signal.throwIfAborted();
      const Body = createReadStream(join(directory, file));
      const params = { Bucket: this.#bucket, Key: `${name}/${file}`, Body };
      const upload = new Upload({ client: this.#s3, params });
      const abort = () => void upload.abort();
      signal.addEventListener('abort', abort);
      await upload.done().finally(() => signal.removeEventListener('abort', abort));
    }
  }

  /** Reads a backup into a folder. Throws a {@link Failure} if there is no such one, or it is damaged. */
  async download(name: string, directory: string): Promise<void> {
    const keys = await this.#keys(`${name}/`);
    if (!keys.includes(`${name}/${MANIFEST}`)) {
      throw new Failure('missing', `the bucket ${this.#bucket} has no finished backup ${name}`);
    }
    for (const file of FILES.filter((one) => keys.includes(`${name}/${one}`))) {
      const Key = `${name}/${file}`;
      const { Body } = await this.#s3.send(new GetObjectCommand({ Bucket: this.#bucket, Key }));
      const path = join(directory, file);
      await pipeline(Body as Readable, createWriteStream(path, { flags: 'wx', flush: true }));
    }
    await readManifest(directory);
  }

  /** Removes a copy, the manifest first: what is left of it is not listed. */
  async remove(name: string): Promise<void> {
    const keys = await this.#keys(`${name}/`);
    for (const Key of new Set([`${name}/${MANIFEST}`, ...keys])) {
      await this.#s3.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key }));
    }
  }

  async #keys(Prefix: string): Promise<string[]> {
    const keys: string[] = [];
    const pages = paginateListObjectsV2({ client: this.#s3 }, { Bucket: this.#bucket, Prefix });
    for await (const { Contents = [] } of pages) keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
    return keys;
  }
}
