import { type Comparison, median, type Slice } from './compare.ts';
import type { Figure } from './figures/figure.ts';

/**
 * Prints comparisons as a table: the measured server, the one it is compared with, their ratio, and their
 * times.
 */
export function printComparisons(comparisons: readonly Comparison[]): void {
  console.table(
    comparisons.map(({ what, requestsPerSecond, ratio, ratios, bar, p50, p99, rounds, leftOut }) => {
      const [measured = 0, bare = 0] = Object.values(requestsPerSecond);
      const [own = '', other = ''] = Object.values(rounds).map(cpu);
      return {
        what,
        'requests/s': Math.round(measured),
        'bare requests/s': Math.round(bare),
        ratio: ratio.toFixed(2),
        quartiles: ratios.map((value) => value.toFixed(2)).join('–'),
        bar: bar ?? '',
        'p50 ms (bare)': times(p50),
        'p99 ms (bare)': times(p99),
        'CPU µs, user + system (bare)': `${own} (${other})`,
        'rounds left out': leftOut,
      };
    }),
  );
}

function cpu(slices: readonly Slice[]): string {
  const of = (member: 'user' | 'system') => median(slices.map((slice) => slice[member])).toFixed(1);
  return `${of('user')} + ${of('system')}`;
}

function times(byServer: Record<string, number>): string {
  const [measured = 0, bare = 0] = Object.values(byServer);
  return `${measured.toFixed(2)} (${bare.toFixed(2)})`;
}

/** Prints figures as a table. */
export function printFigures(figures: readonly Figure[]): void {
  console.table(
    figures.map(({ what, subject, metric, median, quartiles, unit, at, aim }) => ({
      what,
      subject,
      metric,
      median: `${median} ${unit}`,
      quartiles: quartiles.join('–'),
      at: Object.entries(at).join(' '),
      aim: aim ?? '',
    })),
  );
}
