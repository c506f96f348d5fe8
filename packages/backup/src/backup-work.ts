import type { Logger } from '@pressroom/common/log/logging';
import { backUp } from './backup.ts';
import type { BackupBucket } from './backup-bucket.ts';
import type { BackupFolder } from './backup-folder.ts';
import { nameAt } from './backup-name.ts';
import { type MediaBucket, writeMediaManifest } from './media-manifest.ts';
import { expired, isBackupDue, isVerificationDue, msUntilDue } from './schedule.ts';
import { verifyBackup } from './verification.ts';

/** The first and the longest pause after a failure, in ms; each is twice the one before. */
const RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 3_600_000;

/** What can fail. */
type Step = 'backup' | 'media' | 'copy' | 'verification';

/** What {@link BackupWork} works with. */
interface BackupParts {
  /** The database. */
  url: string;
  folder: BackupFolder;
  /** Where each backup is copied to. */
  bucket: BackupBucket | undefined;
  /** What a backup lists after the database, so that a list has every file that the database knows. */
  media: MediaBucket | undefined;
  key: Buffer | undefined;
  /** The hour in UTC at which a backup is due. */
  hour: number;
  keepDays: number;
  log: Pick<Logger, 'info' | 'error'>;
  clock: () => Date;
}

/**
 * Makes backups, copies them, restores them on trial and removes old ones. What is due it knows by the
 * folder alone, so it may be stopped at any time.
 */
export class BackupWork {
  readonly #parts: BackupParts;
  /** How often each step has failed since the process started. */
  readonly failures: Record<Step, number> = { backup: 0, media: 0, copy: 0, verification: 0 };
  #failedInARow = 0;

  constructor(parts: BackupParts) {
    this.#parts = parts;
  }

  /** Does what is due; returns in how many ms something is due again. For a `BackgroundLoop`. */
  async doDue(signal: AbortSignal): Promise<number> {
    const { clock, hour } = this.#parts;
    const done = (await this.#backUpIfDue(signal)) && (await this.#follow(signal));
    if (done) {
      this.#failedInARow = 0;
      return msUntilDue(clock(), hour);
    }
    this.#failedInARow += 1;
    return Math.min(RETRY_MS * 2 ** (this.#failedInARow - 1), LONGEST_RETRY_MS);
  }

  /** Makes a backup, copies it, and verifies it if that is due; returns whether nothing failed. */
  async doOnce(signal: AbortSignal): Promise<boolean> {
    return (await this.#backUp(signal)) && (await this.#follow(signal));
  }

  /** What comes after a backup: neither waits for the other to succeed. */
  async #follow(signal: AbortSignal): Promise<boolean> {
    const copied = await this.#copyMissing(signal);
    return (await this.#verifyIfDue(signal)) && copied;
  }

  async #backUpIfDue(signal: AbortSignal): Promise<boolean> {
    const { folder, clock, hour } = this.#parts;
    let due = true;
    const known = await this.#attempt('backup', signal, async () => {
      due = isBackupDue((await folder.list()).at(-1)?.madeAt, clock(), hour);
    });
    return known && (!due || this.#backUp(signal));
  }

  #backUp(signal: AbortSignal): Promise<boolean> {
    const { url, folder, media, key, log, clock } = this.#parts;
    return this.#attempt('backup', signal, async () => {
      const begun = clock();
      let rows: Record<string, number> = {};
      const { name, bytes } = await folder.add(nameAt(begun), async (directory) => {
        rows = (await backUp(url, directory, { key, signal })).rows;
        if (media !== undefined) {
          // Without its list it is still a backup.
          await this.#attempt('media', signal, () => writeMediaManifest(media, directory, key));
        }
      });
      const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
      log.info({ name, rows: total, bytes, ms: clock().getTime() - begun.getTime() }, 'backup_finished');
      await this.#removeExpired();
    });
  }

  /** Only after a new one is finished, so that the last good ones stay when none can be made. */
  async #removeExpired(): Promise<void> {
    const { folder, keepDays, log, clock } = this.#parts;
    for (const { name } of expired(await folder.list(), clock(), keepDays)) {
      await folder.remove(name);
      log.info({ name }, 'backup_removed');
    }
  }

  /** Copies what the bucket lacks and would keep, and removes what it does not keep any more. */
  async #copyMissing(signal: AbortSignal): Promise<boolean> {
    const { folder, bucket, keepDays, log, clock } = this.#parts;
    if (bucket === undefined) return true;
    return this.#attempt('copy', signal, async () => {
      const copies = await bucket.list();
      const copied = new Set(copies.map(({ name }) => name));
      const missing = (await folder.list()).filter(({ name }) => !copied.has(name));
      const gone = new Set(expired([...copies, ...missing], clock(), keepDays).map(({ name }) => name));
      for (const { name } of missing.filter((backup) => !gone.has(backup.name))) {
        await bucket.upload(name, folder.pathOf(name), signal);
        log.info({ name }, 'backup_copied');
      }
      for (const { name } of copies.filter((copy) => gone.has(copy.name))) {
        await bucket.remove(name);
        log.info({ name }, 'backup_copy_removed');
      }
    });
  }

  #verifyIfDue(signal: AbortSignal): Promise<boolean> {
    const { url, folder, key, log, clock } = this.#parts;
    return this.#attempt('verification', signal, async () => {
      const kept = await folder.list();
      const newest = kept.at(-1);
      if (newest === undefined || !isVerificationDue(lastVerified(kept), clock())) return;
      const begun = clock();
      await verifyBackup(url, folder.pathOf(newest.name), { key, signal });
      await folder.noteVerified(newest.name, clock());
      log.info({ name: newest.name, ms: clock().getTime() - begun.getTime() }, 'backup_verified');
    });
  }

  async #attempt(step: Step, signal: AbortSignal, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      // What is broken off is due again at the next start.
      if (signal.aborted) return false;
      this.failures[step] += 1;
      this.#parts.log.error({ err: error }, `${step}_failed`);
      return false;
    }
  }
}

/** When a backup was last restored on trial. */
export function lastVerified(kept: readonly { verifiedAt: Date | undefined }[]): Date | undefined {
  return kept
    .flatMap(({ verifiedAt }) => verifiedAt ?? [])
    .toSorted((one, other) => one.getTime() - other.getTime())
    .at(-1);
}
