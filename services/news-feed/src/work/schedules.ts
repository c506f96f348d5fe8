import { isDatabaseAway } from '@pressroom/common/database/database';
import { backoffOf, Lease, secondsFromNow } from '@pressroom/common/database/leases';
import { reasonOf, type ScheduleCode } from '@pressroom/common/failures/failure';
import { type Kysely, type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import { PERIODS } from '../calendar.ts';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../words.ts';
import { pruneNews } from './prune.ts';
import { publishRanking } from './rank.ts';
import { publishReport } from './report.ts';

/** Something that the worker does at certain times. */
export interface Schedule {
  /** The key of `news.schedule`. */
  name: string;
  /** The latest time, at or before `now`, at which it was to be done. */
  latest: (now: Date) => Date;
  /**
   * Does it, in the transaction that records that it was done. After a pause only the latest of the missed
   * times is made good.
   */
  run: (tx: Transaction<NewsTables>, due: Date, now: Date) => Promise<void>;
}

/** The time between two rankings, in ms; what else is scheduled falls on a multiple of it. */
export const RANKING_MS = 5 * 60 * 1000;

interface ScheduleSettings {
  vocabulary: Vocabulary;
  /** Days that items that were not selected are kept. */
  keepDays: number;
}

/** The worker's schedules: the ranking, the reports, and the removal of old rows. */
export function newsroomSchedules({ vocabulary, keepDays }: ScheduleSettings): Schedule[] {
  const { calendar } = vocabulary;
  return [
    {
      name: 'ranking',
      latest: (now) => new Date(Math.floor(now.getTime() / RANKING_MS) * RANKING_MS),
      run: async (tx, _due, now) => void (await publishRanking(tx, vocabulary.directions, now)),
    },
    ...PERIODS.map(
      (period): Schedule => ({
        name: period,
        latest: (now) => calendar.reportWindow(period, calendar.latestReportDate(period, now)).through,
        run: async (tx, due, now) => {
          await publishReport(tx, { period, date: calendar.latestReportDate(period, due), vocabulary, now });
        },
      }),
    ),
    {
      name: 'pruning',
      latest: (now) => calendar.startOfDay(calendar.date(now)),
      run: (tx, _due, now) => pruneNews(tx, { keepDays, now, calendar }),
    },
  ];
}

/**
 * Carries out a schedule if it is due, once for all workers: its row is locked until the transaction ends.
 * Returns whether it was due.
 */
export async function runSchedule(
  tx: Transaction<NewsTables>,
  { name, latest, run }: Schedule,
  now: Date,
): Promise<boolean> {
  const due = latest(now);
  // A worker that waits for another one sees what that has done.
  const { rows } = await sql`
    insert into news.schedule as schedule (name, done_through, last_run_at) values (${name}, ${due}, ${now})
    on conflict (name) do update set done_through = excluded.done_through, last_run_at = excluded.last_run_at
    where schedule.done_through is null or schedule.done_through < excluded.done_through
    returning name
  `.execute(tx);
  if (rows.length === 0) return false;
  await run(tx, due, now);
  return true;
}

/** When something is to be done: a {@link Schedule}, or what is done from time to time without one. */
export type Timing = Pick<Schedule, 'name' | 'latest'>;

/** The rows `row (name, due)` of scheduled work. */
function timed(timings: readonly Timing[], now: Date): RawBuilder<unknown> {
  const rows = timings.map(({ name, latest }) => ({ name, due: latest(now).toISOString() }));
  return sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (name text, due timestamptz)`;
}

export const SCHEDULES = new Lease({
  table: 'news.schedule',
  key: ['name'],
  until: 'lease_until',
});

/** A row of `news.schedule` that is due by `row`, in no worker's hand, and not waiting after a failure. */
function isDue(): RawBuilder<SqlBool> {
  return sql`(done_through is null or done_through < due) and ${SCHEDULES.isFree()}
    and (retry_at is null or retry_at <= clock_timestamp())`;
}

/** The query of what is due; a schedule without a row never was. */
export function dueSchedules(timings: readonly Timing[], now: Date): RawBuilder<{ name: string }> {
  return sql`select name from ${timed(timings, now)} left join news.schedule using (name) where ${isDue()}`;
}

/** Takes what is due for the worker with the id `holder`, `most` at most, and returns the names. */
export async function claimSchedules(
  db: Kysely<NewsTables>,
  holder: string,
  timings: readonly Timing[],
  most: number,
  now: Date,
): Promise<string[]> {
  if (most <= 0) return [];
  await sql`
    insert into news.schedule (name) select name from ${timed(timings, now)} on conflict (name) do nothing
  `.execute(db);
  // A locked row is being worked on.
  const claimed = await SCHEDULES.claim<{ name: string }>(db, {
    due: sql`exists (select from ${timed(timings, now)} where row.name = schedule.name and ${isDue()})`,
    order: sql`name`,
    most,
    set: sql`holder = ${holder}`,
    returning: sql`name`,
  });
  return claimed.map(({ name }) => name);
}

/** Renews leases, except those of work that has just ended. */
export async function renewSchedules(
  db: Kysely<NewsTables>,
  holder: string,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  await SCHEDULES.renew(db, sql`name = any(${names}) and holder = ${holder} and lease_until is not null`);
}

/** Keeps that what was claimed has succeeded, unless another worker has it by now. */
export async function finishSchedule(db: Kysely<NewsTables>, holder: string, name: string): Promise<void> {
  await db
    .updateTable('news.schedule')
    .set({ lease_until: null, failures: 0, retry_at: null })
    .set({ last_error: null, last_error_code: null, last_error_at: null })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute();
}

const BACKOFF = { firstSeconds: 5, mostSeconds: 600 };

/**
 * Keeps why what was claimed has failed, unless another worker has it by now; it is tried again after a wait
 * that doubles each time.
 */
export async function delaySchedule(
  db: Kysely<NewsTables>,
  holder: string,
  name: string,
  error: unknown,
  now: Date,
): Promise<void> {
  const code: ScheduleCode = isDatabaseAway(error) ? 'temporarily_unavailable' : 'internal_error';
  await sql`
    update news.schedule set lease_until = null, failures = failures + 1,
      last_error = ${reasonOf(error)}, last_error_code = ${code}, last_error_at = ${now},
      retry_at = ${secondsFromNow(backoffOf(BACKOFF, sql`failures + 1`))}
    where name = ${name} and holder = ${holder}
  `.execute(db);
}
