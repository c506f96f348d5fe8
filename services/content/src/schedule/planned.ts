import { type Kysely, sql } from 'kysely';
import { SHOWN_AUTHOR } from '../articles/listed-members.ts';
import type { ContentTables } from '../tables.ts';
import { DUE } from './carry-out.ts';
import type { Place } from './schema.ts';

/** An article that something is planned for. */
export interface PlannedArticle {
  id: number;
  title: string;
  slug: string;
  author: string;
  category_id: number | null;
  is_published: boolean;
  /** When it happens: the article is published, or becomes a draft again. */
  due_at: Date;
  /** When it becomes a draft again. */
  unpublish_at: Date | null;
  release: string | null;
}

/**
 * What is planned next for each article, in the order of time: one more than `perPage` if there are as many.
 */
export async function listPlanned(
  db: Kysely<ContentTables>,
  perPage: number,
  after: Place | undefined,
): Promise<PlannedArticle[]> {
  const place = sql`(${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? 0}::bigint)`;
  const limit = sql`limit ${perPage + 1}`;
  const { rows } = await sql<PlannedArticle>`
    select article.id, article.title, article.slug, ${SHOWN_AUTHOR}, article.category_id, article.is_published,
      planned.due_at, article.unpublish_at, article.release
    from (
      (select id, ${DUE} as due_at from content.article
        where ${DUE} is not null and (${DUE}, id) > ${place} order by ${DUE}, id ${limit})
      union all
      (select article.id, release.publish_at from content.release
        join content.article on article.release = release.name
        where release.published_at is null and release.publish_at >= ${after?.at ?? '-infinity'}::timestamptz
          and (release.publish_at, article.id) > ${place}
        order by release.publish_at, article.id ${limit})
    ) as planned join content.article on article.id = planned.id
    order by planned.due_at, article.id ${limit}
  `.execute(db);
  return rows;
}
