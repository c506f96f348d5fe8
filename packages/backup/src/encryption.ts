import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { Failure } from '@pressroom/common/failures/failure';
import { Decrypter, Encrypter } from 'age-encryption';

/** Cost of scrypt, as a power of two: the key is random, so there is nothing to slow down a guess for. */
const WORK_FACTOR = 10;

/** Encrypts `source` as `age --passphrase` does: the passphrase is the key in base64. */
async function encrypt(source: Readable, key: Buffer): Promise<Readable> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(key.toString('base64'));
  encrypter.setScryptWorkFactor(WORK_FACTOR);
  return fromWeb(await encrypter.encrypt(toWeb(source)));
}

/** The reverse of {@link encrypt}. Throws a {@link Failure} if `key` is another one. */
async function decrypt(source: Readable, key: Buffer): Promise<Readable> {
  const decrypter = new Decrypter();
  decrypter.addPassphrase(key.toString('base64'));
  try {
    return fromWeb(await decrypter.decrypt(toWeb(source)));
  } catch (error) {
    source.destroy();
    throw new Failure('refused', 'BACKUP_KEY is not the key that the backup was encrypted with', {
      cause: error,
    });
  }
}

function toWeb(source: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(source) as ReadableStream<Uint8Array>;
}

function fromWeb(stream: ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream as NodeStream<Uint8Array>);
}

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
