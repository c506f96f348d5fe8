import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openDatabase } from '@pressroom/common/database/database';
import { compareMigrations, type MigrationFile, readMigrations } from '@pressroom/common/database/migrations';
import { Failure } from '@pressroom/common/failures/failure';
import { startLedgerEpochs } from '@pressroom/common/ledger/commands';
import { type Kysely, sql } from 'kysely';
import type { BackupOptions } from './backup.ts';
import { DUMP, type Manifest, readManifest } from './backup-folder.ts';
import { readSealed } from './encryption.ts';
import { findTool, type PostgresTool, runTool } from './postgres-tools.ts';

interface Restored {
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

/**
 * Restores the backup in `directory` into a separate database on the server of `url`, which compares the
 * number of rows of every table with the backup's, and drops that database. Throws a `Failure` if the backup
 * cannot be restored, or the database's error if the user of `url` may not create databases.
 */
export async function verifyBackup(url: string, directory: string, options: BackupOptions): Promise<void> {
  const scratch = new URL(url);
  const name = `${decodeURIComponent(scratch.pathname.slice(1))}_backup_verification`;
  scratch.pathname = encodeURIComponent(name);
  const db = openDatabase<unknown>({ DATABASE_URL: url }, 'pressroom backup');
  try {
    // Left by a killed process. The database of another process at work cannot be dropped, and fails this.
    await sql`drop database if exists ${sql.id(name)}`.execute(db);
    await sql`create database ${sql.id(name)} template template0`.execute(db);
    try {
      await restore(scratch.href, directory, options);
    } finally {
      await drop(db, name);
    }
  } finally {
    await db.destroy();
  }
}

/** Drops the database even while what was interrupted is still at work in it. */
async function drop(db: Kysely<unknown>, name: string): Promise<void> {
  await sql`drop database if exists ${sql.id(name)} with (force)`.execute(db);
}

const SYSTEM = sql`(n.nspname like 'pg\\_%' or n.nspname = 'information_schema')`;

/** The major version of the server, such as 18. */
export async function serverMajor(db: Kysely<unknown>): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::int / 10000 as version
  `.execute(db);
  return rows[0]?.version ?? 0;
}

/** The names of all tables, as `schema.table`, that are not PostgreSQL's own. */
async function tableNames(db: Kysely<unknown>): Promise<{ schema: string; table: string }[]> {
  const { rows } = await sql<{ schema: string; table: string }>`
    select n.nspname as schema, c.relname as "table"
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not ${SYSTEM}
    order by 1, 2
  `.execute(db);
  return rows;
}

/** The number of rows of each table, by `schema.table`; reads all of them. */
export async function countRows(db: Kysely<unknown>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { schema, table } of await tableNames(db)) {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from ${sql.id(schema, table)}
    `.execute(db);
    counts[`${schema}.${table}`] = rows[0]?.count ?? 0;
  }
  return counts;
}

/** Something that somebody has made in the database, such as `schema content`; undefined if it is empty. */
async function anythingIn(db: Kysely<unknown>): Promise<string | undefined> {
  const { rows } = await sql<{ name: string }>`
    select 'schema ' || n.nspname as name from pg_namespace n where not ${SYSTEM} and n.nspname <> 'public'
    union all
    select 'table ' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public'
    union all
    select 'function ' || p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where n.nspname = 'public'
    limit 1
  `.execute(db);
  return rows[0]?.name;
}

/** The roles that are granted something in this database, without the owners of what is granted. */
export async function grantedRoles(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ role: string }>`
    with granted as (
      select relowner as owner, relacl as acl from pg_class
      union all select nspowner, nspacl from pg_namespace where nspname not like 'pg\\_%'
      union all select proowner, proacl from pg_proc
      union all select typowner, typacl from pg_type
      union all select defaclrole, defaclacl from pg_default_acl
    )
    select distinct r.rolname as role
    from granted cross join lateral aclexplode(acl) as entry join pg_roles r on r.oid = entry.grantee
    where entry.grantee <> owner and r.rolname not like 'pg\\_%'
    order by 1
  `.execute(db);
  return rows.map(({ role }) => role);
}

/** Returns the `roles` that the server does not have. */
async function missingRoles(db: Kysely<unknown>, roles: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ role: string }>`
    select role from unnest(${roles}::text[]) as role
    where not exists (select from pg_roles where rolname = role) order by 1
  `.execute(db);
  return rows.map(({ role }) => role);
}
