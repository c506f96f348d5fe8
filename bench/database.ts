import { openPool } from '@pressroom/common/database/database';
import { MIGRATIONS, migrate } from '@pressroom/common/database/migrations';
import pg from 'pg';
import { postmasterOf } from '../test/support/processes.ts';
import { startThrowaway, type ThrowawayPostgres } from '../test/support/throwaway-postgres.ts';

/** A database with Pressroom's tables. */
export interface BenchDatabase extends AsyncDisposable {
  server: ThrowawayPostgres;
  /** The first process of the server. */
  pid: number;
  url: string;
  pool: pg.Pool;
}

export function startBenchPostgres(settings: Record<string, string> = {}): Promise<ThrowawayPostgres> {
  return startThrowaway({ max_wal_size: '4GB', ...settings });
}

/** Opens a new database of that name on a server, or on a PostgreSQL of its own. */
export async function openDatabase(on?: ThrowawayPostgres, name = 'bench'): Promise<BenchDatabase> {
  const server = on ?? (await startBenchPostgres());
  const url = await createDatabase(server.url, name);
  const pool = openPool({ DATABASE_URL: url, DATABASE_POOL_SIZE: 8 }, 'pressroom bench');
  const close = async () => {
    await pool.end();
    if (on === undefined) await server.stop();
  };
  return { server, pid: postmasterOf(server.dataDir), url, pool, [Symbol.asyncDispose]: close };
}

/** Creates a database with Pressroom's tables on a server and returns its URL. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const url = await copyDatabase(serverUrl, name);
  await migrate(url, MIGRATIONS);
  return url;
}

/** Creates a database, empty or as a copy of another one that nobody uses now, and returns its URL. */
export async function copyDatabase(serverUrl: string, name: string, from = 'template1'): Promise<string> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`create database ${name} template ${from}`).finally(() => admin.end());
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
