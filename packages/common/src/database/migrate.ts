import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, type MigrationProvider, type MigrationResult, Migrator } from 'kysely/migration';
import pg from 'pg';
import { reasonOf } from '../start/reason.ts';

/** Files of SQL, run in the order of their names. Forward only: a mistake is mended by the next file. */
class SqlFiles implements MigrationProvider {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async getMigrations(): Promise<Record<string, Migration>> {
    const files = (await readdir(this.#folder)).filter((file) => file.endsWith('.sql')).sort();
    return Object.fromEntries(
      files.map((file) => [file.slice(0, -4), this.#migration(join(this.#folder, file))]),
    );
  }

  #migration(path: string): Migration {
    return { up: async (db) => void (await sql.raw(await readFile(path, 'utf8')).execute(db)) };
  }
}

/**
 * Brings the database up to date and returns the names of the migrations that it ran. Kysely holds an advisory
 * lock meanwhile, so any number of processes may call this at once: one works, the others wait and find
 * nothing left to do. Each run is one transaction; a failure leaves the database as it was and is thrown, with the
 * name of the migration.
 *
 * @param url a connection URL of PostgreSQL
 * @param folder where the `.sql` files are
 */
export async function migrate(url: string, folder: string): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url, application_name: 'pressroom migrate', max: 1 });
  // A connection that breaks fails its query; the event alone must not end the process.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrator = new Migrator({ db, provider: new SqlFiles(folder), migrationTableSchema: 'pressroom' });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined) throw named(error, results);
    return (results ?? []).map(({ migrationName }) => migrationName);
  } finally {
    await db.destroy();
  }
}

function named(error: unknown, results: MigrationResult[] = []): unknown {
  const failed = results.find(({ status }) => status === 'Error');
  if (failed === undefined) return error;
  return new Error(`${failed.migrationName}: ${reasonOf(error)}`, { cause: error });
}
