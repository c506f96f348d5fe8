import { threadTask } from './thread-task.ts';

/** What the threads of `thread-pool.test.ts` do. */
export type BusyTask = { spin: true } | { fill: true } | { echo: string } | { fail: string };

/** Runs in those threads. */
export default threadTask((task: BusyTask): string => {
  // One array, because V8 ends a process that cannot make it larger.
  const filled: number[] = [];
  while ('spin' in task || 'fill' in task) {
    for (let count = 0; 'fill' in task && count < 10_000; count += 1) filled.push(count);
  }
  if ('fail' in task) throw new Error(task.fail);
  return task.echo;
});
