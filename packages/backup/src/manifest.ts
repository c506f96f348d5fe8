import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '@pressroom/common/failures/failure';
import { z } from 'zod';
import { checksumOf } from './sealed-file.ts';

/** The dump in a backup's folder, in the custom format of `pg_dump`. */
export const DUMP = 'database.dump';

/**
 * What a backup contains. It is written after the dump, so a folder without it holds an unfinished backup.
 */
export const MANIFEST = 'backup.json';

const manifest = z.object({
  /** The layout of this file; a build refuses those that it does not know. */
  format: z.literal(1, 'the backup was made by a newer build'),
  createdAt: z.iso.datetime(),
  /** The major version of the server that was dumped. */
  postgres: z.number().int(),
  /** Roles that are granted something; they belong to the server and are not in the dump. */
  roles: z.array(z.string()),
  /** Checksums of the applied migrations, by name. */
  migrations: z.record(z.string(), z.string()),
  /** The number of rows of each table, by `schema.table`. */
  rows: z.record(z.string(), z.number().int()),
  /** The file of the dump. */
  dump: z.enum([DUMP, `${DUMP}.age`]).default(DUMP),
  /** SHA-256 of that file, in hexadecimal digits. */
  sha256: z.string(),
});

export type Manifest = z.infer<typeof manifest>;

/** Writes the manifest of the backup in `directory`; when this resolves, it has reached the disk. */
export async function writeManifest(directory: string, value: Manifest): Promise<void> {
  const file = await open(join(directory, MANIFEST), 'wx');
  try {
    await file.writeFile(`${JSON.stringify(value, null, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * Reads the manifest of the backup in `directory` and compares the dump with its checksum. Throws a
 * {@link Failure} if there is no finished backup, or it is not what was written.
 */
export async function readManifest(directory: string): Promise<Manifest> {
  const value = parse(directory, await textOf(directory));
  const file = join(directory, value.dump);
  const sha256 = await checksumOf(file).catch(() => undefined);
  if (sha256 === value.sha256) return value;
  throw new Failure('refused', `${file} is missing or damaged: its checksum differs`);
}

async function textOf(directory: string): Promise<string> {
  try {
    return await readFile(join(directory, MANIFEST), 'utf8');
  } catch {
    throw new Failure('refused', `${directory} does not contain a finished backup: there is no ${MANIFEST}`);
  }
}

function parse(directory: string, text: string): Manifest {
  try {
    return manifest.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof z.ZodError ? error.issues.map(({ message }) => message).join('; ') : '';
    throw new Failure('refused', `${join(directory, MANIFEST)} cannot be read${reason && `: ${reason}`}`);
  }
}
