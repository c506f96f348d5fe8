import type { FiguresFile } from '../figures/figure.ts';
import { medianOf, membersOf, select, valuesOf } from '../figures/read.ts';
import { printed, table, withQuartiles } from './section.ts';

/**
 * The table of a bench that compares a service with a bare server: rates and CPU time of both, the ratio of
 * the rates and of what fits into a core by that time, and for each further number of rows the ratio there.
 */
export function comparisonTable({ figures }: FiguresFile, service: string): string {
  const ratios = select(figures, { subject: service, metric: 'ratio' });
  const [first, ...others] = valuesOf(ratios, 'rows');
  const rows = membersOf(ratios, 'what').map((what) => {
    const own = select(figures, { what, at: { rows: first } });
    const bare = membersOf(own, 'subject').find((subject) => subject !== service) ?? '';
    const of = (subject: string, metric: string) => medianOf(own, { subject, metric });
    const rate = (subject: string) => printed(of(subject, 'rate'));
    const cpu = (subject: string) =>
      `${printed(of(subject, 'cpu, user'))} + ${printed(of(subject, 'cpu, system'))}`;
    const cpuSum = (subject: string) => of(subject, 'cpu, user') + of(subject, 'cpu, system');
    const [ratio] = select(ratios, { what, at: { rows: first } });
    return [
      `${what} (${bare})`,
      rate(service),
      rate(bare),
      ratio === undefined ? '' : withQuartiles(ratio),
      ...others.map((rows) => select(ratios, { what, at: { rows } })[0]?.median.toFixed(2) ?? ''),
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
