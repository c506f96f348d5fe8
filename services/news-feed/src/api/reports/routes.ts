import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { notFound, problemResponses } from '@pressroom/common/problems/problem';
import type { Kysely } from 'kysely';
import { addDays, type Calendar, reportDays } from '../../calendar.ts';
import type { Clock } from '../../clock.ts';
import { PERIOD_RULES, type Period } from '../../period.ts';
import type { Quote } from '../../report.ts';
import type { NewsTables } from '../../tables.ts';
import { CACHE_CONTROL } from '../cache-control.ts';
import type { Site } from '../site.ts';
import { success } from '../wire.ts';
import { reportAnswer, reportPath, reportsAnswer, reportsQuery } from './schema.ts';
import { ReportStore, type StoredReport } from './store.ts';

/** The dependencies of the operations on reports. */
export interface ReportParts {
  db: Kysely<NewsTables>;
  cache: RepresentationCache;
  site: Site;
  calendar: Calendar;
  clock: Clock;
}

/** The reports of one period. */
interface PeriodParts extends Omit<ReportParts, 'db'> {
  period: Period;
  reports: ReportStore;
}

/** Parts of the operation ids: `listDailies`, `getLatestDaily`, `getDaily`. */
const OPERATION_NAMES: Record<Period, { one: string; all: string }> = {
  daily: { one: 'Daily', all: 'Dailies' },
  weekly: { one: 'Weekly', all: 'Weeklies' },
  monthly: { one: 'Monthly', all: 'Monthlies' },
};

/**
 * The operations on the reports of a period: archive, newest, and one by date (`docs/spec/news-feed.md`,
 * "Endpoints"). Weekly and monthly reports have the form and the rules of the daily ones.
 */
export function reportOperations(period: Period, { db, ...parts }: ReportParts) {
  const own: PeriodParts = { ...parts, period, reports: new ReportStore(db, period) };
  return { index: indexOperation(own), ...singleOperations(own) };
}

function indexOperation({ period, reports, cache, site }: PeriodParts) {
  return operation({
    schema: {
      tags: [PERIOD_RULES[period].collection],
      operationId: `list${OPERATION_NAMES[period].all}`,
      summary: `List the ${period} reports, newest first`,
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
          const items = index.map(({ date, generated_at, lead }) => ({
            date,
            ...shownDays(period, date),
            generatedAt: generated_at.toISOString(),
            leadTitle: lead?.title ?? null,
            leadParagraph: lead?.leadParagraph ?? null,
            links: { [site.linkName]: site.report(period, date) },
            attribution: site.attribution,
          }));
          return { value: success({ count: items.length, items }) };
        },
      }),
  });
}

function singleOperations({ period, reports, cache, site, calendar, clock }: PeriodParts) {
  const tags = [PERIOD_RULES[period].collection];
  const name = OPERATION_NAMES[period].one;
  const response = {
    200: reportAnswer(period, site),
    ...NOT_MODIFIED,
    ...problemResponses(400, 403, 404, 405, 429, 503),
  };
  const latest = operation({
    schema: { tags, operationId: `getLatest${name}`, summary: `Read the newest ${period} report`, response },
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
      params: reportPath(period, calendar),
      response,
    },
    handler: (request, reply) => {
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
