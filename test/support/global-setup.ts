import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrations';
import type { TestProject } from 'vitest/node';
import { createDatabase, databaseUrl, TEMPLATE } from './database.ts';
import { startThrowaway } from './throwaway-postgres.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The PostgreSQL server of this run: a URL of its maintenance database. */
    serverUrl: string;
  }
}

/** The repository's migrations. */
const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

/**
 * Starts one PostgreSQL for the run and migrates the template that every test file's database is a copy of.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const fast = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const server = await startThrowaway({ ...fast, max_connections: '300' });
  await createDatabase(server.url, TEMPLATE);
  await migrate(databaseUrl(server.url, TEMPLATE), MIGRATIONS);
  project.provide('serverUrl', server.url);
  return () => server.stop();
}
