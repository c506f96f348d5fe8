/** `pnpm bench content [SIZE …]`: measures the content service with each of these numbers of articles. */
import { benchContent, type ContentFigures } from './content.ts';
import { printComparisons, writeFigures } from './report.ts';

/** The numbers of articles that are measured unless the command line names others. */
const SIZES = [10_000, 1_000_000];

function print({ articles, comparisons, depth, depthBar, memory, memoryBar }: ContentFigures): void {
  console.log(`\n${articles.toLocaleString('en')} articles`);
  printComparisons(comparisons);
  console.table(
    depth.map(({ page, p50, multiple }) => ({
      page,
      'p50 ms': p50.toFixed(2),
      'times the first': multiple.toFixed(2),
      bar: depthBar,
    })),
  );
  console.log(`Resident memory under load: ${Math.round(memory)} MiB (bar ${memoryBar})`);
}

const sizes = process.argv.slice(2).map(Number);
const figures = await benchContent(sizes.length > 0 ? sizes : SIZES);
for (const size of figures) print(size);
writeFigures('content', { content: figures });
