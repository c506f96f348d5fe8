import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { XML_DECLARATION, xmlDocument, xmlText } from '@pressroom/common/feeds/xml';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { notFound, problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { x } from 'xastscript';
import { z } from 'zod';
import { CACHED_UNDER } from './cache-subjects.ts';
import { replyToReader } from './requests.ts';
import { knownSite, type PageKind, type Site } from './site.ts';
import type { ContentTables } from './tables.ts';

const sitemapQuery = z.strictObject({
  part: z
    .string()
    .regex(
      /^(articles|categories|authors)-[1-9][0-9]{0,5}$/,
      'must be one that the index names, such as articles-1',
    )
    .optional()
    .describe('The number of the file; without it, the index of the files.'),
});

/** The dependencies of the operations on sitemaps. */
interface SitemapParts {
  sitemaps: SitemapStore;
  cache: RepresentationCache;
  /** Undefined if the settings name none; then there are no sitemaps. */
  site: () => Promise<Site | undefined>;
}

const TAGS = ['feeds'];

const RESPONSES = {
  200: { description: 'The sitemap.', content: { 'application/xml': { schema: z.string() } } },
  ...NOT_MODIFIED,
  ...problemResponses(400, 403, 404, 429, 503),
};

/** Time that an article is news, in ms. */
const NEWS_MS = 48 * 60 * 60 * 1000;

/** The sitemaps for search engines (sitemaps.org, and Google's for news). */
export function sitemapOperations({ sitemaps, cache, site }: SitemapParts) {
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getSitemap',
      summary: 'The index of the sitemap, or one of its files, with the pages of at most 10,000 articles',
      description:
        'Without `part`, the index (sitemaps.org); it names the parts. Articles whose `canonical_url`' +
        ' is elsewhere are left out. 404 for a site without an address.',
      querystring: sitemapQuery,
      response: RESPONSES,
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const { part } = request.query;
        const known = knownSite(await site());
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
      description:
        'Articles whose `canonical_url` is elsewhere are left out. 404 for a site without an address or a' +
        ' language.',
      response: RESPONSES,
    },
    handler: (request, reply) =>
      replyToReader(request, reply, cache, async () => {
        const known = knownSite(await site());
        if (known.language === undefined)
          throw notFound(
            'there is no sitemap for news: set the language of the site at the desk, or as SITE_LANGUAGE',
          );
        const articles = await sitemaps.news(known);
        const text = writeNews(articles, known.language, known);
        return {
          text,
          mediaType: SITEMAP_MEDIA_TYPE,
          subjects: CACHED_UNDER.newsSitemap,
          ...endOf(articles),
        };
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
  return { text: writeIndex(files, site), subjects: CACHED_UNDER.sitemaps };
}

async function file(sitemaps: SitemapStore, site: Site, part: string) {
  const [plural, number] = part.split('-');
  const ofArticles = plural === 'articles';
  const urls = ofArticles
    ? await sitemaps.articleUrls(Number(number), site)
    : await sitemaps.termUrls(plural === 'authors' ? 'author' : 'category', Number(number), site);
  if (urls === undefined) throw notFound('the sitemap has no such part; its index names them');
  return {
    text: writeFile(urls),
    subjects: ofArticles ? CACHED_UNDER.sitemaps : CACHED_UNDER.termSitemap,
  };
}

/** Returns the time at which the oldest of these is no longer news. */
function endOf(articles: readonly NewsArticle[]) {
  const oldest = articles.at(-1);
  return oldest === undefined ? {} : { expiresAt: new Date(oldest.published_at.getTime() + NEWS_MS) };
}

/**
 * Ids in a file, so that no page ever moves to another file: few enough that the default cache keeps the
 * file. The 50,000 files that the protocol allows in an index suffice for 500 million ids.
 */
const IDS = sql.lit(10_000);

/** Keeps the articles of a file together in an index (`migrations/0001_content.sql`). */
const KEY = sql<number>`(id - 1) / ${IDS}`;

interface SitemapFile {
  file: number;
  /** When an article of it changed last; absent if that is not kept. */
  changed?: Date;
}

/** An article in the sitemap for news. */
interface NewsArticle {
  id: number;
  slug: string;
  title: string;
  published_at: Date;
}

/** The most articles in the sitemap for news. */
const MOST_NEWS = 1000;

type TermPages = Exclude<PageKind, 'article'>;

export class SitemapStore {
  readonly #db: Kysely<ContentTables>;

  /** Reads take `db`, which may be a replica. */
  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /** The files with published articles, each found by one look-up in the index. */
  async articleFiles(): Promise<SitemapFile[]> {
    const newest = (after: RawBuilder<unknown>) => sql`
      select ${KEY} as key, updated_at as changed from content.article
      where is_published and ${KEY} ${after} order by ${KEY}, updated_at desc limit 1`;
    const { rows } = await sql<SitemapFile>`
      with recursive found as (
        (${newest(sql`>= 0`)})
        union all
        select next.* from found cross join lateral (${newest(sql`> found.key`)}) as next
      )
      select key + 1 as file, changed from found order by file`.execute(this.#db);
    return rows;
  }

  async termFiles(kind: TermPages): Promise<SitemapFile[]> {
    const { rows } = await sql<SitemapFile>`
      select distinct ${KEY} + 1 as file from ${sql.id('content', kind)} order by file`.execute(this.#db);
    return rows;
  }

  /**
   * The `url` elements of a file of articles; undefined if there is no such file. The database writes them,
   * because there are so many. Articles whose canonical address is elsewhere are left out.
   */
  async articleUrls(file: number, site: Site): Promise<string | undefined> {
    const { rows } = await sql<{ pages: number; urls: string | null }>`
      select count(*)::int as pages, string_agg(
        '<url><loc>' || replace(address, '&', '&amp;') || '</loc><lastmod>'
          || to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '</lastmod></url>',
        '' order by id
      ) filter (where ${isOwn(sql`address`)}) as urls
      from (
        select *, ${addressOf(site.pattern('article'))} as address from content.article
        where is_published and ${isIn(sql.val(file))}
      ) as article`.execute(this.#db);
    const [found] = rows;
    return found?.pages ? (found.urls ?? '') : undefined;
  }

  /** Like {@link articleUrls}, of categories or authors. */
  async termUrls(kind: TermPages, file: number, site: Site): Promise<string | undefined> {
    const { rows } = await sql<{ urls: string | null }>`
      select string_agg('<url><loc>' || replace(address, '&', '&amp;') || '</loc></url>', '' order by id) as urls
      from (
        select id, ${addressOf(site.pattern(kind))} as address from ${sql.id('content', kind)}
        where ${isIn(sql.val(file))}
      ) as term`.execute(this.#db);
    return rows[0]?.urls ?? undefined;
  }

  /** The articles that were first published in the last 48 hours, newest first, except as above. */
  news(site: Site): Promise<NewsArticle[]> {
    const address = addressOf(site.pattern('article'));
    return this.#db
      .selectFrom('content.article')
      .select(['id', 'slug', 'title', 'published_at'])
      .where('is_published', '=', true)
      .where('published_at', '>', sql<Date>`now() - interval '48 hours'`)
      .where(isOwn(address))
      .orderBy('published_at', 'desc')
      .orderBy('id', 'desc')
      .limit(MOST_NEWS)
      .$narrowType<{ published_at: Date }>()
      .execute();
  }
}

function addressOf(pattern: string): RawBuilder<string> {
  return sql`replace(replace(${pattern}::text, '{id}', id::text), '{slug}', slug)`;
}

/** True if the page at an address is the canonical one, however its `canonical_url` is spelt. */
function isOwn(address: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(canonical_url is null or ${normal(sql`canonical_url`)} = ${normal(address)})`;
}

/** The one spelling of an address: without capitals in scheme and host, its default port and its fragment. */
function normal(address: RawBuilder<unknown>): RawBuilder<string> {
  const origin = sql`lower(substring(${address} from '^[^:]*://[^/?#]*'))`;
  const withoutPort = sql`regexp_replace(${origin}, '^(?:(https://.*):443|(http://.*):80|(.*):)$', '\\1\\2\\3')`;
  const rest = sql`substring(${address} from '^[^:]*://[^/?#]*([^#]*)')`;
  return sql`${withoutPort} || regexp_replace(${rest}, '^(?!/)', '/')`;
}

function isIn(file: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`id > (${file}::bigint - 1) * ${IDS} and id <= ${file}::bigint * ${IDS}`;
}

const SITEMAP_MEDIA_TYPE = 'application/xml; charset=utf-8';

const SITEMAPS = 'http://www.sitemaps.org/schemas/sitemap/0.9';

/** The index of the sitemap: its files by the subject of their pages. */
function writeIndex(files: Record<string, readonly SitemapFile[]>, { url }: Site): string {
  const entries = Object.entries(files).flatMap(([plural, numbered]) =>
    numbered.map(({ file, changed }) =>
      x('sitemap', [
        x('loc', `${url}/sitemap.xml?part=${plural}-${file}`),
        ...(changed === undefined ? [] : [x('lastmod', changed.toISOString())]),
      ]),
    ),
  );
  return xmlDocument(x(null, [x('sitemapindex', { xmlns: SITEMAPS }, entries)]));
}

/** A file of the sitemap, from its `url` elements. */
function writeFile(urls: string): string {
  return `${XML_DECLARATION}<urlset xmlns="${SITEMAPS}">${urls}</urlset>\n`;
}

/** The sitemap for news, in the form that Google documents. */
function writeNews(articles: readonly NewsArticle[], language: string, site: Site): string {
  const urls = articles.map((article) =>
    x('url', [
      x('loc', site.page('article', article)),
      x('news:news', [
        x('news:publication', [
          x('news:name', xmlText(site.name)),
          x('news:language', newsLanguage(language)),
        ]),
        x('news:publication_date', site.time(article.published_at)),
        x('news:title', xmlText(article.title)),
      ]),
    ]),
  );
  const namespaces = { xmlns: SITEMAPS, 'xmlns:news': 'http://www.google.com/schemas/sitemap-news/0.9' };
  return xmlDocument(x(null, [x('urlset', namespaces, urls)]));
}

/** The code that Google wants: of ISO 639, but Chinese by its script. */
function newsLanguage(tag: string): string {
  const { language, script } = new Intl.Locale(tag).maximize();
  if (language !== 'zh') return language;
  return script === 'Hant' ? 'zh-tw' : 'zh-cn';
}
