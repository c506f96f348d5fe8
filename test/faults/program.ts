import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerUser } from '@pressroom/embedded-postgres/cluster';
import { ROOT } from '../support/command.ts';
import { isOpen } from '../support/processes.ts';
import { until } from '../support/until.ts';

export interface ProgramOptions {
  /** For messages. */
  name: string;
  /** The port on 127.0.0.1 that it accepts connections on once it has started. */
  port: number;
  command: string;
  args: readonly string[];
  /** The directory that it is started in; the repository if absent. */
  cwd?: string;
  /** Its environment besides the PATH. */
  env?: Record<string, string>;
  /** The test's own account if absent. */
  account?: ServerUser;
}

/** A server in its own process that is killed, stopped where it stands, and started again. */
export class Program {
  readonly #options: ProgramOptions;
  #env: Record<string, string> = {};
  #cwd: string;
  #process: ChildProcess | undefined;
  #peakBytes = 0;
  #errors = '';

  constructor(options: ProgramOptions) {
    this.#options = options;
    this.#cwd = options.cwd ?? ROOT;
  }

  get name(): string {
    return this.#options.name;
  }

  get port(): number {
    return this.#options.port;
  }

  /** True if it has been started and has not ended. */
  get running(): boolean {
    const child = this.#process;
    return child?.pid !== undefined && child.exitCode === null && child.signalCode === null;
  }

  /** The most memory that it has been seen to hold, in bytes, whichever of its processes it was. */
  get peakBytes(): number {
    return this.#peakBytes;
  }

  /** Starts it, and resolves when it accepts connections. Throws its last words when it ends before that. */
  async start(): Promise<void> {
    const { name, port, command, args, env, account } = this.#options;
    const { PATH = '' } = process.env;
    const child = spawn(command, args, {
      ...account,
      cwd: this.#cwd,
      env: { PATH, ...env, ...this.#env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    this.#errors = '';
    // Nothing outlives a run that is broken off.
    const kill = (): void => void child.kill('SIGKILL');
    process.once('exit', kill);
    child.once('exit', () => process.off('exit', kill));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors = (this.#errors + text).slice(-2000);
    });
    // A command that is not installed: the wait below tells it.
    child.on('error', (error) => {
      this.#errors = String(error);
    });
    await until(`${name} accepts connections`, async () => {
      if (!this.running) throw new Error(`${name} ended: ${this.#errors}`);
      return isOpen(port);
    });
  }

  /** Starts it with further variables, which stay until it is started with others. */
  startWith(env: Record<string, string>): Promise<void> {
    this.#env = env;
    return this.start();
  }

  /** Starts it in another directory, which it keeps: the same program of another build. */
  startIn(directory: string): Promise<void> {
    this.#cwd = directory;
    return this.start();
  }

  /** Starts it again if it has ended by itself. */
  async ensureRunning(): Promise<void> {
    if (!this.running) await this.start();
  }

  /** Sends a signal. */
  signal(name: NodeJS.Signals): void {
    this.#process?.kill(name);
  }

  /** Ends it with a signal, and resolves when it is gone. */
  async end(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#process;
    if (child === undefined || !this.running) return;
    const gone = once(child, 'exit');
    child.kill(signal);
    // One that stands still takes no other signal.
    child.kill('SIGCONT');
    await gone;
  }

  /** Looks at how much memory it holds. */
  measure(): void {
    const pid = this.#process?.pid;
    if (pid === undefined || !this.running) return;
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(statusOf(pid))?.[1] ?? '0';
    this.#peakBytes = Math.max(this.#peakBytes, Number(kilobytes) * 1024);
  }
}

/** The process may end between a look at whether it runs and this one. */
function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}

/** Runs `work` until `signal` is aborted, with a pause between two runs. */
export async function repeatedly(
  signal: AbortSignal,
  pauseMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  while (!signal.aborted) {
    await work();
    await delay(pauseMs);
  }
}
