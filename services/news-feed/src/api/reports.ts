import type { CachedValue } from '@pressroom/common/caching/cached-value';
import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { integerParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { notFound, problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import {
  addDays,
  type Calendar,
  type Clock,
  calendarDate,
  dateOfReportOn,
  isCalendarDate,
  PERIOD_RULES,
  type Period,
  type PeriodRules,
  reportDays,
} from '../calendar.ts';
import type { Correction } from '../merged-stories.ts';
import { type Quote, type Report, withoutWithdrawn } from '../report.ts';
import type { NewsTables } from '../tables.ts';
import {
  address,
  attribution,
  corrected,
  correction,
  linksSchema,
  sourceReference,
  timestamp,
} from './item.ts';
import { body, CACHE_CONTROL, type Site, success } from './site.ts';

const reportsQuery = z.strictObject({ limit: integerParameter(1, 180).default(30) });

/** The periods that paths may name, besides by the report's date. */
const NAMED = {
  weekly: { unit: 'week', example: '2026-W47' },
  monthly: { unit: 'month', example: '2026-11' },
};

/** Path of one report: its date, or the week or month that it is about. */
function reportPath(period: Period) {
  const date = z
    .string()
    .refine(isCalendarDate, 'must be a calendar date written as YYYY-MM-DD')
    .describe('A date in the time zone of reports, taken from the index.')
    .meta({ format: 'date' });
  if (period === 'daily') return z.object({ date });
  const { unit, example } = NAMED[period];
  const dateOrName = z
    .string()
    .transform((given) => dateOfReportOn(period, given) ?? given)
    .refine(isCalendarDate, `must be a calendar date written as YYYY-MM-DD, or a ${unit} as in ${example}`)
    .describe(
      `A date in the time zone of reports, taken from the index, or the ${unit} that the report is about.`,
    )
    .meta({ examples: ['2026-11-23', example], maxLength: 10 });
  return z.object({ date: dateOrName });
}

/** The days that a report is about; a daily one is about that of its date and the one before. */
function daysSchema(period: Period) {
  return period === 'daily' ? {} : { periodStart: calendarDate, periodEnd: calendarDate };
}

function reportsAnswer(period: Period, site: Site) {
  return body({
    count: z.int(),
    items: z.array(
      z
        .object({
          date: calendarDate,
          ...daysSchema(period),
          generatedAt: timestamp,
          leadTitle: z.string().nullable(),
          leadParagraph: z.string().nullable(),
          correction,
          links: linksSchema(site, {}),
          attribution,
        })
        .meta({ id: `${OPERATION_NAMES[period].one}ListItem` }),
    ),
  });
}

/** The parts of a report: the same in all periods. */
function partsOfReports(site: Site) {
  const flash = z
    .object({
      title: z.string(),
      source: sourceReference,
      links: z.object({ [site.linkName]: address.nullable(), original: address }),
      publishedAt: timestamp.nullable(),
      attribution,
    })
    .meta({ id: 'Flash', description: 'An item that a report names.' });
  const quote = flash
    .extend({ summary: z.string() })
    .meta({ id: 'Quote', description: 'An item that a report quotes.' });
  const section = z.object({ label: z.string(), items: z.array(quote) }).meta({ id: 'ReportSection' });
  return { sections: z.array(section), flashes: z.array(flash) };
}

function reportAnswer(period: Period, site: Site, quoted: ReturnType<typeof partsOfReports>) {
  return body({
    report: z
      .object({
        date: calendarDate,
        ...daysSchema(period),
        generatedAt: timestamp,
        correctedAt: timestamp.optional().describe('When it was last corrected, on its own day.'),
        windowStart: timestamp,
        windowEnd: timestamp,
        links: linksSchema(site, {}),
        attribution,
        lead: z.object({ title: z.string(), leadParagraph: z.string() }).nullable(),
        ...quoted,
      })
      .meta({ id: `${OPERATION_NAMES[period].one}Report` }),
    correction,
  });
}

/** The dependencies of the operations on reports. */
interface ReportParts {
  db: Kysely<NewsTables>;
  cache: RepresentationCache;
  site: Site;
  calendar: Calendar;
  settings: CachedValue<void>;
  clock: Clock;
}

interface PeriodParts extends Omit<ReportParts, 'db'> {
  period: Period;
  reports: ReportStore;
  quoted: ReturnType<typeof partsOfReports>;
}

/** Parts of the operation ids: `listDailies`, `getLatestDaily`, `getDaily`. */
const OPERATION_NAMES: Record<Period, { one: string; all: string }> = {
  daily: { one: 'Daily', all: 'Dailies' },
  weekly: { one: 'Weekly', all: 'Weeklies' },
  monthly: { one: 'Monthly', all: 'Monthlies' },
};

/**
 * The operations on the reports of each period: archive, newest, and one by date (`docs/spec/news-feed.md`,
 * "Endpoints"). Weekly and monthly reports have the form and the rules of the daily ones.
 */
export function reportOperations({ db, ...parts }: ReportParts) {
  const quoted = partsOfReports(parts.site);
  const of = (period: Period) => {
    const own: PeriodParts = { ...parts, period, quoted, reports: new ReportStore(db, period) };
    return { index: indexOperation(own), ...singleOperations(own) };
  };
  return { dailies: of('daily'), weeklies: of('weekly'), monthlies: of('monthly') };
}

function indexOperation({ period, reports, cache, site }: PeriodParts) {
  return operation({
    schema: {
      tags: [PERIOD_RULES[period].collection],
      operationId: `list${OPERATION_NAMES[period].all}`,
      summary: `List the ${period} reports, newest first`,
      description: 'Each entry has the date that `GET` of one report takes, and its lead, if it has one.',
      querystring: reportsQuery,
      response: {
        200: reportsAnswer(period, site),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 405, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.dailies,
        cache,
        load: async () => {
          const index = await reports.index(request.query.limit);
          const items = index.map(({ date, generated_at, lead, ...said }) => ({
            date,
            ...shownDays(period, date),
            generatedAt: generated_at.toISOString(),
            leadTitle: lead?.title ?? null,
            leadParagraph: lead?.leadParagraph ?? null,
            ...corrected(notedIn(said)),
            links: { [site.linkName]: site.report(period, date) },
            attribution: site.attribution,
          }));
          return { value: success({ count: items.length, items }) };
        },
      }),
  });
}

function singleOperations(parts: PeriodParts) {
  const { period, reports, cache, site, calendar, settings, clock, quoted } = parts;
  const tags = [PERIOD_RULES[period].collection];
  const name = OPERATION_NAMES[period].one;
  const response = {
    200: reportAnswer(period, site, quoted),
    ...NOT_MODIFIED,
    ...problemResponses(400, 403, 404, 405, 429, 503),
  };
  const latest = operation({
    schema: {
      tags,
      operationId: `getLatest${name}`,
      summary: `Read the newest ${period} report`,
      description: '404 until there is one. Ask with `If-None-Match`, and it is sent once.',
      response,
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.dailies,
        cache,
        load: async () => ({ value: shownReport(await reports.latest(), period, site) }),
      }),
  });
  const read = operation({
    schema: {
      tags,
      operationId: `get${name}`,
      summary: 'Read the report for a date from the index; reports of past days do not change',
      description:
        'Until its day is over a report may be corrected; it then has `correctedAt`. The answer for a' +
        ' past day may be kept for a year; the index has the `correction` of one that was wrong, too.',
      params: reportPath(period),
      response,
    },
    handler: async (request, reply) => {
      await settings.current();
      const { date } = request.params;
      const isPast = date < calendar.date(clock());
      return replyConditionally(request, reply, {
        cacheControl: isPast ? CACHE_CONTROL.pastDaily : CACHE_CONTROL.currentDaily,
        cache,
        // After its day, the report counts as a past one, which may be cached for longer.
        load: async () => ({
          value: shownReport(await reports.read(date), period, site),
          expiresAt: isPast ? undefined : calendar.startOfDay(addDays(date, 1)),
        }),
      });
    },
  });
  return { latest, read };
}

function shownReport(stored: StoredReport | undefined, period: Period, site: Site) {
  if (stored === undefined) {
    const { collection } = PERIOD_RULES[period];
    throw notFound(`there is no report for this date; use the dates listed by /api/v1/${collection}`);
  }
  const { date, report } = stored;
  return success({
    ...corrected(notedIn(stored)),
    report: {
      date,
      ...shownDays(period, date),
      generatedAt: stored.generated_at.toISOString(),
      ...(stored.corrected_at && { correctedAt: stored.corrected_at.toISOString() }),
      windowStart: stored.window_start.toISOString(),
      windowEnd: stored.window_end.toISOString(),
      links: { [site.linkName]: site.report(period, date) },
      attribution: site.attribution,
      lead: report.lead && { title: report.lead.title, leadParagraph: report.lead.leadParagraph },
      sections: report.sections.map(({ label, items }) => ({
        label,
        items: items.map((quote) => ({ ...shownQuote(quote, site), summary: quote.summary })),
      })),
      flashes: report.flashes.map((quote) => shownQuote(quote, site)),
    },
  });
}

/** The note of a report; its `corrected_at` is when it was composed again. */
function notedIn({ correction, noted_at }: Pick<StoredReport, 'correction' | 'noted_at'>): Correction {
  return { correction, corrected_at: noted_at };
}

/** A daily report has always been without its days. */
function shownDays(period: Period, date: string) {
  const { first, last } = reportDays(period, date);
  return period === 'daily' ? {} : { periodStart: first, periodEnd: last };
}

function shownQuote({ itemId, title, source, originalUrl, publishedAt }: Quote, site: Site) {
  return {
    title,
    source: { name: source },
    links: { [site.linkName]: site.item(itemId), original: originalUrl },
    publishedAt,
    attribution: site.attribution,
  };
}

export interface StoredReport {
  /** `YYYY-MM-DD`. */
  date: string;
  generated_at: Date;
  corrected_at: Date | null;
  /** Its correction and the time of that. */
  correction: string | null;
  noted_at: Date | null;
  window_start: Date;
  window_end: Date;
  report: Report;
}

/** The reports of one period in the database, without quotes of items that have been withdrawn since. */
export class ReportStore {
  readonly #db: Kysely<NewsTables>;
  readonly #table: PeriodRules['table'];

  constructor(db: Kysely<NewsTables>, period: Period) {
    this.#db = db;
    this.#table = PERIOD_RULES[period].table;
  }

  /** The newest reports with their leads, newest first. */
  async index(limit: number) {
    const rows = await this.#db
      .selectFrom(`${this.#table} as report` as const)
      .select([dateText, 'report.generated_at', 'report.correction', 'report.noted_at'])
      .select(sql<Report['lead']>`report.report -> 'lead'`.as('lead'))
      .orderBy(publicationDate, 'desc')
      .limit(limit)
      .execute();
    const shown = await this.#shown(rows.flatMap(({ lead }) => (lead === null ? [] : [lead.itemId])));
    return rows.map((row) => ({
      ...row,
      lead: row.lead !== null && shown.has(row.lead.itemId) ? row.lead : null,
    }));
  }

  /** The newest report; undefined if there is none yet. */
  async latest(): Promise<StoredReport | undefined> {
    const row = await this.#select().orderBy(publicationDate, 'desc').limit(1).executeTakeFirst();
    return row && this.#shownReport(row);
  }

  /** The newest reports in full, newest first. */
  async newest(limit: number): Promise<StoredReport[]> {
    const rows = await this.#select().orderBy(publicationDate, 'desc').limit(limit).execute();
    const shown = await this.#shown([...new Set(rows.flatMap(({ item_ids }) => item_ids))]);
    return rows.map(({ item_ids: _, ...stored }) => ({
      ...stored,
      report: withoutWithdrawn(stored.report, shown),
    }));
  }

  /** The report for a date; undefined if it does not exist. */
  async read(date: string): Promise<StoredReport | undefined> {
    const row = await this.#select().where(publicationDate, '=', day(date)).executeTakeFirst();
    return row && this.#shownReport(row);
  }

  #select() {
    return this.#db
      .selectFrom(`${this.#table} as report` as const)
      .select([
        dateText,
        'report.generated_at',
        'report.corrected_at',
        'report.correction',
        'report.noted_at',
        'report.window_start',
        'report.window_end',
        'report.item_ids',
      ])
      .select(sql<Report>`report.report`.as('report'));
  }

  async #shownReport({ item_ids, ...daily }: StoredReport & { item_ids: string[] }): Promise<StoredReport> {
    return { ...daily, report: withoutWithdrawn(daily.report, await this.#shown(item_ids)) };
  }

  async #shown(ids: string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.#db
      .selectFrom('news.item')
      .select('id')
      .where('id', '=', sql<string>`any(${ids})`)
      .where('withdrawn_at', 'is', null)
      .execute();
    return new Set(rows.map(({ id }) => id));
  }
}

/** The column, not the text of the same name that is selected. */
const publicationDate = sql.ref<Date>('report.date');

/** The driver would turn a `date` into a local time. */
const dateText = sql<string>`to_char(report.date, 'YYYY-MM-DD')`.as('date');

/** A calendar date as a PostgreSQL `date`. */
function day(date: string) {
  return sql<Date>`${date}::date`;
}
