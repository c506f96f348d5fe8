import type { Figure, FiguresFile } from '../figures/figure.ts';
import { select } from '../figures/read.ts';
import { printed, table } from './section.ts';

/** What the newsroom makes of each set of labelled reports, worst first, beside TF-IDF with a single pass. */
export function storiesTable({ figures }: FiguresFile): string {
  const rows = [...Map.groupBy(figures, ({ what }) => what)].map(([what, of]) => {
    const value = (subject: string, metric: string, order = 'by time') =>
      select(of, { subject, metric, at: { order } })[0]?.median;
    const ours = (metric: string) => shown(value('newsroom', metric));
    const beside = (metric: string) => `${ours(metric)} (${shown(value('TF-IDF', metric))})`;
    const atOnce = shown(value('newsroom', 'F1', 'batch'));
    const f1 = value('newsroom', 'F1') ?? 0;
    return { f1, cells: [what, ours('precision'), ours('recall'), beside('F1'), beside('B³ F1'), atOnce] };
  });
  const head = ['', 'precision', 'recall', 'F1 (TF-IDF)', 'B³ F1 (TF-IDF)', 'F1, all at once'];
  return table(
    head,
    rows.toSorted((a, b) => a.f1 - b.f1).map(({ cells }) => cells),
  );
}

function shown(value: Figure['median'] | undefined): string {
  return value === undefined ? '–' : printed(Number(value.toFixed(2)));
}
