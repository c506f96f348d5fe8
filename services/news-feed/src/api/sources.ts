import { replyConditionally } from '@pressroom/common/caching/conditional';
import type { RepresentationCache } from '@pressroom/common/caching/representation-cache';
import { integerParameter } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../calendar.ts';
import type { NewsTables } from '../tables.ts';
import { timestamp } from './item.ts';
import { cursorParameter, pageSchema } from './items.ts';
import { readCursor, writeCursor } from './items-store.ts';
import { body, CACHE_CONTROL, success } from './site.ts';

const sourcesQuery = z.strictObject({
  limit: integerParameter(1, 200).default(100),
  cursor: cursorParameter,
});

const sourcesAnswer = body({
  items: z.array(
    z.object({
      name: z.string(),
      itemsPerDay: z.number().describe('Public items of the last 7 days, by publication, a day on average.'),
      latestAt: timestamp.describe('When its newest public item was published.'),
    }),
  ),
  page: pageSchema,
});

/** The dependencies of the operation on sources. */
interface SourceParts {
  db: Kysely<NewsTables>;
  cache: RepresentationCache;
  clock: Clock;
}

const LIST = ['sources'];

/** Longest time that the counts of a page are served without a new query, in ms. */
const LONGEST_SHOWN_MS = 60_000;

/** The operation on sources: their names and how much they publish, never their addresses. */
export function sourceOperations({ db, cache, clock }: SourceParts) {
  const list = operation({
    schema: {
      tags: ['items'],
      operationId: 'listSources',
      summary: 'List the sources of all public items, by name',
      description:
        '`itemsPerDay` is over the last 7 days. A name is what `source` of `GET /api/v1/archive`' +
        ' takes. Addresses of sources are not shown.',
      querystring: sourcesQuery,
      response: { 200: sourcesAnswer, ...NOT_MODIFIED, ...problemResponses(400, 403, 405, 429, 503) },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: CACHE_CONTROL.items,
        cache,
        load: async () => {
          const { cursor, limit } = request.query;
          const now = clock();
          const after = cursor === undefined ? '' : readCursor(LIST, cursor).id;
          const rows = await listSources(db, { after, limit: limit + 1, now });
          const items = rows.slice(0, limit).map(({ name, recent, latest_at }) => ({
            name,
            itemsPerDay: Math.round((recent / COUNTED_DAYS) * 100) / 100,
            latestAt: latest_at.toISOString(),
          }));
          const last = items.at(-1);
          const hasMore = rows.length > limit && last !== undefined;
          const nextCursor = hasMore ? writeCursor(LIST, { at: new Date(0), id: last.name }) : null;
          const value = success({ items, page: { count: items.length, hasMore, nextCursor } });
          return { value, expiresAt: new Date(now.getTime() + LONGEST_SHOWN_MS) };
        },
      }),
  });
  return { list };
}

interface SourceRow {
  name: string;
  recent: number;
  latest_at: Date;
}

/** The days over which the items of a source are counted. */
const COUNTED_DAYS = 7;

/**
 * At most `limit` sources with their public items of the last {@link COUNTED_DAYS} days before `now` and the
 * newest one, by name, from the one behind `after`. Each is found by one step in the index, however many
 * items it has.
 */
async function listSources(
  db: Kysely<NewsTables>,
  { after, limit, now }: { after: string; limit: number; now: Date },
): Promise<SourceRow[]> {
  const next = (name: ReturnType<typeof sql>) => sql`
    select source_name from news.item
    where source_name > ${name} and withdrawn_at is null and published_at <= ${now}
    order by source_name limit 1`;
  const { rows } = await sql<SourceRow>`
    with recursive source (name, position) as (
      select (${next(sql`${after}`)}), 1
      union all
      select (${next(sql`source.name`)}), position + 1 from source where name is not null and position < ${limit}
    )
    select name, latest.published_at as latest_at, (
      select count(*)::int from news.item
      where source_name = name and withdrawn_at is null
        and published_at > ${now}::timestamptz - make_interval(days => ${COUNTED_DAYS}) and published_at <= ${now}
    ) as recent
    from source cross join lateral (
      select published_at from news.item where source_name = name and withdrawn_at is null and published_at <= ${now}
      order by published_at desc, id desc limit 1
    ) as latest
    order by position`.execute(db);
  return rows;
}
