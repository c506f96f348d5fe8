import { threadTask } from './thread-task.ts';

/** Tasks for the threads of `thread-pool.test.ts`. */
export type BusyTask =
  | { spin: true }
  | { fill: true }
  | { echo: string }
  | { fail: string }
  | { drop: number };

/** Runs in those threads. */
export default threadTask((task: BusyTask): string => {
  // One array, because V8 ends a process that cannot make it larger.
  const filled: number[] = [];
  while ('spin' in task || 'fill' in task) {
    for (let count = 0; 'fill' in task && count < 10_000; count += 1) filled.push(count);
  }
  if ('drop' in task) return String(chain(task.drop).count);
  if ('fail' in task) throw new Error(task.fail);
  return task.echo;
});

interface Link {
  count: number;
  before: Link | undefined;
}

/** So many small objects, which live until the task ends. */
function chain(length: number): Link {
  let last: Link = { count: 0, before: undefined };
  while (last.count < length) last = { count: last.count + 1, before: last };
  return last;
}
