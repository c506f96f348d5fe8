import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `pnpm start` keeps its data if `DATA_DIR` is not set. */
const DEFAULT_DATA_DIR = fileURLToPath(new URL('../../../../.data', import.meta.url));

/**
 * The database that a command uses: `DATABASE_URL`, else the one that `pnpm start` is running and has written
 * to `database-url` in its data directory. Throws an error that says what to set if there is neither.
 */
export function databaseUrl(env: Record<string, string | undefined>): string {
  if (env.DATABASE_URL) return env.DATABASE_URL;
  const note = join(env.DATA_DIR || DEFAULT_DATA_DIR, 'database-url');
  try {
    return readFileSync(note, 'utf8').trim();
  } catch {
    throw new Error('no database: set DATABASE_URL, or run `pnpm start` in another terminal');
  }
}
