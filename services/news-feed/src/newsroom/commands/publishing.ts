import { Failure } from '@pressroom/common/failures/failure';
import { type Command, InvalidArgumentError } from 'commander';
import { isCalendarDate } from '../../calendar.ts';
import { readVocabulary } from '../../config.ts';
import { PERIODS, type Period } from '../../period.ts';
import { explainRanking, publishRanking } from '../publishing/rank.ts';
import { publishReport, type ReportOutcome } from '../publishing/report.ts';
import { addSample } from '../sample/sample.ts';
import { inTransactions } from '../transactions.ts';
import { withDatabase } from './with-database.ts';

/** The messages for each outcome of a report. */
const OUTCOMES: Record<ReportOutcome, string> = {
  published: 'published',
  unchanged: 'already published; nothing was changed',
  empty: 'no selected item in its time; nothing was published',
};

/** The time that each report covers. */
const COVERS: Record<Period, string> = {
  daily: 'the day to NEWS_REPORT_HOUR',
  weekly: 'the week to that hour on a Monday',
  monthly: 'the month to that hour on the first',
};

/** `newsroom rank`, `daily`, `weekly`, `monthly` and `sample`. */
export function addPublishingCommands(program: Command): void {
  program
    .command('rank')
    .description('publish a new ranking of the hot topics')
    .option('--explain', 'publish nothing; show what each rank of the latest ranking was computed from')
    .option('--direction <name>', 'with --explain: the list for one direction')
    .action(({ explain, direction }: { explain?: boolean; direction?: string }) =>
      explain ? printExplanation(direction) : rank(direction),
    );
  for (const period of PERIODS) {
    program
      .command(period)
      .description(`publish the ${period} report for ${COVERS[period]}, by NEWS_REPORT_TIMEZONE`)
      .option('--date <date>', 'YYYY-MM-DD (default: the latest that is over)', calendarDate)
      .action(({ date }: { date?: string }) => report(period, date));
  }
  program
    .command('sample')
    .description('add a small sample newsroom to a database that has never had an item')
    .action(async () => {
      const added = await withDatabase((db) => addSample(db, readVocabulary(process.env), new Date()));
      if (added) console.log('The database was empty; it now has a small sample newsroom.');
    });
}

async function rank(direction: string | undefined): Promise<void> {
  if (direction !== undefined) {
    throw new Failure('refused', '--direction needs --explain; a ranking always covers every direction');
  }
  const { directions } = readVocabulary(process.env);
  const topics = await withDatabase((db) =>
    inTransactions(db)((tx) => publishRanking(tx, directions, new Date())),
  );
  console.log(`Ranked ${topics} topics.`);
}

async function report(period: Period, given: string | undefined): Promise<void> {
  const now = new Date();
  const vocabulary = readVocabulary(process.env);
  const date = given ?? vocabulary.calendar.latestReportDate(period, now);
  const outcome = await withDatabase((db) =>
    inTransactions(db)((tx) => publishReport(tx, { period, date, vocabulary, now })),
  );
  console.log(`${date}: ${OUTCOMES[outcome]}`);
}

async function printExplanation(direction: string | undefined): Promise<void> {
  const { directions } = readVocabulary(process.env);
  if (direction !== undefined && !directions.includes(direction)) {
    throw new Failure('refused', `--direction must be one of ${directions.join(', ')}`);
  }
  const ranking = await withDatabase((db) => explainRanking(db, direction));
  if (ranking === undefined) return console.log('There is no ranking yet. Make one with `newsroom rank`.');
  const { windowHours, weights, asOf } = ranking.parameters;
  console.log(
    `Ranking ${ranking.id} of ${asOf}: reports of ${windowHours} h, half-life ${weights.halfLifeHours} h,` +
      ` first-party × ${weights.firstParty}, signals × ${weights.signals}`,
  );
  for (const { rank, id, title, inputs, withdrawn_at } of ranking.entries) {
    const gone = withdrawn_at === null ? '' : ' (withdrawn since: not shown)';
    console.log(`\n${rank}. ${title} [${inputs.story ?? id}]${gone}`);
    console.log(
      `   heat ${inputs.heat} = coverage ${inputs.coverage} + signals ${inputs.signals} of ${inputs.reports} reports`,
    );
    for (const { source, firstParty, ageHours, weight } of inputs.sources) {
      console.log(`   ${weight}  ${source}${firstParty ? ', first party' : ''}, ${ageHours} h old`);
    }
  }
}

function calendarDate(value: string): string {
  if (!isCalendarDate(value)) throw new InvalidArgumentError('Expected a date such as 2027-01-31.');
  return value;
}
