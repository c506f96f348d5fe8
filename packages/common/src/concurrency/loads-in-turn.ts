/** A load that has failed after this long, in ms, is not followed by another: what it reads hangs. */
const PATIENCE_MS = 2000;

/** The loads of one key: the running one, and one for all calls since it began. */
interface Turns<Value> {
  running: Promise<Value>;
  /** When it began, by `performance.now()`. */
  begun: number;
  next?: Promise<Value>;
}

/**
 * Loads that never run concurrently for one key. A caller gets a load that begins after its call, shared with
 * all others who wait. If the load before it fails slowly, the waiting callers fail with it: theirs would
 * keep them waiting for as long again.
 */
export class LoadsInTurn<Value> {
  readonly #turns = new Map<string, Turns<Value>>();

  /** The value that `make` loads, or another caller's `make` that begins after this call. */
  load(key: string, make: () => Promise<Value>): Promise<Value> {
    const turns = this.#turns.get(key);
    if (turns === undefined) return this.#run(key, make);
    turns.next ??= this.#follow(key, turns, make);
    return turns.next;
  }

  async #follow(key: string, { running, begun }: Turns<Value>, make: () => Promise<Value>): Promise<Value> {
    try {
      await running;
    } catch (error) {
      if (performance.now() - begun > PATIENCE_MS) {
        this.#turns.delete(key);
        throw error;
      }
    }
    return this.#run(key, make);
  }

  #run(key: string, make: () => Promise<Value>): Promise<Value> {
    const turns: Turns<Value> = { begun: performance.now(), running: make() };
    this.#turns.set(key, turns);
    const end = () => {
      if (turns.next === undefined) this.#turns.delete(key);
    };
    void turns.running.then(end, end);
    return turns.running;
  }
}
