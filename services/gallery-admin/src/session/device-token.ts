import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** How long a device is remembered after its last login, in s: 180 days. */
export const DEVICE_LIFETIME_S = 180 * 24 * 60 * 60;

/** Id, time of the login in s since 1970, signature. */
const FORM = /^([A-Za-z0-9_-]{22})\.(\d{1,12})\.([A-Za-z0-9_-]{43})$/;

/**
 * Signs the cookie by which a browser shows that someone has logged in from it before (OWASP, "Device
 * cookies"). It grants no access, only a separate lane and a separate count of failures. It is not valid for
 * other usernames or keys.
 */
export class DeviceTokens {
  readonly #key: Buffer;
  readonly #previous: Buffer | undefined;
  readonly #username: string;

  /**
   * @param key 32 bytes, shared by all replicas
   * @param previous the key before it, whose tokens are still valid
   */
  constructor(key: Buffer, username: string, previous?: Buffer) {
    this.#key = key;
    this.#previous = previous;
    this.#username = username.normalize('NFC');
  }

  /** A token for a device that has just logged in, with a new id. */
  issue(now = Date.now()): string {
    const id = randomBytes(16).toString('base64url');
    const time = String(Math.floor(now / 1000));
    return `${id}.${time}.${this.#sign(id, time, this.#key)}`;
  }

  /** The id of the device that `token` was issued to; undefined if it is invalid or expired. */
  idOf(token: string, now = Date.now()): string | undefined {
    const [, id = '', time = '', signature = ''] = FORM.exec(token) ?? [];
    const keys = this.#previous === undefined ? [this.#key] : [this.#key, this.#previous];
    if (!keys.some((key) => isSame(signature, this.#sign(id, time, key)))) return undefined;
    return now / 1000 - Number(time) < DEVICE_LIFETIME_S ? id : undefined;
  }

  #sign(id: string, time: string, key: Buffer): string {
    const signed = JSON.stringify(['device', this.#username, id, time]);
    return createHmac('sha256', key).update(signed).digest('base64url');
  }
}

function isSame(signature: string, expected: string): boolean {
  if (signature.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}
