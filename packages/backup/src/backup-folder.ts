import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { Failure } from '@pressroom/common/failures/failure';
import { z } from 'zod';
import { checksumOf, readSealed, writeSealed } from './encryption.ts';

/** Begins the names of what is being made or removed. */
const UNFINISHED = '.unfinished-';

/** An interrupted backup is removed if nothing was written to it for this long, in ms. */
const ABANDONED_MS = 3_600_000;

/** In a backup that was test-restored: when. */
const VERIFIED = 'verified.json';

/** In a backup that could not be test-restored: when that was tried. */
const NOT_VERIFIED = 'not-verified.json';

/** Notes that this folder keeps beside a backup, not as part of it. */
export const NOTES: readonly string[] = [VERIFIED, NOT_VERIFIED];

const DEPLOYMENT = 'deployment-id';

/** A finished backup in a {@link BackupFolder}. */
export interface KeptBackup {
  name: string;
  madeAt: Date;
  /** When it was last test-restored. */
  verifiedAt: Date | undefined;
  /** True if it could not be test-restored. */
  verificationFailed: boolean;
  listsMedia: boolean;
  bytes: number;
  encrypted: boolean;
}

/** The folder of all backups, each in a separate folder, which appears under its name when it is complete. */
export class BackupFolder {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  pathOf(name: string): string {
    return join(this.#directory, name);
  }

