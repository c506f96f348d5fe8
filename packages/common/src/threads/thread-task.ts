import { constants, getPriority, setPriority } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { threadId } from 'node:worker_threads';
import { workerData } from 'piscina';

/** More than the modules of a thread hold, in bytes: what is beyond it was left behind by earlier tasks. */
const AT_REST = 64 * 2 ** 20;

/** A task as a thread gets it. */
export interface ThreadTask<Task> {
  task: Task;
  /** Set to the id of the thread when it begins; 0 until then. */
  begun: Int32Array<SharedArrayBuffer>;
}

/**
 * Makes the default export of a `ThreadPool`'s module from `work`, which a thread does with each task. The
 * thread has a lower priority than those that answer readers.
 */
export function threadTask<Task, Result>(
  work: (task: Task) => Result | Promise<Result>,
): (given: ThreadTask<Task>) => Result | Promise<Result> {
  const priority = constants.priority.PRIORITY_BELOW_NORMAL;
  // Linux changes the priority of the calling thread alone; other systems change the whole process.
  if (process.platform === 'linux' && getPriority() < priority) setPriority(priority);
  const collectGarbage = garbageCollector();
  return ({ task, begun }) => {
    // V8 keeps garbage while a heap has room, and what earlier tasks left must not count against this one.
    if (getHeapStatistics().used_heap_size > AT_REST) collectGarbage();
    Atomics.store(begun, 0, threadId);
    return work(task);
  };
}

/** Returns the data that the pool was given for its threads. */
export function threadData<Data>(): Data {
  return workerData as Data;
}

/** V8's collector, which it gives to the contexts that are made while its flag is set. */
function garbageCollector(): () => void {
  // The flag is the whole process's and stays set: one thread would take it from another that begins.
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}
