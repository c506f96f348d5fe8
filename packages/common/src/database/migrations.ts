import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Kysely, PostgresAdapter, PostgresDialect, sql, type Transaction } from 'kysely';
import { type Migration, type MigrationResultSet, Migrator } from 'kysely/migration';
import { Failure, reasonOf } from '../failures/failure.ts';
import { openPool } from './database.ts';
import { appliedRevision, applyFunctions, readFunctions, readRevision, rowsIfThere } from './functions.ts';
import { type LockWaits, limitLockWaits, retryWhileBlocked } from './lock-waits.ts';

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
  /**
   * Checksum of the file when it also made functions and triggers: databases may have applied that version.
   */
  readonly formerChecksum: string | undefined;
}

const FORMER = /^-- Former checksum: ([0-9a-f]{64})$/m;

/** Reads the `.sql` files of `folder`, in the order in which they run. Throws if there are none. */
export async function readMigrations(folder = MIGRATIONS): Promise<MigrationFile[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  if (files.length === 0) throw new Error(`there are no migrations in ${folder}`);
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(folder, file), 'utf8');
      const formerChecksum = FORMER.exec(sql)?.[1];
      return { name: file.slice(0, -4), sql, checksum: hash('sha256', sql), formerChecksum };
    }),
  );
}

/** Differences between the migrations of a build and those of a database. */
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
  const isChanged = ({ name, checksum, formerChecksum }: MigrationFile) =>
    applied.has(name) && ![checksum, formerChecksum].includes(applied.get(name));
  return {
    missing: files.filter(({ name }) => !applied.has(name)).map(({ name }) => name),
    changed: files.filter(isChanged).map(({ name }) => name),
  };
}

/** Advice for a database that was made by other versions of the files of these names. */
function whatToDoAbout(changed: readonly string[]): string {
  const files = changed.map((name) => `${name}.sql`).join(', ');
  return (
    `the database was made by other versions of ${files}. If it is of a checkout from before the first release,` +
    ' `pnpm migrate --carry-over` (of `pnpm start`: `pnpm start --carry-over`) copies every row into the new tables.' +
    ' Keep it until then: `pnpm content export` reads it, too, but writes only articles, terms and releases. If a' +
    ' file was edited, restore it and put the change into a new file in migrations/'
  );
}

/** The checksums of the migrations that were applied, by name; empty before the first one. */
export async function appliedMigrations<Tables>(db: Kysely<Tables>): Promise<Map<string, string>> {
  const query = sql<{ name: string; checksum: string }>`select name, checksum from pressroom.migration_file`;
  const rows = await rowsIfThere(query, db);
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

/**
 * Makes the database check for `/readyz`: the database answers, and the migrations of this build are applied
 * to it, unchanged, and its functions or those of a newer one. It costs two small queries each time, because
 * a database may be replaced by an older copy. The check throws a {@link Failure} that names missing or
 * changed migrations and says what to do, or the database's error if it does not answer.
 */
export async function checkSchema<Tables>(db: Kysely<Tables>): Promise<() => Promise<void>> {
  const [files, revision] = [await readMigrations(), await readRevision(MIGRATIONS)];
  return async () => {
    const { missing, changed } = compareMigrations(files, await appliedMigrations(db));
    // First: `pnpm migrate` would refuse such a database.
    if (changed.length > 0) throw new Failure('unavailable', whatToDoAbout(changed));
    if (missing.length > 0) {
      throw new Failure('unavailable', `the database lacks ${missing.join(', ')}; run \`pnpm migrate\``);
    }
    if ((await appliedRevision(db)) < revision) {
      throw new Failure(
        'unavailable',
        `the database lacks the functions of revision ${revision}; run \`pnpm migrate\``,
      );
    }
  };
}

/**
 * Brings the database up to date, and returns the names of the migrations that it ran and what
 * {@link applyFunctions} did. An advisory lock is held, so any number of processes
 * may call this at once: one works, the others wait and find nothing left to do. Each run is one transaction,
 * tried again for as long as `waits` says while others use a table that it changes;
 * a failure leaves the database as it was and is thrown, with the name of the migration or function. Forward
 * only: a mistake is fixed by the next file. If a migration differs from what was applied, throws an error
 * that names it before doing anything.
 *
 * @param url a connection URL of PostgreSQL
 * @param folder where the migrations and `functions.json` are; those of the repository if absent
 */
export async function migrate(url: string, folder = MIGRATIONS, waits: LockWaits = {}): Promise<string[]> {
  const [files, functions] = [await readMigrations(folder), await readFunctions(folder)];
  const db = openForMigrations(url);
  try {
    refuseChanged(files, await appliedMigrations(db));
    const run = async (transaction: Transaction<unknown>) => {
      // First: another process may take as long as it needs.
      await lockMigrations(transaction);
      return limitLockWaits(db, transaction, waits, async () => {
        const ran = ranBy(await migratorOf(transaction, files).migrateToLatest());
        const made = await applyFunctions(transaction, functions);
        return made === undefined ? ran : [...ran, made];
      });
    };
    return await retryWhileBlocked(() => db.transaction().execute(run), waits);
  } finally {
    await db.destroy();
  }
}

/** Waits for whoever migrates the database, until the transaction ends. */
export async function lockMigrations(transaction: Kysely<unknown>): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(transaction);
}

/** The lock that Kysely's migrator takes, so that builds of both ways wait for each other. */
const LOCK = 3853314791062309107n;

/**
 * The caller's transaction has the lock: Kysely would make its tables before it takes it, and could not give
 * it back after a failure.
 */
class LockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}

class LockedDialect extends PostgresDialect {
  override createAdapter(): LockedAdapter {
    return new LockedAdapter();
  }
}

/** Opens the database for {@link migratorOf}; `destroy()` closes it. */
export function openForMigrations(url: string): Kysely<unknown> {
  // One connection migrates, and one asks who is in its way.
  const pool = openPool({ DATABASE_URL: url, DATABASE_POOL_SIZE: 2 }, 'pressroom migrate');
  return new Kysely({ dialect: new LockedDialect({ pool }) });
}

/** Returns a migrator that runs the files within a transaction. */
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
