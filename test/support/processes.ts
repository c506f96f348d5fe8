import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { Lock } from '@pressroom/embedded-postgres/lock';
import { until } from './until.ts';

/** Whether something accepts connections on a loopback port. */
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
