import { type ChildProcess, spawn } from 'node:child_process';
import { StartError } from '@pressroom/embedded-postgres/start-error';

/** How long a program may take to stop after SIGTERM, in ms, before it is killed. */
const GRACE_MS = 10_000;

const PRELOAD = new URL('end-with-starter.ts', import.meta.url).href;

/**
 * Bounds of the heap, in MiB, as in `deploy/Dockerfile`. V8 paces garbage collection by them: without the
 * second it keeps a third more garbage, and a lower one costs the media proxy a third of its throughput.
 */
const NODE_FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=1400'];

/** How a program is run. */
export interface ProgramOptions {
  /** What it is called in messages. */
  readonly name: string;
  /** The file that Node runs, and its arguments. */
  readonly command: readonly string[];
  /** Working directory, against which the file is resolved. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A Node program run as a child, with this process's output. It ends when this process does. */
export class Program {
  readonly name: string;
  /** Settled when it ends, with the reason: `exit code 1`, `SIGKILL`. */
  readonly ended: Promise<string>;
  readonly #process: ChildProcess;

  constructor({ name, command, cwd, env }: ProgramOptions) {
    this.name = name;
    this.#process = spawn(process.execPath, [...NODE_FLAGS, '--import', PRELOAD, ...command], {
      cwd,
      env,
      // In a process group of its own: Ctrl-C is for the starter, which ends everything in order.
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.ended = new Promise((resolve) => {
      this.#process.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
      this.#process.once('error', (error) => resolve(error.message));
    });
  }

  /** Stops the program with SIGTERM and returns when it has ended; kills it after 10 s. */
  async stop(): Promise<void> {
    this.#process.kill('SIGTERM');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), GRACE_MS);
    await this.ended;
    clearTimeout(timer);
  }
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
