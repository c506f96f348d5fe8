import { type Kysely, sql } from 'kysely';
import { PERIOD_RULES, PERIODS, type Period } from './calendar.ts';
import type { NewsTables } from './tables.ts';

/** An item as a report quotes it: in the words of that day, unchanged since. */
export interface Quote {
  itemId: string;
  title: string;
  summary: string | null;
  source: string;
  originalUrl: string;
  /** RFC 3339. */
  publishedAt: string;
}

/** A report as `news.daily`, `news.weekly` and `news.monthly` store it. */
export interface Report {
  lead: { itemId: string; title: string; leadParagraph: string } | null;
  sections: { label: string; items: (Quote & { summary: string })[] }[];
  flashes: Quote[];
}

/**
 * The report without its quotes of items that are no longer in `shown`, and without sections that this
 * empties.
 */
export function withoutWithdrawn({ lead, sections, flashes }: Report, shown: ReadonlySet<string>): Report {
  const isShown = ({ itemId }: { itemId: string }) => shown.has(itemId);
  return {
    lead: lead !== null && isShown(lead) ? lead : null,
    sections: sections
      .map(({ label, items }) => ({ label, items: items.filter(isShown) }))
      .filter(({ items }) => items.length > 0),
    flashes: flashes.filter(isShown),
  };
}

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
