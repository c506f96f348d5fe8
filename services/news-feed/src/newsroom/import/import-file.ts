import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonLinesOf, readJsonLines } from '@pressroom/common/files/json-lines';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { asManyEdits } from '../edits.ts';
import { addNotices } from '../notices/notice.ts';
import { inTransactions, type RunWork, rehearse } from '../transactions.ts';
import { importLineReader } from './import-line.ts';
import { Importer, type ImportTally } from './importer.ts';

/** The options of {@link importFile}. */
export interface Import {
  db: Kysely<NewsTables>;
  /** The JSON Lines: a file, `-` for standard input, or their bytes. */
  file: string | Uint8Array;
  /** Who imports, for the history. */
  actor: string;
  vocabulary: Vocabulary;
  /** Whether to roll everything back at the end. */
  dryRun: boolean;
  /** Called with the number of lines from time to time. */
  onProgress: (lines: number, tally: Readonly<ImportTally>) => void;
}

/** How many refused lines a notice lists. */
const MOST_LINES = 10;

/** How long an item waits to be batched with others, in ms: piped lines must show up soon. */
const SHOWN_AFTER_MS = 300;

/**
 * Imports the lines of a file and returns their outcome. Throws if the file or the database cannot be read.
 */
export async function importFile(options: Import): Promise<ImportTally> {
  const { db, dryRun } = options;
  const run = (runWork: RunWork) => importLines(options, runWork);
  if (dryRun) return rehearse(db, run);
  const tally = await run(inTransactions(db));
  if (tally.refused.length > 0) await noteRefused(options, tally);
  return tally;
}

/** What is wrong with lines may hold what is private, so only their numbers are reported. */
function noteRefused({ db, actor }: Import, { refused, ...counts }: ImportTally): Promise<void> {
  const lines = refused.slice(0, MOST_LINES).map(({ number }) => number);
  const data = { actor, ...counts, refused: refused.length, lines };
  return addNotices(db, [{ type: 'import.refused', key: randomUUID(), data }]);
}

async function importLines(
  { file, actor, vocabulary, onProgress }: Import,
  run: RunWork,
): Promise<ImportTally> {
  const runWork: RunWork = (work) =>
    run(async (tx) => {
      await asManyEdits(tx, { actor, action: 'import' });
      return work(tx);
    });
  const read = importLineReader(vocabulary);
  const importer = new Importer({ read, runWork, packs: vocabulary.packs, now: () => new Date() });
  const lines = typeof file === 'string' ? readJsonLines(file) : jsonLinesOf(Readable.from([file]));
  let shown = 0;
  for (let next = lines.next(); ; ) {
    const waited = importer.waitedMs;
    if (waited !== undefined && (waited > SHOWN_AFTER_MS || (await isLate(next, SHOWN_AFTER_MS - waited)))) {
      await importer.flush();
      onProgress(shown, importer.tally);
    }
    const { done, value } = await next;
    if (done) return importer.finish();
    await importer.add(value.text, value.number);
    shown = value.number;
    next = lines.next();
  }
}

/** Whether the next line takes longer than `ms`. */
async function isLate(next: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, true, { signal: timer.signal }).catch(() => true);
  try {
    return await Promise.race([next.then(() => false), late]);
  } finally {
    timer.abort();
  }
}
