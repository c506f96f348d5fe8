import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { notFound } from '@pressroom/common/problems/problem';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import { z } from 'zod';
import { ARTICLES, type Subject } from '../articles/subjects.ts';
import { replyToReader } from '../reading.ts';
import { knownSite, type Site } from '../site.ts';
import { sitemapQuery } from './schema.ts';
import type { NewsArticle, SitemapStore } from './store.ts';
import { SITEMAP_MEDIA_TYPE, writeFile, writeIndex, writeNews } from './write.ts';

/** The dependencies of the operations on sitemaps. */
export interface SitemapParts {
  sitemaps: SitemapStore;
  cache: RepresentationCache;
  /** Undefined if the settings name none; then there are no sitemaps. */
  site: Site | undefined;
}

const TAGS = ['feeds'];

const RESPONSES = {
  200: { description: 'The sitemap.', content: { 'application/xml': { schema: z.string() } } },
  ...NOT_MODIFIED,
  ...problemResponses(400, 403, 404, 429, 503),
};

/** How long an article is news, in ms. */
const NEWS_MS = 48 * 60 * 60 * 1000;

/** The sitemaps for search engines (sitemaps.org, and Google's for news). */
export function sitemapOperations({ sitemaps, cache, site }: SitemapParts) {
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getSitemap',
      summary: 'The index of the sitemap, or one of its files, with the pages of at most 10,000 articles',
      querystring: sitemapQuery,
      response: RESPONSES,
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const { part } = request.query;
        const known = knownSite(site);
        const { text, subjects } = await (part === undefined
          ? index(sitemaps, known)
          : file(sitemaps, known, part));
        return { text, subjects, mediaType: SITEMAP_MEDIA_TYPE };
      }),
  });
  const news = operation({
    schema: {
      tags: TAGS,
      operationId: 'getNewsSitemap',
      summary: 'The articles that were published in the last 48 hours, at most 1,000, for Google News',
      response: RESPONSES,
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const known = knownSite(site);
        if (known.language === undefined)
          throw notFound('there is no sitemap for news: SITE_LANGUAGE is not set');
        const articles = await sitemaps.news(known);
        const text = writeNews(articles, known.language, known);
        return { text, mediaType: SITEMAP_MEDIA_TYPE, subjects: [ARTICLES], ...endOf(articles) };
      }),
  });
  return { read, news };
}

async function index(sitemaps: SitemapStore, site: Site) {
  const files = {
    articles: await sitemaps.articleFiles(),
    categories: await sitemaps.termFiles('category'),
    authors: await sitemaps.termFiles('author'),
  };
  return { text: writeIndex(files, site), subjects: [ARTICLES] };
}

async function file(sitemaps: SitemapStore, site: Site, part: string) {
  const [plural, number] = part.split('-');
  const ofArticles = plural === 'articles';
  const urls = ofArticles
    ? await sitemaps.articleUrls(Number(number), site)
    : await sitemaps.termUrls(plural === 'authors' ? 'author' : 'category', Number(number), site);
  if (urls === undefined) throw notFound('the sitemap has no such part; its index names them');
  // A change of a category or author drops everything that is cached.
  const subjects: Subject[] = ofArticles ? [ARTICLES] : [];
  return { text: writeFile(urls), subjects };
}

/** Until when these are the news: the oldest is the first to become too old. */
function endOf(articles: readonly NewsArticle[]) {
  const oldest = articles.at(-1);
  return oldest === undefined ? {} : { expiresAt: new Date(oldest.published_at.getTime() + NEWS_MS) };
}
