import { createHmac } from 'node:crypto';

/**
 * Makes the fingerprints that the database stores instead of addresses and names: HMAC-SHA-256 with a key
 * shared by all replicas.
 */
export class Fingerprints {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** 32 bytes for `parts` of the kind `kind`: the same on every replica, and meaningless without the key. */
  of(kind: string, ...parts: string[]): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([kind, ...parts]))
      .digest();
  }
}
