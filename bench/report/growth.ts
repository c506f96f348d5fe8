import type { Figure, FiguresFile } from '../figures/figure.ts';
import { select, unique } from '../figures/read.ts';
import { printed, table } from './section.ts';

/**
 * The table of growth: for each question its time with the most rows, and for each number of rows that time
 * as a multiple of the one with the fewest. Then what the tables take, and what a vacuum costs.
 */
export function growthTable({ figures }: FiguresFile): string {
  const multiples = select(figures, { metric: 'multiple' });
  const sizes = unique(multiples.map(({ at }) => Number(at.rows)));
  const largest = Math.max(...sizes);
  const questions = unique(multiples.map(({ what }) => what)).map((what) => [
    what,
    ...sizes.map((rows) => {
      const [figure] = select(multiples, { what, at: { rows } });
      return figure === undefined
        ? ''
        : `${figure.median.toFixed(2)} (${figure.quartiles.map((value) => value.toFixed(2)).join('–')})`;
    }),
    printed(select(multiples, { what })[0]?.aim ?? Number.NaN),
    timeIn(select(figures, { what, at: { rows: largest } })),
  ]);
  const heads = sizes.map((rows) => `${printed(rows)} (quartiles)`);
  const times = table(
    ['multiple of the time with 10,000', ...heads, 'aim', `with ${printed(largest)}`],
    questions,
  );
  const kept = figures.filter(({ metric }) => metric.includes('row') || metric.startsWith('vacuum'));
  const keptSizes = unique(kept.map(({ at }) => Number(at.rows))).sort((one, other) => one - other);
  const sums = unique(kept.map(({ what, metric }) => `${what}: ${metric}`)).map((name) => [
    name,
    ...keptSizes.map((rows) => {
      const own = kept.find(({ what, metric, at }) => `${what}: ${metric}` === name && at.rows === rows);
      return own === undefined ? '' : `${printed(own.median)} ${own.unit}`;
    }),
  ]);
  return `${times}\n${table(['on disk', ...keptSizes.map(printed)], sums)}`;
}

/** The time among the figures of a question, and which quantile that is. */
function timeIn(figures: readonly Figure[]): string {
  const time = figures.find(({ metric }) => /^p\d+$/.test(metric));
  return time === undefined ? '' : `${time.metric} ${printed(time.median)} ms`;
}
