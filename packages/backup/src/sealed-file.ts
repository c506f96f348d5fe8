import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '@pressroom/common/failures/failure';
import { decrypt, encrypt } from './encryption.ts';

/** The files of a dump in a backup's folder, in the custom format of `pg_dump`: plain or encrypted. */
export const DUMPS = ['database.dump', 'database.dump.age'] as const;

/** The file of a dump, and its SHA-256 in hexadecimal digits. */
interface WrittenDump {
  dump: (typeof DUMPS)[number];
  sha256: string;
}

/**
 * Writes a dump into a backup's folder, encrypted if there is a key. When this resolves, it has reached the
 * disk.
 */
export async function writeDump(
  source: Readable,
  directory: string,
  key: Buffer | undefined,
): Promise<WrittenDump> {
  const dump = key === undefined ? 'database.dump' : 'database.dump.age';
  const hash = createHash('sha256');
  await pipeline(
    key === undefined ? source : await encrypt(source, key),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(join(directory, dump), { flags: 'wx', flush: true }),
  );
  return { dump, sha256: hash.digest('hex') };
}

/**
 * Reads a dump, decrypted. Throws a {@link Failure} if it is encrypted and `key` is not the one that did it.
 */
export async function readDump(
  directory: string,
  dump: WrittenDump['dump'],
  key: Buffer | undefined,
): Promise<Readable> {
  const stored = createReadStream(join(directory, dump));
  if (dump === 'database.dump') return stored;
  if (key !== undefined) return decrypt(stored, key);
  stored.destroy();
  throw new Failure('refused', 'the backup is encrypted; set BACKUP_KEY to the key that it was made with');
}

/** SHA-256 of a file, in hexadecimal digits. */
export async function checksumOf(file: string): Promise<string> {
  const sha256 = createHash('sha256');
  await pipeline(createReadStream(file), sha256);
  return sha256.digest('hex');
}
