import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import {
  type Feed,
  type FeedEntry,
  FORMAT_NAMES,
  feedDocument,
  feedResponses,
  forEachEnding,
} from '@pressroom/common/feeds/feed';
import { asHtml } from '@pressroom/common/feeds/xml';
import { withChangedUrls } from '@pressroom/common/html/changed-urls';
import { operation } from '@pressroom/common/http/operation';
import type { SearchGate } from '@pressroom/common/search/search';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { z } from 'zod';
import { termsOf } from './articles/detail.ts';
import { type FilterValues, filterParameters } from './articles/filters.ts';
import { ArticleList } from './articles/list.ts';
import { type Correction, NESTED_MEMBERS, searchParameter, type TagOfArticle } from './articles/schema.ts';
import { searchArticles } from './articles/search.ts';
import { CACHED_UNDER } from './cache-subjects.ts';
import { replyToReader } from './requests.ts';
import { knownSite, type Site } from './site.ts';
import { idOfSlug } from './slug.ts';
import type { ContentTables } from './tables.ts';
import type { TermKind } from './terms/kinds.ts';

/** Query string of a feed: what restricts lists. */
const feedQuery = z.strictObject({ ...filterParameters, q: searchParameter });

type FeedQuery = z.output<typeof feedQuery>;

/** The dependencies of the operations on feeds. */
interface FeedParts {
  feeds: FeedStore;
  cache: RepresentationCache;
  /** Undefined if the settings name none; then there are no feeds. */
  site: () => Promise<Site | undefined>;
}

/** The feed of the newest articles, as RSS 2.0, Atom and JSON Feed, with the filters of lists. */
export function feedOperations({ feeds, cache, site }: FeedParts) {
  return forEachEnding((ending) =>
    operation({
      schema: {
        tags: ['feeds'],
        operationId: `get${FORMAT_NAMES[ending]}OfArticles`,
        summary: `The ${FEED_ARTICLES} newest articles with their whole text`,
        description:
          'The filters and `q` of `GET /api/articles` make a feed of a category, a tag, an author or' +
          ' words. After 4 MiB of text, entries have their excerpts. 404 for a site without an address.' +
          (ending === 'json' ? ' `_site` has the paths of its pages, and its time zone.' : ''),
        querystring: feedQuery,
        response: feedResponses(ending, 400, 403, 404, 429, 503),
      },
      handler: (request, reply) =>
        replyToReader(request, reply, cache, async () => {
          const known = knownSite(await site());
          const { query } = request;
          const { q, ...filters } = query;
          const articles = await feeds.newest(query);
          const document = feedDocument(ending, {
            ...articleFeed(articles, query, await feeds.terms(query), known),
            id: `${known.url}${request.url.replace(`.${ending}`, '')}`,
            selfUrl: `${known.url}${request.url}`,
            language: known.language,
            logo: known.logo,
            hubUrl: undefined,
            extensions: { _site: known.pages },
          });
          return { ...document, subjects: CACHED_UNDER[q === undefined ? 'feed' : 'search'](filters) };
        }),
    }),
  );
}

const FEED_ARTICLES = 50;

/** The most bytes of text in a feed; the articles after it have their excerpts alone. */
const TEXT_BYTES = 4 * 2 ** 20;

/** The newest articles of a list, with their texts. */
export class FeedStore {
  readonly #db: Kysely<ContentTables>;
  readonly #gate: SearchGate<ContentTables>;
  readonly #list = new ArticleList(NESTED_MEMBERS);

  /** Reads take `db`, which may be a replica, and searches `gate`. */
  constructor(db: Kysely<ContentTables>, gate: SearchGate<ContentTables>) {
    this.#db = db;
    this.#gate = gate;
  }

