import { type Kysely, sql } from 'kysely';
import { Failure } from '../failures/failure.ts';
import { compareMigrations, type MigrationFile, whatToDoAbout } from './migrations.ts';

/** PostgreSQL's SQLSTATEs for a missing table and a missing schema. */
const ABSENT = new Set<unknown>(['42P01', '3F000']);

/** The checksums of the migrations that were applied, by name; empty before the first one. */
export async function appliedMigrations<Tables>(db: Kysely<Tables>): Promise<Map<string, string>> {
  const query = sql<{ name: string; checksum: string }>`select name, checksum from pressroom.migration_file`;
  try {
    const { rows } = await query.execute(db);
    return new Map(rows.map(({ name, checksum }) => [name, checksum]));
  } catch (error) {
    if (error instanceof Error && 'code' in error && ABSENT.has(error.code)) return new Map();
    throw error;
  }
}

/**
 * Makes the database check for `/readyz`: the database answers, and the migrations of this build are applied
 * to it, unchanged. It costs one small query each time, because a database may be replaced by an older copy.
 * The check throws a {@link Failure} that names missing or changed migrations and says what to do, or the
 * database's error if it does not answer.
 */
export function checkSchema<Tables>(
  db: Kysely<Tables>,
  files: readonly MigrationFile[],
): () => Promise<void> {
  return async () => {
    const { missing, changed } = compareMigrations(files, await appliedMigrations(db));
    // First: `pnpm migrate` would refuse such a database.
    if (changed.length > 0) throw new Failure('unavailable', whatToDoAbout(changed));
    if (missing.length > 0) {
      throw new Failure('unavailable', `the database lacks ${missing.join(', ')}; run \`pnpm migrate\``);
    }
  };
}
