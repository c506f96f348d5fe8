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
}

/** Runs in a worker thread of the pool of `HtmlInspector`. */
export default function inspect({ html, rules }: InspectionTask): Promise<Inspection> {
  return inspectHtml(html, rules);
}
