import type { NewsFeedPaths, OperationOf, RequestOptions } from '@pressroom/client';
import { z } from 'zod';
import { READING, type Readers, type Tool, tool } from './tool.ts';

/** The query of a read. A deployment has its own words for categories and directions; it says which. */
type QueryOf<Path extends keyof NewsFeedPaths> = RequestOptions<
  OperationOf<NewsFeedPaths, Path, 'get'>
>['query'];

const page = {
  limit: z.int().min(1).max(50).default(20),
  cursor: z.string().min(1).max(4096).optional().describe('page.nextCursor of the same query.'),
};

const choice = {
  category: z
    .string()
    .max(100)
    .optional()
    .describe('As items have it; an unknown one is answered by those there are.'),
  direction: z.string().max(100).optional().describe('As items have it in directions, such as domestic.'),
};

const words = z.string().min(1).max(200);

const day = z.string().regex(/^\d{4}-\d{2}-\d{2}$/);

/** The paths of the reports, by their period. */
const REPORTS = { daily: 'dailies', weekly: 'weeklies', monthly: 'monthlies' } as const;

const period = z.enum(['daily', 'weekly', 'monthly']).default('daily');

/** Tools for reading the news feed. */
export const NEWS_TOOLS: readonly Tool<Readers>[] = [
  tool({
    name: 'list_news_items',
    title: 'The latest news items',
    description:
      'Lists news items of the last 24 hours or 7 days, the newest first, with title, source, links and summary.',
    annotations: READING,
    input: z.strictObject({
      mode: z.enum(['selected', 'all']).default('selected').describe('selected: what the editors chose.'),
      window: z.enum(['24h', '7d']).default('7d'),
      q: words.optional().describe('Every word must be in the title or the summary.'),
      ...choice,
      ...page,
    }),
    run: ({ news }, query, ending) =>
      news.get('/api/v1/items', { ...ending, query: query as QueryOf<'/api/v1/items'> }),
  }),
  tool({
    name: 'get_news_item',
    title: 'One news item',
    description: 'Reads a news item by its id, with its story and the reports that quote it.',
    annotations: READING,
    input: z.strictObject({ id: z.string().min(1).max(128) }),
    run: ({ news }, path, ending) => news.get('/api/v1/items/{id}', { ...ending, path }),
  }),
  tool({
    name: 'search_news_archive',
    title: 'Search all news items',
    description:
      'Searches every news item that is kept, however old, by words, days, source, category, direction and language.',
    annotations: READING,
    input: z.strictObject({
      q: words.optional().describe('Every word must be in the title or the summary.'),
      from: day.optional().describe('The first day of publication.'),
      to: day.optional().describe('The last day of publication.'),
      source: z.string().min(1).max(500).optional().describe('A name, as list_news_sources has it.'),
      language: z.string().min(1).max(35).optional().describe('BCP 47, such as en.'),
      selected: z.literal(true).optional().describe('Only what the editors chose.'),
      ...choice,
      ...page,
    }),
    run: ({ news }, { selected, ...rest }, ending) => {
      const query = { ...rest, ...(selected && { selected: 'true' }) };
      return news.get('/api/v1/archive', { ...ending, query: query as QueryOf<'/api/v1/archive'> });
    },
  }),
  tool({
    name: 'list_hot_topics',
    title: 'Hot topics',
    description: 'Lists what many sources report on now, ranked.',
    annotations: READING,
    input: z.strictObject({ direction: choice.direction }),
    run: ({ news }, query, ending) =>
      news.get('/api/v1/hot-topics', { ...ending, query: query as QueryOf<'/api/v1/hot-topics'> }),
  }),
  tool({
    name: 'list_stories',
    title: 'Stories',
    description:
      'Lists stories, each of which is one event with all reports on it, those with the newest report first.',
    annotations: READING,
    input: z.strictObject({ status: z.enum(['active', 'settled']).optional(), ...page }),
    run: ({ news }, query, ending) => news.get('/api/v1/stories', { ...ending, query }),
  }),
  tool({
    name: 'get_story',
    title: 'One story',
    description: 'Reads a story by its publicId: its digest, its reports and the stories related to it.',
    annotations: READING,
    input: z.strictObject({ publicId: z.string().min(1).max(128) }),
    run: ({ news }, path, ending) => news.get('/api/v1/stories/{publicId}', { ...ending, path }),
  }),
  tool({
    name: 'list_reports',
    title: 'Reports',
    description: 'Lists the daily, weekly or monthly reports, the newest first.',
    annotations: READING,
    input: z.strictObject({ period, limit: page.limit }),
    run: ({ news }, { period: which, limit }, ending) =>
      news.get(`/api/v1/${REPORTS[which]}`, { ...ending, query: { limit } }),
  }),
  tool({
    name: 'get_report',
    title: 'One report',
    description: 'Reads a daily, weekly or monthly report: the lead, sections of items, and short notes.',
    annotations: READING,
    input: z.strictObject({
      period,
      date: z
        .string()
        .regex(/^(latest|\d{4}-\d{2}-\d{2}|\d{4}-W\d{2}|\d{4}-\d{2})$/)
        .default('latest')
        .describe(
          'latest, a date as list_reports has it, a week such as 2026-W47, or a month such as 2026-11.',
        ),
    }),
    run: ({ news }, { period: which, date }, ending) =>
      news.get(`/api/v1/${REPORTS[which]}/{date}`, { ...ending, path: { date } }),
  }),
  tool({
    name: 'list_news_sources',
    title: 'The sources of the news',
    description:
      'Lists the sources of the news items, with how many items a day they have and the time of the newest.',
    annotations: READING,
    input: z.strictObject(page),
    run: ({ news }, query, ending) => news.get('/api/v1/sources', { ...ending, query }),
  }),
];
