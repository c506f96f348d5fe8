import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The migrations of this build: next to `packages` in the repository and in the image (`deploy/Dockerfile`).
 */
export const MIGRATIONS = fileURLToPath(new URL('../../../../migrations', import.meta.url));

/** A file of SQL that takes the database one step further. */
export interface MigrationFile {
  /** The file's name without `.sql`. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly checksum: string;
}

/** Reads the `.sql` files of `folder`, in the order in which they run. Throws if there are none. */
export async function readMigrations(folder = MIGRATIONS): Promise<MigrationFile[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  if (files.length === 0) throw new Error(`there are no migrations in ${folder}`);
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(folder, file), 'utf8');
      return { name: file.slice(0, -4), sql, checksum: hash('sha256', sql) };
    }),
  );
}

/** How the migrations of a build and those of a database differ. */
export interface MigrationDifference {
  /** Names of those that the database does not have. */
  readonly missing: readonly string[];
  /** Names of those whose files have changed since they were applied. */
  readonly changed: readonly string[];
}

/**
 * Compares the migrations of a build with what was applied, by name and checksum. Additional migrations in
 * the database are ignored: a newer build has migrated it, and the older one runs until it is replaced.
 */
export function compareMigrations(
  files: readonly MigrationFile[],
  applied: ReadonlyMap<string, string>,
): MigrationDifference {
  const isChanged = ({ name, checksum }: MigrationFile) =>
    applied.has(name) && applied.get(name) !== checksum;
  return {
    missing: files.filter(({ name }) => !applied.has(name)).map(({ name }) => name),
    changed: files.filter(isChanged).map(({ name }) => name),
  };
}

/** What to do about a database that was made by other versions of the files of these names. */
export function whatToDoAbout(changed: readonly string[]): string {
  const files = changed.map((name) => `${name}.sql`).join(', ');
  return (
    `the database was made by other versions of ${files}. If it is of a checkout from before the first release,` +
    ' `pnpm migrate --carry-over` (of `pnpm start`: `pnpm start --carry-over`) copies every row into the new tables.' +
    ' Keep it until then: `pnpm content export` reads it, too, but writes only articles, terms and releases. If a' +
    ' file was edited, restore it and put the change into a new file in migrations/'
  );
}
