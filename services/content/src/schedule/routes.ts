import { NOT_MODIFIED } from '@pressroom/common/http/bodiless';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem-document';
import type { Kysely } from 'kysely';
import { successCursorPage } from '../envelope.ts';
import { replyPrivately } from '../reading.ts';
import type { ContentTables } from '../tables.ts';
import { listPlanned, type PlannedArticle } from './planned.ts';
import { cursorAt, scheduleAnswer, scheduleQuery } from './schema.ts';

/** The operation that lists what is planned. */
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
        return { value, subjects: [] };
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
