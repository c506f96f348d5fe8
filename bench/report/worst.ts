import type { FiguresFile } from '../figures/figure.ts';
import { measuredTables } from './measured.ts';

/** The tables of the worst moments. */
export function worstTable({ figures }: FiguresFile): string {
  // The times at each of the rising rates are for a picture.
  const held = new Set(figures.filter(({ metric }) => metric === 'held rate').map(({ what }) => what));
  const shown = figures.filter(({ what, metric }) => metric === 'held rate' || !held.has(what));
  return measuredTables(shown, { subjects: true });
}
