import { type Kysely, sql } from 'kysely';
import { PERIOD_RULES, PERIODS, type Period } from '../../period.ts';
import { survivorsOf } from '../../survivors.ts';
import type { NewsTables } from '../../tables.ts';
import { ITEM_COLUMNS } from './representation.ts';

/** The format of an id that may name an item (`migrations/0004_news_items.sql`). */
const ITEM_ID = /^[!-.0-~]+$/;

/** A report that quotes an item. */
interface QuotingReport {
  period: Period;
  /** `YYYY-MM-DD`. */
  date: string;
}

/**
 * The item of `id`, however old, with the story that its own has become and the reports that quote it;
 * undefined if it does not exist.
 */
export async function readItem(db: Kysely<NewsTables>, id: string) {
  if (!ITEM_ID.test(id)) return undefined;
  const row = await db
    .selectFrom('news.item')
    .select([...ITEM_COLUMNS, 'reason', 'story', 'withdrawn_at'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if (row.withdrawn_at !== null) return 'withdrawn';
  const [survivors, reports] = await Promise.all([
    survivorsOf(db, row.story === null ? [] : [row.story]),
    quotingReports(db, id),
  ]);
  return { row, story: survivors.get(row.story ?? ''), reports };
}

/** The item with all that its page shows. */
export type ItemDetail = Exclude<Awaited<ReturnType<typeof readItem>>, undefined | 'withdrawn'>;

/** The shortest period first; an item is in one report of a period. */
async function quotingReports(db: Kysely<NewsTables>, id: string): Promise<QuotingReport[]> {
  const found = await Promise.all(
    PERIODS.map(async (period) => {
      const rows = await db
        .selectFrom(PERIOD_RULES[period].table)
        .select(sql<string>`to_char(date, 'YYYY-MM-DD')`.as('date'))
        .where(sql<boolean>`item_ids @> array[${id}]::text[]`)
        .orderBy('date')
        .limit(1)
        .execute();
      return rows.map(({ date }) => ({ period, date }));
    }),
  );
  return found.flat();
}
