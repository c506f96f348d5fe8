/** The loads of one key: one that runs, and one for all who have asked since it began. */
interface Turns<Value> {
  running: Promise<Value>;
  next?: Promise<Value>;
}

/**
 * Loads of which no two of a key run at the same time. Whoever asks gets a load that begins after he asked,
 * and shares it with all others who wait for it.
 */
export class LoadsInTurn<Value> {
  readonly #turns = new Map<string, Turns<Value>>();

  /** The value that `make` loads, or another caller's `make` that begins after this call. */
  load(key: string, make: () => Promise<Value>): Promise<Value> {
    const turns = this.#turns.get(key);
    if (turns === undefined) return this.#run(key, make);
    turns.next ??= turns.running.then(
      () => this.#run(key, make),
      () => this.#run(key, make),
    );
    return turns.next;
  }

  #run(key: string, make: () => Promise<Value>): Promise<Value> {
    const turns: Turns<Value> = { running: make() };
    this.#turns.set(key, turns);
    const end = () => {
      if (turns.next === undefined) this.#turns.delete(key);
    };
    void turns.running.then(end, end);
    return turns.running;
  }
}
