import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
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

/** A row of `news.source_entry` that is to be edited. */
function isDueEntry(now: Date): RawBuilder<SqlBool> {
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
      exists (select from news.websub_subscription where ask_at <= ${now}) as subscriptions
  `.execute(db);
  const [due] = rows;
  if (due === undefined) throw new Error('a query without a table has no row');
  return due;
}

/** The source whose entries have waited for longest to be edited, without those that are in hand here. */
export async function sourceToEdit(
  db: Kysely<NewsTables>,
  inHand: readonly number[],
  now: Date,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('news.source_entry')
    .select('source_id')
    .where(isDueEntry(now))
    .where('source_id', '<>', sql<number>`all(${inHand})`)
    .orderBy('retry_at')
    .limit(1)
    .executeTakeFirst();
  return row?.source_id;
}
