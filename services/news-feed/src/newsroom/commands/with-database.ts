import { databaseUrl } from '@pressroom/common/database/database-url';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { NewsTables } from '../../tables.ts';

/** PostgreSQL's type number of `bigint`: ids of rankings and numbers of the ledger, far below 2^53. */
const INT8 = 20;

/** Runs `work` with the database that the environment names, and closes it. */
export async function withDatabase<T>(work: (db: Kysely<NewsTables>) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({
    connectionString: databaseUrl(process.env),
    application_name: 'pressroom newsroom',
    max: 1,
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format),
    },
  });
  pool.on('error', () => undefined);
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool }) });
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
