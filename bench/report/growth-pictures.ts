import type { FiguresFile } from '../figures/figure.ts';
import { select, unique } from '../figures/read.ts';
import { drawLines, type Point } from './lines.ts';
import type { Picture } from './section.ts';

/** The number of rows that all others are compared with. */
const SMALLEST = 10_000;

/**
 * A picture for each service, and one for searches: how much longer each request takes with more rows. The
 * numbers of rows may be spread over the files.
 */
export function growthPictures(files: readonly FiguresFile[]): Picture[] {
  const multiples = files.flatMap(({ figures }) => select(figures, { metric: 'multiple' }));
  const groups = Map.groupBy(multiples, ({ what, subject }) =>
    what.startsWith('search') ? 'search' : subject,
  );
  return [...groups].map(([name, own]) => {
    const points = unique(own.map(({ what }) => what)).flatMap((series): Point[] => [
      { series, x: SMALLEST, y: 1 },
      ...select(own, { what: series }).map(({ at, median }) => ({ series, x: Number(at.rows), y: median })),
    ]);
    return {
      name: `growth-${name}`,
      alt: `${name}: latency of each request as a multiple of that with 10,000 rows`,
      draw: (theme) => drawLines({ x: 'rows →', y: `↑ ${name}: times as long`, points }, theme),
    };
  });
}
