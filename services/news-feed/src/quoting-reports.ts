import { type Kysely, sql } from 'kysely';
import { PERIOD_RULES, PERIODS, type Period } from './period.ts';
import type { NewsTables } from './tables.ts';

/** A report that quotes an item. */
interface QuotingReport {
  period: Period;
  /** `YYYY-MM-DD`. */
  date: string;
}

/** The reports that quote an item, the shortest period first; it is in one report of a period. */
export async function quotingReports(db: Kysely<NewsTables>, id: string): Promise<QuotingReport[]> {
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
