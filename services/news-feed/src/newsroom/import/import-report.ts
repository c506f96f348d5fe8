import type { ImportTally } from './importer.ts';

/** The outcome of the lines, in numbers. */
export function importCounts({ created, changed, unchanged, refused }: Readonly<ImportTally>): string {
  return `${created} created, ${changed} changed, ${unchanged} unchanged, ${refused.length} refused`;
}

/** The report at the end of an import: the numbers, and a line for each refused line. */
export function importReport(tally: Readonly<ImportTally>, dryRun: boolean): string {
  const summary = `${dryRun ? 'Nothing was written. ' : ''}${importCounts(tally)}`;
  return [summary, ...tally.refused.map(({ number, reason }) => `line ${number}: ${reason}`)].join('\n');
}
