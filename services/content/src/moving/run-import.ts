import { setFlagsFromString } from 'node:v8';
import type { Kysely } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { Importer, type ImportOptions, type Outcome } from './importer.ts';
import type { RedirectMap } from './redirects.ts';
import type { SourceEntry } from './source-entry.ts';

/** How many entries pass between two progress reports if the output is not a terminal. */
const REPORT_EVERY = 1000;

/**
 * V8 collects garbage only once its heap has grown to a multiple of what is in use, and lets new objects have
 * up to 96 MiB: the memory of an import would be what the machine has to give.
 */
const FRUGAL = ['--heap-growing-percent=30', '--semi-space-growth-factor=1'];

/** How often each came, of what was left out its reason. */
type Tally = Map<string, number>;

/**
 * Imports what a reader yields each time that it is called, prints what is refused or changed on the way when
 * it is, and counts at the end. Resolves to the exit code: 1 if something was refused.
 */
export async function runImport(
  db: Kysely<ContentTables>,
  read: () => AsyncIterable<SourceEntry>,
  options: ImportOptions,
  redirects: readonly RedirectMap[],
): Promise<0 | 1> {
  for (const flag of FRUGAL) setFlagsFromString(flag);
  const tally: Tally = new Map();
  const leftOut: Tally = new Map();
  const importer = new Importer(db, options);
  let [reported, datedNow] = [0, 0];
  try {
    for await (const outcomes of importer.run(read)) {
      for (const outcome of outcomes) tell(outcome);
      for (const map of redirects) await map.add(outcomes);
      for (const outcome of outcomes) add(tally, outcome.kind);
      for (const outcome of outcomes) if (outcome.kind === 'skipped') add(leftOut, outcome.reason);
      datedNow += outcomes.filter((outcome) => outcome.kind === 'created' && outcome.isDatedNow).length;
      reported = reportProgress(tally, reported);
    }
  } catch (error) {
    console.log(`${countsOf(tally)} before this:`);
    throw error;
  } finally {
    await importer.close();
    await options.media?.close();
    for (const map of redirects) await map.close();
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  if (datedNow > 0)
    console.error(
      `published without published_at, and so dated now: ${datedNow}; is_published false makes drafts`,
    );
  console.log(options.dryRun ? `Nothing was written. It would be: ${countsOf(tally)}` : countsOf(tally));
  const [made, known] = [tally.get('term created') ?? 0, tally.get('term known') ?? 0];
  if (made + known > 0)
    console.log(`categories, tags, authors and releases: ${made} created, ${known} already there`);
  for (const [reason, times] of leftOut) print(`left out: ${times} × ${reason}`);
  return tally.has('refused') ? 1 : 0;
}

function tell(outcome: Outcome): void {
  if (outcome.kind === 'refused') {
    const { place, source, reason } = outcome;
    print(`${place}${source && ` (source ${source})`}: ${reason}`);
  }
  if (outcome.kind !== 'created' && outcome.kind !== 'term created') return;
  const { place, notes = [] } = outcome.entry;
  for (const note of notes) print(`${place}: ${note}`);
}

/** Prints one line; what the file says in it must not control the terminal. */
function print(text: string): void {
  console.log(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '));
}

function add(tally: Tally, what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1);
}

/** Returns how many entries there were at the last report. */
function reportProgress(tally: Tally, reported: number): number {
  const all = tally.values().reduce((sum, times) => sum + times, 0);
  if (process.stderr.isTTY) process.stderr.write(`\r${countsOf(tally)}`);
  if (process.stderr.isTTY || all - reported < REPORT_EVERY) return reported;
  console.error(countsOf(tally));
  return all;
}

function countsOf(tally: Tally): string {
  const of = (what: string) => tally.get(what) ?? 0;
  return `${of('created')} created, ${of('known')} already there, ${of('refused')} refused`;
}
