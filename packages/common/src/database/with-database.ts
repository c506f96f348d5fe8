import type { Kysely } from 'kysely';
import { openDatabase } from './database.ts';
import { databaseUrl } from './database-url.ts';

/**
 * Runs the `work` of a command with the database named by the environment (see {@link databaseUrl}), then
 * closes it.
 *
 * @param name shown in `pg_stat_activity`
 */
export async function withDatabase<Tables, Result>(
  name: string,
  work: (db: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const db = openDatabase<Tables>({ DATABASE_URL: databaseUrl(process.env) }, name);
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
