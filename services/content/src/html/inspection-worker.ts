import { inspectHtml } from './inspect-html.ts';
import type { Inspection, InspectionRules } from './inspection.ts';

/** The task of a worker. */
export interface InspectionTask {
  html: string;
  rules: InspectionRules;
}

/** Runs in a worker thread of the pool of `HtmlInspector`. */
export default function inspect({ html, rules }: InspectionTask): Promise<Inspection> {
  return inspectHtml(html, rules);
}
