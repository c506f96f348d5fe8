/** A program that some judges are run by and that may be absent. */
export type Tool = 'go' | 'python3';

/** What a judge has found. */
export interface Verdict {
  /** How many single things were as they must be. */
  readonly passed: number;
  /** The others, each one or more lines that say what was sent, what came back and what must come. */
  readonly faults: readonly string[];
}

/** Somebody who was not there when the services were written, and says what is wrong with them. */
export interface Judge {
  /** The word that `pnpm judge` takes. */
  readonly name: string;
  /** What it looks at, in a few words. */
  readonly about: string;
  /** What it cannot work without. */
  readonly needs: readonly Tool[];
  /** Judges; `note` prints a line at once. What it throws is a fault. */
  run(note: (line: string) => void): Promise<Verdict>;
}

/** Collects single results until there is a {@link Verdict}. */
export class Findings {
  #passed = 0;
  readonly #faults: string[] = [];

  /** Counts `what` as passed when `fault` is undefined, else records the fault. */
  add(what: string, fault: string | undefined): void {
    if (fault === undefined) this.#passed += 1;
    else this.#faults.push(`${what}: ${fault}`);
  }

  /** What has been found so far. */
  get verdict(): Verdict {
    return { passed: this.#passed, faults: [...this.#faults] };
  }
}
