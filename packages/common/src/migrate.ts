import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import pg from 'pg';

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
 * nothing left to do. Each run is one transaction; a failure leaves the database as it was and is thrown.
 *
 * @param url a connection URL of PostgreSQL
 * @param folder where the `.sql` files are
 */
export async function migrate(url: string, folder: string): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url, application_name: 'pressroom migrate', max: 1 });
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    const migrator = new Migrator({ db, provider: new SqlFiles(folder), migrationTableSchema: 'pressroom' });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return (results ?? []).map(({ migrationName }) => migrationName);
  } finally {
    await db.destroy();
  }
}