  /** The articles of a feed, newest first; `content` is null where there are too many texts before it. */
  async newest({ q, ...filters }: FeedQuery) {
    const page = { page: 1, perPage: FEED_ARTICLES };
    const scope = { status: 'published', sort: 'newest', filters } as const;
    const search = { q: q ?? '', order: 'newest', highlights: false } as const;
    const { articles } =
      q === undefined
        ? await this.#list.page(this.#db, scope, page)
        : await searchArticles(this.#gate, scope, search, NESTED_MEMBERS, page);
    if (articles.length === 0) return [];
    const ids = articles.map(({ id }) => id);
    const [texts, tags, authors] = await Promise.all([
      this.#texts(ids),
      termsOf(this.#db, 'tags', ids),
      termsOf(this.#db, 'authors', ids),
    ]);
    return articles.flatMap((article) => {
      const text = texts.get(article.id);
      // It may have been unpublished between the two.
      if (text === undefined) return [];
      const terms = { tags: tags.get(article.id) ?? [], authors: authors.get(article.id) ?? [] };
      return [{ ...article, ...text, ...terms }];
    });
  }

  /** The terms that a feed is restricted to. */
  async terms({ category_id, category, tag, author_slug, series }: FilterValues): Promise<FeedTerms> {
    const [byId, bySlug, ofTag, ofAuthor, ofSeries] = await Promise.all([
      category_id && this.#term('category', sql`${category_id}`),
      category && this.#term('category', idOfSlug('category', sql`${category}`)),
      tag && this.#term('tag', idOfSlug('tag', sql`${tag}`)),
      author_slug && this.#term('author', idOfSlug('author', sql`${author_slug}`)),
      series && this.#term('series', idOfSlug('series', sql`${series}`)),
    ]);
    return {
      category: byId || bySlug || undefined,
      tag: ofTag || undefined,
      author: ofAuthor || undefined,
      series: ofSeries || undefined,
    };
  }

  async #term(noun: TermKind['noun'], id: RawBuilder<unknown>): Promise<TagOfArticle | undefined> {
    const { rows } = await sql<TagOfArticle>`
      select id, name, slug from ${sql.id('content', noun)} where id = ${id}`.execute(this.#db);
    return rows[0];
  }

  async #texts(ids: readonly number[]) {
    const rows = await this.#db
      .selectFrom('content.article')
      .select(['id', 'updated_at', 'published_at', 'corrections'])
      .select(
        sql<string | null>`case when sum(octet_length(content)) over (order by published_at desc, id desc)
          <= ${sql.lit(TEXT_BYTES)} then content end`.as('content'),
      )
      .where('id', 'in', ids)
      .where('is_published', '=', true)
      .$narrowType<{ published_at: Date }>()
      .execute();
    return new Map(rows.map((row) => [row.id, row]));
  }
}

/** The terms whose articles a feed has. */
type FeedTerms = { [Noun in TermKind['noun']]: TagOfArticle | undefined };

type FeedArticle = Awaited<ReturnType<FeedStore['newest']>>[number];

/** Builds a feed of the articles that pass the filters of `query`, which name `terms`. */
function articleFeed(
  articles: readonly FeedArticle[],
  query: FeedQuery,
  terms: FeedTerms,
  site: Site,
): Pick<Feed, 'title' | 'description' | 'homeUrl' | 'entries'> {
  const { category, tag, author, series } = terms;
  const words = query.q === undefined ? undefined : `“${query.q}”`;
  const names = [site.name, category?.name, tag?.name, author?.name, series?.name, query.author, words];
  return {
    title: names.filter((name) => name !== undefined).join(': '),
    description: site.description ?? 'The newest articles.',
    homeUrl: homeUrl(terms, site),
    entries: articles.map((article) => entryOf(article, site)),
  };
}

function homeUrl({ category, author }: FeedTerms, site: Site) {
  if (category) return site.page('category', category);
  return author ? site.page('author', author) : `${site.url}/`;
}

function entryOf(article: FeedArticle, site: Site): FeedEntry {
  const url = site.page('article', article);
  return {
    // Readers know an entry by it, so it does not move with the slug.
    id: `${site.url}/api/articles/${article.id}`,
    title: article.title,
    url,
    summary: article.excerpt,
    html:
      article.content === null
        ? null
        : `${withAbsoluteUrls(article.content, url)}${correctionsIn(article.corrections ?? [], site)}`,
    published: article.published_at,
    updated: article.updated_at,
    authors: authorsOf(article, site),
    categories: [
      ...new Set([...(article.category ? [article.category] : []), ...article.tags].map(({ name }) => name)),
    ],
    ...imageOf(article),
  };
}

/** Corrections as HTML, below the text: in the site's own language, so without a word of ours. */
function correctionsIn(corrections: readonly Correction[], site: Site): string {
  return corrections
    .map(
      ({ at, text }) => `<p><time datetime="${at}">${site.time(at).slice(0, 10)}</time>: ${asHtml(text)}</p>`,
    )
    .join('');
}

/** An address whose ending tells a picture's format; a query may ask for another one. */
const PICTURE = /^[^?#]*\.(avif|gif|jpe?g|png|webp)$/i;

function imageOf({ featured_image: url, alt_text: alt }: FeedArticle): Pick<FeedEntry, 'image'> {
  if (url === null) return {};
  const format = PICTURE.exec(url)?.[1]?.toLowerCase().replace('jpg', 'jpeg');
  return { image: { url, ...(format && { type: `image/${format}` }), ...(alt && { alt }) } };
}

function authorsOf({ author, authors }: FeedArticle, site: Site): FeedEntry['authors'] {
  if (authors.length === 0) return [{ name: author }];
  return authors.map((one) => ({ name: one.name, url: site.page('author', one) }));
}

/** A URL that has a scheme, after the white space that parsers leave out. */
const ABSOLUTE = /^\s*[a-z][a-z0-9+.-]*:/i;

/** HTML of a page at `base` for readers elsewhere: its relative URLs made absolute, all else as it is. */
export function withAbsoluteUrls(html: string, base: string): string {
  return withChangedUrls(html, (url) => (ABSOLUTE.test(url) ? url : (URL.parse(url, base)?.href ?? url)));
}
