import { integerParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { SHOWN_AUTHOR } from './articles/schema.ts';
import { cursorEnvelope, successCursorPage } from './envelope.ts';
import { replyPrivately } from './requests.ts';
import type { ContentTables } from './tables.ts';

const timestamp = z.iso.datetime({ offset: true });

/** Start of a page of the schedule: after this article, in the order of time. */
interface Place {
  at: Date;
  id: number;
}

/** An article with its next plan, as clients see it. */
const plannedArticle = z
  .object({
    id: z.int(),
    title: z.string(),
    slug: z.string(),
    author: z.string(),
    category_id: z.int().nullable(),
    featured_image: z.string().nullable(),
    is_published: z.boolean(),
    due_at: timestamp.describe('When a draft is published, or what is published becomes a draft again.'),
    unpublish_at: timestamp.nullable(),
    release: z.string().nullable().describe('The release that it is published with.'),
  })
  .meta({ id: 'PlannedArticle' });

const scheduleQuery = z.strictObject({
  per_page: integerParameter(1, 100).default(20),
  cursor: z
    .string()
    .regex(/^[0-9]{1,14}_[1-9][0-9]{0,9}$/, 'must be `meta.next_cursor` of the page before')
    .transform((cursor): Place => {
      const [at, id] = cursor.split('_').map(Number);
      return { at: new Date(at ?? 0), id: id ?? 0 };
    })
    .optional()
    .describe('`meta.next_cursor` of the page before.'),
});

/** The cursor of the page after this place. */
function cursorAt({ at, id }: Place): string {
  return `${at.getTime()}_${id}`;
}

const scheduleAnswer = cursorEnvelope(plannedArticle, z.string());

/** The operation that lists the plans. */
export function scheduleOperations(db: Kysely<ContentTables>) {
  const list = operation({
    schema: {
      tags: ['articles'],
      operationId: 'listPlannedArticles',
      summary: 'List what is planned for articles, in the order of time',
      description:
        'Drafts that are published at a time, alone or in a release, and published articles that become drafts again.' +
        ' Each comes once, by what happens to it next.',
      querystring: scheduleQuery,
      response: { 200: scheduleAnswer, ...NOT_MODIFIED, ...problemResponses(400, 401, 403, 429, 503) },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => {
        const { per_page: perPage, cursor } = request.query;
        const found = await listPlanned(db, perPage, cursor);
        const cursorOf = ({ due_at: at, id }: PlannedArticle) => cursorAt({ at, id });
        const value = successCursorPage('Planned articles found', found, perPage, { cursorOf, shown });
        return { value };
      }),
  });
  return { list };
}

function shown({ due_at, unpublish_at, ...article }: PlannedArticle) {
  return {
    ...article,
    due_at: due_at.toISOString(),
    unpublish_at: unpublish_at?.toISOString() ?? null,
  };
}

/** An article that something is planned for. */
interface PlannedArticle {
  id: number;
  title: string;
  slug: string;
  author: string;
  category_id: number | null;
  featured_image: string | null;
  is_published: boolean;
  /** The time at which the article is published, or becomes a draft again. */
  due_at: Date;
  unpublish_at: Date | null;
  release: string | null;
}

/**
 * Lists the next plan of each article, in the order of time: one more than `perPage` if there are as many.
 */
async function listPlanned(
  db: Kysely<ContentTables>,
  perPage: number,
  after: Place | undefined,
): Promise<PlannedArticle[]> {
  const place = sql`(${after?.at ?? '-infinity'}::timestamptz, ${after?.id ?? 0}::bigint)`;
  const limit = sql`limit ${perPage + 1}`;
  const { rows } = await sql<PlannedArticle>`
    select article.id, article.title, article.slug, ${SHOWN_AUTHOR}, article.category_id,
      article.featured_image, article.is_published, planned.due_at, article.unpublish_at, article.release
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

/** The time of an article's next plan; the index `article_by_due` has this expression. */
export const DUE = sql<Date>`(case when is_published then unpublish_at else publish_at end)`;

/** A SELECT of the ids of what is planned, for a LIMIT. */
export const PLANNED_IDS = sql`select id from content.article where ${DUE} is not null
  union all select article.id from content.release join content.article on article.release = release.name
    where release.published_at is null and release.publish_at is not null`;
