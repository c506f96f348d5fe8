import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { StartError } from '@pressroom/embedded-postgres/start-error';

/** How long a program may take to stop after SIGTERM, in ms, before it is killed. */
const GRACE_MS = 10_000;

/** The pauses, in ms, before a program that ended by itself is started again: the first, and the longest. */
const PAUSE_MS = { first: 1000, longest: 30_000 };

/** How long a program has to have run, in ms, for the next pause to be the first again. */
const STEADY_MS = 60_000;

const PRELOAD = new URL('end-with-starter.ts', import.meta.url).href;

/**
 * Bounds of the heap, in MiB, as in `deploy/Dockerfile`. V8 paces garbage collection by them: without the
 * second it keeps a third more garbage, and a lower one costs the media proxy a third of its throughput.
 */
const NODE_FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=1400'];

export interface ProgramOptions {
  readonly name: string;
  /** The file that Node runs, and its arguments. */
  readonly command: readonly string[];
  /** Working directory, against which the file is resolved. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A Node program run as a child, with this process's output. It ends when this process does. */
export class Program {
  readonly #options: ProgramOptions;
  readonly #stopped = new AbortController();
  #running: Running;

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#running = run(options);
  }

  get name(): string {
    return this.#options.name;
  }

  /** Settled when it ends, with the reason: `exit code 1`, `SIGKILL`. */
  get ended(): Promise<string> {
    return this.#running.ended;
  }

  /** Starts the program again, and says so, whenever it ends by itself; returns when it has been stopped. */
  async keepRunning(print: (line: string) => void): Promise<void> {
    const { signal } = this.#stopped;
    for (let pause = PAUSE_MS.first; ; pause = Math.min(PAUSE_MS.longest, 2 * pause)) {
      const begun = performance.now();
      const how = await this.ended;
      if (performance.now() - begun > STEADY_MS) pause = PAUSE_MS.first;
      if (signal.aborted) return;
      print(`${this.name} ended by itself (${how}); starting it again in ${pause / 1000} s`);
      await wait(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      this.#running = run(this.#options);
    }
  }

  /** Stops the program with SIGTERM and returns when it has ended; kills it after 10 s. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    const { child, ended } = this.#running;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    await ended;
    clearTimeout(timer);
  }
}

/** One run of a program, and how it ends. */
interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<string>;
}

function run({ command, cwd, env }: ProgramOptions): Running {
  const child = spawn(process.execPath, [...NODE_FLAGS, '--import', PRELOAD, ...command], {
    cwd,
    env,
    // In its own process group: Ctrl-C is for the starter, which ends everything in order.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  return { child, ended };
}

/** Runs a program to its end, or to the signal. Throws a {@link StartError} when it fails. */
export async function runToEnd(options: ProgramOptions, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const program = new Program(options);
  const stop = () => void program.stop();
  signal.addEventListener('abort', stop);
  const ended = await program.ended;
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (ended !== 'exit code 0')
    throw new StartError(`${options.name} failed (${ended}); see its message above`);
}
