import { createReadStream } from 'node:fs';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { importLineReader } from './import-line.ts';
import { Importer, type ImportTally } from './importer.ts';
import { linesOf } from './lines.ts';
import { Refusal } from './refusal.ts';
import { inTransactions, type RunWork, rehearse } from './transactions.ts';

/** What {@link importFile} needs to know. */
export interface Import {
  db: Kysely<NewsTables>;
  /** The file of one JSON object a line, or `-` for standard input. */
  file: string;
  vocabulary: Vocabulary;
  /** Whether everything is taken back at the end. */
  dryRun: boolean;
  /** Hears of the count of lines, now and then. */
  onProgress: (lines: number, tally: Readonly<ImportTally>) => void;
}

/** Lines between two reports of progress. */
const REPORT_EVERY = 1000;

/** Imports the lines of a file and returns what has become of them. Throws where the file or the database cannot be read. */
export async function importFile(options: Import): Promise<ImportTally> {
  const { db, dryRun } = options;
  const run = (runWork: RunWork) => importLines(options, runWork);
  return dryRun ? rehearse(db, run) : run(inTransactions(db));
}

async function importLines({ file, vocabulary, onProgress }: Import, runWork: RunWork): Promise<ImportTally> {
  const input = file === '-' ? process.stdin : createReadStream(file);
  const importer = new Importer({ read: importLineReader(vocabulary), runWork, now: () => new Date() });
  let number = 0;
  for await (const line of linesOf(input)) {
    number += 1;
    if (line === undefined) importer.refuse(number, new Refusal('the line is not UTF-8'));
    else if (line.trim() !== '') await importer.add(line, number);
    if (number % REPORT_EVERY === 0) onProgress(number, importer.tally);
  }
  return importer.finish();
}
