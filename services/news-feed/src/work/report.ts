import { lockUntilCommit } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import { isReportDate, PERIOD_RULES, type Period, reportDays, type TimeWindow } from '../calendar.ts';
import type { Quote, Report } from '../report.ts';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../words.ts';

/** An item with the members that a report quotes. */
interface QuotableItem extends Quotable {
  quote: Quote;
}

/** The outcome of publishing a report: published now, already published, or without items to report. */
export type ReportOutcome = 'published' | 'unchanged' | 'empty';

/** Errors for a date without a report of the period. */
const WRONG_DATE: Record<Period, string> = {
  daily: 'expected a calendar date',
  weekly: 'a weekly report has the date of the Monday on which its week ends, such as 2026-11-23',
  monthly: 'a monthly report has the date of the first day after its month, such as 2026-12-01',
};

interface ReportSize {
  /** The most items in a section. */
  sectionItems: number;
  flashes: number;
}

/**
 * A daily report quotes every selected item of its day, and those that came too late for the day before; the
 * longer ones choose the best.
 */
export const REPORT_SIZES: Readonly<Record<Period, ReportSize>> = {
  daily: { sectionItems: 8, flashes: Number.POSITIVE_INFINITY },
  weekly: { sectionItems: 12, flashes: 40 },
  monthly: { sectionItems: 20, flashes: 60 },
};

/** A late item may have been found this long before the window of its report, in ms. */
const LATE_MS = 72 * 60 * 60 * 1000;

/** The transaction that makes an item stays open at most this long after the judgement, in ms. */
const MAKING_MS = 10 * 60 * 1000;

interface Publication {
  period: Period;
  /** `YYYY-MM-DD`: the day on which the report's window ends. */
  date: string;
  vocabulary: Vocabulary;
  now: Date;
  /** True to allow a report to be published before its hour. */
  early?: boolean;
  /** Checks the report as it would be published, undefined without items; throws to forbid that. */
  precondition?: ((report: Report | undefined) => void) | undefined;
}

/**
 * Publishes a report: the selected items of the day, week or month to the report's hour on `date`, by
 * timeline time. Items that were found before and only written since are late ones, and so are those that
 * came after the report before was published early. No item is in two reports of a period. An existing report
 * is left unchanged, whatever the precondition, and a window without items does not get one. Throws a
 * {@link Failure} until the window is over, with `early` until it has begun, and for a date on which the
 * period has no report.
 */
