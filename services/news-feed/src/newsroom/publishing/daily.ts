import { Failure } from '@pressroom/common/failures/failure';
import type { Transaction } from 'kysely';
import type { DailyReport, Quote } from '../../dailies/report.ts';
import { reportWindow, type TimeWindow } from '../../shanghai-calendar.ts';
import type { NewsTables } from '../../tables.ts';
import { composeDaily, type Quotable, sectionLabel } from './composition.ts';

/** An item with the members that a report quotes. */
interface QuotableItem extends Quotable {
  quote: Quote;
}

/** The outcome of publishing a report: published now, already published, or without items to report. */
export type DailyOutcome = 'published' | 'unchanged' | 'empty';

/**
 * Publishes the report for `date` (`YYYY-MM-DD` in Shanghai): the selected items of the 24 hours to 08:00 by
 * timeline time. An existing report is left unchanged, and a day without items does not get one. Throws a
 * {@link Failure} until the 24 hours are over.
 */
export async function publishDaily(
  tx: Transaction<NewsTables>,
  date: string,
  categories: readonly string[],
  now: Date,
): Promise<DailyOutcome> {
  const window = reportWindow(date);
  if (window.through > now) {
    throw new Failure(
      'conflict',
      `the report for ${date} can be published from ${window.through.toISOString()} on`,
    );
  }
  const items = await readItems(tx, window);
  if (items.length === 0) return 'empty';
  const report = reportOf(items, categories);
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('news.daily')
    .values({
      date,
      generated_at: now,
      window_start: window.from,
      window_end: window.through,
      report: JSON.stringify(report),
      item_ids: items.map(({ id }) => id),
    })
    .onConflict((conflict) => conflict.column('date').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 0n ? 'unchanged' : 'published';
}

function reportOf(items: readonly QuotableItem[], categories: readonly string[]): DailyReport {
  const { lead, sections, flashes } = composeDaily(items, categories);
  return {
    lead: lead && { itemId: lead.id, title: lead.title, leadParagraph: lead.summary ?? '' },
    sections: sections.map((section) => ({
      label: sectionLabel(section.category),
      items: section.items.map(({ quote, summary }) => ({ ...quote, summary: summary ?? '' })),
    })),
    flashes: flashes.map(({ quote }) => quote),
  };
}

async function readItems(
  tx: Transaction<NewsTables>,
  { from, through }: TimeWindow,
): Promise<QuotableItem[]> {
  const rows = await tx
    .selectFrom('news.item')
    .select(['id', 'title', 'summary', 'category', 'score', 'timeline_at'])
    .select(['source_name', 'original_url', 'published_at'])
    .where('in_selected_set', '=', true)
    .where('timeline_at', '>=', from)
    .where('timeline_at', '<', through)
    .execute();
  return rows.map(({ id, title, summary, category, score, timeline_at, ...row }) => ({
    id,
    title,
    summary,
    category,
    score,
    at: timeline_at,
    quote: {
      itemId: id,
      title,
      summary,
      source: row.source_name,
      originalUrl: row.original_url,
      publishedAt: row.published_at.toISOString(),
    },
  }));
}
