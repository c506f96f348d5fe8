import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/**
 * Starts a program, prints its process id, and asks it to stop when standard input closes, as it does when
 * the process that holds the other end is gone. Standard output stays open as long as anything of the program
 * runs. A shell takes 1 MB of memory, a Node 60.
 */
const GUARD =
  'exec 3>&1 1>&2; "$@" </dev/null & echo $! >&3; exec 3>&-; read -r _; kill -INT $! 2>/dev/null; wait $!';

/**
 * A program that gets SIGINT when this process ends, however it ends. It has its own process group, so that
 * Ctrl-C does not reach PostgreSQL before the services have finished.
 */
export class Guarded {
  /** Settled when nothing of the program runs any more, or its guard was killed. */
  readonly exited: Promise<unknown>;
  /** The id of its process. */
  readonly pid: Promise<number>;
  /** What it prints, as far as `output` is a pipe. */
  readonly printed: Readable | null;
  readonly #guard: ChildProcessByStdio<Writable, Readable, Readable | null>;
  readonly #code: Promise<unknown>;

  constructor(command: readonly string[], options: SpawnOptions, output: 'pipe' | number) {
    const guard = spawn('/bin/sh', ['-c', GUARD, 'sh', ...command], {
      ...options,
      detached: true,
      stdio: ['pipe', 'pipe', output],
    }) as ChildProcessByStdio<Writable, Readable, Readable | null>;
    this.#guard = guard;
    // Lost if the guard is gone.
    guard.stdin.on('error', () => undefined);
    this.printed = guard.stderr;
    this.pid = once(guard.stdout.setEncoding('utf8'), 'data').then(([line]) => Number(line));
    this.#code = once(guard, 'exit').then(([code]) => code);
    this.exited = Promise.race([this.#code, once(guard.stdout.resume(), 'end')]);
    for (const promise of [this.pid, this.#code, this.exited]) promise.catch(() => undefined);
  }

  /** Asks the program to stop, if it runs, and returns its exit code when it has ended. */
  async stop(): Promise<unknown> {
    this.#guard.stdin.end();
    return this.#code;
  }

  /** Returns the program's exit code when it has ended by itself. */
  async end(): Promise<unknown> {
    await this.exited;
    return this.stop();
  }
}
