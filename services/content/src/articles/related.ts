import { PreparedQuery } from '@pressroom/common/database/database';
import { type Kysely, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { type ListRow, membersOf, selectItems } from './list-rows.ts';
import { type ListedArticle, MOST_RELATED, NESTED_MEMBERS } from './schema.ts';

/** The terms of an article that are looked at, the rarest first; bounds the cost with {@link CONSIDERED}. */
const MOST_TERMS = 20;

/** The newest articles of each term that are considered. */
const CONSIDERED = 30;

/** An article of a card. */
export type RelatedCard = ListedArticle<(typeof NESTED_MEMBERS)[number]>;

/**
 * A term counts by the share of articles that have it; a tag, which says what they are about, twice.
 * Rounded, so that sums do not depend on their order.
 * Each LIMIT keeps to its index, whatever is estimated: no other has the order of a range of one category.
 */
const RELATED = new PreparedQuery<ContentTables, { id: number }, ListRow>((db, value) => {
  const related = sql<{ id: number; score: number }>`(
    with term as materialized (
      select named.kind, named.id, round(ln(1 + whole.articles / count.articles::numeric)
        * case named.kind when 'tag' then 1 else 0.5 end, 6) as weight
      from content.article as article
      cross join lateral (
        select 'category' collate "C" as kind, article.category_id as id
        union all select 'author', unnest(article.author_ids)
        union all select 'tag', unnest(article.tag_ids)
      ) as named
      cross join lateral (
        select articles from content.list_count
        where (kind, id, period, is_published) = (named.kind, named.id, 'all', true) and articles > 0 limit 1
      ) as count
      cross join (
        select articles from content.list_count
        where (kind, id, period, is_published) = ('all', 0, 'all', true) limit 1
      ) as whole
      where article.id = ${value('id')}
      order by weight desc, named.kind, named.id limit ${sql.lit(MOST_TERMS)}
    ), candidate as (
      select distinct other.id from term cross join lateral (
        (select id from content.article
          where term.kind = 'category' and category_id between term.id and term.id and is_published
          order by category_id, published_at desc, id desc limit ${sql.lit(CONSIDERED)})
        union all (select article_id from content.article_author
          where term.kind = 'author' and author_id = term.id and is_published
          order by published_at desc, article_id desc limit ${sql.lit(CONSIDERED)})
        union all (select article_id from content.article_tag
          where term.kind = 'tag' and tag_id = term.id and is_published
          order by published_at desc, article_id desc limit ${sql.lit(CONSIDERED)})
      ) as other
    )
    select other.id, shared.score from candidate
    cross join lateral (
      select id, published_at, category_id, author_ids, tag_ids from content.article
      where id = candidate.id and is_published limit 1
    ) as other
    cross join lateral (
      select sum(weight) as score from term where case kind
        when 'category' then term.id = other.category_id
        when 'author' then term.id = any(other.author_ids)
        else term.id = any(other.tag_ids) end
    ) as shared
    where other.id <> ${value('id')}
    order by shared.score desc, other.published_at desc, other.id desc limit ${sql.lit(MOST_RELATED)}
  )`;
  return selectItems(db, 'listed')
    .innerJoin(related.as('related'), 'related.id', 'article.id')
    .orderBy('related.score', 'desc')
    .orderBy('article.published_at', 'desc')
    .orderBy('article.id', 'desc');
});

/** Published articles that share its tags, authors or category (`docs/spec/wire.md`, "Related"). */
export async function relatedCards(
  db: Kysely<ContentTables>,
  id: number,
  most: number,
): Promise<RelatedCard[]> {
  const rows = await RELATED.execute(db, { id });
  return rows.slice(0, most).map((row) => membersOf(row, NESTED_MEMBERS));
}
