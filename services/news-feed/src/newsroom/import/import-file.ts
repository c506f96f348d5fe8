import { readJsonLines } from '@pressroom/common/files/json-lines';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { inTransactions, type RunWork, rehearse } from '../transactions.ts';
import { importLineReader } from './import-line.ts';
import { Importer, type ImportTally } from './importer.ts';

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
  const importer = new Importer({ read: importLineReader(vocabulary), runWork, now: () => new Date() });
  for await (const { number, text } of readJsonLines(file)) {
    await importer.add(text, number);
    if (number % REPORT_EVERY === 0) onProgress(number, importer.tally);
  }
  return importer.finish();
}
