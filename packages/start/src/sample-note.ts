import { appendFileSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The names of the services whose samples the embedded database has had, so that a later start need not ask
 * it. The note lies next to the database and goes with it.
 */
export class SampleNote {
  readonly #file: string;

  /** @param home where the embedded database is */
  constructor(home: string) {
    this.#file = path.join(home, 'samples');
  }

  has(service: string): boolean {
    try {
      return readFileSync(this.#file, 'utf8').split('\n').includes(service);
    } catch {
      return false;
    }
  }

  add(service: string): void {
    appendFileSync(this.#file, `${service}\n`);
  }
}
