import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { timed } from './turns.ts';

/** A measured server in its own process. */
export interface ServerProcess {
  pid: number;
  port: number;
  /** Current resident memory, in MiB. */
  residentMemory: () => number;
  stop: () => Promise<void>;
}

/** One that {@link startServer} has started. */
export interface StartedServer extends ServerProcess {
  /** How long it took to answer, in ms: it was asked every 50 ms. */
  readyMs: number;
}

/** The options for starting a server. */
export interface ServerOptions {
  /** The program, from the repository's root. */
  program: string;
  /** Its arguments. */
  args?: readonly string[];
  /** The environment; `port` is the name of the variable that says where to listen. */
  env: Record<string, string>;
  port: string;
  /** A path that answers once the server is up. */
  ready: string;
}

const FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=1400'];

/** What the image sets besides (`deploy/Dockerfile`). */
const IMAGE_ENV = { MALLOC_ARENA_MAX: '2' };

/** The compile cache, as in the image: see `deploy/Dockerfile`. */
const COMPILED = fileURLToPath(new URL('../.data/bench/compiled', import.meta.url));

/** What fills it with the services' modules. */
const COMPILE = fileURLToPath(new URL('../deploy/compile.ts', import.meta.url));

/**
 * Starts a server on a free port as `deploy/Dockerfile` does, and waits until it answers. Its log is written
 * to /dev/null.
 */
export async function startServer({
  program,
  args = [],
  env,
  port: variable,
  ready,
}: ServerOptions): Promise<StartedServer> {
  const port = await findFreePort();
  const log = openSync('/dev/null', 'w');
  // Without settings, the program exits at once.
  for (const loaded of [COMPILE, program]) {
    spawnSync(process.execPath, [...FLAGS, loaded], {
      env: { NODE_COMPILE_CACHE: COMPILED },
      stdio: 'ignore',
    });
  }
  const began = performance.now();
  const child = spawn(process.execPath, [...FLAGS, program, ...args], {
    env: { ...process.env, ...IMAGE_ENV, NODE_COMPILE_CACHE: COMPILED, ...env, [variable]: String(port) },
    stdio: ['ignore', log, 'inherit'],
  });
  await answered(child, `http://127.0.0.1:${port}${ready}`);
  return { ...serverOf(child, port), readyMs: performance.now() - began };
}

/** A child process that listens on a port. */
export function serverOf(child: ChildProcess, port: number): ServerProcess {
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return { pid: child.pid ?? 0, port, residentMemory: () => residentMemory(child.pid), stop };
}

/** Waits until a process answers at `url`. Throws if it ends before. */
export async function answered(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server of ${url} ended with ${child.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The resident memory of a process, in MiB. */
function residentMemory(pid: number | undefined): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;
}

/** How long some work takes, in ms, and the most memory that a server has meanwhile, in MiB. */
export async function peakMemory(server: ServerProcess, work: () => Promise<unknown>) {
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, server.residentMemory());
  }, 100);
  const ms = await timed(work).finally(() => clearInterval(watch));
  return { ms, peak };
}
