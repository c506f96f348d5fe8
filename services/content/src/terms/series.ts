import { writePrecondition } from '@pressroom/common/caching/conditional';
import { type FieldFault, invalid } from '@pressroom/common/failures/failure';
import { idMember, idParameter } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { requireAnyCategory } from '../api-keys.ts';
import { envelope, success } from '../envelope.ts';
import { actorOf, logWrite, ownerOf, writtenHeaders } from '../requests.ts';
import type { ContentTables } from '../tables.ts';
import type { TermStore } from './store.ts';

/** The most articles of a series: the place of one is found among all of them. */
const MOST_ARTICLES = 500;

const order = z.strictObject({
  articles: z
    .array(idMember('must be the id of an article'), 'must be a list of ids of articles')
    .max(MOST_ARTICLES, `must be at most ${MOST_ARTICLES} articles`)
    .superRefine((ids, context) => {
      ids.forEach((id, index) => {
        // Ids that are too large to exist are all read as 0.
        if (ids.indexOf(id) === index || id === 0) return;
        const message = 'is named twice: an article has one place';
        context.addIssue({ code: 'custom', path: [index], message, params: { code: 'invalid_value' } });
      });
    })
    .describe('The ids of all its articles in their order, drafts too; those left out are in no series then.')
    .meta({ uniqueItems: true }),
});

const orderedAnswer = envelope(z.object({ id: z.int(), articles: z.array(z.int()) }));

/** The operation that says which articles a series has, in which order; `changed` as in `TermParts`. */
export function orderOperation(series: TermStore, changed: () => void) {
  return operation({
    schema: {
      tags: ['series'],
      operationId: 'orderSeries',
      summary: 'Replace the articles of a series, in their order',
      description:
        'An article of another series is 422: take it out there first. `GET /api/articles?series=SLUG&sort=series' +
        '&status=all` lists them as they are; with the `ETag` of the series in `If-Match`, what somebody else' +
        ' has changed meanwhile is 412.',
      params: z.object({ id: idParameter() }),
      responseHeaders: { 200: ['ETag'] },
      body: order,
      response: { 200: orderedAnswer, ...problemResponses(400, 401, 403, 404, 412, 413, 415, 422, 429, 503) },
    },
    handler: async (request, reply) => {
      requireAnyCategory(ownerOf(request));
      const { id } = request.params;
      const { articles } = request.body;
      const { own } = await series.update(id, {}, actorOf(request), writePrecondition(request), (tx) =>
        place(tx, id, articles),
      );
      changed();
      logWrite(request, 'series_updated', { series: id });
      return reply.headers(writtenHeaders(own)).send(success('Series updated', { id, articles }));
    },
  });
}

/**
 * Numbers these articles from 1, and takes all others from the series, which the caller has locked.
 *
 * @throws Failure `invalid` for every article that is not there, or in another series
 */
async function place(
  tx: Transaction<ContentTables>,
  seriesId: number,
  ids: readonly number[],
): Promise<void> {
  const { rows } = await sql<{ id: number; series_id: number | null }>`
    select id, series_id from content.article where id = any(${ids}::integer[]) or series_id = ${seriesId}
    order by id for no key update`.execute(tx);
  const inSeries = new Map(rows.map(({ id, series_id }) => [id, series_id]));
  const faults = ids.flatMap((id, index): FieldFault[] => {
    const field = `articles.${index}`;
    const other = inSeries.get(id);
    if (other === undefined) return [{ field, code: 'not_found', message: `no article has the id ${id}` }];
    if (other === null || other === seriesId) return [];
    const message = `article ${id} is in series ${other}; take it out there first`;
    return [{ field, code: 'invalid_value', message }];
  });
  if (faults.length > 0) throw invalid(faults);
  await sql`
    update content.article as article set series_id = wanted.series_id, series_position = wanted.place
    from (
      select one.id, case when given.id is not null then ${seriesId}::integer end as series_id, given.place
      from unnest(${rows.map(({ id }) => id)}::integer[]) as one (id)
      left join unnest(${ids}::integer[]) with ordinality as given (id, place) on given.id = one.id
    ) as wanted
    where article.id = wanted.id
      and (article.series_id, article.series_position) is distinct from (wanted.series_id, wanted.place)`.execute(
    tx,
  );
}
