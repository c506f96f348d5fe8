import { Failure } from '@pressroom/common/failures/failure';
import { Argument, type Command } from 'commander';
import { PERIODS, type Period } from '../../calendar.ts';
import { readVocabulary } from '../../config.ts';
import type { Quote } from '../../report.ts';
import { transactWithRetries } from '../../transactions.ts';
import { explainRanking, publishRanking } from '../../work/rank.ts';
import {
  correctReport,
  noteOnReport,
  previewReport,
  publishReport,
  type ReportOutcome,
  type ReportPreview,
} from '../../work/report.ts';
import { reportDate } from '../desk/reports.ts';
import { inEdit } from '../edits.ts';
import { addSample } from '../sample.ts';
import {
  type EditorOptions,
  type PrintOptions,
  print,
  printEdited,
  readAs,
  readNote,
  withDatabase,
  withEditorOptions,
  withJsonOption,
  withNewsroom,
} from './options.ts';

/** The messages for each outcome of a report. */
const OUTCOMES: Record<ReportOutcome, string> = {
  published: 'published',
  unchanged: 'already published; nothing was changed',
  empty: 'no selected item in its time; nothing was published',
};

const COVERS: Record<Period, string> = {
  daily: 'the day to NEWS_REPORT_HOUR',
  weekly: 'the week to that hour on a Monday',
  monthly: 'the month to that hour on the first',
};

/** The options of `daily`, `weekly` and `monthly`. */
interface ReportOptions extends PrintOptions {
  date?: string;
  early?: boolean;
}

/** `newsroom rank`, `daily`, `weekly`, `monthly`, `report` and `sample`. */
export function addPublishingCommands(program: Command): void {
  withJsonOption(program.command('rank'))
    .description('publish a new ranking of the hot topics')
    .option('--explain', 'publish nothing; show what each rank of the latest ranking was computed from')
    .option('--direction <name>', 'with --explain: the list for one direction')
    .action(({ explain, direction, ...options }: PrintOptions & { explain?: boolean; direction?: string }) =>
      explain ? printExplanation(direction, options) : rank(direction, options),
    );
  for (const period of PERIODS) {
    withJsonOption(program.command(period))
      .description(`publish the ${period} report for ${COVERS[period]}, by NEWS_REPORT_TIMEZONE`)
      .option('--date <date>', 'YYYY-MM-DD (default: the latest that is over)', readAs(reportDate))
      .option('--early', 'before its hour (default: the next one)')
      .action((options: ReportOptions) => report(period, options));
  }
  const reports = program.command('report').description('preview and correct reports');
  withJsonOption(reports.command('preview'))
    .description('show a report as it would be published now')
    .addArgument(periodArgument())
    .option('--date <date>', 'YYYY-MM-DD (default: the next)', readAs(reportDate))
    .action(async (period: Period, { date, ...options }: PrintOptions & { date?: string }) => {
      const preview = await withNewsroom((db, vocabulary) => {
        const next = vocabulary.calendar.nextReportDate(period, new Date());
        return previewReport(db, { period, date: date ?? next, vocabulary });
      });
      print(options, preview, previewText);
    });
  withEditorOptions(reports.command('correct'))
    .description('publish a report of today again, as it would be published now')
    .addArgument(periodArgument())
    .option('--date <date>', 'YYYY-MM-DD (default: the latest)', readAs(reportDate))
    .action(correct);
  withEditorOptions(reports.command('note'))
    .description('say to the readers of a report, of whatever day, what was wrong with it')
    .addArgument(periodArgument())
    .argument('<note>', 'an empty one takes it back', readNote)
    .option('--date <date>', 'YYYY-MM-DD (default: the latest)', readAs(reportDate))
    .action(note);
  program
    .command('sample')
    .description('add a small sample newsroom to a database that has never had an item')
    .action(async () => {
      const added = await withDatabase((db) => addSample(db, readVocabulary(process.env), new Date()));
      if (added) console.log('The database was empty; it now has a small sample newsroom.');
    });
}

async function rank(direction: string | undefined, options: PrintOptions): Promise<void> {
  if (direction !== undefined) {
    throw new Failure('refused', '--direction needs --explain; a ranking always covers every direction');
  }
  const { directions } = readVocabulary(process.env);
  const topics = await withDatabase((db) =>
    transactWithRetries(db, (tx) => publishRanking(tx, directions, new Date())),
  );
  print(options, { topics }, () => `Ranked ${topics} topics.`);
}

