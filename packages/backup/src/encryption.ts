import { Readable } from 'node:stream';
import type { ReadableStream as NodeStream } from 'node:stream/web';
import { Failure } from '@pressroom/common/failures/failure';
import { Decrypter, Encrypter } from 'age-encryption';

/** Of scrypt, as a power of two: the key is random, so there is nothing to slow down a guess for. */
const WORK_FACTOR = 10;

/** What `source` yields, encrypted as by `age --passphrase`: the passphrase is the key in base64. */
export async function encrypt(source: Readable, key: Buffer): Promise<Readable> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase(key.toString('base64'));
  encrypter.setScryptWorkFactor(WORK_FACTOR);
  return fromWeb(await encrypter.encrypt(toWeb(source)));
}

/** The reverse of {@link encrypt}. Throws a {@link Failure} if `key` is another one. */
export async function decrypt(source: Readable, key: Buffer): Promise<Readable> {
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
