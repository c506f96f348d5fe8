import { mkdir, readdir } from 'node:fs/promises';
import { openDatabase } from '@pressroom/common/database/database';
import { backoffSeconds } from '@pressroom/common/database/leases';
import { appliedMigrations } from '@pressroom/common/database/migrations';
import { Failure } from '@pressroom/common/failures/failure';
import type { Logger } from '@pressroom/common/log/logging';
import type { Meter } from '@pressroom/common/metrics/meter';
import { type Kysely, sql } from 'kysely';
import {
  type BackupFolder,
  DUMP,
  type KeptBackup,
  type Manifest,
  type MediaBucket,
  nameAt,
  writeManifest,
  writeMediaManifest,
} from './backup-folder.ts';
import { writeSealed } from './encryption.ts';
import { findTool, runTool } from './postgres-tools.ts';
import { writeReport } from './report.ts';
import { countRows, grantedRoles, serverMajor, verifyBackup } from './restore.ts';
import {
  aDayAfter,
  dueAfter,
  expired,
  isBackupDue,
  isRecent,
  isVerificationDue,
  lastVerified,
  madeUntil,
  msUntilDue,
} from './schedule.ts';
import type { BackupBucket } from './stores.ts';

export interface BackupOptions {
  key?: Buffer | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Writes the database of `url` into `directory`, which must be empty or not exist: a dump, and a manifest of
 * the same moment. Services go on working. Throws a {@link Failure} if that cannot be done; a folder without
 * a manifest then holds an unfinished backup.
 */
export async function backUp(
  url: string,
  directory: string,
  { key, signal }: BackupOptions = {},
): Promise<Manifest> {
  const db = openDatabase<unknown>({ DATABASE_URL: url }, 'pressroom backup');
  try {
    const tool = await findTool('pg_dump', await serverMajor(db));
    await makeEmpty(directory);
    return await db
      .transaction()
      .setIsolationLevel('repeatable read')
      .execute(async (tx) => {
        const described = await describe(tx);
        const args = ['--format=custom', `--snapshot=${await exportSnapshot(tx)}`];
        const { file, sha256 } = await runTool(tool, args, {
          ...{ url, signal },
          read: (stdout) => writeSealed(stdout, { directory, name: DUMP, key }),
        });
        const manifest = { ...described, dump: file, sha256 };
        await writeManifest(directory, manifest);
        return manifest;
      });
  } finally {
    await db.destroy();
  }
}

async function describe(db: Kysely<unknown>): Promise<Omit<Manifest, 'dump' | 'sha256'>> {
  const migrations = await appliedMigrations(db);
  if (migrations.size === 0) {
    throw new Failure(
      'refused',
      'the database has no record of migrations: nothing has been migrated, or a restore was interrupted; run `pnpm migrate`, or drop the database and restore again',
    );
  }
  return {
    format: 1,
    createdAt: new Date().toISOString(),
    postgres: await serverMajor(db),
    roles: await grantedRoles(db),
    migrations: Object.fromEntries(migrations),
    rows: await countRows(db),
  };
}

/** Lets `pg_dump` see exactly what this transaction sees. */
async function exportSnapshot(tx: Kysely<unknown>): Promise<string> {
  const { rows } = await sql<{ id: string }>`select pg_export_snapshot() as id`.execute(tx);
  return rows[0]?.id ?? '';
}

async function makeEmpty(directory: string): Promise<void> {
  // The dump contains password hashes and encrypted keys.
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const files = await readdir(directory);
  if (files.length > 0)
    throw new Failure('refused', `${directory} is not empty; give each backup its own folder`);
}

const BACKOFF = { firstSeconds: 60, mostSeconds: 3600 };

type Step = 'backup' | 'media' | 'copy' | 'verification';

interface BackupParts {
  url: string;
  folder: BackupFolder;
  bucket: BackupBucket | undefined;
  /** Listed after the database, so that a list has every file that the database knows. */
  media: MediaBucket | undefined;
  key: Buffer | undefined;
  /** The hour in UTC at which a backup is due. */
  hour: number;
  keepDays: number;
  log: Pick<Logger, 'info' | 'error'>;
  clock: () => Date;
}

/**
 * Makes backups, copies them, test-restores them and removes old ones. The folder alone tells it what is due,
 * so it may be stopped at any time.
 */
export class BackupWork {
  readonly #parts: BackupParts;
  /** Failures of each step since the process started. */
  readonly failures: Record<Step, number> = { backup: 0, media: 0, copy: 0, verification: 0 };
  #failedInARow = 0;
  /** The steps that have failed in this turn. */
  readonly #failed = new Set<Step>();

  constructor(parts: BackupParts) {
    this.#parts = parts;
  }

