/** `pnpm bench gallery [OBJECTS]`: measures the gallery with a bucket of that many objects. */
import { comparisonFigures } from './compare.ts';
import { keepFigures } from './figures/keep.ts';
import { benchGallery } from './gallery.ts';
import { printComparisons, printFigures } from './report.ts';

const { figures, proxy } = await benchGallery(Number(process.argv[2] ?? 100_000));
printFigures(figures);
printComparisons([proxy]);
keepFigures('gallery', [...figures, ...comparisonFigures(proxy, { connections: 4 })]);
