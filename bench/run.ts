/** `pnpm bench [SIZE …]`: measures, prints tables, and writes the figures to `.data/bench/content.json`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchContent, type ContentFigures } from './content.ts';
import { machine } from './machine.ts';

const FOLDER = fileURLToPath(new URL('../.data/bench', import.meta.url));

/** The numbers of articles that are measured unless the command line names others. */
const SIZES = [10_000, 1_000_000];

function print({ articles, comparisons, depth, depthBar, memory, memoryBar }: ContentFigures): void {
  console.log(`\n${articles.toLocaleString('en')} articles`);
  console.table(
    comparisons.map(({ what, requestsPerSecond, ratio, ratios, bar, p50, p99 }) => {
      const [[, measured = 0] = [], [, bare = 0] = []] = Object.entries(requestsPerSecond);
      const [measuredP50 = 0, bareP50 = 0] = Object.values(p50);
      const [measuredP99 = 0, bareP99 = 0] = Object.values(p99);
      return {
        what,
        'requests/s': Math.round(measured),
        'bare requests/s': Math.round(bare),
        ratio: ratio.toFixed(2),
        'lowest–highest': `${ratios[0].toFixed(2)}–${ratios[1].toFixed(2)}`,
        bar: bar ?? '',
        'p50 ms (bare)': `${measuredP50.toFixed(2)} (${bareP50.toFixed(2)})`,
        'p99 ms (bare)': `${measuredP99.toFixed(2)} (${bareP99.toFixed(2)})`,
      };
    }),
  );
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
const figures = { machine: machine(), content: await benchContent(sizes.length > 0 ? sizes : SIZES) };
console.log(figures.machine);
for (const size of figures.content) print(size);
mkdirSync(FOLDER, { recursive: true });
const file = join(FOLDER, 'content.json');
writeFileSync(file, JSON.stringify(figures, null, 2));
console.log(`\nThe figures are in ${file}`);
