import type { Figure } from '../figures/figure.ts';
import { membersOf, select } from '../figures/read.ts';
import { printed, table } from './section.ts';

/**
 * Tables with a row for what was measured and a column for each number of it, and one that shows who was
 * measured where there are several. Rows with the same numbers share a table.
 */
export function measuredTables(figures: readonly Figure[], { subjects = false } = {}): string {
  const rows = Map.groupBy(figures, ({ what, subject, at }) =>
    JSON.stringify([what, subject, at.rate ?? '']),
  );
  const tables = Map.groupBy(rows.values(), (row) => membersOf(row, 'metric').join());
  return [...tables.values()].map((same) => measuredTable(same, subjects)).join('\n');
}

function measuredTable(rows: readonly Figure[][], subjects: boolean): string {
  const metrics = membersOf(rows.flat(), 'metric');
  const lines = rows.map((row) => [
    nameOf(row[0]),
    ...(subjects ? [row[0]?.subject ?? ''] : []),
    ...metrics.map((metric) => select(row, { metric }).map(cellOf).join(', ')),
  ]);
  return table(['', ...(subjects ? ['service'] : []), ...metrics], lines);
}

function nameOf(figure: Figure | undefined): string {
  const rate = figure?.at.rate;
  const name = figure?.what ?? '';
  return rate === undefined ? name : `${name}, ${printed(Number(rate))} requests a second`;
}

/** A value with its unit; a rate is the only one that stands next to its number. */
function withUnit({ median, unit }: Figure): string {
  return `${printed(median)}${unit.startsWith('/') ? '' : ' '}${unit}`.trim();
}

/** A value, and its aim if it has one. */
function cellOf(figure: Figure): string {
  const { aim } = figure;
  const value = withUnit(figure);
  return aim === undefined ? value : `${value} (aim ${printed(aim)}${isShort(figure) ? ', missed' : ''})`;
}

/** The metrics that should be large; the aim of any other one is not to be exceeded. */
const LARGE = /^(ratio|rate|held rate|precision|recall)/;

function isShort({ metric, median, aim }: Figure): boolean {
  if (aim === undefined) return false;
  return LARGE.test(metric) ? median < aim : median > aim;
}

/** Says which figures fall short of their aims. */
export function shortfalls(figures: readonly Figure[]): string {
  const aimed = figures.filter(({ aim }) => aim !== undefined);
  const short = aimed.filter(isShort);
  if (short.length === 0) return `All ${aimed.length} aims are met.\n`;
  const named = short.map(({ what, subject, metric, median, unit, aim = 0, at: { rows } }) => {
    const of = rows === undefined ? subject : `${subject}, ${printed(Number(rows))} rows`;
    return `${what} (${of}: ${metric} ${`${printed(median)} ${unit}`.trim()}, aim ${printed(aim)})`;
  });
  return `Misses ${short.length} of ${aimed.length} aims: ${named.join('; ')}.\n`;
}
