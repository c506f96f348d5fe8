import { Perishable, replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { notFound } from '@pressroom/common/problems/problem';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import { CACHE_CONTROL } from '../cache-control.ts';
import type { Clock } from '../clock.ts';
import { addDays, shanghaiDate, startOfDay } from '../shanghai-calendar.ts';
import type { Site } from '../site.ts';
import { success } from '../wire.ts';
import type { Quote } from './report.ts';
import { dailiesAnswer, dailiesQuery, dailyAnswer, dailyPath } from './schema.ts';
import type { DailyStore, StoredDaily } from './store.ts';

/** The dependencies of the operations on daily reports. */
export interface DailyParts {
  dailies: DailyStore;
  cache: RepresentationCache;
  site: Site;
  clock: Clock;
}

const TAGS = ['dailies'];

/**
 * The operations on daily reports: archive, newest, and one by date (`docs/spec/news-feed.md`, "Endpoints").
 */
export function dailyOperations(parts: DailyParts) {
  return { index: indexOperation(parts), ...reportOperations(parts) };
}

function indexOperation({ dailies, cache, site }: DailyParts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'listDailies',
      summary: 'List the daily reports, newest first',
      querystring: dailiesQuery,
      response: {
        200: dailiesAnswer(site),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 405, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.dailies,
        cache,
        load: async () => {
          const index = await dailies.index(request.query.limit);
          const items = index.map(({ date, generated_at, lead }) => ({
            date,
            generatedAt: generated_at.toISOString(),
            leadTitle: lead?.title ?? null,
            leadParagraph: lead?.leadParagraph ?? null,
            links: { [site.linkName]: site.daily(date) },
            attribution: site.attribution,
          }));
          return success({ count: items.length, items });
        },
      }),
  });
}

function reportOperations({ dailies, cache, site, clock }: DailyParts) {
  const response = {
    200: dailyAnswer(site),
    ...NOT_MODIFIED,
    ...problemResponses(400, 403, 404, 405, 429, 503),
  };
  const latest = operation({
    schema: { tags: TAGS, operationId: 'getLatestDaily', summary: 'Read the newest daily report', response },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.dailies,
        cache,
        load: async () => shownReport(await dailies.latest(), site),
      }),
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getDaily',
      summary: 'Read the report for a date from the index; reports of past days do not change',
      params: dailyPath,
      response,
    },
    handler: (request, reply) => {
      const { date } = request.params;
      const isPast = date < shanghaiDate(clock());
      return replyConditionally(request, reply, {
        cacheControl: isPast ? CACHE_CONTROL.pastDaily : CACHE_CONTROL.currentDaily,
        cache,
        // After its day, the report counts as a past one, which may be cached for longer.
        load: async () =>
          new Perishable(
            shownReport(await dailies.read(date), site),
            isPast ? undefined : startOfDay(addDays(date, 1)),
          ),
      });
    },
  });
  return { latest, read };
}

function shownReport(daily: StoredDaily | undefined, site: Site) {
  if (daily === undefined)
    throw notFound('there is no report for this date; use the dates listed by /api/v1/dailies');
  const { date, report } = daily;
  return success({
    report: {
      date,
      generatedAt: daily.generated_at.toISOString(),
      windowStart: daily.window_start.toISOString(),
      windowEnd: daily.window_end.toISOString(),
      links: { [site.linkName]: site.daily(date) },
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

function shownQuote({ itemId, title, source, originalUrl, publishedAt }: Quote, site: Site) {
  return {
    title,
    source: { name: source },
    links: { [site.linkName]: site.item(itemId), original: originalUrl },
    publishedAt,
    attribution: site.attribution,
  };
}
