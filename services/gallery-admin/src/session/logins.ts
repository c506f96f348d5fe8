import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { Failure } from '@pressroom/common/failures/failure';
import type { Candidate, PeopleStore } from '../people/people-store.ts';
import type { CodeKind, Codes } from './codes.ts';
import {
  type KnownAddresses,
  type Lane,
  LoginLanes,
  type LoginThrottle,
  laneOf,
  type Throttled,
  type Visitor,
} from './login-throttle.ts';
import {
  formatPasswordHash,
  hashPassword,
  isPassword,
  type PasswordHash,
  parsePasswordHash,
} from './password.ts';
import type { DeviceTokens, SessionStore } from './store.ts';

interface LoginParts {
  account: Account;
  people: PeopleStore;
  sessions: SessionStore;
  throttle: LoginThrottle;
  addresses: KnownAddresses;
  devices: DeviceTokens;
  codes: Codes;
  /** True if people may log in with a password; the account of the environment always may. */
  takesPasswords: boolean;
}

/** The sender of a login request, as far as it shows. */
export interface Caller {
  /** Counts as one client: the address, or the /64 of an IPv6 one. */
  address: string;
  /** As the browser sends it, valid or not. */
  deviceToken: string | undefined;
  /** The browser's `User-Agent`. */
  browser: string | undefined;
  /** True once the client no longer waits for the answer. */
  isGone: () => boolean;
}

/** Somebody who has proved that they may log in. */
export interface Known {
  name: string;
  /** The name they log in with, in the form in which it is counted. */
  login: string;
  /** The fingerprint of the environment's account, or the person's stamp. */
  account: Buffer;
  /** Null for the environment's account. */
  person_id: string | null;
  /** The id of a provider of single sign-on, or `proxy`; else absent. */
  way?: string;
  /** The provider's ID token, sealed. */
  id_token?: string;
  /** The time of their proof of identity; absent for just now. */
  confirmed_at?: Date | undefined;
}

/** The `confirmed_at` of whoever has yet to show who they are. */
export const UNCONFIRMED = new Date(0);

interface Credentials {
  username: string;
  password: string;
  /** From an authenticator app, or for recovery. */
  code?: string | undefined;
}

/** The outcome of a proof of identity, and the lane in which it was checked. */
type Proven<Found> = { lane: Lane } & (
  | { outcome: 'throttled'; retryAfterS: number }
  | { outcome: 'failed' }
  | { outcome: 'right'; found: Found }
);

/** The outcome of a login; `code_required` and `code_wrong` imply the right password. */
type Checked = { lane: Lane } & (
  | { outcome: 'throttled'; retryAfterS: number }
  | { outcome: 'failed' }
  | { outcome: 'code_required' }
  | { outcome: 'code_wrong'; known: Known }
  | { outcome: 'right'; known: Known; code?: CodeKind }
);

/** Login attempts: counted, bounded, and run in the lane of their client. */
export class Logins {
  readonly #parts: LoginParts;
  readonly #lanes = new LoginLanes();

  constructor(parts: LoginParts) {
    this.#parts = parts;
  }

  /**
   * Says who logs in, with the username of the environment's account or a person's e-mail address. Fails with
   * `unavailable` if too many try at once, which does not count as an attempt, and with `misconfigured` if
   * there is neither that account nor an owner.
   */
  async attempt(caller: Caller, credentials: Credentials): Promise<Checked> {
    const { account, people } = this.#parts;
    if (!account.isConfigured && !(await people.hasOwner())) throw misconfigured();
    const { username, password, code } = credentials;
    const login = account.loginOf(username);
    const seen: { wrongCode?: Known } = {};
    const proven = await this.prove(caller, login, async (visitor) => {
      const found = await this.#recognize(username, password);
      if (found === undefined || !found.hasFactor) return found && { known: found.known };
      // Nothing is guessed yet: the password is right.
      if (code === undefined) return 'code_required' as const;
      const second = await this.#second(visitor, found.known, code);
      if (second === undefined) seen.wrongCode = found.known;
      return second;
    });
    const { lane } = proven;
    if (proven.outcome === 'failed' && seen.wrongCode) {
      return { outcome: 'code_wrong', lane, known: seen.wrongCode };
    }
    if (proven.outcome !== 'right') return proven;
    const { found } = proven;
    if (found === 'code_required') return { outcome: found, lane };
    return 'retryAfterS' in found
      ? { outcome: 'throttled', lane, ...found }
      : { outcome: 'right', lane, ...found };
  }

