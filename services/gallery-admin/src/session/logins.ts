import { Failure } from '@pressroom/common/failures/failure';
import type { Account } from './account.ts';
import type { DeviceTokens } from './device-token.ts';
import type { KnownAddresses } from './known-addresses.ts';
import { type Lane, LoginLanes, laneOf, type Visitor } from './login-lanes.ts';
import type { SessionStore } from './store.ts';
import type { LoginThrottle } from './throttle.ts';

/** What {@link Logins} works with. */
export interface LoginParts {
  account: Account;
  sessions: SessionStore;
  throttle: LoginThrottle;
  addresses: KnownAddresses;
  devices: DeviceTokens;
}

/** What a login request shows about its sender. */
export interface Caller {
  /** Counts as one client: the address, or the /64 of an IPv6 one. */
  address: string;
  /** As the browser sends it, valid or not. */
  deviceToken: string | undefined;
  /** True once the client no longer waits for the answer. */
  isGone: () => boolean;
}

/** The result of an attempt, and the lane that it was made in. */
export type LoginOutcome = { lane: Lane } & (
  | { outcome: 'throttled'; retryAfterS: number }
  | { outcome: 'failed' }
  /** The tokens of the new session and of the device. */
  | { outcome: 'done'; session: string; device: string }
);

/** Login attempts: counted, bounded, and run in the lane of their client. */
export class Logins {
  readonly #parts: LoginParts;
  readonly #lanes = new LoginLanes();

  constructor(parts: LoginParts) {
    this.#parts = parts;
  }

  /**
   * Tries to log in. Fails with `unavailable` if too many try at once, which does not count as an attempt,
   * and with `misconfigured` if no account is configured.
   */
  async attempt(caller: Caller, credentials: { username: string; password: string }): Promise<LoginOutcome> {
    const { account, devices, addresses, throttle } = this.#parts;
    account.assertConfigured();
    const { address, deviceToken = '' } = caller;
    const device = devices.idOf(deviceToken);
    const isKnownAddress = device === undefined && (await addresses.has(address));
    const visitor: Visitor = { address, device, isKnownAddress };
    const lane = laneOf(visitor);
    return this.#lanes.run(visitor, async () => {
      if (caller.isGone()) throw new Failure('unavailable', 'the client is no longer waiting for this login');
      const { username, password } = credentials;
      const attempt = await throttle.attempt(visitor, username, () => account.isRight(username, password));
      if (attempt === 'wrong') return { outcome: 'failed', lane };
      if (attempt !== 'right') return { outcome: 'throttled', lane, ...attempt };
      return { outcome: 'done', lane, ...(await this.#begin(visitor)) };
    });
  }

  async #begin({ address }: Visitor): Promise<{ session: string; device: string }> {
    const { account, sessions, addresses, devices } = this.#parts;
    await addresses.add(address);
    const session = await sessions.create(account.fingerprint);
    return { session, device: devices.issue() };
  }
}
