/** A piece of work that waits for its turn. */
type Start = () => void;

/**
 * Runs work for many owners, at most so many pieces at once. Owners take turns, those of whom nothing runs
 * first, and where there are several places, one owner never has all of them: one who brings a hundred pieces
 * holds nobody up, or with a single place for no longer than the piece that is running.
 */
export class OwnerTurns {
  readonly #places: number;
  readonly #placesOfOne: number;
  /** Those who wait, the one whose turn is next first. */
  readonly #waiting = new Map<string, Start[]>();
  /** How many pieces of each owner run. */
  readonly #running = new Map<string, number>();
  #count = 0;

  constructor(places: number) {
    this.#places = places;
    this.#placesOfOne = Math.max(1, places - 1);
  }

  /** Runs `work` when it is the turn of `owner`. */
  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    if (this.#count < this.#places && this.#hasPlace(owner)) this.#begin(owner);
    else await new Promise<void>((start) => this.#wait(owner, start));
    try {
      return await work();
    } finally {
      this.#end(owner);
    }
  }

  #hasPlace(owner: string): boolean {
    return (this.#running.get(owner) ?? 0) < this.#placesOfOne;
  }

  #wait(owner: string, start: Start): void {
    const own = this.#waiting.get(owner);
    if (own === undefined) this.#waiting.set(owner, [start]);
    else own.push(start);
  }

  #begin(owner: string): void {
    this.#count += 1;
    this.#running.set(owner, (this.#running.get(owner) ?? 0) + 1);
  }

  #end(owner: string): void {
    this.#count -= 1;
    const left = (this.#running.get(owner) ?? 0) - 1;
    if (left > 0) this.#running.set(owner, left);
    else this.#running.delete(owner);
    this.#startNext(owner);
  }

  /** @param last whose piece has just ended: others come before */
  #startNext(last: string): void {
    const owners = [...this.#waiting.keys()].filter((owner) => this.#hasPlace(owner));
    const next = owners.find((owner) => owner !== last && !this.#running.has(owner)) ?? owners[0];
    if (next === undefined) return;
    const [start, ...rest] = this.#waiting.get(next) ?? [];
    // To the end of the line.
    this.#waiting.delete(next);
    if (rest.length > 0) this.#waiting.set(next, rest);
    this.#begin(next);
    start?.();
  }
}
