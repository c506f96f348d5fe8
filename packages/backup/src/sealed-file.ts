import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Failure } from '@pressroom/common/failures/failure';
import { decrypt, encrypt } from './encryption.ts';

/** The end of the name of an encrypted file. */
const ENCRYPTED = '.age';

/** A file in a backup's folder by its name, and its SHA-256 in hexadecimal digits. */
interface SealedFile<Name extends string> {
  file: Name | `${Name}.age`;
  sha256: string;
}

/**
 * Writes a file into a backup's folder, encrypted if there is a key. When this resolves, it has reached the
 * disk.
 */
export async function writeSealed<Name extends string>(
  source: Readable,
  { directory, name, key }: { directory: string; name: Name; key: Buffer | undefined },
): Promise<SealedFile<Name>> {
  const file = key === undefined ? name : (`${name}${ENCRYPTED}` as const);
  const hash = createHash('sha256');
  await pipeline(
    key === undefined ? source : await encrypt(source, key),
    async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(join(directory, file), { flags: 'wx', flush: true }),
  );
  return { file, sha256: hash.digest('hex') };
}

/** Reads such a file, decrypted. Throws a {@link Failure} if it is encrypted and `key` is not what did it. */
export async function readSealed(path: string, key: Buffer | undefined): Promise<Readable> {
  const stored = createReadStream(path);
  if (!path.endsWith(ENCRYPTED)) return stored;
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
