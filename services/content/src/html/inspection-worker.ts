import { constants, setPriority } from 'node:os';
import { threadId } from 'node:worker_threads';
import { inspectHtml } from './inspect-html.ts';
import type { Inspection, InspectionRules } from './inspection.ts';

// Readers come before writers. Linux changes the priority of the calling thread alone; other systems change
// the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** The task of a worker. */
export interface InspectionTask {
  html: string;
  rules: InspectionRules;
  /** Set to the id of the worker's thread, with a notification, when it begins; 0 until then. */
  begun: Int32Array<SharedArrayBuffer>;
}

/** Runs in a worker thread of the pool of `HtmlInspector`. */
export default function inspect({ html, rules, begun }: InspectionTask): Promise<Inspection> {
  Atomics.store(begun, 0, threadId);
  Atomics.notify(begun, 0);
  return inspectHtml(html, rules);
}
