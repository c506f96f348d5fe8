import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { isDueEntry } from './claim-entries.ts';
import { isDueSource } from './claim-source.ts';
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
}

/** Looks for everything at once: at rest, this is nearly all that a worker does. */
export async function dueWork(
  db: Kysely<NewsTables>,
  schedules: readonly Schedule[],
  now: Date,
): Promise<DueWork> {
  const { rows } = await sql<DueWork>`
    select exists (select from news.source where ${isDueSource(now)}) as sources,
      exists (select from news.source_entry where ${isDueEntry()}) as entries,
      exists (${dueSchedules(schedules, now)}) as schedules,
      exists (select from news.websub_subscription where ask_at <= statement_timestamp()) as subscriptions
  `.execute(db);
  const [due] = rows;
  if (due === undefined) throw new Error('a query without a table has no row');
  return due;
}

/**
 * The source whose entries are to be edited next, without those that are in hand here: one that is not in
 * `edited`, whose entries have waited for longest, or else the first of `edited`.
 */
export async function sourceToEdit(
  db: Kysely<NewsTables>,
  inHand: readonly number[],
  edited: readonly number[],
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select source.id from news.source, lateral (
      select retry_at from news.source_entry
      where source_id = source.id and ${isDueEntry()} order by retry_at limit 1
    ) as oldest
    where source.id <> all(${inHand}::bigint[])
    order by coalesce(array_position(${edited}::bigint[], source.id), 0), retry_at limit 1
  `.execute(db);
  return rows[0]?.id;
}
