import { threadTask } from '@pressroom/common/threads/thread-task';
import { inspectHtml } from './article-parser.ts';
import type { CleanedHtml, Inspection, InspectionRules } from './inspection.ts';
import { sharedPurifier } from './purifier.ts';

export interface InspectionTask {
  work: 'inspect' | 'clean';
  html: string;
  rules: InspectionRules;
}

/** Runs in the threads of `HtmlInspector`. */
export default threadTask<InspectionTask, Inspection | CleanedHtml>(({ work, html, rules }) =>
  work === 'inspect' ? inspectHtml(html, rules) : sharedPurifier().clean(html, rules.overlays),
);
