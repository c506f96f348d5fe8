import type { FiguresFile } from '../figures/figure.ts';
import { select, unique } from '../figures/read.ts';
import { printed, table } from './section.ts';

/**
 * The table of a bench that compares a service with a bare server: rates of both, their ratio, and for each
 * further number of rows the ratio there.
 */
export function comparisonTable({ figures }: FiguresFile, service: string): string {
  const ratios = select(figures, { subject: service, metric: 'ratio' });
  const [first = 0, ...others] = unique(ratios.map(({ at }) => at.rows ?? 0));
  const rows = unique(ratios.map(({ what }) => what)).map((what) => {
    const rates = select(figures, { what, metric: 'rate', at: { rows: first } });
    const own = rates.find(({ subject }) => subject === service);
    const bare = rates.find(({ subject }) => subject !== service);
    const [ratio, ...further] = [first, ...others].map(
      (size) => select(ratios, { what, at: { rows: size } })[0],
    );
    return [
      `${what} (${bare?.subject})`,
      printed(own?.median ?? Number.NaN),
      printed(bare?.median ?? Number.NaN),
      `${ratio?.median.toFixed(2)} (${ratio?.quartiles.map((value) => value.toFixed(2)).join('–')})`,
      ...further.map((figure) => figure?.median.toFixed(2) ?? ''),
      ratio?.aim?.toFixed(2) ?? '',
    ];
  });
  const further = others.map((size) => `ratio at ${printed(Number(size))}`);
  return table(['', 'a second', 'bare', 'ratio (quartiles)', ...further, 'aim'], rows);
}
