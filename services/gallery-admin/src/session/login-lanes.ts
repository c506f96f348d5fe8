import { FairQueue } from './fair-queue.ts';

/** Who tries to log in, as far as the request shows. */
export interface Visitor {
  /** Counts as one client: the address, or the /64 of an IPv6 one. */
  address: string;
  /** True when somebody has logged in from this address before. */
  isKnownAddress: boolean;
  /** The id in a valid device cookie: a browser from which somebody has logged in before. */
  device: string | undefined;
}

/** Attempts that may wait in a lane, whoever makes them. */
const WAITING = 64;

/** Clients that may wait in a lane beyond that, each with one attempt. */
const CLIENTS = 512;

/**
 * Each hash takes 64 MiB and a core for a while, so each lane does one at a time. What strangers send fills the lane of
 * strangers alone (OWASP, "Device cookies").
 */
export class LoginLanes {
  readonly #devices = lane();
  readonly #knownAddresses = lane();
  readonly #strangers = lane();

  /** Runs `work` in the lane of `visitor`. Fails with `unavailable`, having done nothing, when the lane is full. */
  run<T>({ device, address, isKnownAddress }: Visitor, work: () => Promise<T>): Promise<T> {
    if (device !== undefined) return this.#devices.run(device, work);
    return (isKnownAddress ? this.#knownAddresses : this.#strangers).run(address, work);
  }
}

function lane(): FairQueue {
  return new FairQueue({ concurrency: 1, waiting: WAITING, owners: CLIENTS });
}
