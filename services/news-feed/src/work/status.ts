import {
  type JobCode,
  jobCodeOf,
  SCHEDULE_CODES,
  type ScheduleCode,
} from '@pressroom/common/failures/failure';
import { collectProcessMetrics } from '@pressroom/common/http/metrics';
import { type Kysely, sql } from 'kysely';
import { Gauge, Registry } from 'prom-client';
import type { Calendar, Clock } from '../calendar.ts';
import { embeddingUsage, type ModelUsage, modelUsage } from '../grouping/judging.ts';
import { listSources, type Source, sourceCounts } from '../reading/sources.ts';
import type { NewsTables } from '../tables.ts';
import { isDueSource, SOURCES } from './leases.ts';
import { dueSchedules, SCHEDULES, type Schedule } from './schedules.ts';

/** A source with counts of its entries. */
interface SourceStatus {
  source: Source;
  /** The entries of the last 24 hours. */
  day: number;
  /** The entries that wait to be edited. */
  pending: number;
  refused: number;
}

interface ScheduleStatus {
  name: string;
  lastRunAt: Date | null;
  /** Seconds that it is overdue; 0 if it is not. */
  lagSeconds: number;
  lastError: string | null;
  /** The reason's sentence; null as well where an earlier release has kept it. */
  lastErrorCode: ScheduleCode | null;
}

/** Waiting work of one kind. */
interface QueueStatus {
  name: string;
  /** Due, and in no worker's hand. */
  queued: number;
  /** In the hand of a worker, or of a hub that has been asked. */
  active: number;
  /** Failed once or more, and waiting to be tried again. */
  retrying: number;
}

/** The newsroom's waiting work, and the workers that do it. */
interface WorkStatus {
  schedules: ScheduleStatus[];
  queues: QueueStatus[];
  /** The workers that were seen within the last minute. */
  workers: number;
  /** When a worker was last seen; null if none was for a day. */
  lastTurnAt: Date | null;
  /** Use of a model today. */
  spent: ModelUsage;
  embedded: ModelUsage;
}

export interface NewsroomStatus extends WorkStatus {
  sources: SourceStatus[];
}