  /** Does what is due; returns in how many ms something is due again. For a `BackgroundLoop`. */
  async doDue(signal: AbortSignal): Promise<number> {
    const { clock, hour } = this.#parts;
    const backedUp = await this.#backUpIfDue(signal);
    const listed = await this.#listMediaIfMissing(signal);
    const copied = await this.#copyMissing(signal);
    await this.#verifyIfDue(signal);
    await this.#report(signal, (newest) => dueAfter(newest, hour));
    if (backedUp && listed && copied) {
      this.#failedInARow = 0;
      return msUntilDue(clock(), hour);
    }
    this.#failedInARow += 1;
    return backoffSeconds(BACKOFF, this.#failedInARow) * 1000;
  }

  /** Makes a backup, copies it, and verifies it if that is due; returns whether nothing failed. */
  async doNow(signal: AbortSignal): Promise<boolean> {
    const { hour } = this.#parts;
    return this.#follow(await this.#backUp(signal), signal, (newest) => dueAfter(newest, hour));
  }

  /** Like {@link doNow}, but a try again does not make another backup because a later step has failed. */
  async doOnce(signal: AbortSignal): Promise<boolean> {
    const { clock } = this.#parts;
    const done = await this.#backUpIf((newest) => !isRecent(newest, clock()), signal);
    // Somebody else's schedule has its own hour.
    return this.#follow(done, signal, aDayAfter);
  }

  /** Runs the steps after a backup: no step waits for another to succeed. */
  async #follow(backedUp: boolean, signal: AbortSignal, nextAfter: (newest: Date) => Date): Promise<boolean> {
    const listed = await this.#listMediaIfMissing(signal);
    const copied = await this.#copyMissing(signal);
    const verified = await this.#verifyIfDue(signal);
    await this.#report(signal, nextAfter);
    return verified && copied && listed && backedUp;
  }

  /** Not a step: backups are made for a desk that cannot be told of them, too. */
  async #report(signal: AbortSignal, nextAfter: (newest: Date) => Date): Promise<void> {
    const { url, folder, log, clock } = this.#parts;
    const failed = [...this.#failed];
    this.#failed.clear();
    if (signal.aborted) return;
    const at = clock();
    try {
      const kept = await this.#kept().catch(() => []);
      const newest = kept.at(-1)?.madeAt;
      await writeReport(url, {
        ...{ at, kept, failed, directory: folder.pathOf('.') },
        verifiedAt: lastVerified(kept, at),
        dueAt: newest && nextAfter(newest),
      });
    } catch (error) {
      // A database that is away has failed a step already.
      if (failed.length === 0) log.error({ err: error }, 'report_failed');
    }
  }

  #backUpIfDue(signal: AbortSignal): Promise<boolean> {
    const { clock, hour } = this.#parts;
    return this.#backUpIf((newest) => isBackupDue(newest, clock(), hour), signal);
  }

  async #backUpIf(isDue: (newest: Date | undefined) => boolean, signal: AbortSignal): Promise<boolean> {
    let due = true;
    const known = await this.#attempt('backup', signal, async () => {
      due = isDue((await this.#kept()).at(-1)?.madeAt);
    });
    return known && (!due || this.#backUp(signal));
  }

