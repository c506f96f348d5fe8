const WINDOW_MS = 8000;

/** The shortest time that says anything, in ms. */
const SHORTEST_MS = 500;

/** The growth of a count of bytes, over the last seconds. */
export class Rate {
  #samples: { at: number; bytes: number }[] = [];

  /** Takes the count at a time in ms; returns bytes in a second, undefined before there is a rate. */
  sample(bytes: number, at: number): number | undefined {
    this.#samples = [...this.#samples.filter((sample) => at - sample.at < WINDOW_MS), { at, bytes }];
    const [first] = this.#samples;
    if (first === undefined || at - first.at < SHORTEST_MS) return undefined;
    return Math.max(0, ((bytes - first.bytes) / (at - first.at)) * 1000);
  }

  /** Forgets the past: nothing was sent for a while. */
  restart(): void {
    this.#samples = [];
  }
}
