import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openDatabase } from '@pressroom/common/database/database';
import { compareMigrations, type MigrationFile, readMigrations } from '@pressroom/common/database/migrations';
import { Failure } from '@pressroom/common/failures/failure';
import { startLedgerEpochs } from '@pressroom/common/ledger/commands';
import type { Kysely } from 'kysely';
import type { BackupOptions } from './backup.ts';
import { anythingIn, countRows, missingRoles, serverMajor } from './database-contents.ts';
import { DUMP, type Manifest, readManifest } from './manifest.ts';
import { findTool, type PostgresTool, runTool } from './postgres-tools.ts';
import { readSealed } from './sealed-file.ts';

export interface Restored {
  manifest: Manifest;
  /** The new epochs of the ledgers, by schema. */
  epochs: ReadonlyMap<string, string>;
  /** Migrations of this build that the backup is older than; `pnpm migrate` applies them. */
  missing: readonly string[];
}

/**
 * Restores the backup in `directory` into the empty database of `url` and begins new epochs of the ledgers,
 * because cursors that clients have may be ahead of the backup. The record of migrations comes last: a
 * restore that is interrupted leaves a database that no service of any build takes for ready. Throws a {@link
 * Failure} if the backup is damaged, from a newer build, or not encrypted although there is a key, the server
 * is older than the backup's, or the database is not empty; it then changes nothing.
 */
export async function restore(
  url: string,
  directory: string,
  { key, signal }: BackupOptions = {},
): Promise<Restored> {
  const manifest = await readManifest(directory);
  refusePlain(manifest, key);
  const missing = missingMigrations(await readMigrations(), manifest);
  const db = openDatabase<unknown>({ DATABASE_URL: url }, 'pressroom restore');
  try {
    const tool = await usableTool(db, manifest);
    const load = async (chosen: (entry: string) => boolean) =>
      loadEntries(tool, chosen, { url, signal, dump: () => readSealed(join(directory, manifest.dump), key) });
    await load((entry) => !isRecordOfMigrations(entry));
    await compareCounts(db, manifest);
    const epochs = await startLedgerEpochs(db);
    await load(isRecordOfMigrations);
    return { manifest, epochs, missing };
  } finally {
    await db.destroy();
  }
}

/** A dump runs as the owner of the database, and whoever may write to the bucket could have put it there. */
function refusePlain({ dump }: Manifest, key: Buffer | undefined): void {
  if (key === undefined || dump !== DUMP) return;
  throw new Failure(
    'refused',
    'the backup is not encrypted, although BACKUP_KEY is set, so it may be of somebody else; unset BACKUP_KEY to restore one from before there was a key',
  );
}

/**
 * Throws a {@link Failure} if the backup has migrations that this build does not know, or knows otherwise.
 */
function missingMigrations(files: readonly MigrationFile[], { migrations }: Manifest): readonly string[] {
  const applied = new Map(Object.entries(migrations));
  const known = new Set(files.map(({ name }) => name));
  const { missing, changed } = compareMigrations(files, applied);
  const foreign = [...changed, ...[...applied.keys()].filter((name) => !known.has(name))];
  if (foreign.length === 0) return missing;
  throw new Failure(
    'refused',
    `the backup is of another build: it has ${foreign.join(', ')}, which this one does not have; restore it with the build that made it, or a later one`,
  );
}

async function usableTool(db: Kysely<unknown>, manifest: Manifest): Promise<PostgresTool> {
  const major = await serverMajor(db);
  if (major < manifest.postgres) {
    throw new Failure(
      'refused',
      `the backup is of PostgreSQL ${manifest.postgres}, and this server is ${major}; restore it on PostgreSQL ${manifest.postgres} or later`,
    );
  }
  const found = await anythingIn(db);
  if (found !== undefined)
    throw new Failure(
      'refused',
      `the database is not empty: it has ${found}; create an empty one for the restore`,
    );
  const roles = await missingRoles(db, manifest.roles);
  if (roles.length > 0)
    throw new Failure(
      'refused',
      `the server lacks roles that the backup grants rights to: ${roles.join(', ')}`,
    );
  return findTool('pg_restore', major);
}

/** A dump, and the database that it is loaded into. */
interface Loading {
  url: string;
  /** Reads the dump from its beginning. */
  dump: () => Promise<Readable>;
  signal: AbortSignal | undefined;
}

/** Restores the chosen entries of the dump, those or none. */
async function loadEntries(
  tool: PostgresTool,
  chosen: (entry: string) => boolean,
  { url, dump, signal }: Loading,
): Promise<void> {
  const entries = await runTool(tool, ['--list'], { input: await dump(), read: text, signal });
  const folder = await mkdtemp(join(tmpdir(), 'pressroom-restore-'));
  try {
    const list = join(folder, 'entries');
    await writeFile(list, entries.split('\n').filter(chosen).join('\n'));
    const whole = ['--single-transaction', '--exit-on-error', '--no-owner', `--use-list=${list}`];
    await runTool(tool, whole, { url, input: await dump(), read: text, signal });
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** True for an entry of the dump's list such as `4012; 0 16530 TABLE DATA pressroom migration_file owner`. */
function isRecordOfMigrations(entry: string): boolean {
  return / TABLE DATA pressroom /.test(entry);
}

/** Throws a {@link Failure} if a table does not have as many rows as the backup had. */
async function compareCounts(db: Kysely<unknown>, { rows }: Manifest): Promise<void> {
  const restored = await countRows(db);
  const differing = Object.entries(rows)
    .filter(([table, count]) => !table.startsWith('pressroom.') && restored[table] !== count)
    .map(([table, count]) => `${table} has ${restored[table] ?? 'no'} rows instead of ${count}`);
  if (differing.length > 0)
    throw new Failure('refused', `the restored database is incomplete: ${differing.join(', ')}`);
}
