import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { JobName } from './jobs.ts';
import { dueSchedules, type Schedule } from './schedules.ts';

/** What there is to do for a worker. */
export interface DueWork {
  /** Whether there are sources to be polled. */
  sources: boolean;
  /** Whether there are entries to be edited. */
  entries: boolean;
  /** Whether the time of a schedule has come. */
  schedules: boolean;
  /** Whether hubs are to be asked for subscriptions. */
  subscriptions: boolean;
  /** The queues with jobs that may begin. */
  queues: JobName[];
}

/** A row of `news.source` that is to be polled, and whose job is not on its way. */
export function isDueSource(now: Date): RawBuilder<SqlBool> {
  return sql`state = 'active' and next_poll_at <= ${now} and (queued_until is null or queued_until <= ${now})`;
}

/** A row of `news.source_entry` that is to be edited. */
export function isDueEntry(now: Date): RawBuilder<SqlBool> {
  return sql`state = 'pending' and retry_at <= ${now}`;
}

/** Looks for everything at once: at rest, this is nearly all that a worker does. */
export async function dueWork(
  db: Kysely<NewsTables>,
  schedules: readonly Schedule[],
  now: Date,
): Promise<DueWork> {
  const { rows } = await sql<DueWork>`
    select exists (select from news.source where ${isDueSource(now)}) as sources,
      exists (select from news.source_entry where ${isDueEntry(now)}) as entries,
      exists (${dueSchedules(schedules, now)}) as schedules,
      exists (select from news.websub_subscription where ask_at <= ${now}) as subscriptions,
      array(
        select distinct name from newsroom_jobs.job
        where state < 'active' and not blocked and start_after <= now()
      ) as queues
  `.execute(db);
  const [due] = rows;
  if (due === undefined) throw new Error('a query without a table has no row');
  return due;
}

/** Whether a worker is gone that had jobs in hand. */
export async function hasAbandonedJobs(db: Kysely<NewsTables>): Promise<boolean> {
  const { rows } = await sql<{ abandoned: boolean }>`
    select exists (
      select from newsroom_jobs.job
      where state = 'active' and heartbeat_on + heartbeat_seconds * interval '1 s' < now()
    ) as abandoned
  `.execute(db);
  return rows[0]?.abandoned ?? false;
}
