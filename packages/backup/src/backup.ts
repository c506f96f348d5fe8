import { mkdir, readdir } from 'node:fs/promises';
import { openDatabase } from '@pressroom/common/database/database';
import { appliedMigrations } from '@pressroom/common/database/migrations';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import { countRows, grantedRoles, serverMajor } from './database-contents.ts';
import { DUMP, type Manifest, writeManifest } from './manifest.ts';
import { findTool, runTool } from './postgres-tools.ts';
import { writeSealed } from './sealed-file.ts';

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