export async function publishReport(
  tx: Transaction<NewsTables>,
  { period, date, vocabulary, now, early = false, precondition }: Publication,
): Promise<ReportOutcome> {
  const window = await windowOf(tx, { period, date, vocabulary });
  if (!early && window.through > now) {
    throw new Failure(
      'conflict',
      `the ${period} report for ${date} can be published from ${window.through.toISOString()} on`,
    );
  }
  const at = early ? await begun(tx, window) : now;
  await lockUntilCommit(tx, 'compose a report', period);
  if ((await findPublished(tx, period, date)) !== undefined) return 'unchanged';
  const report = await compose(tx, { period, window, vocabulary });
  precondition?.(report);
  if (report === undefined) return 'empty';
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto(PERIOD_RULES[period].table)
    .values({
      date,
      generated_at: at,
      window_start: window.from,
      window_end: window.through,
      report: JSON.stringify(report),
      item_ids: quotedIds(report),
    })
    .onConflict((conflict) => conflict.column('date').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 0n ? 'unchanged' : 'published';
}

/** A report as it would be published now. */
export interface ReportPreview {
  period: Period;
  date: string;
  windowStart: Date;
  windowEnd: Date;
  /** When the report of the date was published; null if it was not yet. */
  publishedAt: Date | null;
  /** As it was published; null if it was not yet. */
  published: Report | null;
  /** Null without an item to quote. */
  report: Report | null;
}

/**
 * A report as it would be published, or corrected, now; its window may not be over yet. Writes nothing.
 * Throws a {@link Failure} for a date on which the period has no report.
 */
export async function previewReport(
  db: Kysely<NewsTables>,
  publication: Omit<Publication, 'now' | 'precondition'>,
): Promise<ReportPreview> {
  const { period, date, vocabulary } = publication;
  const window = await windowOf(db, publication);
  const report = await compose(db, { period, window, vocabulary });
  const found = await findPublished(db, period, date);
  return {
    period,
    date,
    windowStart: window.from,
    windowEnd: window.through,
    publishedAt: found?.generated_at ?? null,
    published: found?.report ?? null,
    report: report ?? null,
  };
}

/**
 * Publishes a report again as {@link previewReport} shows it, marked as corrected.
 * Returns false if that changes nothing. Throws a {@link Failure} if it was not published, after its day, and
 * if no item would be left.
 */
export async function correctReport(
  tx: Transaction<NewsTables>,
  { period, date, vocabulary, now, precondition }: Publication,
): Promise<boolean> {
  const window = await windowOf(tx, { period, date, vocabulary });
  const { calendar } = vocabulary;
  await lockUntilCommit(tx, 'compose a report', period);
  // The database refuses the change by its own clock.
  const { rows } = await sql<{ is_past: boolean }>`
    select date < (clock_timestamp() at time zone ${calendar.zone})::date as is_past,
      set_config('news.report_zone', ${calendar.zone}, true)
    from ${sql.table(PERIOD_RULES[period].table)} where date = ${date}::date for update
  `.execute(tx);
  const [found] = rows;
  if (found === undefined)
    throw new Failure('missing', `there is no ${period} report for ${date} to correct`);
  if (found.is_past || date < calendar.date(now)) {
    throw new Failure(
      'conflict',
      'the report of a past day cannot be changed: readers may keep it; `item withdraw` removes what it quotes',
    );
  }
  const report = await compose(tx, { period, window, vocabulary });
  precondition?.(report);
  if (report === undefined) throw new Failure('refused', 'no selected item would be left in the report');
  const content = JSON.stringify(report);
  const { numUpdatedRows } = await tx
    .updateTable(PERIOD_RULES[period].table)
    .set({ report: content, item_ids: quotedIds(report), corrected_at: now })
    .where('date', '=', sql<Date>`${date}::date`)
    .where(sql<boolean>`report <> ${content}::jsonb`)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A report's correction and the time of that. */
interface ReportCorrection {
  correction: string | null;
  correctedAt: Date | null;
}

/** Reads the note of a published report. Throws a {@link Failure} if there is no such report. */
export async function readReportCorrection(
  db: Kysely<NewsTables>,
  { period, date }: Pick<Publication, 'period' | 'date'>,
): Promise<ReportCorrection> {
  return db
    .selectFrom(PERIOD_RULES[period].table)
    .select(['correction', 'noted_at as correctedAt'])
    .where('date', '=', sql<Date>`${date}::date`)
    .executeTakeFirstOrThrow(() => new Failure('missing', `there is no ${period} report for ${date}`));
}

/**
 * Says what was wrong with a report, of whatever day, for its readers; null if nothing was. What it quotes
 * stays. `precondition` gets the note before. Throws a {@link Failure} if there is no such report.
 */
export async function noteOnReport(
  tx: Transaction<NewsTables>,
  { period, date }: Pick<Publication, 'period' | 'date'>,
  correction: string | null,
  precondition?: (before: string | null) => void,
): Promise<boolean> {
  await lockUntilCommit(tx, 'compose a report', period);
  const before = await readReportCorrection(tx, { period, date });
  precondition?.(before.correction);
  const { numUpdatedRows } = await tx
    .updateTable(PERIOD_RULES[period].table)
    .set({ correction })
    .where('date', '=', sql<Date>`${date}::date`)
    .where('correction', 'is distinct from', correction)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The time of the database's clock. Throws a {@link Failure} if the window has not begun by it. */
async function begun(tx: Transaction<NewsTables>, { from }: TimeWindow): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp()::timestamptz(3) as now`.execute(tx);
  const now = rows[0]?.now;
  if (now !== undefined && now >= from) return now;
  throw new Failure(
    'conflict',
    `the report's time begins at ${from.toISOString()}: there is nothing in it yet`,
  );
}

/** The report of a date as it was published; undefined if it was not. */
function findPublished(db: Kysely<NewsTables>, period: Period, date: string) {
  return db
    .selectFrom(PERIOD_RULES[period].table)
    .select(['generated_at', 'window_start', 'window_end', sql<Report>`report`.as('report')])
    .where('date', '=', sql<Date>`${date}::date`)
    .executeTakeFirst();
}

/**
 * The time that a report covers: of a published one, what it covered then; else from the end of the one
 * before, whose hour may have been another. Throws a {@link Failure} for a date on which the period has no
 * report.
 */
async function windowOf(
  db: Kysely<NewsTables>,
  { period, date, vocabulary }: Omit<Publication, 'now' | 'precondition'>,
): Promise<TimeWindow> {
  if (!isReportDate(period, date)) throw new Failure('refused', WRONG_DATE[period]);
  const made = await findPublished(db, period, date);
  if (made !== undefined) return { from: made.window_start, through: made.window_end };
  const { from, through } = vocabulary.calendar.reportWindow(period, date);
  const before = await findPublished(db, period, reportDays(period, date).first);
  if (before === undefined || before.window_end >= through) return { from, through };
  return { from: before.window_end, through };
}

/** The report of a window; undefined without an item to quote. */
async function compose(
  db: Kysely<NewsTables>,
  { period, window, vocabulary }: { period: Period; window: TimeWindow; vocabulary: Vocabulary },
): Promise<Report | undefined> {
  const items = await readItems(db, period, window);
  return items.length === 0 ? undefined : reportOf(items, period, vocabulary);
}

function reportOf(items: readonly QuotableItem[], period: Period, vocabulary: Vocabulary): Report {
  const { categories, labels } = vocabulary;
  const { lead, sections, flashes } = composeReport(items, categories, REPORT_SIZES[period]);
  return {
    lead: lead && { itemId: lead.id, title: lead.title, leadParagraph: lead.summary ?? '' },
    sections: sections.map((section) => ({
      label: labels.category.get(section.category) ?? section.category,
      items: section.items.map(({ quote, summary }) => ({ ...quote, summary: summary ?? '' })),
    })),
    flashes: flashes.map(({ quote }) => quote),
  };
}

/** The ids of all quoted items, each once. */
function quotedIds({ lead, sections, flashes }: Report): string[] {
  const quotes = [...sections.flatMap(({ items }) => items), ...flashes];
  return [...new Set([...(lead === null ? [] : [lead.itemId]), ...quotes.map(({ itemId }) => itemId)])];
}

/**
 * Returns the start of a window's items: before the window, if the report before was published early. Items
 * that it quotes are left out by their ids, so nothing is lost or repeated where clocks differ by less than
 * {@link MAKING_MS}.
 */
async function beginning(db: Kysely<NewsTables>, period: Period, { from }: TimeWindow): Promise<Date> {
  const before = await db
    .selectFrom(PERIOD_RULES[period].table)
    .select(({ fn }) => fn.coalesce('corrected_at', 'generated_at').as('composedAt'))
    .where('window_end', '=', from)
    .whereRef('generated_at', '<', 'window_end')
    .executeTakeFirst();
  if (before === undefined) return from;
  return new Date(Math.min(from.getTime(), before.composedAt.getTime() - MAKING_MS));
}

async function readItems(
  db: Kysely<NewsTables>,
  period: Period,
  window: TimeWindow,
): Promise<QuotableItem[]> {
  const { through } = window;
  const from = await beginning(db, period, window);
  const since = new Date(from.getTime() - LATE_MS);
  const rows = await db
    .selectFrom('news.item')
    .leftJoin('news.item_judgement as judgement', 'judgement.item_id', 'news.item.id')
    .select(['id', 'title', 'summary', 'news.item.category', 'news.item.score', 'timeline_at'])
    .select(['source_name', 'original_url', 'published_at'])
    .where('in_selected_set', '=', true)
    .where('timeline_at', '>=', since)
    .where('timeline_at', '<', through)
    .where((where) =>
      where.or([
        where('timeline_at', '>=', from),
        where.and([
          where('judged_at', '>=', new Date(from.getTime() - MAKING_MS)),
          // An article that was old when it was found belongs to the time at which it was published.
          where('timeline_at', '=', where.ref('discovered_at')),
        ]),
      ]),
    )
    .execute();
  const otherReports = await db
    .selectFrom(PERIOD_RULES[period].table)
    .select('item_ids')
    .where('window_end', '>', since)
    .where('window_end', '<>', through)
    .execute();
  const quoted = new Set(otherReports.flatMap(({ item_ids }) => item_ids));
  return rows
    .filter(({ id }) => !quoted.has(id))
    .map(({ id, title, summary, category, score, timeline_at, ...row }) => ({
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

/** An item that a report may quote. */
export interface Quotable {
  id: string;
  title: string;
  summary: string | null;
  category: string | null;
  score: number | null;
  /** The time that places it in the report's window. */
  at: Date;
}

/**
 * Places of the items that a report quotes: each at most once, except that the lead is also in its section.
 */
interface Composition<Item> {
  /** The item that the report opens with; null if no item has a summary. */
  lead: Item | null;
  sections: { category: string; items: Item[] }[];
  flashes: Item[];
}

/**
 * Composes a report from the selected items of its window. The best item with a summary leads. Items with a
 * summary go into sections by category, in the order of `categories`; the rest are flashes. `size` limits
 * both. The best items have the highest score, then are the newest, then have the smallest id. The order
 * of `items` does not matter.
 */
export function composeReport<Item extends Quotable>(
  items: readonly Item[],
  categories: readonly string[],
  size: ReportSize,
): Composition<Item> {
  const best = items.toSorted(byMerit);
  const sections = categories
    .map((category) => ({
      category,
      items: best
        .filter((item) => item.category === category && hasSummary(item))
        .slice(0, size.sectionItems),
    }))
    .filter((section) => section.items.length > 0);
  const placed = new Set(sections.flatMap((section) => section.items));
  return {
    lead: best.find(hasSummary) ?? null,
    sections,
    flashes: best.filter((item) => !placed.has(item)).slice(0, size.flashes),
  };
}

function hasSummary({ summary }: Quotable): boolean {
  return summary !== null && summary.trim() !== '';
}

function byMerit(a: Quotable, b: Quotable): number {
  return (
    (b.score ?? -1) - (a.score ?? -1) ||
    b.at.getTime() - a.at.getTime() ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}
