/** `node bench/gallery-run.ts [OBJECTS]`: measures, prints, and writes the figures to `.data/bench/gallery.json`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchGallery } from './gallery.ts';
import { machine } from './machine.ts';

const FOLDER = fileURLToPath(new URL('../.data/bench', import.meta.url));

const figures = { machine: machine(), gallery: await benchGallery(Number(process.argv[2] ?? 100_000)) };
const { proxy } = figures.gallery;
console.log(figures.machine);
console.table(
  figures.gallery.figures.map(({ what, value, unit, ratio, bar }) => ({
    what,
    value: `${value.toFixed(1)} ${unit}`,
    ratio: ratio?.toFixed(2) ?? '',
    bar: bar ?? '',
  })),
);
console.table([
  {
    what: proxy.what,
    'files/s': Object.values(proxy.requestsPerSecond)
      .map((rate) => rate.toFixed(1))
      .join(' to '),
    ratio: proxy.ratio.toFixed(2),
    'lowest–highest': proxy.ratios.map((ratio) => ratio.toFixed(2)).join('–'),
    bar: proxy.bar ?? '',
  },
]);
mkdirSync(FOLDER, { recursive: true });
writeFileSync(join(FOLDER, 'gallery.json'), JSON.stringify(figures, null, 2));
