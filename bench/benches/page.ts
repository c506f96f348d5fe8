import type { Bench } from '../bench.ts';
import { type PageBench, startPageBench } from '../page/browser.ts';
import { measureFirstLoad } from '../page/first-load.ts';
import { measureFirstThumbnails } from '../page/first-thumbnails.ts';
import { measureScrolling } from '../page/scrolling.ts';
import { measureTyping } from '../page/typing.ts';
import { measureUploading } from '../page/uploading.ts';
import { withUnit } from '../report/measured.ts';
import { printed, sectionOf, table } from '../report/section.ts';

/**
 * `pnpm bench page [PART …] [OBJECTS [ENTRIES [MEGABYTES]]]`: the desk in a browser. OBJECTS are in the
 * folder whose first thumbnails are waited for, ENTRIES in the lists that are scrolled, and MEGABYTES are
 * uploaded. Somebody types at the end of an article of 20,000 words.
 */
export const page: Bench<PageBench> = {
  start: startPageBench,
  parts: ([objects = 10_000, entries = 100_000, megabytes = 1000]) => [
    { name: 'loading', seconds: 10, run: measureFirstLoad },
    { name: 'thumbnails', seconds: 60, run: (bench) => measureFirstThumbnails(bench, objects) },
    { name: 'scrolling', seconds: 90, run: (bench) => measureScrolling(bench, entries) },
    { name: 'uploading', seconds: 20 + megabytes / 8, run: (bench) => measureUploading(bench, megabytes) },
    { name: 'typing', seconds: 30, run: (bench) => measureTyping(bench, 20_000) },
  ],
  sections: {
    page: sectionOf('page', ({ figures }) => {
      const rows = figures.map((figure) => {
        const { what, subject, metric, aim } = figure;
        return [what, subject, metric, withUnit(figure), aim === undefined ? '' : printed(aim)];
      });
      return [table(['', '', '', 'measured', 'aim'], rows)];
    }),
  },
};
