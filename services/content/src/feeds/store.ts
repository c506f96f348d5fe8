import { type Kysely, sql } from 'kysely';
import type { FilterValues } from '../articles/filters.ts';
import { ArticleList } from '../articles/list.ts';
import { type AuthorOfArticle, NESTED_MEMBERS } from '../articles/schema.ts';
import { termsOf } from '../articles/terms.ts';
import { idOfSlug } from '../slug.ts';
import type { ContentTables } from '../tables.ts';

/** How many articles a feed has. */
export const FEED_ARTICLES = 50;

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
export type FeedAuthor = Pick<AuthorOfArticle, 'id' | 'name' | 'slug'>;

/** An article of a feed. */
export type FeedArticle = Awaited<ReturnType<FeedStore['newest']>>[number];
