import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Kysely, sql } from 'kysely';
import { type Migration, type MigrationResultSet, Migrator } from 'kysely/migration';
import { Failure, reasonOf } from '../failures/failure.ts';
import { openDatabase } from './database.ts';

/**
 * The migrations of this build: next to `packages` in the repository and in the image (`deploy/Dockerfile`).
 */
export const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));

/** A file of SQL that takes the database one step further. */
export interface MigrationFile {
  /** The file's name without `.sql`. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly checksum: string;
}

/** Reads the `.sql` files of `folder`, in the order in which they run. Throws if there are none. */
export async function readMigrations(folder = MIGRATIONS): Promise<MigrationFile[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  if (files.length === 0) throw new Error(`there are no migrations in ${folder}`);
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(folder, file), 'utf8');
      return { name: file.slice(0, -4), sql, checksum: hash('sha256', sql) };
    }),
  );
}

/** How the migrations of a build and those of a database differ. */
interface MigrationDifference {
  /** Names of those that the database does not have. */
  readonly missing: readonly string[];
  /** Names of those whose files have changed since they were applied. */
  readonly changed: readonly string[];
}

/**
 * Compares the migrations of a build with what was applied, by name and checksum. Additional migrations in
 * the database are ignored: a newer build has migrated it, and the older one runs until it is replaced.
 */
export function compareMigrations(
  files: readonly MigrationFile[],
  applied: ReadonlyMap<string, string>,
): MigrationDifference {
  const isChanged = ({ name, checksum }: MigrationFile) =>
    applied.has(name) && applied.get(name) !== checksum;
  return {
    missing: files.filter(({ name }) => !applied.has(name)).map(({ name }) => name),
    changed: files.filter(isChanged).map(({ name }) => name),
  };
}

/** What to do about a database that was made by other versions of the files of these names. */
function whatToDoAbout(changed: readonly string[]): string {
  const files = changed.map((name) => `${name}.sql`).join(', ');
  return (
    `the database was made by other versions of ${files}. If it is of a checkout from before the first release,` +
    ' `pnpm migrate --carry-over` (of `pnpm start`: `pnpm start --carry-over`) copies every row into the new tables.' +
    ' Keep it until then: `pnpm content export` reads it, too, but writes only articles, terms and releases. If a' +
    ' file was edited, restore it and put the change into a new file in migrations/'
  );
}

/** PostgreSQL's SQLSTATEs for a missing table and a missing schema. */
const ABSENT = new Set<unknown>(['42P01', '3F000']);

/** The checksums of the migrations that were applied, by name; empty before the first one. */
export async function appliedMigrations<Tables>(db: Kysely<Tables>): Promise<Map<string, string>> {
  const query = sql<{ name: string; checksum: string }>`select name, checksum from pressroom.migration_file`;
  try {
    const { rows } = await query.execute(db);
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
  } catch (error) {
    if (error instanceof Error && 'code' in error && ABSENT.has(error.code)) return new Map();
    throw error;
  }
}

/**
 * Makes the database check for `/readyz`: the database answers, and the migrations of this build are applied
 * to it, unchanged. It costs one small query each time, because a database may be replaced by an older copy.
 * The check throws a {@link Failure} that names missing or changed migrations and says what to do, or the
 * database's error if it does not answer.
 */
export function checkSchema<Tables>(
  db: Kysely<Tables>,
  files: readonly MigrationFile[],
): () => Promise<void> {
  return async () => {
    const { missing, changed } = compareMigrations(files, await appliedMigrations(db));
    // First: `pnpm migrate` would refuse such a database.
    if (changed.length > 0) throw new Failure('unavailable', whatToDoAbout(changed));
    if (missing.length > 0) {
      throw new Failure('unavailable', `the database lacks ${missing.join(', ')}; run \`pnpm migrate\``);
    }
  };
}

/**
 * Brings the database up to date and returns the names of the migrations that it ran. Kysely holds an
 * advisory lock while it works, so any number of processes may call this at once: one works, the others wait
 * and find nothing left to do. Each run is one transaction; a failure leaves the database as it was and is
 * thrown, with the name of the migration. Forward only: a mistake is fixed by the next file. If a file
 * differs from what was applied, throws an error that names it before doing anything.
 *
 * @param url a connection URL of PostgreSQL
 * @param folder where the `.sql` files are; those of the repository if absent
 */
export async function migrate(url: string, folder?: string): Promise<string[]> {
  const files = await readMigrations(folder);
  const db = openDatabase<unknown>({ DATABASE_URL: url }, 'pressroom migrate');
  try {
    refuseChanged(files, await appliedMigrations(db));
    return ranBy(await migratorOf(db, files).migrateToLatest());
  } finally {
    await db.destroy();
  }
}

/** What runs the files on a database, or within a transaction. */
export function migratorOf(db: Kysely<unknown>, files: readonly MigrationFile[]): Migrator {
  return new Migrator({
    db,
    provider: { getMigrations: async () => Object.fromEntries(files.map(asMigration)) },
    migrationTableSchema: 'pressroom',
  });
}

/** The names of the migrations that have run. Throws the error of the one that failed, with its name. */
export function ranBy({ error, results = [] }: MigrationResultSet): string[] {
  if (error === undefined) return results.map(({ migrationName }) => migrationName);
  const failed = results.find(({ status }) => status === 'Error');
  if (failed === undefined) throw error;
  throw new Error(`${failed.migrationName}: ${reasonOf(error)}`, { cause: error });
}

function refuseChanged(files: readonly MigrationFile[], applied: ReadonlyMap<string, string>): void {
  const { changed } = compareMigrations(files, applied);
  if (changed.length > 0) throw new Error(whatToDoAbout(changed));
}

/** The file's SQL and the record of its checksum, in the transaction of the run. */
function asMigration({ name, sql: text, checksum }: MigrationFile): [string, Migration] {
  const up = async (db: Kysely<unknown>) => {
    await sql.raw(text).execute(db);
    await makeTable(db);
    await record(db, name, checksum);
  };
  return [name, { up }];
}

async function makeTable(db: Kysely<unknown>): Promise<void> {
  await sql`create table if not exists pressroom.migration_file (
    name text primary key,
    checksum text not null
  )`.execute(db);
}

async function record(db: Kysely<unknown>, name: string, checksum: string): Promise<void> {
  await sql`insert into pressroom.migration_file (name, checksum) values (${name}, ${checksum})`.execute(db);
}
