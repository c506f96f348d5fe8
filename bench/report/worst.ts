import type { Figure, FiguresFile } from '../figures/figure.ts';
import { printed, table } from './section.ts';

/** The table of the worst moments: a line for each thing that was measured of them. */
export function worstTable({ figures }: FiguresFile): string {
  // The times at each of the rising rates are for a picture.
  const held = new Set(figures.filter(({ metric }) => metric === 'held rate').map(({ what }) => what));
  const shown = figures.filter(({ what, metric }) => metric === 'held rate' || !held.has(what));
  return table(['', 'service', 'measured', ''], shown.map(rowOf));
}

function rowOf({ what, subject, metric, median, unit, at }: Figure): string[] {
  const { rate } = at;
  return [
    rate === undefined ? what : `${what}, ${printed(Number(rate))} requests a second`,
    subject,
    metric === 'held rate' ? 'held with p99 under 50 ms' : metric,
    `${printed(median)} ${unit}`.trim(),
  ];
}
