/** A program that some checks need and that may be missing. */
export type Tool = 'go' | 'nginx' | 'python3';

export interface Verdict {
  /** The number of single checks that passed. */
  readonly passed: number;
  /** The failed checks, each in one or more lines: what was sent, what came back, and what was expected. */
  readonly faults: readonly string[];
}

export interface ConformanceCheck {
  /** The argument of `pnpm conformance`. */
  readonly name: string;
  /** A short description of what it examines. */
  readonly about: string;
  readonly needs: readonly Tool[];
  /** Runs the check; `note` adds a line to what is printed at its end. An error counts as a fault. */
  run(note: (line: string) => void): Promise<Verdict>;
}

/** Collects single results into a {@link Verdict}. */
export class Findings {
  #passed = 0;
  readonly #faults: string[] = [];

  /** Counts `what` as passed when `fault` is undefined, else records the fault. */
  add(what: string, fault: string | undefined): void {
    if (fault === undefined) this.#passed += 1;
    else this.#faults.push(`${what}: ${fault}`);
  }

  /** The findings so far. */
  get verdict(): Verdict {
    return { passed: this.#passed, faults: [...this.#faults] };
  }
}
