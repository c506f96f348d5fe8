import { threadTask } from '@pressroom/common/threads/thread-task';
import { inspectHtml } from './inspect-html.ts';
import type { InspectionRules } from './inspection.ts';

/** What a thread of `HtmlInspector` inspects. */
export interface InspectionTask {
  html: string;
  rules: InspectionRules;
}

/** Runs in the threads of `HtmlInspector`. */
export default threadTask(({ html, rules }: InspectionTask) => inspectHtml(html, rules));
