import type { FiguresFile } from '../figures/figure.ts';
import { select } from '../figures/read.ts';
import { drawLines, type Point } from './lines.ts';
import type { Picture } from './section.ts';

/** The 99th percentile up to which a rate counts as held, in ms. */
const HELD_MS = 50;

/** The picture of what was sent at rising rates: the 99th percentile of its times over the rate. */
export function ratePictures({ figures }: FiguresFile): Picture[] {
  const held = select(figures, { metric: 'held rate' });
  if (held.length === 0) return [];
  const points = held.flatMap(({ what, subject }) =>
    select(figures, { what, subject, metric: 'p99' }).map(({ at, median }): Point => {
      return { series: `${what}, ${subject}`, x: Number(at.rate), y: median };
    }),
  );
  return [
    {
      name: 'latency-over-rate',
      alt: 'The 99th percentile of the time to an answer at rising rates',
      draw: (theme) => drawLines({ x: 'requests a second →', y: '↑ p99 in ms', points, aim: HELD_MS }, theme),
    },
  ];
}
