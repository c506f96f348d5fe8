import { hash } from 'node:crypto';

/** The sizes of SHA-256's blocks and digests, in bytes. */
const BLOCK = 64;
const DIGEST = 32;

/**
 * Makes a function that signs texts which begin with `begin` and end with the SHA-256 it is given, in
 * hexadecimal: HMAC-SHA256 (RFC 2104), for a key of at most a block. Two plain hashes, each in one call, take
 * two thirds of the time of Node's `Hmac`, which is an object with a context of its own for every text.
 */
export function stringSigner(key: Uint8Array, begin: string): (sha256: string) => string {
  const fixed = BLOCK + Buffer.byteLength(begin);
  const inner = Buffer.alloc(fixed + 2 * DIGEST);
  const outer = Buffer.alloc(BLOCK + DIGEST);
  for (let index = 0; index < BLOCK; index += 1) {
    inner[index] = (key[index] ?? 0) ^ 0x36;
    outer[index] = (key[index] ?? 0) ^ 0x5c;
  }
  inner.write(begin, BLOCK);
  return (sha256) => {
    inner.write(sha256, fixed, 'latin1');
    outer.set(hash('sha256', inner, 'buffer'), BLOCK);
    return hash('sha256', outer);
  };
}
