import { type Kysely, sql } from 'kysely';
import type { Calendar } from '../../calendar.ts';
import { PERIOD_RULES, PERIODS } from '../../period.ts';
import type { Report } from '../../report.ts';
import type { NewsTables } from '../../tables.ts';
import { addNotices, type Notice } from '../notices/notice.ts';
import type { Schedule } from './schedules.ts';
import { scheduleStatus } from './status.ts';

/** How long a source has failed that counts as dead, in ms. */
const DEAD_MS = 3 * 86_400_000;

/** How late a schedule is that counts as missed, in seconds. */
const MISSED_SECONDS = 900;

/** How long ago a report was published that is noticed, in ms. */
const REPORT_MS = 3 * 86_400_000;

/** What notices are collected by. */
export interface Collecting {
  schedules: readonly Schedule[];
  calendar: Calendar;
  now: Date;
}

/**
 * Keeps a notice of each source that is gone, has failed for three days, or answers a page that names another
 * feed; of each report; and of each schedule that is a quarter of an hour late, once a day.
 */
export async function collectNotices(db: Kysely<NewsTables>, collecting: Collecting): Promise<void> {
  const found = [deadSources, replacedSources, newReports, missedSchedules].map((find) =>
    find(db, collecting),
  );
  await addNotices(db, (await Promise.all(found)).flat());
}

async function deadSources(db: Kysely<NewsTables>, { now }: Collecting): Promise<Notice[]> {
  const rows = await db
    .selectFrom('news.source')
    .select(['id', 'state', 'failures', 'failing_since'])
    .select(nameOf())
    .where('state', '<>', 'paused')
    .where('removed', 'is', null)
    .where((where) =>
      where.or([where('state', '=', 'gone'), where('failing_since', '<', new Date(now.getTime() - DEAD_MS))]),
    )
    .execute();
  return rows.map(({ id, state, name, failures, failing_since }) => ({
    type: 'source.dead',
    key: `${id}:${failing_since?.getTime() ?? ''}`,
    data: { source: id, name, isGone: state === 'gone', failures, failingSince: failing_since },
  }));
}

async function replacedSources(db: Kysely<NewsTables>): Promise<Notice[]> {
  const rows = await db
    .selectFrom('news.source')
    .select(['id', 'failing_since'])
    .select(nameOf())
    .where('state', '=', 'active')
    .where('offered_url', 'is not', null)
    .execute();
  return rows.map(({ id, name, failing_since }) => ({
    type: 'source.replaced',
    key: `${id}:${failing_since?.getTime() ?? ''}`,
    data: { source: id, name, failingSince: failing_since },
  }));
}

/** A source without a title is named after its host, which may be private. */
function nameOf() {
  return sql<string | null>`nullif(name, split_part(url, '/', 3))`.as('name');
}

async function newReports(db: Kysely<NewsTables>, { now }: Collecting): Promise<Notice[]> {
  const found = await Promise.all(
    PERIODS.map(async (period) => {
      const rows = await db
        .selectFrom(PERIOD_RULES[period].table)
        .select([sql<string>`to_char(date, 'YYYY-MM-DD')`.as('date'), 'item_ids'])
        .select(sql<Report['lead']>`report -> 'lead'`.as('lead'))
        .where('generated_at', '>', new Date(now.getTime() - REPORT_MS))
        .execute();
      return rows.map(
        ({ date, item_ids, lead }): Notice => ({
          type: 'report.published',
          key: `${period}:${date}`,
          data: { period, date, title: lead?.title ?? null, items: item_ids.length },
        }),
      );
    }),
  );
  return found.flat();
}

async function missedSchedules(
  db: Kysely<NewsTables>,
  { schedules, calendar, now }: Collecting,
): Promise<Notice[]> {
  const status = await scheduleStatus(db, schedules, now);
  return status.flatMap(({ name, lagSeconds, lastRunAt, lastError }): Notice[] => {
    // Of a new installation all are late.
    const isNew = lastRunAt === null && lastError === null;
    if (isNew || lagSeconds < MISSED_SECONDS) return [];
    const due = new Date(now.getTime() - lagSeconds * 1000);
    const data = { schedule: name, due, hasFailed: lastError !== null };
    return [{ type: 'schedule.missed', key: `${name}:${calendar.date(due)}`, data }];
  });
}
