import type { Kysely } from 'kysely';
import { HtmlInspector } from '../html/html-inspector.ts';
import type { InspectionRules } from '../html/inspection.ts';
import type { ContentTables } from '../tables.ts';
import { Importer, type ImportOptions, type Outcome } from './importer.ts';
import type { SourceEntry } from './source-entry.ts';

/** How many entries pass between two progress reports if the output is not a terminal. */
const REPORT_EVERY = 1000;

/** How many there are of each outcome, and of those left out by their reasons. */
interface Tally {
  created: number;
  known: number;
  refused: number;
  skipped: Map<string, number>;
}

/**
 * Imports what a reader yields, prints what is refused or changed on the way when it is, and a count at the
 * end. Resolves to the exit code: 1 if something was refused.
 */
export async function runImport(
  db: Kysely<ContentTables>,
  entries: AsyncIterable<SourceEntry>,
  rules: InspectionRules,
  options: ImportOptions,
): Promise<0 | 1> {
  const tally: Tally = { created: 0, known: 0, refused: 0, skipped: new Map() };
  const inspector = new HtmlInspector(rules);
  try {
    for await (const outcomes of new Importer(db, inspector, options).run(entries)) {
      for (const outcome of outcomes) count(tally, outcome);
      reportProgress(tally);
    }
  } catch (error) {
    console.log(`${countsOf(tally)} before this:`);
    throw error;
  } finally {
    await inspector.close();
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  console.log(options.dryRun ? `Nothing was written. It would be: ${countsOf(tally)}` : countsOf(tally));
  for (const [reason, times] of tally.skipped) console.log(`left out: ${times} × ${reason}`);
  return tally.refused === 0 ? 0 : 1;
}

function count(tally: Tally, outcome: Outcome): void {
  if (outcome.kind === 'skipped') {
    tally.skipped.set(outcome.reason, (tally.skipped.get(outcome.reason) ?? 0) + 1);
    return;
  }
  tally[outcome.kind] += 1;
  if (outcome.kind === 'refused') {
    const { place, source, reason } = outcome;
    console.log(`${place}${source && ` (source ${source})`}: ${reason}`);
  }
  if (outcome.kind === 'created') {
    const { place, notes = [] } = outcome.entry;
    for (const note of notes) console.log(`${place}: ${note}`);
  }
}

function reportProgress(tally: Tally): void {
  const all = tally.created + tally.known + tally.refused;
  if (process.stderr.isTTY) process.stderr.write(`\r${countsOf(tally)}`);
  else if (all > 0 && all % REPORT_EVERY === 0) console.error(countsOf(tally));
}

function countsOf({ created, known, refused }: Tally): string {
  return `${created} created, ${known} already there, ${refused} refused`;
}
