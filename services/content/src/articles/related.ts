import { PreparedQuery, type ValueOf } from '@pressroom/common/database/prepared-query';
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

function selectRelated(db: Kysely<ContentTables>, value: ValueOf<RelatedTo>) {
  const newest = db
    .selectFrom('content.article as other')
    .select(['id', 'title', 'slug', 'published_at', 'title_words'])
    .where('category_id', '=', value('category_id'))
    .where('is_published', '=', true)
    .where('id', '!=', value('id'))
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(CONSIDERED);
  const words = sql`${value('title_words')}::text[]`;
  // Counting takes PostgreSQL far longer than seeing that there are none, as there are in most titles.
  const shared = sql`case when newest.title_words && ${words} then (
    select count(*) from unnest(newest.title_words) as word where word = any(${words})
  ) else 0 end`;
  return db
    .selectFrom(newest.as('newest'))
    .select(['id', 'title', 'slug'])
    .orderBy(shared, 'desc')
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST);
}

const RELATED = new PreparedQuery<ContentTables, RelatedTo, RelatedArticle>(selectRelated);

/** {@link relatedArticles} of the row `article` of a query, as one of its columns. */
export function relatedToRow(db: Kysely<ContentTables>) {
  const related = selectRelated(db, (name) => sql`${sql.ref(`article.${name}`)}`);
  return sql<RelatedArticle[]>`(select coalesce(json_agg(related), '[]') from ${related} as related)`.as(
    'related_articles',
  );
}

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
