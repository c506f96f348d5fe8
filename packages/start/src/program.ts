import { type ChildProcess, spawn } from 'node:child_process';
import { get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { LOOPBACK } from '@pressroom/embedded-postgres/ports';
import { StartError } from '@pressroom/embedded-postgres/start-error';
import type { ProgramLogs } from './program-log.ts';

/** Time for a program to stop after SIGTERM, in ms, before it is killed. */
const GRACE_MS = 10_000;

/** The pauses, in ms, before a program that ended by itself is started again: the first, and the longest. */
const PAUSE_MS = { first: 1000, longest: 30_000 };

/** After a program has run this long, in ms, the next pause is the first again. */
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
  /** Keeps what it prints; the terminal shows it if absent. */
  readonly logs?: ProgramLogs;
}

/** A Node program run as a child, with this process's output or a log. It ends when this process does. */
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

function run({ name, command, cwd, env, logs }: ProgramOptions): Running {
  const child = spawn(process.execPath, [...NODE_FLAGS, '--import', PRELOAD, ...command], {
    cwd,
    env,
    // In its own process group: Ctrl-C is for the starter, which ends everything in order.
    detached: true,
    stdio: ['ignore', ...(logs ? (['pipe', 'pipe'] as const) : (['inherit', 'inherit'] as const)), 'ipc'],
  });
  logs?.keep(
    name,
    [child.stdout, child.stderr].filter((output) => output !== null),
  );
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

/** Interval at which a service is asked, in ms. */
const POLL_MS = 50;

/** Timeout of one answer, in ms. */
const ANSWER_MS = 2000;

/**
 * Time for a service to become ready, in ms: far longer than on the busiest machine. Ctrl-C ends the wait.
 */
const LIMIT_MS = 300_000;

/**
 * Returns when a service answers `/readyz` with a status accepted by `accept`, 200 by default. Throws a
 * {@link StartError} if it ends before that or takes longer than 5 minutes, and the signal's reason if that
 * comes first.
 */
export async function untilReady(
  service: Program,
  port: number,
  signal: AbortSignal,
  accept: (status: number | undefined) => boolean = (status) => status === 200,
): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  let ended: string | undefined;
  service.ended.then((how) => {
    ended = how;
  });
  while (!(await isReady(port, accept))) {
    signal.throwIfAborted();
    if (ended !== undefined)
      throw new StartError(`${service.name} ended (${ended}); its message above says why`);
    if (Date.now() > deadline) {
      throw new StartError(`${service.name} is not ready after ${LIMIT_MS / 1000} s; its log above says why`);
    }
    await wait(POLL_MS);
  }
}

function isReady(port: number, accept: (status: number | undefined) => boolean): Promise<boolean> {
  return new Promise((resolve) => {
    // A separate connection, so that none stays open and delays the service's end.
    const request = get({ host: LOOPBACK, port, path: '/readyz', agent: false, timeout: ANSWER_MS });
    request.on('response', (response) => {
      response.resume();
      resolve(accept(response.statusCode));
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
