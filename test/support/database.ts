import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** The migrated database that the others are copies of. */
export const TEMPLATE = 'pressroom_template';

/** Time limits for services on a machine that does fifteen times what it can: only a fault reaches them. */
export const PATIENT = {
  DATABASE_CONNECT_TIMEOUT_MS: '60000',
  DATABASE_STATEMENT_TIMEOUT_MS: '60000',
  // Even 600,000 ms would not do: a process that did not run at all for a second counts as overloaded.
  EVENT_LOOP_DELAY_LIMIT_MS: '0',
  SHUTDOWN_TIMEOUT_MS: '600000',
};

/** The URL of another database of the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Creates a database: a copy of `template` when one is given. */
export async function createDatabase(serverUrl: string, name: string, template?: string): Promise<void> {
  await administer(serverUrl, (client) =>
    client.query(
      `create database ${client.escapeIdentifier(name)}${template ? ` template ${client.escapeIdentifier(template)}` : ''}`,
    ),
  );
}

async function administer(serverUrl: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl(serverUrl, 'postgres') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** A database of a test file's own. */
export interface TestDatabase {
  url: string;
  /** For what a test looks at or prepares beside the service. */
  pool: pg.Pool;
  drop: () => Promise<void>;
}

/** Makes a migrated database of the caller's own, so that test files run side by side. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('serverUrl');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await createDatabase(serverUrl, name, TEMPLATE);
  const url = databaseUrl(serverUrl, name);
  const pool = new pg.Pool({ connectionString: url, max: 20 });
  pool.on('error', () => undefined);
  const drop = async () => {
    await pool.end();
    await administer(serverUrl, (client) =>
      client.query(`drop database ${client.escapeIdentifier(name)} with (force)`),
    );
  };
  return { url, pool, drop };
}
