import type { FiguresFile } from '../figures/figure.ts';
import { printed, table } from './section.ts';

/** The table of the gallery's page: a line for each figure. */
export function pageTable({ figures }: FiguresFile): string {
  const rows = figures.map(({ what, subject, metric, median, unit, aim }) => [
    what,
    subject,
    metric,
    `${printed(median)} ${unit}`.trim(),
    aim === undefined ? '' : printed(aim),
  ]);
  return table(['', '', '', 'measured', 'aim'], rows);
}
