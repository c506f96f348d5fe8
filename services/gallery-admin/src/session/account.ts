import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import { hashPassword, isPassword, type PasswordHash, parsePasswordHash } from './password.ts';

/** The account as the environment describes it. */
export interface AccountSettings {
  username: string | undefined;
  /** argon2id as a PHC string; goes before `password`. */
  passwordHash: string | undefined;
  password: string | undefined;
  /** Keys the fingerprint. */
  settingsKey: Buffer;
}

/** The one account that may log in. */
export class Account {
  /** Changes with the username and the password, and reveals neither. 32 bytes. */
  readonly fingerprint: Buffer;
  readonly #settings: AccountSettings;
  readonly #verify: typeof isPassword;
  #expected: Promise<PasswordHash> | undefined;

  /** @param verify compares a password with a hash; argon2id by default */
  constructor(settings: AccountSettings, verify = isPassword) {
    const { username, passwordHash, password, settingsKey } = settings;
    const identity = JSON.stringify([username, passwordHash ?? password]);
    this.fingerprint = createHmac('sha256', settingsKey).update(`account:${identity}`).digest();
    this.#settings = settings;
    this.#verify = verify;
  }

  /** Fails with `misconfigured` if no account is configured. */
  assertConfigured(): void {
    const { username, passwordHash, password } = this.#settings;
    if (username && (passwordHash || password)) return;
    throw new Failure(
      'misconfigured',
      'login is not configured: set ADMIN_USERNAME and ADMIN_PASSWORD_HASH (or ADMIN_PASSWORD) on the server',
    );
  }

  /**
   * True for the right username and password. Hashes the password in either case, so that an unknown username
   * costs as much as a wrong password.
   */
  async isRight(username: string, password: string): Promise<boolean> {
    const right = await this.#verify(password, await this.#passwordHash());
    return isSame(username, this.#settings.username ?? '') && right;
  }

  /** A plain password from the environment is hashed once, so that every comparison costs the same. */
  #passwordHash(): Promise<PasswordHash> {
    const { passwordHash, password = '' } = this.#settings;
    const stored = parsePasswordHash(passwordHash ?? '');
    this.#expected ??= stored ? Promise.resolve(stored) : hashPassword(password);
    return this.#expected;
  }
}

function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text.normalize('NFC')).digest();
  return timingSafeEqual(digest(one), digest(other));
}
