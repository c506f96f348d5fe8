import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@pressroom/common/failures/failure';
import { madeAt } from './backup-name.ts';
import { DUMP, MANIFEST } from './manifest.ts';
import { MEDIA } from './media-manifest.ts';

/** Begins the names of what is being made or removed. */
const UNFINISHED = '.unfinished-';

/** How long nothing is written to what was interrupted before it is removed, in ms. */
const ABANDONED_MS = 3_600_000;

/** In a backup that was test-restored: when. */
const VERIFIED = 'verified.json';

/** In a backup that could not be test-restored: when that was tried. */
const NOT_VERIFIED = 'not-verified.json';

/** What this folder notes of a backup, which is not part of it. */
export const NOTES: readonly string[] = [VERIFIED, NOT_VERIFIED];

const DEPLOYMENT = 'deployment-id';

/** A finished backup in a {@link BackupFolder}. */
export interface KeptBackup {
  name: string;
  madeAt: Date;
  /** When it was last test-restored. */
  verifiedAt: Date | undefined;
  /** Whether it could not be test-restored. */
  verificationFailed: boolean;
  listsMedia: boolean;
  bytes: number;
  encrypted: boolean;
}

/**
 * The folder of all backups, each in a separate folder, which appears under its name when it is complete.
 */
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

  /** Where {@link deploymentId} is. */
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

  /** Of a process that was killed; another one may be at work beside this one. */
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

/** Whether there is a list of media among the files of a backup. */
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
