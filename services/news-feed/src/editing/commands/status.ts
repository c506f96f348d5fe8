import { createLogger, type Logger } from '@pressroom/common/log/logging';
import { warnOfRetiredSettings } from '@pressroom/common/start/config';
import { warnOfMisspellings } from '@pressroom/common/start/misspelt-settings';
import type { Command } from 'commander';
import { readVocabulary } from '../../config.ts';
import { sourceMembers } from '../../reading/sources.ts';
import { newsroomSchedules } from '../../work/schedules.ts';
import { type FailedJob, failedJobs, type NewsroomStatus, newsroomStatus } from '../../work/status.ts';
import { readWorkerConfig, type WorkerConfig, workerSettings } from '../../work/worker-config.ts';
import {
  type ImportTally,
  importCounts,
  importFile,
  importLineJsonSchema,
  importReport,
} from '../importer.ts';
import {
  type EditorOptions,
  type PrintOptions,
  print,
  withDatabase,
  withEditorOptions,
  withJsonOption,
  withNewsroom,
} from './options.ts';

/** `newsroom status` and `jobs`. */
export function addStatusCommands(program: Command): void {
  withJsonOption(program.command('status'))
    .description('show the state of the sources, the schedules and the queues')
    .option('--check', 'exit with 1 unless a worker runs')
    .action(async ({ check, ...options }: PrintOptions & { check?: boolean }) => {
      const status = await withNewsroom((db, vocabulary) => {
        const schedules = newsroomSchedules({ vocabulary, keepDays: 90 });
        return newsroomStatus(db, { schedules, calendar: vocabulary.calendar, now: new Date() });
      });
      const sources = status.sources.map(({ source, ...counts }) => ({
        ...{ source: sourceMembers(source), ...counts },
      }));
      print(options, { ...status, sources }, () => statusText(status));
      if (check && status.workers === 0) process.exitCode = 1;
    });
  withJsonOption(program.command('jobs'))
    .description('show failed jobs that will be retried, and why')
    .action(async (options: PrintOptions) => print(options, await withDatabase(failedJobs), jobsText));
}

function jobsText(jobs: readonly FailedJob[]): string {
  if (jobs.length === 0) return 'No failed jobs are waiting to be retried.';
  return jobs
    .map(({ queue, what, failures, at, reason }) => {
      const times = failures === 1 ? 'once' : `${failures} times`;
      return `${queue}  ${what}: failed ${times}, again at ${time(at)}\n    ${reason}`;
    })
    .join('\n');
}

function statusText({ sources, schedules, queues, workers, spent, embedded }: NewsroomStatus): string {
  return [
    `workers   ${workers}`,
    ...queues.map(
      ({ name, queued, retrying, active }) =>
        `queue     ${name}: ${queued} queued, ${active} active, ${retrying} to be retried`,
    ),
    `model     ${spent.requests} requests and ${spent.tokens} tokens today`,
    `titles    ${embedded.requests} requests and ${embedded.tokens} tokens today, for embeddings`,
    ...schedules.map(({ name, lastRunAt, lagSeconds, lastError }) => {
      const late = lagSeconds > 0 ? `, ${Math.round(lagSeconds)} s late` : '';
      return `schedule  ${name}: ${time(lastRunAt)}${late}${lastError === null ? '' : `: ${lastError}`}`;
    }),
    ...sources.flatMap(({ source, day, pending, refused }) => {
      const next = source.state === 'active' ? `next ${time(source.next_poll_at)}` : source.state;
      return [
        `source    ${source.id} ${source.name}: last success ${time(source.last_success_at)}, ${next},` +
          ` ${day} in 24 h, ${pending} pending, ${refused} refused, ${source.failures} failures`,
        ...(source.last_error === null ? [] : [`          ${source.last_error}`]),
      ];
    }),
  ].join('\n');
}

function time(at: Date | null): string {
  return at === null ? 'never' : at.toISOString();
}

/** Runs a worker until it is stopped. */
type RunWorker = (config: WorkerConfig, log: Logger) => Promise<void>;

/** `newsroom work`. */
export function addWorkCommand(program: Command, runWorker: RunWorker): void {
  program
    .command('work')
    .description('read the sources and keep the schedules, until it is stopped; any number may run')
    .action(async () => {
      const config = readWorkerConfig(process.env);
      const log = createLogger({ service: 'newsroom', level: config.LOG_LEVEL });
      warnOfRetiredSettings(process.env, log);
      warnOfMisspellings(workerSettings, process.env, log);
      await runWorker(config, log);
    });
}

interface ImportOptions extends EditorOptions {
  schema?: boolean;
  dryRun?: boolean;
}

/** `newsroom import`. */
export function addImportCommand(program: Command): void {
  withEditorOptions(program.command('import'))
    .description('import items, stories and reset records from a JSON Lines file')
    .argument('[file]', 'the file, or - for standard input')
    .option('--schema', 'print the JSON Schema of a line')
    .option('--dry-run', 'show what would happen without changing anything')
    .action(async (file: string | undefined, options: ImportOptions) => {
      if (options.schema) {
        // Also without a database.
        return console.log(JSON.stringify(importLineJsonSchema(readVocabulary(process.env)), null, 2));
      }
      if (file === undefined) throw new Error('a file is required: name one, or - for standard input');
      const dryRun = options.dryRun === true;
      const tally = await withNewsroom((db, vocabulary) =>
        importFile({ db, file, actor: options.by, vocabulary, dryRun, onProgress }),
      );
      if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
      print(options, tally, () => importReport(tally, dryRun));
      if (tally.refused.length > 0) process.exitCode = 1;
    });
}

function onProgress(lines: number, tally: Readonly<ImportTally>): void {
  if (process.stderr.isTTY) process.stderr.write(`\r${lines} lines: ${importCounts(tally)}`);
}
