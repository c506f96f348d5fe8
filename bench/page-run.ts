/**
 * `pnpm bench page [OBJECTS [ENTRIES [MEGABYTES]]]`: the desk in a browser. OBJECTS are in the folder whose
 * first thumbnails are waited for, ENTRIES in the lists that are scrolled, and MEGABYTES are uploaded; 0
 * leaves a part out. Somebody types at the end of an article of 20,000 words.
 */
import type { Figure } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { type Part, runParts } from './figures/parts.ts';
import { type PageBench, startPageBench } from './page/browser.ts';
import { measureFirstLoad } from './page/first-load.ts';
import { measureFirstThumbnails } from './page/first-thumbnails.ts';
import { measureScrolling } from './page/scrolling.ts';
import { measureTyping } from './page/typing.ts';
import { measureUploading } from './page/uploading.ts';

/** What is measured, at its size, and about how many seconds it takes. */
type SizedPart = [size: number, seconds: number, run: (bench: PageBench, size: number) => Promise<Figure[]>];

const [objects = 10_000, entries = 100_000, megabytes = 1000] = process.argv.slice(2).map(Number);
const SIZED: Record<string, SizedPart> = {
  'first load': [1, 10, measureFirstLoad],
  'first thumbnails': [objects, 60, measureFirstThumbnails],
  scrolling: [entries, 90, measureScrolling],
  uploading: [megabytes, 20 + megabytes / 8, measureUploading],
  typing: [20_000, 30, measureTyping],
};

let bench: Promise<PageBench> | undefined;
const parts = Object.entries(SIZED)
  .filter(([, [size]]) => size > 0)
  .map(([name, [size, seconds, run]]): Part<Figure[]> => {
    const measure = async () => {
      bench ??= startPageBench();
      return run(await bench, size);
    };
    return { name: `${name} ${size}`, seconds, run: measure };
  });
try {
  keepFigures('page', (await runParts('page', parts)).flat());
} finally {
  await (await bench)?.stop();
}
