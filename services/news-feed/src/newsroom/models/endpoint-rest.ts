import type { EndpointFault } from './model-endpoint.ts';

/** How long an endpoint is left alone after a fault without `Retry-After`, in milliseconds. */
const PAUSE_MS = 60_000;

/** How many faults in a row begin a pause. */
const FAULTS = 3;

/** Leaves an endpoint alone for as long as it asks, or for a minute after three faults in a row. */
export class EndpointRest {
  #faults = 0;
  #until = 0;

  /** Whether it is to be left alone now. */
  isResting(now: Date): boolean {
    return now.getTime() < this.#until;
  }

  /** Notes that it has answered. */
  worked(): void {
    this.#faults = 0;
  }

  /** Notes a fault. */
  failed({ pauseMs }: EndpointFault, now: Date): void {
    this.#faults += 1;
    if (pauseMs !== undefined || this.#faults >= FAULTS) this.#until = now.getTime() + (pauseMs ?? PAUSE_MS);
  }
}
