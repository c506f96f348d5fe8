import type { Figure } from '../figures/figure.ts';
import { medianOf, membersOf, select, valuesOf } from '../figures/read.ts';
import { printed, table, withQuartiles } from './section.ts';

/**
 * The table of a bench that compares a service with a bare server: rates and CPU time of both, the ratio of
 * the rates and of what fits into a core by that time, and for each further number of rows the ratio there;
 * where they read from one, the CPU time of the database as well.
 */
export function comparisonTable(figures: readonly Figure[], service: string): string {
  const ratios = select(figures, { subject: service, metric: 'ratio' });
  const [first, ...others] = valuesOf(ratios, 'rows');
  const database = select(figures, { metric: 'cpu, database' });
  const rows = membersOf(ratios, 'what').map((what) => {
    const own = select(figures, { what, at: { rows: first } });
    const bare = membersOf(own, 'subject').find((subject) => subject !== service) ?? '';
    const of = (subject: string, metric: string) => medianOf(own, { subject, metric });
    const times = (subject: string) => ['user', 'system'].map((kind) => of(subject, `cpu, ${kind}`));
    const cpu = (subject: string) => times(subject).map(printed).join(' + ');
    const sum = (subject: string) => times(subject).reduce((one, other) => one + other);
    const [ratio] = select(ratios, { what, at: { rows: first } });
    return [
      `${what} (${bare})`,
      printed(of(service, 'rate')),
      printed(of(bare, 'rate')),
      ratio === undefined ? '' : withQuartiles(ratio),
      ...others.map((rows) => select(ratios, { what, at: { rows } })[0]?.median.toFixed(2) ?? ''),
      ratio?.aim?.toFixed(2) ?? '',
      (sum(bare) / sum(service)).toFixed(2),
      cpu(service),
      cpu(bare),
      ...(database.length === 0
        ? []
        : [service, bare].map((subject) => cellOf(select(database, { what, subject })[0]))),
    ];
  });
  const further = others.map((size) => `ratio at ${printed(Number(size))}`);
  const head = ['', 'a second', 'bare', 'ratio (quartiles)', ...further, 'aim', 'by CPU', 'CPU µs', 'bare'];
  return table([...head, ...(database.length === 0 ? [] : ['PostgreSQL µs', 'bare'])], rows);
}

function cellOf(figure: Figure | undefined): string {
  return figure === undefined ? '' : printed(figure.median);
}
