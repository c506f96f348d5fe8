import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { until } from './until.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A program of the repository, run as an operator runs it. */
export class Child {
  /** The exit code, or null when a signal ended it. */
  readonly exited: Promise<number | null>;
  readonly #process: ChildProcess;
  #out = '';
  #err = '';

  private constructor(child: ChildProcess) {
    this.#process = child;
    this.exited = once(child, 'close').then(([code]) => code);
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#out += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#err += text;
    });
  }

  /** Runs `file` (relative to the repository) with exactly `env` beside the PATH and the compile cache. */
  static run(file: string, env: Record<string, string> = {}, args: string[] = []): Child {
    const { PATH, NODE_COMPILE_CACHE } = process.env;
    const given = { PATH, NODE_COMPILE_CACHE, ...env };
    return new Child(spawn(process.execPath, [file, ...args], { cwd: ROOT, env: given }));
  }

  /** Its standard output so far. */
  get out(): string {
    return this.#out;
  }

  /** Its standard error so far. */
  get err(): string {
    return this.#err;
  }

  /** The lines of its log, parsed. */
  get events(): Record<string, unknown>[] {
    const lines = this.#out.split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line));
  }

  /** Waits for an event of its log; throws with what it wrote when it ends before that. */
  async event(msg: string): Promise<Record<string, unknown>> {
    return until(`${msg} in the log`, () => {
      const found = this.events.find((event) => event.msg === msg);
      if (found === undefined && this.#process.exitCode !== null) throw new Error(`it ended: ${this.#err}`);
      return found;
    });
  }

  /** Sends a signal. */
  signal(name: NodeJS.Signals): void {
    this.#process.kill(name);
  }

  /** Kills it if it still runs, and waits for its end. */
  async end(): Promise<void> {
    this.signal('SIGKILL');
    await this.exited;
  }
}
