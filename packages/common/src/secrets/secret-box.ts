import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';

/** Bytes of an AES-GCM nonce (NIST SP 800-38D). */
const NONCE_BYTES = 12;

const TAG_BYTES = 16;

/** Encrypts secrets at rest with AES-256-GCM: nonce, ciphertext and tag in one base64 text. */
export class SecretBox {
  readonly #key: Buffer;
  readonly #previous: Buffer | undefined;

  /**
   * 32 bytes each: `key` seals and opens, `previous` only opens what was sealed before the key was changed.
   */
  constructor(key: Buffer, previous?: Buffer) {
    this.#key = key;
    this.#previous = previous;
  }

  /**
   * Encrypts `secret` for `owner`. Only the same owner opens it: moved to another owner's row, it fails to
   * open.
   */
  seal(secret: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, this.#key, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(owner));
    const sealed = [nonce, cipher.update(secret, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64');
  }

  /**
   * Decrypts the output of {@link seal}; undefined if that was sealed with another key or for another owner,
   * or altered.
   */
  open(sealed: string, owner: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    return decrypt(bytes, owner, this.#key) ?? (this.#previous && decrypt(bytes, owner, this.#previous));
  }
}

function decrypt(bytes: Buffer, owner: string, key: Buffer): string | undefined {
  const nonce = bytes.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8');
    return text + decipher.final('utf8');
  } catch {
    return undefined;
  }
}
