import type { Conditions, Figure, FiguresFile } from '../figures/figure.ts';
import { select, unique } from '../figures/read.ts';
import { printed, table } from './section.ts';

/**
 * The table of a bench that compares a service with a bare server: rates and CPU time of both, the ratio of
 * the rates and of what fits into a core by that time, and for each further number of rows the ratio there.
 */
export function comparisonTable({ figures }: FiguresFile, service: string): string {
  const ratios = select(figures, { subject: service, metric: 'ratio' });
  const [first, ...others] = unique(ratios.map(({ at }) => at.rows));
  const rows = unique(ratios.map(({ what }) => what)).map((what) => {
    const own = select(figures, { what, at: sizeOf(first) });
    const [bare = ''] = unique(own.map(({ subject }) => subject)).filter((subject) => subject !== service);
    const rate = (subject: string) => medianOf(own, subject, 'rate');
    const cpu = (subject: string) =>
      `${medianOf(own, subject, 'cpu, user')} + ${medianOf(own, subject, 'cpu, system')}`;
    const cpuSum = (subject: string) =>
      select(own, { subject })
        .filter(({ metric }) => metric.startsWith('cpu, '))
        .reduce((sum, { median }) => sum + median, 0);
    const [ratio, ...further] = [first, ...others].map(
      (size) => select(ratios, { what, at: sizeOf(size) })[0],
    );
    return [
      `${what} (${bare})`,
      rate(service),
      rate(bare),
      `${ratio?.median.toFixed(2)} (${ratio?.quartiles.map((value) => value.toFixed(2)).join('–')})`,
      ...further.map((figure) => figure?.median.toFixed(2) ?? ''),
      ratio?.aim?.toFixed(2) ?? '',
      (cpuSum(bare) / cpuSum(service)).toFixed(2),
      cpu(service),
      cpu(bare),
    ];
  });
  const further = others.map((size) => `ratio at ${printed(Number(size))}`);
  const head = ['', 'a second', 'bare', 'ratio (quartiles)', ...further, 'aim', 'by CPU', 'CPU µs', 'bare'];
  return table(head, rows);
}

/** The condition that chooses one number of rows, where there are several. */
function sizeOf(rows: number | string | undefined): Conditions {
  return rows === undefined ? {} : { rows };
}

function medianOf(figures: readonly Figure[], subject: string, metric: string): string {
  const [figure] = select(figures, { subject, metric });
  return figure === undefined ? '' : printed(figure.median);
}
