import { FairQueue } from '@pressroom/common/concurrency/fair-queue';

/** What a request shows about who tries to log in. */
export interface Visitor {
  /** Counts as one client: the address, or the /64 of an IPv6 one. */
  address: string;
  /** True if someone has logged in from this address before. */
  isKnownAddress: boolean;
  /** The id in a valid device cookie, from a browser that someone has logged in from before. */
  device: string | undefined;
}

/** The lane that a visitor waits in. */
export type Lane = 'device' | 'known_address' | 'unknown';

/** The lane of a visitor. */
export function laneOf({ device, isKnownAddress }: Visitor): Lane {
  if (device !== undefined) return 'device';
  return isKnownAddress ? 'known_address' : 'unknown';
}

/** Attempts that may wait in a lane, over all clients. */
const WAITING = 64;

/** Clients that may wait in a lane beyond that, each with one attempt. */
const CLIENTS = 512;

/** For how long an attempt counts against the next ones of its client, in ms. */
const REMEMBER_MS = 15 * 60_000;

/**
 * Each hash takes 64 MiB and a core for a while, so each lane does one at a time. Unknown senders only fill
 * the unknown lane (OWASP, "Device cookies"). The other lanes also leave the cores to known browsers: their
 * next hash starts when no known browser is waiting. Only those who have known the password have such a
 * browser, so unknown senders cannot delay each other this way.
 */
export class LoginLanes {
  readonly #devices = lane();
  readonly #knownAddresses = lane();
  readonly #unknown = lane();

  /**
   * Runs `work` in the lane of `visitor`. Fails with `unavailable`, without running it, if the lane is full.
   */
  run<T>({ device, address, isKnownAddress }: Visitor, work: () => Promise<T>): Promise<T> {
    if (device !== undefined) return this.#devices.run(device, work);
    const lane = isKnownAddress ? this.#knownAddresses : this.#unknown;
    return lane.run(address, async () => {
      await this.#devices.idle();
      return work();
    });
  }
}

function lane(): FairQueue {
  const waiting = { pieces: WAITING, owners: CLIENTS, refusal: 'too many logins at once; try again' };
  return new FairQueue({ places: 1, waiting, rememberMs: REMEMBER_MS });
}
