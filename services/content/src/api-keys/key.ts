import { createHash, randomBytes, randomInt } from 'node:crypto';

/** The letters and digits that a prefix is drawn from. */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Characters of the public prefix. */
const PREFIX_LENGTH = 8;

/** Bytes of the secret part. */
const SECRET_BYTES = 32;

/** `pk_`, the public prefix, `_`, 32 bytes in base64url (`docs/spec/wire.md`, "Keys"). */
const KEY_PATTERN = /^pk_([A-Za-z0-9]{8})_[A-Za-z0-9_-]{43}$/;

/** A new key: `key` is shown to its owner once; the other two members are stored. */
export interface NewKey {
  key: string;
  prefix: string;
  hash: Buffer;
}

/** Makes a random key. */
export function generateKey(): NewKey {
  const letters = Array.from({ length: PREFIX_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]);
  const prefix = letters.join('');
  const key = `pk_${prefix}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { key, prefix, hash: hashKey(key) };
}

/** SHA-256 of a key: 256 random bits do not need a slow hash. */
export function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** The public prefix of a key, or undefined if the text cannot be a key. */
export function prefixOf(key: string): string | undefined {
  return KEY_PATTERN.exec(key)?.[1];
}