interface StatusParts {
  schedules: readonly Schedule[];
  calendar: Calendar;
  now: Date;
}

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
    ...(await liveWorkers(db)),
    spent: await modelUsage(db, calendar.date(now)),
    embedded: await embeddingUsage(db, calendar.date(now)),
  };
}

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
      lastErrorCode: SCHEDULE_CODES.find((code) => code === row?.last_error_code) ?? null,
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
      count(*) filter (where ${SOURCES.isHeld()})::int as active,
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
      count(*) filter (where ${SCHEDULES.isHeld()})::int,
      count(*) filter (where failures > 0 and ${SCHEDULES.isFree()})::int
    from news.schedule
  `.execute(db);
  return rows;
}

async function liveWorkers(db: Kysely<NewsTables>): Promise<Pick<WorkStatus, 'workers' | 'lastTurnAt'>> {
  const { rows } = await sql<Pick<WorkStatus, 'workers' | 'lastTurnAt'>>`
    select count(*) filter (where seen_at > clock_timestamp() - interval '1 minute')::int as workers,
      max(seen_at) as "lastTurnAt"
    from news.worker
  `.execute(db);
  return rows[0] ?? { workers: 0, lastTurnAt: null };
}

/** Work that has failed and is tried again, for `newsroom jobs`. */
export interface FailedJob {
  queue: string;
  what: string;
  /** The source that it is about. */
  source: { id: number; name: string } | null;
  failures: number;
  at: Date;
  reason: string;
  /** The sentence of `reason`; null where an earlier release has kept it. */
  code: JobCode | null;
}

/** The work that has failed, what is tried again first, and at most 50. */
export async function failedJobs(db: Kysely<NewsTables>): Promise<FailedJob[]> {
  const { rows } = await sql<Omit<FailedJob, 'code'> & { code: string | null }>`
    select queue, what, job.failures, at, reason, code,
      case when source.id is not null then jsonb_build_object('id', source.id, 'name', source.name) end as source
    from (
      select 'poll' as queue, 'source ' || id || ', ' || url as what, id as source_id, failures,
        next_poll_at as at, last_error as reason, last_error_code as code
      from news.source where state = 'active' and failures > 0
      union all
      select 'edit', 'source ' || source_id || ', ' || (entry->>'url'), source_id, attempts, retry_at, reason,
        'source_worker_failed'
      from news.source_entry where state = 'pending' and reason is not null
      union all
      select 'websub', hub || ' for ' || topic, source_id, attempts, ask_at, last_error, last_error_code
      from news.websub_subscription where last_error is not null
      union all
      select 'schedule', name, null, failures, retry_at, last_error, last_error_code
      from news.schedule where failures > 0
      union all
      select 'notice', key, null, attempts, due_at, last_error, last_error_code
      from news.notice where due_at is not null and last_error is not null
    ) as job left join news.source on source.id = job.source_id
    order by at, queue, what limit 50
  `.execute(db);
  return rows.map(({ code, ...job }) => ({ ...job, code: jobCodeOf(code) ?? null }));
}

/** The gauges: names, labels and values. */
const GAUGES: readonly {
  name: string;
  help: string;
  labels: readonly string[];
  values: (status: NewsroomStatus, now: Date) => [labels: Record<string, string>, value: number][];
}[] = [
  {
    name: 'newsroom_jobs',
    help: 'Pending work of each kind, by state',
    labels: ['queue', 'state'],
    values: ({ queues }) =>
      queues.flatMap(({ name, ...states }) =>
        Object.entries(states).map(([state, value]): [Record<string, string>, number] => [
          { queue: name, state },
          value,
        ]),
      ),
  },
  {
    name: 'newsroom_schedule_lag_seconds',
    help: 'Seconds that a schedule is overdue',
    labels: ['schedule'],
    values: ({ schedules }) => schedules.map(({ name, lagSeconds }) => [{ schedule: name }, lagSeconds]),
  },
  {
    name: 'newsroom_source_failures',
    help: 'Failures of each source since its last success',
    labels: ['source'],
    values: ({ sources }) => sources.map(({ source }) => [{ source: source.url }, source.failures]),
  },
  {
    name: 'newsroom_source_success_age_seconds',
    help: 'Time since each source was last read; absent for one that never was',
    labels: ['source'],
    values: ({ sources }, now) =>
      sources.flatMap(({ source: { url, last_success_at } }) =>
        last_success_at === null
          ? []
          : [[{ source: url }, (now.getTime() - last_success_at.getTime()) / 1000]],
      ),
  },
  {
    name: 'newsroom_source_next_poll_seconds',
    help: 'In how many seconds each source is due, below zero if it is late; absent for one that is not polled',
    labels: ['source'],
    values: ({ sources }, now) =>
      sources.flatMap(({ source: { url, state, next_poll_at } }) =>
        state === 'active' ? [[{ source: url }, (next_poll_at.getTime() - now.getTime()) / 1000]] : [],
      ),
  },
  {
    name: 'newsroom_source_items_day',
    help: 'Entries that each source has brought in 24 hours',
    labels: ['source'],
    values: ({ sources }) => sources.map(({ source, day }) => [{ source: source.url }, day]),
  },
  {
    name: 'newsroom_model_requests_day',
    help: 'Requests to the model since midnight in NEWS_REPORT_TIMEZONE',
    labels: [],
    values: ({ spent }) => [[{}, spent.requests]],
  },
  {
    name: 'newsroom_model_tokens_day',
    help: 'Tokens that the model has used since midnight in NEWS_REPORT_TIMEZONE',
    labels: [],
    values: ({ spent }) => [[{}, spent.tokens]],
  },
  {
    name: 'newsroom_embeddings_requests_day',
    help: 'Requests for embeddings since midnight in NEWS_REPORT_TIMEZONE',
    labels: [],
    values: ({ embedded }) => [[{}, embedded.requests]],
  },
  {
    name: 'newsroom_embeddings_tokens_day',
    help: 'Tokens that embeddings have used since midnight in NEWS_REPORT_TIMEZONE',
    labels: [],
    values: ({ embedded }) => [[{}, embedded.tokens]],
  },
  {
    name: 'newsroom_entries_pending',
    help: 'Entries that wait to be edited',
    labels: [],
    values: ({ sources }) => [[{}, sources.reduce((sum, { pending }) => sum + pending, 0)]],
  },
];

/**
 * The metrics of a worker's process, and of the newsroom as the database has it whenever they are read.
 * `ready` fails while the database does not answer.
 */
export function workerMetrics(
  db: Kysely<NewsTables>,
  { schedules, calendar, clock }: { schedules: readonly Schedule[]; calendar: Calendar; clock: Clock },
): { registry: Registry; read: () => Promise<string>; ready: () => Promise<unknown> } {
  const registry = new Registry();
  collectProcessMetrics(registry);
  const gauges = GAUGES.map(({ name, help, labels, values }) => ({
    gauge: new Gauge({ name, help, labelNames: [...labels], registers: [registry] }),
    values,
  }));
  const read = async () => {
    const now = clock();
    const status = await newsroomStatus(db, { schedules, calendar, now });
    for (const { gauge, values } of gauges) {
      gauge.reset();
      for (const [labels, value] of values(status, now)) gauge.set(labels, value);
    }
    return registry.metrics();
  };
  const ready = () => db.selectFrom('news.worker').select('id').limit(1).execute();
  return { registry, read, ready };
}
