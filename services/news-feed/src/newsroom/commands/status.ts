import type { Command } from 'commander';
import { readVocabulary } from '../../config.ts';
import { newsroomSchedules } from '../work/schedules.ts';
import { failedJobs, type NewsroomStatus, newsroomStatus } from '../work/status.ts';
import { withDatabase } from './with-database.ts';

/** `newsroom status` and `jobs`. */
export function addStatusCommands(program: Command): void {
  program
    .command('status')
    .description('show how the sources, the schedules and the queues are')
    .option('--check', 'exit with 1 unless a worker runs')
    .action(async ({ check }: { check?: boolean }) => {
      const vocabulary = readVocabulary(process.env);
      const schedules = newsroomSchedules({ vocabulary, keepDays: 90 });
      const status = await withDatabase((db) =>
        newsroomStatus(db, { schedules, calendar: vocabulary.calendar, now: new Date() }),
      );
      print(status);
      if (check && status.workers === 0) process.exitCode = 1;
    });
  program
    .command('jobs')
    .description('show what has failed and is tried again, and why')
    .action(async () => {
      const jobs = await withDatabase(failedJobs);
      if (jobs.length === 0) return console.log('Nothing that is to be tried again has failed.');
      for (const { queue, what, failures, at, reason } of jobs) {
        const times = failures === 1 ? 'once' : `${failures} times`;
        console.log(`${queue}  ${what}: failed ${times}, again at ${time(at)}`);
        console.log(`    ${reason}`);
      }
    });
}

function print({ sources, schedules, queues, workers, spent }: NewsroomStatus): void {
  console.log(`workers   ${workers}`);
  for (const { name, queued, retrying, active } of queues) {
    console.log(`queue     ${name}: ${queued} queued, ${active} active, ${retrying} to be tried again`);
  }
  console.log(`model     ${spent.requests} requests and ${spent.tokens} tokens today`);
  for (const { name, lastRunAt, lagSeconds, lastError } of schedules) {
    const late = lagSeconds > 0 ? `, ${Math.round(lagSeconds)} s late` : '';
    console.log(`schedule  ${name}: ${time(lastRunAt)}${late}${lastError === null ? '' : `: ${lastError}`}`);
  }
  for (const { source, day, pending, refused } of sources) {
    const next = source.state === 'active' ? `next ${time(source.next_poll_at)}` : source.state;
    console.log(
      `source    ${source.id} ${source.name}: last success ${time(source.last_success_at)}, ${next},` +
        ` ${day} in 24 h, ${pending} pending, ${refused} refused, ${source.failures} failures`,
    );
    if (source.last_error !== null) console.log(`          ${source.last_error}`);
  }
}

function time(at: Date | null): string {
  return at === null ? 'never' : at.toISOString();
}
