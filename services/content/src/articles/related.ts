import { PreparedQuery } from '@pressroom/common/database/prepared-query';
import { type Kysely, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';

/** How many related articles are shown. */
const MOST = 5;

/** How many of the newest articles of the category are considered, which bounds the cost of a detail. */
const CONSIDERED = 200;

/** The article whose neighbours are wanted. */
export interface RelatedTo {
  id: number;
  category_id: number | null;
  title_words: string[];
}

/** A neighbour as clients see it. */
export interface RelatedArticle {
  id: number;
  title: string;
  slug: string;
}

const RELATED = new PreparedQuery<ContentTables, RelatedTo, RelatedArticle>((db, value) => {
  const newest = db
    .selectFrom('content.article')
    .select(['id', 'title', 'slug', 'published_at', 'title_words'])
    .where('category_id', '=', value('category_id'))
    .where('is_published', '=', true)
    .where('id', '!=', value('id'))
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(CONSIDERED);
  const shared = sql`(
    select count(*) from unnest(newest.title_words) as word where word = any(${value('title_words')}::text[])
  )`;
  return db
    .selectFrom(newest.as('newest'))
    .select(['id', 'title', 'slug'])
    .orderBy(shared, 'desc')
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST);
});

/**
 * Up to 5 published articles of the same category: those that share the most words of the title first, then
 * the newest (`docs/spec/wire.md`, "Related"), among the 200 newest of the category.
 */
export async function relatedArticles(
  db: Kysely<ContentTables>,
  article: RelatedTo,
): Promise<RelatedArticle[]> {
  return article.category_id === null ? [] : RELATED.execute(db, article);
}
