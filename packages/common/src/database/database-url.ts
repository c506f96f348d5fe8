import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Kysely } from 'kysely';
import { readSecretFiles, withPassword } from '../start/config.ts';
import { openDatabase } from './database.ts';

/** The data directory of `pnpm start` if `DATA_DIR` is not set. */
const DEFAULT_DATA_DIR = fileURLToPath(new URL('../../../../.data', import.meta.url));

/**
 * The database that a command uses: `DATABASE_DIRECT_URL`, because commands use whole sessions, else
 * `DATABASE_URL`, each with `DATABASE_PASSWORD` and possibly in a file as in a service; else the one that
 * `pnpm start` is running and has written to `database-url` in its data directory. Throws an error that says
 * what to set if there is none, or if the variable is not the URL of a PostgreSQL database.
 */
export function databaseUrl(env: Record<string, string | undefined>): string {
  const names = ['DATABASE_DIRECT_URL', 'DATABASE_URL', 'DATABASE_PASSWORD'];
  const { env: given, faults } = readSecretFiles(names, env);
  if (faults.length > 0) throw new Error(faults.join('; '));
  const name = given.DATABASE_DIRECT_URL ? 'DATABASE_DIRECT_URL' : 'DATABASE_URL';
  const url = given[name];
  if (url) {
    // The value is not shown: it may hold a password.
    if (isPostgresUrl(url)) return withPassword(url, given.DATABASE_PASSWORD);
    throw new Error(`${name} is not a URL such as postgres://user:password@host/name`);
  }
  const noted = noteOfStart(env, 'database-url');
  if (noted !== undefined) return noted;
  throw new Error('no database: set DATABASE_URL, or run `pnpm start` in another terminal');
}

/**
 * Returns the note of this name that `pnpm start` left in its data directory for commands in other terminals.
 */
export function noteOfStart(env: Record<string, string | undefined>, name: string): string | undefined {
  try {
    return readFileSync(join(env.DATA_DIR || DEFAULT_DATA_DIR, name), 'utf8').trim();
  } catch {
    return undefined;
  }
}

function isPostgresUrl(value: string): boolean {
  return URL.canParse(value) && ['postgres:', 'postgresql:'].includes(new URL(value).protocol);
}

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