  async #kept(): Promise<KeptBackup[]> {
    const { folder, clock } = this.#parts;
    return madeUntil(await folder.list(), clock());
  }

  /** Throws a {@link Failure} if the setting of the key was lost since the newest backup. */
  async #refuseLostKey(): Promise<void> {
    const { folder, key } = this.#parts;
    const newest = (await this.#kept()).at(-1);
    if (key !== undefined || !newest?.encrypted) return;
    throw new Failure(
      'refused',
      `BACKUP_KEY is not set, and the newest backup (${folder.pathOf(newest.name)}) is encrypted: set the key again, or, to go on without one, move the encrypted backups to another folder`,
    );
  }

  #backUp(signal: AbortSignal): Promise<boolean> {
    const { url, folder, key, log, clock } = this.#parts;
    return this.#attempt('backup', signal, async () => {
      await this.#refuseLostKey();
      const begun = clock();
      let rows: Record<string, number> = {};
      const { name, bytes } = await folder.add(nameAt(begun), async (directory) => {
        rows = (await backUp(url, directory, { key, signal })).rows;
      });
      const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
      const ms = clock().getTime() - begun.getTime();
      log.info({ name, rows: total, bytes, encrypted: key !== undefined, ms }, 'backup_finished');
      await this.#removeExpired();
    });
  }

  /** A backup without its list is still one, so that the list may come later, but on the same day. */
  async #listMediaIfMissing(signal: AbortSignal): Promise<boolean> {
    const { folder, media, key, log, clock } = this.#parts;
    if (media === undefined) return true;
    return this.#attempt('media', signal, async () => {
      const newest = (await this.#kept()).at(-1);
      if (newest === undefined || newest.listsMedia || !isRecent(newest.madeAt, clock())) return;
      await this.#refuseLostKey();
      const { name } = newest;
      await folder.complete(name, (directory) => writeMediaManifest(media, directory, { key, signal }));
      log.info({ name }, 'media_listed');
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

  /**
   * Copies what the bucket lacks and would keep, the newest first, each whatever becomes of the others, and
   * removes what it does not keep any more.
   */
  async #copyMissing(signal: AbortSignal): Promise<boolean> {
    const { folder, bucket, keepDays, log, clock } = this.#parts;
    if (bucket === undefined) return true;
    let copied = true;
    const done = await this.#attempt('copy', signal, async () => {
      await this.#refuseForeignBucket(bucket);
      const copies = new Map((await bucket.list()).map((copy) => [copy.name, copy]));
      const kept = await folder.list();
      const all = [...copies.values(), ...kept.filter(({ name }) => !copies.has(name))];
      const gone = new Set(expired(all, clock(), keepDays).map(({ name }) => name));
      const lacking = kept.filter((backup) => {
        const copy = copies.get(backup.name);
        return !gone.has(backup.name) && (copy === undefined || (backup.listsMedia && !copy.listsMedia));
      });
      for (const { name } of lacking.toReversed()) {
        const success = await this.#attempt('copy', signal, async () => {
          await bucket.upload(name, folder.pathOf(name), signal);
          log.info({ name }, 'backup_copied');
        });
        copied &&= success;
      }
      signal.throwIfAborted();
      for (const name of [...copies.keys()].filter((copy) => gone.has(copy))) {
        await bucket.remove(name);
        log.info({ name }, 'backup_copy_removed');
      }
    });
    return done && copied;
  }

  /** Throws a {@link Failure} if the bucket is another deployment's, which would lose its backups. */
  async #refuseForeignBucket(bucket: BackupBucket): Promise<void> {
    const { folder } = this.#parts;
    const id = await folder.deploymentId();
    const owner = await bucket.claim(id);
    if (owner === id) return;
    throw new Failure(
      'refused',
      `the bucket of BACKUP_BUCKET has the backups of another deployment: name another bucket, or, if this deployment takes the place of that one, write ${owner} into ${folder.deploymentFile}`,
    );
  }

  /** A backup that failed is not tried again, because that restores the whole database; the next one is. */
  async #verifyIfDue(signal: AbortSignal): Promise<boolean> {
    const { url, folder, key, log, clock } = this.#parts;
    let failedBefore = false;
    const done = await this.#attempt('verification', signal, async () => {
      const kept = await this.#kept();
      const newest = kept.at(-1);
      const begun = clock();
      if (newest === undefined || !isVerificationDue(lastVerified(kept, begun), begun)) return;
      const { name, verificationFailed } = newest;
      failedBefore = verificationFailed;
      if (failedBefore) {
        this.#failed.add('verification');
        return log.error({ name }, 'verification_failed_before');
      }
      try {
        await verifyBackup(url, folder.pathOf(name), { key, signal });
      } catch (error) {
        if (!signal.aborted) await folder.noteVerification(name, clock(), false);
        throw error;
      }
      await folder.noteVerification(name, clock(), true);
      log.info({ name, ms: clock().getTime() - begun.getTime() }, 'backup_verified');
    });
    return done && !failedBefore;
  }

  async #attempt(step: Step, signal: AbortSignal, work: () => Promise<void>): Promise<boolean> {
    try {
      signal.throwIfAborted();
      await work();
      return true;
    } catch (error) {
      // An interrupted step is due again at the next start.
      if (signal.aborted) return false;
      this.failures[step] += 1;
      this.#failed.add(step);
      this.#parts.log.error({ err: error }, `${step}_failed`);
      return false;
    }
  }
}

/** Metrics of the backup service: of the folder, whoever wrote it, and of its own failures. */
export function backupMeters(folder: BackupFolder, { failures }: Pick<BackupWork, 'failures'>): Meter[] {
  const gauge = (name: string, help: string, value: (kept: KeptBackup[]) => number): Meter => ({
    ...{ name, help, kind: 'gauge' },
    read: async () => [{ value: value(madeUntil(await folder.list(), new Date())) }],
  });
  return [
    gauge('backup_last_success_timestamp_seconds', 'When the newest backup was made; 0 without one', (kept) =>
      seconds(kept.at(-1)?.madeAt),
    ),
    gauge(
      'backup_last_verification_timestamp_seconds',
      'When a backup was last test-restored; 0 if none was',
      (kept) => seconds(lastVerified(kept, new Date())),
    ),
    gauge('backup_last_size_bytes', 'The size of the newest backup', (kept) => kept.at(-1)?.bytes ?? 0),
    gauge('backups_kept', 'The number of backups', (kept) => kept.length),
    {
      name: 'backup_failures_total',
      help: 'Failures, by step; the step is tried again',
      kind: 'counter',
      labels: ['step'],
      read: () => Object.entries(failures).map(([step, value]) => ({ labels: { step }, value })),
    },
  ];
}

function seconds(time: Date | undefined): number {
  return (time?.getTime() ?? 0) / 1000;
}
