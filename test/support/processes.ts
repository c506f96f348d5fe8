import { type ChildProcess, execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { Lock } from '@pressroom/embedded-postgres/lock';
import { parentOf } from '@pressroom/embedded-postgres/processes';
import { until } from './until.ts';

/** Resolves to true if something accepts connections on a loopback port. */
export function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Kills a child with SIGKILL and returns when it is gone. */
export async function killHard(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Returns when no process works on a directory of embedded PostgreSQL any more. */
export async function untilUnused(home: string): Promise<void> {
  await until(`no process works on ${home}`, () => {
    if (!existsSync(home)) return true;
    const lock = Lock.tryAcquire(path.join(home, 'supervisor.lock'));
    lock?.release();
    return lock !== undefined;
  });
}

/** The process of the server that runs on a PostgreSQL data directory. */
export function postmasterOf(dataDir: string): number {
  return Number(readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
}

/** Sends a signal to every process of the server that runs on a PostgreSQL data directory. */
export async function signalPostgres(dataDir: string, name: NodeJS.Signals): Promise<void> {
  const postmaster = postmasterOf(dataDir);
  // It is stopped first: then it starts no others, and keeps those that it has.
  process.kill(postmaster, 'SIGSTOP');
  for (const pid of [...(await childrenOf(postmaster)), postmaster]) signalIfThere(pid, name);
}

/** Workers come and go. */
function signalIfThere(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Minimal Linux has no `ps`, and nothing else has /proc. */
async function childrenOf(parent: number): Promise<number[]> {
  if (process.platform === 'linux') {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    return pids.filter((pid) => parentOf(pid) === parent);
  }
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return processes.flatMap(([pid, ppid]) => (pid !== undefined && ppid === parent ? [pid] : []));
}
