import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { type Spent, spentOn } from '../editorial/budget.ts';
import { listSources, type Source, sourceCounts } from '../sources/source-store.ts';
import type { Schedule } from './schedules.ts';

/** A source with what it has brought. */
export interface SourceStatus {
  source: Source;
  /** The entries of the last 24 hours. */
  day: number;
  /** The entries that wait to be edited. */
  pending: number;
  /** The entries that cannot be items. */
  refused: number;
}

/** How a schedule is. */
export interface ScheduleStatus {
  name: string;
  lastRunAt: Date | null;
  /** How long its latest time has passed without it being carried out, in seconds; 0 if it was. */
  lagSeconds: number;
  lastError: string | null;
}

/** The jobs of a queue, by state. */
export interface QueueStatus {
  name: string;
  queued: number;
  /** Failed once or more, and waiting to be tried again. */
  retrying: number;
  active: number;
  /** Given up within the last hour. */
  failed: number;
}

/** Where the newsroom stands. */
export interface NewsroomStatus {
  sources: SourceStatus[];
  schedules: ScheduleStatus[];
  queues: QueueStatus[];
  /** The workers that were seen within the last minute. */
  workers: number;
  /** What a model was asked for today, in Shanghai. */
  spent: Spent;
}

/** Reads where the newsroom stands. */
export async function newsroomStatus(
  db: Kysely<NewsTables>,
  schedules: readonly Schedule[],
  now: Date,
): Promise<NewsroomStatus> {
  const counts = new Map((await sourceCounts(db, now)).map((count) => [count.source_id, count]));
  const sources = (await listSources(db)).map((source) => {
    const count = counts.get(source.id);
    return { source, day: count?.day ?? 0, pending: count?.pending ?? 0, refused: count?.refused ?? 0 };
  });
  return {
    sources,
    schedules: await scheduleStatus(db, schedules, now),
    queues: await queueStatus(db),
    workers: await liveWorkers(db),
    spent: await spentOn(db, now),
  };
}

async function scheduleStatus(
  db: Kysely<NewsTables>,
  schedules: readonly Schedule[],
  now: Date,
): Promise<ScheduleStatus[]> {
  const rows = await db.selectFrom('news.schedule').selectAll().execute();
  const known = new Map(rows.map((row) => [row.name, row]));
  return schedules.map(({ name, latest }) => {
    const row = known.get(name);
    const due = latest(now);
    const isDone = row?.done_through != null && row.done_through >= due;
    return {
      name,
      lastRunAt: row?.last_run_at ?? null,
      lagSeconds: isDone ? 0 : (now.getTime() - due.getTime()) / 1000,
      lastError: row?.last_error ?? null,
    };
  });
}

async function queueStatus(db: Kysely<NewsTables>): Promise<QueueStatus[]> {
  const { rows } = await sql<QueueStatus>`
    select queue.name,
      count(*) filter (where job.state = 'created')::int as queued,
      count(*) filter (where job.state = 'retry')::int as retrying,
      count(*) filter (where job.state = 'active')::int as active,
      count(*) filter (where job.state = 'failed')::int as failed
    from newsroom_jobs.queue left join newsroom_jobs.job on job.name = queue.name
    where queue.name in ('poll', 'edit', 'schedule', 'websub', 'digest')
    group by queue.name order by queue.name
  `.execute(db);
  return rows;
}

async function liveWorkers(db: Kysely<NewsTables>): Promise<number> {
  const { rows } = await sql<{ workers: number }>`
    select count(*)::int as workers from news.worker
    where seen_at > clock_timestamp() - interval '1 minute'
  `.execute(db);
  return rows[0]?.workers ?? 0;
}

/** A job that has failed, for `newsroom jobs`. */
export interface FailedJob {
  queue: string;
  /** retry: it is tried again; failed: it was given up. */
  state: 'retry' | 'failed';
  data: object;
  retries: number;
  /** When it is tried again, or was given up. */
  at: Date;
  /** The message of its last error. */
  reason: string | null;
}

/** The jobs that have failed, the latest first, and at most 50. */
export async function failedJobs(db: Kysely<NewsTables>): Promise<FailedJob[]> {
  const { rows } = await sql<FailedJob>`
    select name as queue, state, data, retry_count as retries, coalesce(completed_on, start_after) as at,
      output->>'message' as reason
    from newsroom_jobs.job where state in ('retry', 'failed') and name in ('poll', 'edit', 'schedule', 'websub', 'digest')
    order by at desc limit 50
  `.execute(db);
  return rows;
}
