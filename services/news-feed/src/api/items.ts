import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { integerParameter, searchText } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { notFound, Problem, problemResponses } from '@pressroom/common/problems/problem';
import { hasPieces, searchWords } from '@pressroom/common/search/search';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { calendarDate, PERIODS } from '../calendar.ts';
import { categoryName, languageTag } from '../fields.ts';
import { survivorsOf } from '../merged-stories.ts';
import { quotingReports } from '../report.ts';
import type { NewsTables } from '../tables.ts';
import type { Vocabulary } from '../words.ts';
import { ITEM_COLUMNS, item, itemSchema, linksSchema } from './item.ts';
import type { ItemPage, ItemStore } from './items-store.ts';
import { body, CACHE_CONTROL, type Site, success } from './site.ts';

const itemPath = z.object({
  id: z.string().min(1).max(128, 'must be at most 128 characters long'),
});

/** `cursor` in the query string of a list of pages. */
export const cursorParameter = z
  .string()
  .optional()
  .describe('`page.nextCursor` of the same query.')
  .meta({ minLength: 1, maxLength: 4096 });

/** The page part of a list's answer. */
export const pageSchema = z
  .object({
    count: z.int(),
    hasMore: z.boolean(),
    nextCursor: z.string().nullable().describe('Leads to the next page; null at the end.'),
  })
  .meta({ id: 'ListPage', description: 'The position of a page in a list.' });

/** `direction` in a query string: one of the deployment's directions. */
export function directionParameter({ directions }: Vocabulary) {
  return z.enum(directions, `must be one of ${directions.join(', ')}`).optional();
}

/** `category` in a query string: one of the categories of the site when it is asked. */
export function categoryParameter(vocabulary: Vocabulary) {
  return categoryName(vocabulary).optional().describe('A category of the site; `/llms.txt` names them.');
}

/** `source` in a query string. */
export const sourceParameter = z
  .string()
  .min(1)
  .max(200)
  .refine((value) => value.isWellFormed() && !value.includes('\0'), 'must be text')
  .optional()
  .describe('The name of a source, as `/api/v1/sources` lists it.');

/** Language, script and region of BCP 47; a language that no item is in finds nothing. */
const LANGUAGE = /^[A-Za-z]{2,3}(-[A-Za-z]{4})?(-([A-Za-z]{2}|[0-9]{3}))?$/;

/** `language` in a query string. */
export const languageParameter = z
  .string()
  .regex(LANGUAGE, 'must be a language tag (BCP 47) of language, script and region, such as pt-BR')
  .transform((value) => languageTag(value) ?? value)
  .optional()
  .describe('The language of the original article (BCP 47); `zh` finds `zh-Hant`, too.');

const ofWords = 'Every word must be in the title, the original title or the summary, in upper or lower case.';

/** `q` in the query string of a list of all that is kept, where a word without pieces reads everything. */
export const findableParameter = searchText
  .refine(
    (text) => searchWords(text).some(hasPieces),
    'needs a word of at least three letters or two Chinese characters',
  )
  .optional()
  .describe(`${ofWords} At least one has three letters or two Chinese characters.`);

/** The longest `publicId`, in characters (`docs/spec/news-feed.md`, "Limits"). */
export const MAX_PUBLIC_ID = 128;

/** The format of an id that may name a story; nothing else needs a query. */
export const PUBLIC_ID = /^[A-Za-z0-9._~-]+$/;

/** The parameters that restrict the items of the last days, in the list and in feeds. */
export function itemFilters(vocabulary: Vocabulary) {
  return {
    q: searchText.optional().describe(ofWords),
    category: categoryParameter(vocabulary),
    direction: directionParameter(vocabulary),
    source: sourceParameter,
    language: languageParameter,
    story: z
      .string()
      .max(MAX_PUBLIC_ID, `must be at most ${MAX_PUBLIC_ID} characters long`)
      .regex(PUBLIC_ID, 'must be the `publicId` of a story')
      .optional()
      .describe('The `publicId` of a story; a merged one finds the reports of its survivor.'),
  };
}

const filters = (vocabulary: Vocabulary) => z.object(itemFilters(vocabulary));

export type ItemFilters = z.infer<ReturnType<typeof filters>>;

export function itemsQuery(vocabulary: Vocabulary) {
  return z.strictObject({
    mode: z
      .enum(['selected', 'all'], 'must be selected or all')
      .default('selected')
      .describe('`selected`: the items that are selected; `all`: every item.'),
    window: z
      .enum(['24h', '7d'], 'must be 24h or 7d')
      .default('7d')
      .describe('The time span, back from now.'),
    by: z
      .enum(['timeline', 'published'], 'must be timeline or published')
      .default('timeline')
      .describe(
        'The time that determines the window and the order. timeline: the time of discovery, or of publication for items' +
          ' discovered more than 72 hours after it. published: the time of publication.',
      ),
    limit: integerParameter(1, 100).default(50),
    cursor: cursorParameter,
    ...itemFilters(vocabulary),
  });
}

export type ItemsQuery = z.infer<ReturnType<typeof itemsQuery>>;

