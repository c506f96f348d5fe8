/** `pnpm bench gallery [OBJECTS]`: measures the gallery with a bucket of that many objects. */
import { benchGallery } from './gallery.ts';
import { writeFigures } from './report.ts';

const gallery = await benchGallery(Number(process.argv[2] ?? 100_000));
const { proxy } = gallery;
console.table(
  gallery.figures.map(({ what, value, unit, ratio, bar }) => ({
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
    quartiles: proxy.ratios.map((ratio) => ratio.toFixed(2)).join('–'),
    bar: proxy.bar ?? '',
  },
]);
writeFigures('gallery', { gallery });
