import { type ReadonlySignal, signal } from '@preact/signals';

/** The pauses before each look for the service, in ms. */
const PAUSES_MS = [1000, 2000, 5000, 10_000];

/** Tracks if the service can be reached; requests that got no answer are tried again when it is back. */
export class Connection {
  readonly #returns = signal(0);
  readonly #probe: () => Promise<unknown>;
  #isAway = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param probe resolves if the service answers, whatever it says */
  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe;
    // The browser may know first that there is a network again, but not whether the service is in it.
    addEventListener('online', () => this.#isAway && void this.#look(0));
    addEventListener('offline', () => this.lost());
  }

  /** The number of times that the service has come back. */
  get returns(): ReadonlySignal<number> {
    return this.#returns;
  }

  /** Says that a request found no answer: from now on the page looks for the service by itself. */
  lost(): void {
    if (this.#isAway) return;
    this.#isAway = true;
    this.#wait(0);
  }

  #wait(turn: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(turn + 1), PAUSES_MS[turn] ?? PAUSES_MS.at(-1));
  }

  async #look(turn: number): Promise<void> {
    clearTimeout(this.#timer);
    try {
      await this.#probe();
    } catch {
      this.#wait(turn);
      return;
    }
    if (!this.#isAway) return;
    this.#isAway = false;
    this.#returns.value += 1;
  }
}
