import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { openPool } from '@pressroom/common/database/database';
import { migrate } from '@pressroom/common/database/migrate';
import { type RunningPostgres, startPostgres } from '@pressroom/embedded-postgres/postgres';
import pg from 'pg';
import { temporaryHome } from '../test/support/temporary-home.ts';

/** A database with Pressroom's tables. */
export interface BenchDatabase {
  server: RunningPostgres;
  url: string;
  pool: pg.Pool;
}

/** Starts a PostgreSQL of a bench; it is removed when it is stopped. */
export async function startBenchPostgres(settings: Record<string, string> = {}): Promise<RunningPostgres> {
  const dataDir = await temporaryHome();
  const server = await startPostgres({ dataDir, port: 0, settings: { max_wal_size: '4GB', ...settings } });
  const stop = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { ...server, stop };
}

/** Runs `work` with a PostgreSQL of its own. */
export async function onPostgres<Result>(
  work: (server: RunningPostgres) => Promise<Result>,
  settings?: Record<string, string>,
): Promise<Result> {
  const server = await startBenchPostgres(settings);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

/** Runs `work` with a new database of a server, with Pressroom's tables. */
export async function withDatabase<Result>(
  server: RunningPostgres,
  name: string,
  work: (database: BenchDatabase) => Promise<Result>,
): Promise<Result> {
  const url = await createDatabase(server.url, name);
  const pool = openPool({ DATABASE_URL: url, DATABASE_POOL_SIZE: 8 }, 'pressroom bench');
  try {
    return await work({ server, url, pool });
  } finally {
    await pool.end();
  }
}

/** Runs `work` with a database on a PostgreSQL of its own. */
export function onDatabase<Result>(work: (database: BenchDatabase) => Promise<Result>): Promise<Result> {
  return onPostgres((server) => withDatabase(server, 'bench', work));
}

/** Creates a database with Pressroom's tables on a server and returns its URL. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const url = await createEmptyDatabase(serverUrl, name);
  await migrate(url, fileURLToPath(new URL('../migrations', import.meta.url)));
  return url;
}

/** Creates a database without tables on a server and returns its URL. */
export function createEmptyDatabase(serverUrl: string, name: string): Promise<string> {
  return copyDatabase(serverUrl, name, 'template1');
}

/** Creates a database as a copy of another one, which nobody uses now, and returns its URL. */
export async function copyDatabase(serverUrl: string, name: string, from: string): Promise<string> {
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`create database ${name} template ${from}`);
  await admin.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
