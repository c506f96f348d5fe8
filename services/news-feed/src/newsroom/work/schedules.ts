import { type RawBuilder, sql, type Transaction } from 'kysely';
import { PERIODS } from '../../reports/period.ts';
import { latestReportDate, reportWindow, shanghaiDate, startOfDay } from '../../shanghai-calendar.ts';
import type { NewsTables } from '../../tables.ts';
import type { Vocabulary } from '../../vocabulary.ts';
import { publishRanking } from '../publishing/rank.ts';
import { publishReport } from '../publishing/report.ts';
import { pruneNews } from './prune.ts';

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

/** What schedules depend on. */
export interface ScheduleSettings {
  vocabulary: Vocabulary;
  /** How long items that were not selected are kept, in days. */
  keepDays: number;
}

/** The worker's schedules: the ranking, the reports, and the removal of what is old. */
export function newsroomSchedules({ vocabulary, keepDays }: ScheduleSettings): Schedule[] {
  return [
    {
      name: 'ranking',
      latest: (now) => new Date(Math.floor(now.getTime() / RANKING_MS) * RANKING_MS),
      run: async (tx, _due, now) => void (await publishRanking(tx, vocabulary.directions, now)),
    },
    ...PERIODS.map(
      (period): Schedule => ({
        name: period,
        latest: (now) => reportWindow(period, latestReportDate(period, now)).through,
        run: async (tx, due, now) => {
          const { categories } = vocabulary;
          await publishReport(tx, { period, date: shanghaiDate(due), categories, now });
        },
      }),
    ),
    {
      name: 'pruning',
      latest: (now) => startOfDay(shanghaiDate(now)),
      run: (tx, _due, now) => pruneNews(tx, keepDays, now),
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
    on conflict (name) do update set done_through = excluded.done_through, last_run_at = excluded.last_run_at,
      last_error = null, last_error_at = null, queued_until = null
    where schedule.done_through is null or schedule.done_through < excluded.done_through
    returning name
  `.execute(tx);
  if (rows.length === 0) return false;
  await run(tx, due, now);
  return true;
}

/** How long a schedule's job is taken to be on its way, in seconds. */
const QUEUED_SECONDS = 120;

/** The query of the names of the schedules that are due, and whose job is not on its way. */
export function dueSchedules(schedules: readonly Schedule[], now: Date): RawBuilder<{ name: string }> {
  const rows = schedules.map(({ name, latest }) => ({ name, due: latest(now).toISOString() }));
  return sql`
    select name from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (name text, due timestamptz)
    where not exists (
      select from news.schedule as known where known.name = row.name
        and (known.done_through >= row.due or known.queued_until > ${now})
    )
  `;
}

/** Marks the due schedules as queued and returns their names. */
export async function takeDueSchedules(
  tx: Transaction<NewsTables>,
  schedules: readonly Schedule[],
  now: Date,
): Promise<string[]> {
  const queuedUntil = new Date(now.getTime() + QUEUED_SECONDS * 1000);
  const { rows: taken } = await sql<{ name: string }>`
    insert into news.schedule as schedule (name, queued_until)
    select name, ${queuedUntil} from (${dueSchedules(schedules, now)}) as due order by name
    on conflict (name) do update set queued_until = excluded.queued_until
    returning name
  `.execute(tx);
  return taken.map(({ name }) => name);
}
