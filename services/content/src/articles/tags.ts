import { invalid } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import { idOfSlug } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import type { TagOfArticle } from './schema.ts';

/**
 * The ids of the tags with these slugs, also former ones, in this order, each once. In a transaction the tags
 * stay until it ends: whoever holds articles waits for no tag.
 *
 * @throws Failure `invalid` for every slug that no tag has
 */
export async function tagIds(db: Kysely<ContentTables>, slugs: readonly string[]): Promise<number[]> {
  if (slugs.length === 0) return [];
  const { rows } = await sql<{ id: number; given: string }>`
    select tag.id, given from unnest(${slugs}::text[]) as given
    join content.tag as tag on tag.id = ${idOfSlug('tag', sql`given`)}
    order by tag.id for key share of tag
  `.execute(db);
  const ids = new Map(rows.map(({ id, given }) => [given, id]));
  const faults = slugs.flatMap((slug, index) => {
    if (ids.has(slug)) return [];
    return [{ field: `tags.${index}`, code: 'not_found', message: 'no tag has this slug; create it first' }];
  });
  if (faults.length > 0) throw invalid(faults);
  return [...new Set(slugs.flatMap((slug) => ids.get(slug) ?? []))];
}

/** The tags of each of these articles, in their order. */
export async function tagsOf(
  db: Kysely<ContentTables>,
  articleIds: readonly number[],
): Promise<Map<number, TagOfArticle[]>> {
  const tags = new Map(articleIds.map((id): [number, TagOfArticle[]] => [id, []]));
  if (articleIds.length === 0) return tags;
  const { rows } = await sql<TagOfArticle & { article_id: number }>`
    select article.id as article_id, tag.id, tag.name, tag.slug
    from content.article as article
    cross join unnest(article.tag_ids) with ordinality as given (id, place)
    join content.tag as tag on tag.id = given.id
    where article.id = any(${articleIds}::integer[]) order by article.id, given.place
  `.execute(db);
  for (const { article_id, ...tag } of rows) tags.get(article_id)?.push(tag);
  return tags;
}
