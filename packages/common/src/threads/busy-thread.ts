import { threadTask } from './thread-task.ts';

/** What the threads of `thread-pool.test.ts` do. */
export type BusyTask = { spin: true } | { fill: true } | { echo: string } | { fail: string };

/** Runs in those threads. */
export default threadTask((task: BusyTask): string => {
  const filled: number[][] = [];
  while ('spin' in task || 'fill' in task) {
    if ('fill' in task) filled.push(Array.from({ length: 10_000 }, () => filled.length));
  }
  if ('fail' in task) throw new Error(task.fail);
  return task.echo;
});