/** An item with the reason for its selection. */
export function listedItemSchema(site: Site) {
  return itemSchema(site)
    .extend({ reason: z.string().nullable() })
    .meta({ id: 'ListedItem', description: 'An item of a list.' });
}

function itemsAnswer(site: Site) {
  return body({
    query: z.object({
      mode: z.enum(['selected', 'all']),
      category: z.string().nullable(),
      window: z.enum(['24h', '7d']),
      q: z.string().nullable(),
      by: z.enum(['timeline', 'published']),
      direction: z.string().nullable(),
      source: z.string().optional(),
      language: z.string().optional(),
      story: z.string().optional(),
      ordering: z.enum(['timelineDesc', 'publishedAtDesc']),
    }),
    items: z.array(listedItemSchema(site)),
    page: pageSchema,
  });
}

function itemAnswer(site: Site) {
  return body({
    item: itemSchema(site)
      .extend({
        reason: z.string().nullable(),
        story: z
          .object({ publicId: z.string(), title: z.string(), links: linksSchema(site, {}) })
          .nullable()
          .describe('The event that it reports on; `publicId` is for the story endpoint.'),
        reports: z
          .array(z.object({ period: z.enum(PERIODS), date: calendarDate, links: linksSchema(site, {}) }))
          .describe('The reports that quote it, the shortest period first.'),
      })
      .meta({ id: 'ItemDetail', description: 'An item with its story and the reports that quote it.' }),
  });
}

/** The dependencies of the operations on items. */
interface ItemParts {
  db: Kysely<NewsTables>;
  items: ItemStore;
  cache: RepresentationCache;
  site: Site;
  vocabulary: Vocabulary;
  /** True to name stories: only if the story endpoint shows them. */
  stories: boolean;
}

/**
 * The operations on items: the public ones of the last 7 days (`docs/spec/news-feed.md`, "Endpoints"), and
 * one by its id.
 */
export function itemOperations(parts: ItemParts) {
  return { list: listOperation(parts), read: readOperation(parts) };
}

function listOperation({ items, cache, site, vocabulary }: ItemParts) {
  return operation({
    schema: {
      tags: ['items'],
      operationId: 'listItems',
      summary: 'List the public items of the last 7 days, newest first',
      description:
        'Do not use this to keep a complete copy: older items drop out. A cursor is bound to its query, except for' +
        ' `limit`. With a different query, or once its item has left the window, it gets 400 `invalid_cursor`.',
      querystring: itemsQuery(vocabulary),
      response: {
        200: itemsAnswer(site),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 405, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.items,
        cache,
        load: async () => {
          const page = await items.page(request.query);
          return { value: answer(request.query, page, site), expiresAt: page.expiresAt };
        },
      }),
  });
}

function readOperation(parts: ItemParts) {
  const { db, cache, site } = parts;
  return operation({
    schema: {
      tags: ['items'],
      operationId: 'getItem',
      summary: 'Read an item, however old, with its story and the reports that quote it',
      description:
        '`reports` are the daily, weekly and monthly reports that quote it. A withdrawn item is 410,' +
        ' an id that never was 404.',
      params: itemPath,
      response: {
        200: itemAnswer(site),
        ...NOT_MODIFIED,
        ...problemResponses(400, 403, 404, 405, 410, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.item,
        cache,
        load: async () => {
          const detail = await readItem(db, request.params.id);
          if (detail === undefined) throw notFound('this item does not exist');
          if (detail === 'withdrawn') throw new Problem(410, 'gone', 'this item has been withdrawn');
          return { value: success({ item: shownDetail(detail, parts) }) };
        },
      }),
  });
}

function shownDetail({ row, story, reports }: ItemDetail, { site, stories }: ItemParts) {
  return {
    ...item(row, site),
    reason: row.reason,
    story:
      stories && story !== undefined
        ? {
            publicId: story.publicId,
            title: story.title,
            links: { [site.linkName]: site.story(story.publicId) },
          }
        : null,
    reports: reports.map(({ period, date }) => ({
      period,
      date,
      links: { [site.linkName]: site.report(period, date) },
    })),
  };
}

function answer(query: ItemsQuery, { items, nextCursor }: ItemPage, site: Site) {
  const { mode, category = null, window, q = null, by, direction = null, source, language, story } = query;
  const ordering = by === 'timeline' ? ('timelineDesc' as const) : ('publishedAtDesc' as const);
  return success({
    query: { mode, category, window, q, by, direction, source, language, story, ordering },
    items: items.map((row) => ({ ...item(row, site), reason: row.reason })),
    page: { count: items.length, hasMore: nextCursor !== null, nextCursor },
  });
}

/** The format of an id that may name an item (`migrations/0009_news_items.sql`). */
const ITEM_ID = /^[!-.0-~]+$/;

/**
 * The item of `id`, however old, with the story that its own has become and the reports that quote it;
 * undefined if it does not exist.
 */
async function readItem(db: Kysely<NewsTables>, id: string) {
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
type ItemDetail = Exclude<Awaited<ReturnType<typeof readItem>>, undefined | 'withdrawn'>;
