import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/**
 * Runs `work` with the load of this process on one core and the servers on another, where the machine has two
 * and `taskset`: neither is moved, and neither takes the other's. Servers that are started during `work` stay
 * on the load's core, so start them before.
 */
export async function pinned<Result>(
  servers: readonly number[],
  work: () => Promise<Result>,
): Promise<Result> {
  const cores = availableParallelism();
  if (cores < 2) return work();
  const pin = (pid: number, to: string) =>
    spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', to, String(pid)], { stdio: 'ignore' });
  pin(process.pid, '0');
  for (const pid of servers) pin(pid, '1');
  try {
    return await work();
  } finally {
    for (const pid of [process.pid, ...servers]) pin(pid, `0-${cores - 1}`);
  }
}
