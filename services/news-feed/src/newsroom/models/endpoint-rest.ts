import type { EndpointFault } from './model-endpoint.ts';

/** How long an endpoint is left alone after a fault without `Retry-After`, in milliseconds. */
const PAUSE_MS = 60_000;

/** How many faults in a row begin a pause. */
const FAULTS = 3;

/**
 * Leaves an endpoint alone for as long as it asks, or for a minute after three faults in a row. Refusals that
 * may be about the question count once for each of those who ask, so that one alone stops nobody else.
 */
export class EndpointRest {
  #faults = 0;
  readonly #refused = new Set<unknown>();
  #until = 0;

  /** Whether it is to be left alone now. */
  isResting(now: Date): boolean {
    return now.getTime() < this.#until;
  }

  /** Notes that it has answered. */
  worked(): void {
    this.#faults = 0;
    this.#refused.clear();
  }

  /** Notes a fault of a question by `asker`. */
  failed(fault: EndpointFault, now: Date, asker?: unknown): void {
    if (fault.isOfQuestion && asker !== undefined) this.#refused.add(asker);
    else this.#faults += 1;
    const { pauseMs } = fault;
    if (pauseMs !== undefined || this.#faults + this.#refused.size >= FAULTS) {
      this.#until = now.getTime() + (pauseMs ?? PAUSE_MS);
    }
  }
}
