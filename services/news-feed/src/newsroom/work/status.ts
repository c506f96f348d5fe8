import { type Kysely, sql } from 'kysely';
import type { Calendar } from '../../calendar.ts';
import type { NewsTables } from '../../tables.ts';
import { type Spent, spentOn } from '../editorial/budget.ts';
import { spentOnEmbeddings } from '../models/embedding-budget.ts';
import { listSources, type Source, sourceCounts } from '../sources/source-store.ts';
import { isDueSource } from './claim-source.ts';
import { isFree } from './leases.ts';
import { dueSchedules, type Schedule } from './schedules.ts';

/** A source with what it has brought. */
interface SourceStatus {
  source: Source;
  /** The entries of the last 24 hours. */
  day: number;
  /** The entries that wait to be edited. */
  pending: number;
  /** The entries that cannot be items. */
  refused: number;
}

/** How a schedule is. */
interface ScheduleStatus {
  name: string;
  lastRunAt: Date | null;
  /** Seconds that it is overdue; 0 if it is not. */
  lagSeconds: number;
  lastError: string | null;
}

/** How much there is to do of a kind of work. */
interface QueueStatus {
  name: string;
  /** Due, and in no worker's hand. */
  queued: number;
  /** In the hand of a worker, or of a hub that has been asked. */
  active: number;
  /** Failed once or more, and waiting to be tried again. */
  retrying: number;
}

/** What the newsroom has to do, and who does it. */
interface WorkStatus {
  schedules: ScheduleStatus[];
  queues: QueueStatus[];
  /** The workers that were seen within the last minute. */
  workers: number;
  /** What a model was asked for today. */
  spent: Spent;
  /** What titles were embedded for today. */
  embedded: Spent;
}

/** Where the newsroom stands. */
export interface NewsroomStatus extends WorkStatus {
  sources: SourceStatus[];
}

/** What tells where the newsroom stands. */
interface StatusParts {
  schedules: readonly Schedule[];
  calendar: Calendar;
  now: Date;
}

/** Reads where the newsroom stands. */
export async function newsroomStatus(db: Kysely<NewsTables>, parts: StatusParts): Promise<NewsroomStatus> {
  const counts = new Map((await sourceCounts(db, parts.now)).map((count) => [count.source_id, count]));
  const sources = (await listSources(db)).map((source) => {
    const count = counts.get(source.id);
    return { source, day: count?.day ?? 0, pending: count?.pending ?? 0, refused: count?.refused ?? 0 };
  });
  return { sources, ...(await workStatus(db, parts)) };
}

/** Reads what the newsroom has to do, without its sources, however many there are. */
export async function workStatus(
  db: Kysely<NewsTables>,
  { schedules, calendar, now }: StatusParts,
): Promise<WorkStatus> {
  return {
    schedules: await scheduleStatus(db, schedules, now),
    queues: await queueStatus(db, schedules, now),
    workers: await liveWorkers(db),
    spent: await spentOn(db, calendar.date(now)),
    embedded: await spentOnEmbeddings(db, calendar.date(now)),
  };
}

/** How schedules are. */
export async function scheduleStatus(
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

async function queueStatus(
  db: Kysely<NewsTables>,
  schedules: readonly Schedule[],
  now: Date,
): Promise<QueueStatus[]> {
  const { rows } = await sql<QueueStatus>`
    select 'poll' as name,
      count(*) filter (where ${isDueSource(now)})::int as queued,
      count(*) filter (where not ${isFree()})::int as active,
      count(*) filter (where failures > 0 and next_poll_at > ${now})::int as retrying
    from news.source where state = 'active'
    union all
    select 'edit',
      count(*) filter (where retry_at <= clock_timestamp())::int,
      count(*) filter (where retry_at > clock_timestamp() and reason is null)::int,
      count(*) filter (where retry_at > clock_timestamp() and reason is not null)::int
    from news.source_entry where state = 'pending'
    union all
    select 'websub',
      count(*) filter (where ask_at <= clock_timestamp())::int,
      count(*) filter (where ask_at > clock_timestamp() and attempts > 0 and last_error is null)::int,
      count(*) filter (where ask_at > clock_timestamp() and attempts > 0 and last_error is not null)::int
    from news.websub_subscription
    union all
    select 'schedule',
      (select count(*)::int from (${dueSchedules(schedules, now)}) as due),
      count(*) filter (where not ${isFree()})::int,
      count(*) filter (where failures > 0 and ${isFree()})::int
    from news.schedule
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

/** Work that has failed and is tried again, for `newsroom jobs`. */
export interface FailedJob {
  queue: string;
  what: string;
  failures: number;
  /** When it is tried again. */
  at: Date;
  reason: string;
}

/** The work that has failed, what is tried again first, and at most 50. */
export async function failedJobs(db: Kysely<NewsTables>): Promise<FailedJob[]> {
  const { rows } = await sql<FailedJob>`
    select 'poll' as queue, 'source ' || id || ', ' || url as what, failures, next_poll_at as at, last_error as reason
    from news.source where state = 'active' and failures > 0
    union all
    select 'edit', 'source ' || source_id || ', ' || (entry->>'url'), attempts, retry_at, reason
    from news.source_entry where state = 'pending' and reason is not null
    union all
    select 'websub', hub || ' for ' || topic, attempts, ask_at, last_error
    from news.websub_subscription where last_error is not null
    union all
    select 'schedule', name, failures, retry_at, last_error from news.schedule where failures > 0
    union all
    select 'notice', key, attempts, due_at, last_error from news.notice where due_at is not null and last_error is not null
    order by at, queue, what limit 50
  `.execute(db);
  return rows;
}
