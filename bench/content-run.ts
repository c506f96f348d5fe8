/** `pnpm bench content [SIZE …]`: measures the content service with each of these numbers of articles. */
import { comparisonFigures } from './compare.ts';
import { benchContent, type ContentFigures } from './content.ts';
import { type Figure, figureOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { runParts } from './figures/parts.ts';
import { printComparisons } from './report.ts';

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

function figuresOf({
  articles: rows,
  comparisons,
  depth,
  depthBar,
  memory,
  memoryBar,
}: ContentFigures): Figure[] {
  const subject = 'content';
  const pages = depth.flatMap(({ page, rounds, multiple }) => [
    figureOf({ what: `page ${page}`, subject, metric: 'p50', unit: 'ms', at: { rows } }, rounds),
    figureOf({ what: `page ${page}`, subject, metric: 'multiple', unit: '', at: { rows }, aim: depthBar }, [
      multiple,
    ]),
  ]);
  const load = {
    what: 'load of the comparisons',
    subject,
    metric: 'memory',
    unit: 'MiB',
    at: { rows },
    aim: memoryBar,
  };
  return [
    ...comparisons.flatMap((comparison) => comparisonFigures(comparison, { rows })),
    ...pages,
    figureOf(load, [memory]),
  ];
}

const named = process.argv.slice(2).map(Number);
const sizes = named.length > 0 ? named : SIZES;
const parts = sizes.map((articles) => ({
  name: `${articles} articles`,
  seconds: 250 + articles / 20_000,
  run: () => benchContent(articles),
}));
const figures = await runParts('content', parts);
for (const size of figures) print(size);
keepFigures('content', figures.flatMap(figuresOf));
