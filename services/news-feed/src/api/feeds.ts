import type { CachedValue } from '@pressroom/common/caching/cached-value';
import { type ReplyOf, replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import {
  type Feed,
  type FeedEnding,
  type FeedEntry,
  type FeedOperations,
  FORMAT_NAMES,
  feedDocument,
  feedResponses,
  forEachEnding,
} from '@pressroom/common/feeds/feed';
import { type Operation, operation } from '@pressroom/common/http/operation';
import type { FastifyRequest } from 'fastify';
import { toHtml } from 'hast-util-to-html';
import { h } from 'hastscript';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import { PERIOD_RULES, type Period } from '../calendar.ts';
import type { Quote, Report } from '../report.ts';
import type { NewsTables } from '../tables.ts';
import { dateIn, type Vocabulary, type Words, wordsIn } from '../words.ts';
import type { ApiAddress } from './api-address.ts';
import { categoryParameter, type ItemFilters, type ItemsQuery, itemFilters } from './items.ts';
import type { ItemPage, ItemStore, ListedItem } from './items-store.ts';
import { ReportStore, type StoredReport } from './reports.ts';
import { CACHE_CONTROL, type Site } from './site.ts';

/** Path of the feed of one category. */
function categoryFeedPath(vocabulary: Vocabulary) {
  return z.object({ category: categoryParameter(vocabulary).unwrap() });
}

/** Query string of the feed of one category. */
function categoryFeedQuery(vocabulary: Vocabulary) {
  return itemFeedQuery(vocabulary).omit({ category: true });
}

/** Query string of a feed of items. */
function itemFeedQuery(vocabulary: Vocabulary) {
  return z.strictObject(itemFilters(vocabulary));
}

/** The dependencies of the operations on feeds. */
export interface FeedParts {
  db: Kysely<NewsTables>;
  items: ItemStore;
  cache: RepresentationCache;
  site: Site;
  address: ApiAddress;
  vocabulary: Vocabulary;
  settings: CachedValue<void>;
  /** The WebSub hub that distributes changes, if there is one. */
  hubUrl: string | undefined;
}

/** Content of a feed and its expiry; undefined: it holds until the data change. */
interface FeedContent {
  content: Pick<Feed, 'title' | 'description' | 'entries'>;
  expiresAt?: Date;
}

/**
 * The feeds for readers: the selected items, all items, and the reports, each as RSS 2.0, Atom and JSON Feed;
 * and the selected items of a category as RSS.
 */
export function feedOperations(parts: FeedParts) {
  return {
    selected: itemFeedOperations(parts, 'selected'),
    all: itemFeedOperations(parts, 'all'),
    daily: reportFeedOperations(parts, 'daily'),
    weekly: reportFeedOperations(parts, 'weekly'),
    monthly: reportFeedOperations(parts, 'monthly'),
    category: categoryFeedOperation(parts),
  };
}

/** A feed at a second address, by which clients of other sites know it. */
export function alsoAt({ schema, ...rest }: Operation, operationId: string): Operation {
  return { ...rest, schema: { ...schema, operationId } };
}

function itemFeedOperations(parts: FeedParts, mode: ItemsQuery['mode']): FeedOperations {
  const querystring = itemFeedQuery(parts.vocabulary);
  return forEachEnding((ending) =>
    operation({
      schema: {
        tags: ['feeds'],
        operationId: `get${FORMAT_NAMES[ending]}Of${mode === 'all' ? 'All' : 'Selected'}`,
        summary: `The ${FEED_ITEMS} newest ${mode === 'all' ? 'items' : 'selected items'} of the last 7 days`,
        description:
          'The parameters narrow it as those of `GET /api/v1/items` do. With a hub (WebSub), the feed' +
          ' names it, and subscribers hear of new entries at once.',
        querystring,
        response: responses(ending),
      },
      handler: (request, reply) =>
        answer(parts, ending, request, reply, () => readItems(parts, { ...request.query, mode })),
    }),
  );
}

function categoryFeedOperation(parts: FeedParts): Operation {
  return operation({
    schema: {
      tags: ['feeds'],
      operationId: 'getRssOfCategory',
      summary: `The ${FEED_ITEMS} newest selected items of a category of the last 7 days`,
      description: 'The same as `/feed.xml?category=`, at an address of its own. An unknown category is 400.',
      params: categoryFeedPath(parts.vocabulary),
      querystring: categoryFeedQuery(parts.vocabulary),
      response: responses('xml'),
    },
    handler: (request, reply) =>
      answer(parts, 'xml', request, reply, () =>
        readItems(parts, { ...request.query, ...request.params, mode: 'selected' }),
      ),
  });
}

async function readItems(
  { items, site, vocabulary, settings }: FeedParts,
  restriction: ItemFeedQuery,
): Promise<FeedContent> {
  await settings.current();
  const page = await items.page({ ...restriction, window: '7d', by: 'timeline', limit: FEED_ITEMS });
  return { content: itemFeed(page, restriction, site, vocabulary), expiresAt: page.expiresAt };
}

function reportFeedOperations(parts: FeedParts, period: Period): FeedOperations {
  const reports = new ReportStore(parts.db, period);
  const { collection } = PERIOD_RULES[period];
  const read = async (): Promise<FeedContent> => ({
    content: reportFeed(await reports.newest(FEED_REPORTS), period, parts.site),
  });
  return forEachEnding((ending) =>
    operation({
      schema: {
        tags: ['feeds'],
        operationId: `get${FORMAT_NAMES[ending]}Of${collection.charAt(0).toUpperCase()}${collection.slice(1)}`,
        summary: `The ${FEED_REPORTS} newest ${period} reports with their whole text`,
        description: 'A report that was corrected is an updated entry, not a new one.',
        response: responses(ending),
      },
      handler: (request, reply) => answer(parts, ending, request, reply, read),
    }),
  );
}

function responses(ending: FeedEnding) {
  return feedResponses(ending, 400, 403, 405, 429, 503);
}

function answer(
  { cache, site, address, hubUrl }: FeedParts,
  ending: FeedEnding,
  request: FastifyRequest,
  reply: ReplyOf<{ response: ReturnType<typeof responses> }>,
  read: () => Promise<FeedContent>,
) {
  const base = address.of(request);
  return replyConditionally(request, reply, {
    cacheControl: CACHE_CONTROL.feeds,
    vary: address.vary,
    // An answer with an address from the request is for those who ask at that address.
    ...(address.fromRequest(request) === undefined && { cache }),
    load: async () => {
      const { content, expiresAt } = await read();
      const document = feedDocument(ending, {
        ...content,
        id: `${site.attribution.url}${request.url.replace(`.${ending}`, '')}`,
        homeUrl: site.attribution.url,
        // A relative one is right wherever the feed is reached; a `Host` that any client can choose is not.
        selfUrl: base === undefined ? request.url.replace(/^[^?]*\//, '') : base + request.url,
        language: site.language,
        hubUrl,
      });
      return { ...document, expiresAt };
    },
  });
}

const FEED_ITEMS = 50;

/** Restrictions of a feed of items. */
type ItemFeedQuery = Pick<ItemsQuery, 'mode'> & ItemFilters;

/** The members of a feed that its items determine. */
function itemFeed(
  { items, storyTitle }: ItemPage,
  { mode, category, direction, source, language, story, q }: ItemFeedQuery,
  site: Site,
  { labels }: Vocabulary,
): Pick<Feed, 'title' | 'description' | 'entries'> {
  const languages = new Intl.DisplayNames(site.language ?? 'en', { type: 'language' });
  const parts = [
    labels.category.get(category ?? ''),
    labels.direction.get(direction ?? ''),
    storyTitle ?? story,
    source,
    language === undefined ? undefined : languages.of(language),
    q === undefined ? undefined : `“${q}”`,
  ];
  const entries = items.map((row) => itemEntry(row, site));
  return {
    title: [site.attribution.name, ...parts.filter((part) => part !== undefined)].join(': '),
    description: wordsIn(site.language)[mode],
    entries,
  };
}

function itemEntry(row: ListedItem, site: Site): FeedEntry {
  return {
    id: site.item(row.id),
    title: row.title,
    url: row.original_url,
    summary: withNote(row.summary, row),
    html: null,
    published: row.published_at,
    updated: row.corrected_at ?? row.discovered_at,
    // The source first, whom readers know.
    authors: [row.source_name, ...(row.authors ?? [])].map((name) => ({ name })),
    ...(row.enclosures !== null && { enclosures: row.enclosures }),
    ...(row.image !== null && { image: row.image }),
    // A title that was translated is in the language of the feed.
    ...(row.language !== null && row.original_title === null && { language: row.language }),
    categories: [
      ...new Set([...(row.category === null ? [] : [row.category]), ...row.directions, ...(row.tags ?? [])]),
    ],
  };
}

/** A summary, and what was wrong. */
function withNote(summary: string | null, { correction }: Pick<ListedItem, 'correction'>): string | null {
  return correction === null ? summary : [summary, correction].filter(Boolean).join('\n\n');
}

const FEED_REPORTS = 14;

/** The members of a feed that its reports determine. */
function reportFeed(
  reports: readonly StoredReport[],
  period: Period,
  site: Site,
): Pick<Feed, 'title' | 'description' | 'entries'> {
  const words = wordsIn(site.language);
  const entries = reports.map((stored) => reportEntry(stored, period, site));
  return {
    title: `${site.attribution.name}: ${words.report[period]}`,
    description: words.wholeText(words.report[period]),
    entries,
  };
}

function reportEntry(stored: StoredReport, period: Period, site: Site): FeedEntry {
  const { date, generated_at, corrected_at, noted_at, report } = stored;
  const words = wordsIn(site.language);
  const heading = words.reportOf(words.report[period], dateIn(site.language, date));
  const url = site.report(period, date);
  return {
    id: url,
    title: report.lead === null ? heading : `${heading}: ${report.lead.title}`,
    url,
    summary: withNote(report.lead?.leadParagraph ?? null, stored),
    html: reportHtml(report, words) + (stored.correction === null ? '' : toHtml(h('p', stored.correction))),
    published: generated_at,
    updated: new Date(Math.max(...[generated_at, corrected_at, noted_at].map(Number))),
    authors: [{ name: site.attribution.name }],
    categories: [],
  };
}

/** A report as HTML: headings, paragraphs and links, with every text escaped. */
export function reportHtml({ lead, sections, flashes }: Report, { inBrief }: Pick<Words, 'inBrief'>): string {
  const parts = [
    ...(lead === null ? [] : [h('p', h('strong', lead.title)), h('p', lead.leadParagraph)]),
    ...sections.flatMap(({ label, items }) => [
      h('h2', label),
      ...items.flatMap((item) => [
        h('h3', link(item)),
        h('p', item.summary),
        h('p', h('small', item.source)),
      ]),
    ]),
    ...(flashes.length === 0
      ? []
      : [
          h('h2', inBrief),
          h(
            'ul',
            flashes.map((flash) => h('li', link(flash), ` (${flash.source})`)),
          ),
        ]),
  ];
  return toHtml(h(null, parts));
}

function link({ title, originalUrl }: Quote) {
  return h('a', { href: originalUrl }, title);
}
