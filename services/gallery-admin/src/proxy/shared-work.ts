/** A piece of work that several callers wait for. */
interface Shared<T> {
  result: Promise<T>;
  abort: AbortController;
  waiting: number;
}

/**
 * Does each piece of work once for all callers that want it at the same time, and aborts it when none of them
 * is waiting any longer.
 */
export class SharedWork<T> {
  readonly #running = new Map<string, Shared<T>>();

  /** Joins the work named `key`, or starts it. Rejects with the reason of `signal` if that is aborted. */
  do(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const shared = this.#running.get(key) ?? this.#begin(key, work);
    shared.waiting += 1;
    return new Promise<T>((resolve, reject) => {
      const leave = () => {
        reject(signal.reason);
        shared.waiting -= 1;
        if (shared.waiting > 0) return;
        this.#forget(key, shared);
        shared.abort.abort(signal.reason);
      };
      if (signal.aborted) return leave();
      signal.addEventListener('abort', leave, { once: true });
      shared.result.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
    });
  }

  #begin(key: string, work: (signal: AbortSignal) => Promise<T>): Shared<T> {
    const abort = new AbortController();
    const shared = { result: work(abort.signal), abort, waiting: 0 };
    this.#running.set(key, shared);
    const forget = () => this.#forget(key, shared);
    shared.result.then(forget, forget);
    return shared;
  }

  #forget(key: string, shared: Shared<T>): void {
    if (this.#running.get(key) === shared) this.#running.delete(key);
  }
}
