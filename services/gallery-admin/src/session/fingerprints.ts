import { createHmac } from 'node:crypto';

/** Makes what the database keeps instead of addresses and names: HMAC-SHA-256 under a key that all replicas share. */
export class Fingerprints {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  /** 32 bytes for `parts` of the kind `kind`: the same on every replica, and readable to nobody without the key. */
  of(kind: string, ...parts: string[]): Buffer {
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([kind, ...parts]))
      .digest();
  }
}
