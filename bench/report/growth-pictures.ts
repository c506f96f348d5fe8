import type { FiguresFile } from '../figures/figure.ts';
import { select, unique } from '../figures/read.ts';
import { drawLines, type Point } from './lines.ts';
import type { Picture } from './section.ts';

/** The number of rows that all others are compared with. */
const SMALLEST = 10_000;

/** A picture for each service: how often longer each question takes as its table grows. */
export function growthPictures({ figures }: FiguresFile): Picture[] {
  const multiples = select(figures, { metric: 'multiple' });
  return unique(multiples.map(({ subject }) => subject)).map((subject) => {
    const own = select(multiples, { subject });
    const points = unique(own.map(({ what }) => what)).flatMap((series): Point[] => [
      { series, x: SMALLEST, y: 1 },
      ...select(own, { what: series }).map(({ at, median }) => ({ series, x: Number(at.rows), y: median })),
    ]);
    return {
      name: `growth-${subject}`,
      alt: `${subject}: the time of each question as a multiple of its time with 10,000 rows`,
      draw: (theme) => drawLines({ x: 'rows →', y: '↑ times as long', points }, theme),
    };
  });
}
