import { constants, getPriority, setPriority } from 'node:os';
import { threadId } from 'node:worker_threads';

/** A task as a thread gets it. */
export interface ThreadTask<Task> {
  task: Task;
  /** Set to the id of the thread, with a notification, when it begins; 0 until then. */
  begun: Int32Array<SharedArrayBuffer>;
}

/**
 * What a thread of a `ThreadPool` does with each task: the default export of the pool's module. The thread
 * goes behind what answers readers.
 */
export function threadTask<Task, Result>(
  work: (task: Task) => Result | Promise<Result>,
): (given: ThreadTask<Task>) => Result | Promise<Result> {
  const priority = constants.priority.PRIORITY_BELOW_NORMAL;
  // Linux changes the priority of the calling thread alone; other systems change the whole process.
  if (process.platform === 'linux' && getPriority() < priority) setPriority(priority);
  return ({ task, begun }) => {
    Atomics.store(begun, 0, threadId);
    Atomics.notify(begun, 0);
    return work(task);
  };
}
