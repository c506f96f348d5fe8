import { constants, setPriority } from 'node:os';
import { inspectHtml } from './inspect-html.ts';
import type { Inspection, InspectionRules } from './inspection.ts';

// Readers come before writers. Linux changes the priority of the calling thread alone; other systems change
// the whole process.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

/** The task of a worker. */
export interface InspectionTask {
  html: string;
  rules: InspectionRules;
  /** Set to 1, with a notification, when the worker begins. */
  begun: Int32Array<SharedArrayBuffer>;
}

/** Runs in a worker thread of the pool of `HtmlInspector`. */
export default function inspect({ html, rules, begun }: InspectionTask): Promise<Inspection> {
  Atomics.store(begun, 0, 1);
  Atomics.notify(begun, 0);
  return inspectHtml(html, rules);
}
