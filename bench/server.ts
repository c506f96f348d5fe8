import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { timed } from './turns.ts';
import { residentMemoryOf } from './usage.ts';

/** A measured server in its own process. */
export interface ServerProcess {
  pid: number;
  port: number;
  residentMemory: () => number;
  stop: () => Promise<void>;
}

export interface StartedServer extends ServerProcess, AsyncDisposable {
  /** Time until it answered, in ms: it was asked every 50 ms. */
  readyMs: number;
}

export interface ServerOptions {
  /** The program, from the repository's root. */
  program: string;
  args?: readonly string[];
  env: Readonly<Record<string, string>>;
  /** The name of the variable that says where to listen; `PORT` unless it is named. */
  port?: string;
  /** A path that answers once the server is up; `/` unless it is named. */
  ready?: string;
}

const FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=1400'];

/** Variables of the image (`deploy/Dockerfile`): its compile cache, and this. */
const IMAGE_ENV = {
  MALLOC_ARENA_MAX: '2',
  NODE_COMPILE_CACHE: fileURLToPath(new URL('../.data/bench/compiled', import.meta.url)),
};

/** Fills the compile cache with the services' modules. */
const COMPILE = fileURLToPath(new URL('../deploy/compile.ts', import.meta.url));

/** Starts a server on a free port as `deploy/Dockerfile` does, without a log, and waits until it answers. */
export async function startServer(options: ServerOptions): Promise<StartedServer> {
  const { program, args = [], env, port = 'PORT', ready = '/' } = options;
  // Without settings, the program exits at once.
  for (const loaded of [COMPILE, program])
    spawnSync(process.execPath, [...FLAGS, loaded], { env: IMAGE_ENV, stdio: 'ignore' });
  return whenReady(ready, (free) =>
    spawn(process.execPath, [...FLAGS, program, ...args], {
      env: { ...process.env, ...IMAGE_ENV, ...env, [port]: free },
      stdio: ['ignore', 'ignore', 'inherit'],
    }),
  );
}

/** Starts a process that is to listen on a free port, and waits until a path answers. Throws if it ends. */
export async function whenReady(path: string, start: (port: string) => ChildProcess): Promise<StartedServer> {
  const port = await findFreePort();
  const began = performance.now();
  const child = start(String(port));
  const { pid = 0 } = child;
  const ended = once(child, 'exit');
  const url = `http://127.0.0.1:${port}${path}`;
  while (!(await isAnswered(url))) {
    if (child.exitCode !== null) throw new Error(`the server of ${url} ended with ${child.exitCode}`);
    await delay(50);
  }
  const readyMs = performance.now() - began;
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  const residentMemory = () => residentMemoryOf(pid).now;
  return { pid, port, readyMs, residentMemory, stop, [Symbol.asyncDispose]: stop };
}

async function isAnswered(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.ok === true;
}

/** Returns the duration of some work, in ms, and the most memory of a server meanwhile, in MiB. */
export async function peakMemory(
  { residentMemory }: Pick<ServerProcess, 'residentMemory'>,
  work: () => Promise<unknown>,
) {
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMemory());
  }, 100);
  const ms = await timed(work).finally(() => clearInterval(watch));
  return { ms, peak };
}
