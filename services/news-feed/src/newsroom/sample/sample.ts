import { type Kysely, sql } from 'kysely';
import { addDays } from '../../calendar.ts';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { importLineReader } from '../import/import-line.ts';
import { Importer } from '../import/importer.ts';
import { publishRanking } from '../publishing/rank.ts';
import { publishReport } from '../publishing/report.ts';
import { sampleLines } from './sample-lines.ts';

/** The number of daily reports in the sample. */
const DAILIES = 7;

/**
 * Adds the sample to a database that has never had an item; does nothing otherwise. Returns whether it was
 * added.
 */
export async function addSample(db: Kysely<NewsTables>, vocabulary: Vocabulary, now: Date): Promise<boolean> {
  if (await hasHistory(db)) return false;
  await db.transaction().execute(async (tx) => {
    const importer = new Importer({
      read: importLineReader(vocabulary),
      runWork: (work) => work(tx),
      packs: vocabulary.packs,
      now: () => now,
    });
    for (const [index, line] of sampleLines(vocabulary, now).entries()) {
      await importer.add(JSON.stringify(line), index + 1);
    }
    const { refused } = await importer.finish();
    const [fault] = refused;
    if (fault !== undefined) throw new Error(`the sample's line ${fault.number}: ${fault.reason}`);
    await publishRanking(tx, vocabulary.directions, now);
    const latest = vocabulary.calendar.latestReportDate('daily', now);
    for (let day = 0; day < DAILIES; day += 1) {
      await publishReport(tx, { period: 'daily', date: addDays(latest, -day), vocabulary, now });
    }
  });
  return true;
}

/** Whether the database has or ever had items: the ledger remembers deleted ones. */
async function hasHistory(db: Kysely<NewsTables>): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from news.item) or exists (select from news.story) or exists (select from news.daily)
      or exists (select from news.ledger where head > 0) or exists (select from news.ledger_change) as found
  `.execute(db);
  return rows[0]?.found === true;
}