  /** The finished backups, the newest last. */
  async list(): Promise<KeptBackup[]> {
    const names = (await readdir(this.#directory)).sort();
    const backups = await Promise.all(names.map((name) => this.#describe(name)));
    return backups.filter((backup) => backup !== undefined);
  }

  /**
   * Has `write` make a backup in a folder, and gives that its name; if it fails, nothing is left of it.
   * Throws a {@link Failure} if the name is none of a backup.
   */
  async add(name: string, write: (directory: string) => Promise<void>): Promise<KeptBackup> {
    if (madeAt(name) === undefined) {
      throw new Failure('refused', `${name} is not the name of a backup, such as 2026-11-25T03-00-00Z`);
    }
    await this.#removeAbandoned();
    const unfinished = this.pathOf(`${UNFINISHED}${name}`);
    // Another process at work in the same second keeps its folder.
    await mkdir(unfinished, { mode: 0o700 });
    try {
      await write(unfinished);
      await syncFolder(unfinished);
      await rename(unfinished, this.pathOf(name));
    } catch (error) {
      await rm(unfinished, { recursive: true, force: true });
      throw error;
    }
    await syncFolder(this.#directory);
    const added = await this.#describe(name);
    if (added === undefined) throw new Error(`${this.pathOf(name)} has disappeared`);
    return added;
  }

  /** Has `write` make further files of a backup, which appear in it once all of them are complete. */
  async complete(name: string, write: (directory: string) => Promise<void>): Promise<void> {
    const unfinished = await mkdtemp(this.pathOf(`${UNFINISHED}${name}-`));
    try {
      await write(unfinished);
      for (const file of await readdir(unfinished)) {
        await rename(join(unfinished, file), join(this.pathOf(name), file));
      }
      await syncFolder(this.pathOf(name));
    } finally {
      await rm(unfinished, { recursive: true, force: true });
    }
  }

  /** Notes whether a backup could be test-restored. */
  async noteVerification(name: string, now: Date, success: boolean): Promise<void> {
    const file = success ? VERIFIED : NOT_VERIFIED;
    await writeFile(join(this.pathOf(name), file), `${JSON.stringify({ at: now.toISOString() })}\n`);
  }

  /** Path of the file with {@link deploymentId}. */
  get deploymentFile(): string {
    return this.pathOf(DEPLOYMENT);
  }

  /** Tells the backups of this folder from those of other deployments. */
  async deploymentId(): Promise<string> {
    if (!(await readdir(this.#directory)).includes(DEPLOYMENT)) {
      await writeFile(this.deploymentFile, `${randomUUID()}\n`, { flag: 'wx', flush: true });
    }
    return (await readFile(this.deploymentFile, 'utf8')).trim();
  }

  /** Removes a backup, which from then on is not listed, even if that is interrupted. */
  async remove(name: string): Promise<void> {
    const unfinished = this.pathOf(`${UNFINISHED}${name}`);
    await rename(this.pathOf(name), unfinished);
    await rm(unfinished, { recursive: true });
  }

  async #describe(name: string): Promise<KeptBackup | undefined> {
    const time = madeAt(name);
    if (time === undefined) return undefined;
    const directory = this.pathOf(name);
    const files: string[] = await readdir(directory).catch(() => []);
    if (!files.includes(MANIFEST)) return undefined;
    const sizes = await Promise.all(files.map(async (file) => (await stat(join(directory, file))).size));
    return {
      name,
      madeAt: time,
      verifiedAt: await this.#verifiedAt(directory),
      verificationFailed: files.includes(NOT_VERIFIED),
      listsMedia: listsMedia(files),
      bytes: sizes.reduce((sum, size) => sum + size, 0),
      encrypted: files.includes(`${DUMP}.age`),
    };
  }

  async #verifiedAt(directory: string): Promise<Date | undefined> {
    try {
      const at = Date.parse(JSON.parse(await readFile(join(directory, VERIFIED), 'utf8')).at);
      return Number.isNaN(at) ? undefined : new Date(at);
    } catch {
      return undefined;
    }
  }

  /** Removes backups of killed processes; another process may be at work beside this one. */
  async #removeAbandoned(): Promise<void> {
    const unfinished = (await readdir(this.#directory)).filter((name) => name.startsWith(UNFINISHED));
    for (const name of unfinished) {
      const directory = this.pathOf(name);
      const files = await readdir(directory).catch(() => []);
      const times = await Promise.all(
        ['.', ...files].map(async (file) => (await stat(join(directory, file))).mtimeMs),
      ).catch(() => [Date.now()]);
      if (Date.now() - Math.max(...times) > ABANDONED_MS) {
        await rm(directory, { recursive: true, force: true });
      }
    }
  }
}

/** True if the files of a backup include a list of media. */
export function listsMedia(files: readonly string[]): boolean {
  return files.some((file) => file === MEDIA || file === `${MEDIA}.age`);
}

/** So that the names in a folder, too, survive a loss of power. */
async function syncFolder(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** The name of a backup: when it was made, in UTC. */
const NAME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z$/;

/** The name of a backup that is made `now`. */
export function nameAt(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z`;
}

/** When the backup of a name was made; undefined if it is not the name of a backup. */
export function madeAt(name: string): Date | undefined {
  if (!NAME.test(name)) return undefined;
  const time = new Date(name.replace(NAME, '$1T$2:$3:$4Z'));
  // There is no 30 February, nor a 99th of a month.
  return !Number.isNaN(time.getTime()) && nameAt(time) === name ? time : undefined;
}

/** The dump in a backup's folder, in the custom format of `pg_dump`. */
export const DUMP = 'database.dump';

/**
 * The manifest of a backup. It is written after the dump, so a folder without it holds an unfinished backup.
 */
export const MANIFEST = 'backup.json';

const manifest = z.object({
  /** The layout of this file; a build refuses those that it does not know. */
  format: z.literal(1, 'the backup was made by a newer build'),
  createdAt: z.iso.datetime(),
  /** The major version of the server that was dumped. */
  postgres: z.number().int(),
  /** Roles that are granted something; they belong to the server and are not in the dump. */
  roles: z.array(z.string()),
  /** Checksums of the applied migrations, by name. */
  migrations: z.record(z.string(), z.string()),
  /** The number of rows of each table, by `schema.table`. */
  rows: z.record(z.string(), z.number().int()),
  /** The file of the dump. */
  dump: z.enum([DUMP, `${DUMP}.age`]).default(DUMP),
  /** SHA-256 of that file, in hexadecimal digits. */
  sha256: z.string(),
});

export type Manifest = z.infer<typeof manifest>;

/** Writes the manifest of the backup in `directory`; when this resolves, it has reached the disk. */
export async function writeManifest(directory: string, value: Manifest): Promise<void> {
  const file = await open(join(directory, MANIFEST), 'wx');
  try {
    await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Reads the manifest of the backup in `directory` and compares the dump with its checksum. Throws a
 * {@link Failure} if there is no finished backup, or it is not what was written.
 */
export async function readManifest(directory: string): Promise<Manifest> {
  const value = parse(directory, await textOf(directory));
  const file = join(directory, value.dump);
  const sha256 = await checksumOf(file).catch(() => undefined);
  if (sha256 === value.sha256) return value;
  throw new Failure('refused', `${file} is missing or damaged: its checksum differs`);
}

async function textOf(directory: string): Promise<string> {
  try {
    return await readFile(join(directory, MANIFEST), 'utf8');
  } catch {
    throw new Failure('refused', `${directory} does not contain a finished backup: there is no ${MANIFEST}`);
  }
}

function parse(directory: string, text: string): Manifest {
  try {
    return manifest.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? error.issues.map(({ message }) => message).join('; ') : '';
    throw new Failure('refused', `${join(directory, MANIFEST)} cannot be read${reason && `: ${reason}`}`);
  }
}

/** The media of the gallery's bucket in a backup's folder, as JSON, a line each. */
export const MEDIA = 'media.jsonl';

/** Prefixes for what the gallery can make again, and for deleted files. */
const LEFT_OUT = ['.pressroom-renditions/', '.pressroom-trash/'];

interface MediaObject {
  key: string;
  etag: string;
  bytes: number;
}

export interface MediaBucket {
  s3: S3Client;
  name: string;
}

/** Objects that a copy of the media lacks, or has otherwise, by key. */
interface MediaDifferences {
  same: number;
  missing: string[];
  different: string[];
}

async function* objectsOf({ s3, name }: MediaBucket): AsyncGenerator<MediaObject> {
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket: name })) {
    for (const { Key: key = '', ETag: etag = '', Size: bytes = 0 } of Contents) {
      if (!LEFT_OUT.some((prefix) => key.startsWith(prefix))) yield { key, etag, bytes };
    }
  }
}

/** Writes what the bucket has into a folder. */
export async function writeMediaManifest(
  bucket: MediaBucket,
  directory: string,
  { key, signal }: { key: Buffer | undefined; signal: AbortSignal },
): Promise<void> {
  async function* lines() {
    for await (const object of objectsOf(bucket)) {
      signal.throwIfAborted();
      yield Buffer.from(`${JSON.stringify(object)}\n`);
    }
  }
  await writeSealed(Readable.from(lines()), { directory, name: MEDIA, key });
}

/**
 * Compares a bucket with the media that a backup names. ETags are compared where they are hashes of the
 * content, which those of objects uploaded in parts are not. Throws a {@link Failure} if the backup names
 * none.
 */
export async function compareMedia(
  directory: string,
  copy: MediaBucket,
  key: Buffer | undefined,
): Promise<MediaDifferences> {
  const file = (await readdir(directory)).find((name) => name.startsWith(MEDIA));
  if (file === undefined) throw new Failure('refused', `${directory} has no list of media (${MEDIA})`);
  const copied = new Map<string, MediaObject>();
  for await (const object of objectsOf(copy)) copied.set(object.key, object);
  const differences: MediaDifferences = { same: 0, missing: [], different: [] };
  const lines = createInterface({ input: await readSealed(join(directory, file), key) });
  for await (const line of lines) {
    const object: MediaObject = JSON.parse(line);
    const other = copied.get(object.key);
    if (other === undefined) differences.missing.push(object.key);
    else if (isSame(object, other)) differences.same += 1;
    else differences.different.push(object.key);
  }
  return differences;
}

function isSame(one: MediaObject, other: MediaObject): boolean {
  const comparable = ![one.etag, other.etag].some((etag) => etag.includes('-'));
  return one.bytes === other.bytes && (!comparable || one.etag === other.etag);
}