async function report(
  period: Period,
  { date: given, early = false, ...options }: ReportOptions,
): Promise<void> {
  const now = new Date();
  const { date, outcome } = await withNewsroom(async (db, vocabulary) => {
    const { calendar } = vocabulary;
    const date =
      given ?? (early ? calendar.nextReportDate(period, now) : calendar.latestReportDate(period, now));
    const publication = { period, date, vocabulary, now, early };
    return { date, outcome: await transactWithRetries(db, (tx) => publishReport(tx, publication)) };
  });
  print(options, { period, date, outcome }, () => `${date}: ${OUTCOMES[outcome]}`);
}

function periodArgument(): Argument {
  return new Argument('<period>').choices(PERIODS);
}

async function correct(
  period: Period,
  { by: actor, date: given, json }: EditorOptions & { date?: string },
): Promise<void> {
  const now = new Date();
  const { date, edited } = await withNewsroom(async (db, vocabulary) => {
    const date = given ?? vocabulary.calendar.latestReportDate(period, now);
    const by = { actor, action: 'report correct' };
    return {
      date,
      edited: await inEdit(db, by, (tx) => correctReport(tx, { period, date, vocabulary, now })),
    };
  });
  printEdited({ json }, `${period} ${date}`, edited);
}

async function note(
  period: Period,
  correction: string | null,
  { by: actor, date: given, json }: EditorOptions & { date?: string },
): Promise<void> {
  const { date, edited } = await withNewsroom(async (db, { calendar }) => {
    const date = given ?? calendar.latestReportDate(period, new Date());
    const by = { actor, action: 'report note' };
    return { date, edited: await inEdit(db, by, (tx) => noteOnReport(tx, { period, date }, correction)) };
  });
  printEdited({ json }, `${period} ${date}`, edited);
}

function previewText({ period, date, windowStart, windowEnd, publishedAt, report }: ReportPreview): string {
  const published = publishedAt === null ? 'not published' : `published ${publishedAt.toISOString()}`;
  const covers = `${windowStart.toISOString()} to ${windowEnd.toISOString()}`;
  const line = ({ itemId, title, source }: Quote) => `  ${title} [${source}] ${itemId}`;
  return [
    `${period} report of ${date}: ${covers}, ${published}`,
    ...(report === null ? ['No selected item is in its time.'] : []),
    ...(report?.lead ? [`Lead: ${report.lead.title}`] : []),
    ...(report?.sections ?? []).flatMap(({ label, items }) => [label, ...items.map(line)]),
    ...(report?.flashes.length ? ['Flashes', ...report.flashes.map(line)] : []),
  ].join('\n');
}

async function printExplanation(direction: string | undefined, options: PrintOptions): Promise<void> {
  const { directions } = readVocabulary(process.env);
  if (direction !== undefined && !directions.includes(direction)) {
    throw new Failure('refused', `--direction must be one of ${directions.join(', ')}`);
  }
  print(options, (await withDatabase((db) => explainRanking(db, direction))) ?? null, explanationText);
}

function explanationText(ranking: Awaited<ReturnType<typeof explainRanking>> | null): string {
  if (!ranking) return 'There is no ranking yet. Make one with `newsroom rank`.';
  const { windowHours, weights, asOf } = ranking.parameters;
  return [
    `Ranking ${ranking.id} of ${asOf}: reports of ${windowHours} h, half-life ${weights.halfLifeHours} h,` +
      ` first-party × ${weights.firstParty}, signals × ${weights.signals}`,
    ...ranking.entries.flatMap(({ rank, id, title, inputs, withdrawn_at }) => {
      const gone = withdrawn_at === null ? '' : ' (withdrawn since: not shown)';
      return [
        `\n${rank}. ${title} [${inputs.story ?? id}]${gone}`,
        `   heat ${inputs.heat} = coverage ${inputs.coverage} + signals ${inputs.signals} of ${inputs.reports} reports`,
        ...inputs.sources.map(
          ({ source, firstParty, ageHours, weight }) =>
            `   ${weight}  ${source}${firstParty ? ', first party' : ''}, ${ageHours} h old`,
        ),
      ];
    }),
  ].join('\n');
}
