import { type Kysely, sql } from 'kysely';
import { type Migration, type MigrationResultSet, Migrator } from 'kysely/migration';
import { reasonOf } from '../start/reason.ts';
import { appliedMigrations } from './applied-migrations.ts';
import { openDatabase } from './database.ts';
import { compareMigrations, type MigrationFile, readMigrations, whatToDoAbout } from './migrations.ts';

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
