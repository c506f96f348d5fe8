import pg from 'pg';
import type { Cluster } from './cluster.ts';
import { ROLE } from './initdb.ts';
import { LOOPBACK } from './ports.ts';

/**
 * The address of the services' database, including the password: it must not appear in logs or argument
 * lists.
 */
export function databaseUrl({ password }: Cluster, port: number): string {
  return `postgres://${ROLE}:${password}@${LOOPBACK}:${port}/${ROLE}`;
}

/** Creates the services' database in a running server if it does not exist yet. */
export async function createDatabase({ password }: Cluster, port: number): Promise<void> {
  const client = new pg.Client({
    host: LOOPBACK,
    port,
    user: ROLE,
    password,
    database: 'postgres',
    ssl: false,
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [ROLE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(ROLE)}`);
  } finally {
    await client.end();
  }
}