  async #second(
    visitor: Visitor,
    known: Known,
    code: string,
  ): Promise<{ known: Known; code: CodeKind } | Throttled | undefined> {
    const taken = await this.takeCode(visitor, known.person_id ?? '', code);
    if (taken === 'wrong') return undefined;
    return 'found' in taken ? { known, code: taken.found } : taken;
  }

  /** Uses up a code of a person, counted over all addresses: each of them could guess some. */
  takeCode(
    visitor: Visitor,
    person: string,
    code: string,
  ): Promise<{ found: CodeKind } | 'wrong' | Throttled> {
    const { throttle, codes } = this.#parts;
    return throttle.attemptCode(visitor, person, () => codes.take(person, code));
  }

  /** Checks a password alone as a login does, in its lane and counted. Fails as a login. */
  check(caller: Caller, { username, password }: Credentials): Promise<Proven<Known>> {
    return this.prove(caller, this.#parts.account.loginOf(username), async () => {
      const found = await this.#recognize(username, password);
      return found?.known;
    });
  }

  /**
   * Lets `find` say whether somebody is who they say, in the lane of the caller, and counts it as a failed
   * login of `login` if not. Fails with `unavailable` if too many try at once, which does not count.
   */
  async prove<Found>(
    caller: Caller,
    login: string,
    find: (visitor: Visitor) => Promise<Found | undefined>,
  ): Promise<Proven<Found>> {
    const visitor = await this.#visitor(caller, login);
    const lane = laneOf(visitor);
    return this.#lanes.run(visitor, async () => {
      if (caller.isGone()) throw new Failure('unavailable', 'the client is no longer waiting for this login');
      const attempt = await this.#parts.throttle.attempt(visitor, login, () => find(visitor));
      if (attempt === 'wrong') return { outcome: 'failed', lane };
      if ('retryAfterS' in attempt) return { outcome: 'throttled', lane, ...attempt };
      return { outcome: 'right', lane, ...attempt };
    });
  }

  /** Hashes a new password of `login` in the lane of the caller, as a login would be checked. */
  async hash(caller: Caller, login: string, password: string): Promise<string> {
    const visitor = await this.#visitor(caller, login);
    return this.#lanes.run(visitor, async () => formatPasswordHash(await hashPassword(password)));
  }

  async #visitor({ address, deviceToken = '' }: Caller, login: string): Promise<Visitor> {
    const { devices, addresses } = this.#parts;
    const device = devices.idOf(deviceToken, login);
    return { address, device, isKnownAddress: device === undefined && (await addresses.has(address)) };
  }

  /** Begins a session of somebody who is known, and remembers from where. */
  async begin(
    { account, login, person_id, way, id_token, confirmed_at }: Known,
    { address, browser }: Pick<Caller, 'address' | 'browser'>,
  ): Promise<{ session: string; device: string }> {
    const { sessions, addresses, devices } = this.#parts;
    await addresses.add(address);
    const by = { account, person_id, way, id_token, confirmed_at };
    const session = await sessions.create({ ...by, address, device: browser });
    return { session, device: devices.issue(login) };
  }

  /** Hashes the password once, whoever it is: an unknown name costs as much as a wrong password. */
  async #recognize(
    username: string,
    password: string,
  ): Promise<{ known: Known; hasFactor: boolean } | undefined> {
    const { account, people, takesPasswords } = this.#parts;
    const isPerson = takesPasswords && !account.hasName(username);
    const person = isPerson ? await people.candidate(username.toLowerCase()) : undefined;
    if (person === undefined) {
      const isRight = await account.isRight(username, password);
      const { name, fingerprint } = account;
      const known = { name, login: account.loginOf(name), account: fingerprint, person_id: null };
      return isRight ? { known, hasFactor: false } : undefined;
    }
    const hash = parsePasswordHash(person.password_hash ?? '');
    if (hash === undefined || !(await isPassword(password, hash))) return undefined;
    return { known: knownAs(person), hasFactor: person.has_factor };
  }
}

/** A person who has shown who they are. */
export function knownAs({ id, name, email, stamp }: Candidate): Known {
  return { name, login: email, account: stamp, person_id: id };
}

function misconfigured(): Failure {
  return new Failure(
    'misconfigured',
    'login is not configured: set ADMIN_USERNAME and ADMIN_PASSWORD_HASH (or ADMIN_PASSWORD) on the server',
  );
}

/** The account as the environment describes it. */
interface AccountSettings {
  username: string | undefined;
  /** argon2id as a PHC string; goes before `password`. */
  passwordHash: string | undefined;
  password: string | undefined;
  settingsKey: Buffer;
}

/** The account of the environment: an owner. */
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

  get isConfigured(): boolean {
    const { username, passwordHash, password } = this.#settings;
    return Boolean(username && (passwordHash || password));
  }

  get name(): string {
    return this.#settings.username ?? '';
  }

  /** The form in which a username is counted: one for all spellings of an e-mail address. */
  loginOf(username: string): string {
    return this.hasName(username) ? this.name.normalize('NFC') : username.toLowerCase();
  }

  /** True if a person with this name or e-mail address could be taken for the account. */
  isTakenBy(text: string): boolean {
    return this.isConfigured && text.toLowerCase() === this.name.normalize('NFC').toLowerCase();
  }

  /** True if the account has this name; always false if no account is configured. */
  hasName(username: string): boolean {
    return this.isConfigured && isSame(username, this.name);
  }

  /**
   * True for the right username and password. Hashes the password in either case, so that an unknown username
   * costs as much as a wrong password.
   */
  async isRight(username: string, password: string): Promise<boolean> {
    const right = await this.#verify(password, await this.#passwordHash());
    return this.hasName(username) && right;
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
