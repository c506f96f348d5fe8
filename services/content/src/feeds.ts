import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import {
  type Feed,
  type FeedEntry,
  FORMAT_NAMES,
  feedDocument,
  feedResponses,
  forEachEnding,
} from '@pressroom/common/feeds/feed';
import { operation } from '@pressroom/common/http/operation';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { termsOf } from './articles/detail.ts';
import { type FilterValues, filterParameters } from './articles/filters.ts';
import { ArticleList } from './articles/list.ts';
import { type AuthorOfArticle, NESTED_MEMBERS } from './articles/schema.ts';
import { withChangedUrls } from './html/changed-urls.ts';
import { replyToReader } from './requests.ts';
import { knownSite, type Site } from './site.ts';
import { idOfSlug } from './slug.ts';
import { CACHED_UNDER } from './subjects.ts';
import type { ContentTables } from './tables.ts';

/** Query string of a feed: the filters of lists. */
const feedQuery = z.strictObject(filterParameters);

/** The dependencies of the operations on feeds. */
interface FeedParts {
  feeds: FeedStore;
  cache: RepresentationCache;
  /** Undefined if the settings name none; then there are no feeds. */
  site: Site | undefined;
}

/** The feed of the newest articles, as RSS 2.0, Atom and JSON Feed, with the filters of lists. */
export function feedOperations({ feeds, cache, site }: FeedParts) {
  return forEachEnding((ending) =>
    operation({
      schema: {
        tags: ['feeds'],
        operationId: `get${FORMAT_NAMES[ending]}OfArticles`,
        summary: `The ${FEED_ARTICLES} newest articles with their whole text`,
        querystring: feedQuery,
        response: feedResponses(ending, 400, 403, 404, 429, 503),
      },
      handler: (request, reply) =>
        replyToReader(request, reply, cache, async () => {
          const known = knownSite(site);
          const { query } = request;
          const articles = await feeds.newest(query);
          const author = query.author_slug === undefined ? undefined : await feeds.author(query.author_slug);
          const document = feedDocument(ending, {
            ...articleFeed(articles, query, author, known),
            id: `${known.url}${request.url.replace(`.${ending}`, '')}`,
            selfUrl: `${known.url}${request.url}`,
            language: known.language,
            hubUrl: undefined,
          });
          return { ...document, subjects: CACHED_UNDER.feed(query) };
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
  readonly #list = new ArticleList(NESTED_MEMBERS);

  /** Reads take `db`, which may be a replica. */
  constructor(db: Kysely<ContentTables>) {
    this.#db = db;
  }

  /** The articles of a feed, newest first; `content` is null where there are too many texts before it. */
  async newest(filters: FilterValues) {
    const page = { page: 1, perPage: FEED_ARTICLES };
    const scope = { status: 'published', sort: 'newest', filters } as const;
    const { articles } = await this.#list.page(this.#db, scope, page);
    if (articles.length === 0) return [];
    const ids = articles.map(({ id }) => id);
    const [texts, authors] = await Promise.all([this.#texts(ids), termsOf(this.#db, 'authors', ids)]);
    return articles.flatMap((article) => {
      const text = texts.get(article.id);
      // It may have been unpublished between the two.
      return text === undefined ? [] : [{ ...article, ...text, authors: authors.get(article.id) ?? [] }];
    });
  }

  /** The author who has this slug, or had it. */
  author(slug: string): Promise<FeedAuthor | undefined> {
    return this.#db
      .selectFrom('content.author')
      .select(['id', 'name', 'slug'])
      .where('id', '=', idOfSlug('author', sql`${slug}`))
      .executeTakeFirst();
  }

  async #texts(ids: readonly number[]) {
    const rows = await this.#db
      .selectFrom('content.article')
      .select(['id', 'updated_at', 'published_at'])
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

/** The author whose articles a feed has. */
type FeedAuthor = Pick<AuthorOfArticle, 'id' | 'name' | 'slug'>;

type FeedArticle = Awaited<ReturnType<FeedStore['newest']>>[number];

/** Builds a feed of the articles that pass `filters`, all by `author` if given. */
function articleFeed(
  articles: readonly FeedArticle[],
  filters: FilterValues,
  author: FeedAuthor | undefined,
  site: Site,
): Pick<Feed, 'title' | 'description' | 'homeUrl' | 'entries'> {
  const ofCategory = filters.category !== undefined || filters.category_id !== undefined;
  const category = ofCategory ? articles[0]?.category : undefined;
  const names = [category?.name, author?.name, filters.author].filter((name) => name !== undefined);
  return {
    title: [site.name, ...names].join(': '),
    description: 'The newest articles.',
    homeUrl: homeUrl(category, author, site),
    entries: articles.map((article) => entryOf(article, site)),
  };
}

function homeUrl(category: FeedArticle['category'] | undefined, author: FeedAuthor | undefined, site: Site) {
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
    html: article.content === null ? null : withAbsoluteUrls(article.content, url),
    published: article.published_at,
    updated: article.updated_at,
    authors: authorsOf(article, site),
    categories: article.category === null ? [] : [article.category.name],
  };
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
