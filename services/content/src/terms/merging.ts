import { Failure, type FieldCode, invalid } from '@pressroom/common/failures/failure';
import { idMember, idParameter } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { type Kysely, sql, type Transaction } from 'kysely';
import { z } from 'zod';
import { requireAnyCategory } from '../api-keys.ts';
import { type Actor, envelope, success, writtenBy } from '../envelope.ts';
import { actorOf, logWrite, ownerOf } from '../requests.ts';
import type { ContentTables } from '../tables.ts';
import { capitalized, type TermKind } from './kinds.ts';

/** Kinds that can be merged: those of which an article has several. */
export type Merged = 'tag' | 'author';

type MergedKind = Pick<TermKind, 'plural' | 'one'> & { noun: Merged };

const mergedAnswer = envelope(
  z.object({
    moved: z.int().describe('The number of articles that have the other in its place since this request.'),
    is_complete: z.boolean().describe('False if there are more articles: send the request again.'),
  }),
);

/** The operation that merges a tag or author into another; `changed` as in `TermParts`. */
export function mergeOperation(
  db: Kysely<ContentTables>,
  { noun, plural, one }: MergedKind,
  changed: () => void,
) {
  return operation({
    schema: {
      tags: [plural],
      operationId: `merge${capitalized(noun)}`,
      summary: `Give the articles of ${one} to another ${noun}, and delete it; its slugs lead to the other`,
      description: 'A request moves some articles. It can be repeated until it is complete.',
      params: z.object({ id: idParameter() }),
      body: z.strictObject({
        into: idMember(`must be the id of the ${noun} that stays`).describe(`The ${noun} that stays.`),
      }),
      response: { 200: mergedAnswer, ...problemResponses(400, 401, 403, 404, 413, 415, 422, 429, 503) },
    },
    handler: async (request, reply) => {
      requireAnyCategory(ownerOf(request));
      const { id } = request.params;
      const { moved, isComplete } = await mergeStep(db, noun, id, request.body.into, actorOf(request));
      changed();
      logWrite(request, `${noun}_merged`, { [noun]: id });
      const message = `${capitalized(plural)} merged`;
      return reply
        .header('cache-control', 'private, no-store')
        .send(success(message, { moved, is_complete: isComplete }));
    },
  });
}

/** Articles that change in one transaction, so that no writer waits long for one of them. */
const BATCH = 100;

/** Batches in one step, which answers before a proxy gives up. */
const MOST_BATCHES = 10;

/**
 * Gives some articles of one tag or author to another. Once it has none, it is deleted, and its slugs lead to
 * the other. Each batch commits by itself: an interrupted merge picks up where it left off.
 *
 * @throws Failure `missing` without `from`, `invalid` without `into` or if it is the same
 */
export async function mergeStep(
  db: Kysely<ContentTables>,
  noun: Merged,
  from: number,
  into: number,
  actor?: Actor,
): Promise<{ moved: number; isComplete: boolean }> {
  if (from === into) throw refused('invalid_value', `must be another ${noun}`);
  let moved = 0;
  for (let batches = 0; batches < MOST_BATCHES; batches += 1) {
    const step = await db.transaction().execute(async (tx) => {
      if (actor !== undefined) await sql`select ${writtenBy(actor)}`.execute(tx);
      const articles = await moveBatch(tx, noun, from, into);
      return { articles, isComplete: articles === 0 && (await replace(tx, noun, from, into)) };
    });
    moved += step.articles;
    if (step.isComplete) return { moved, isComplete: true };
  }
  return { moved, isComplete: false };
}

/** Moves the first articles of `from`, and returns how many; each term stays in its place, and only once. */
async function moveBatch(
  tx: Transaction<ContentTables>,
  noun: Merged,
  from: number,
  into: number,
): Promise<number> {
  const ids = sql.ref(`article.${noun}_ids`);
  const { rows } = await sql<{ id: number }>`
    select article.id from content.article as article
    where id in (
      select article_id from ${sql.id('content', `article_${noun}`)}
      where ${sql.ref(`${noun}_id`)} = ${from} order by article_id limit ${sql.lit(BATCH)}
    )
    order by id for no key update`.execute(tx);
  if (rows.length === 0) return 0;
  await find(tx, noun, from, into);
  await sql`
    update content.article as article set ${sql.ref(`${noun}_ids`)} = (
      select array_agg(id order by place) from (
        select case when id = ${from} then ${into} else id end as id, min(place) as place
        from unnest(${ids}) with ordinality as given (id, place) group by 1
      ) as kept
    )
    where id = any(${rows.map(({ id }) => id)}::integer[]) and ${from} = any(${ids})`.execute(tx);
  return rows.length;
}

/** Deletes `from` and lets its slugs lead to `into`; false if an article has it again. */
async function replace(
  tx: Transaction<ContentTables>,
  noun: Merged,
  from: number,
  into: number,
): Promise<boolean> {
  // Whoever gives it to an article waits, and then finds it gone.
  const slug = await find(tx, noun, from, into);
  const { rows } = await sql`
    select from ${sql.id('content', `article_${noun}`)} where ${sql.ref(`${noun}_id`)} = ${from} limit 1
  `.execute(tx);
  if (rows.length > 0) return false;
  await sql`select pg_advisory_xact_lock(${`content.${noun}`}::regclass::oid::integer, 0)`.execute(tx);
  await sql`update content.former_slug set id = ${into} where resource = ${noun} and id = ${from}`.execute(
    tx,
  );
  if (noun === 'author')
    await tx
      .updateTable('content.assignment')
      .set({ author_id: into })
      .where('author_id', '=', from)
      .execute();
  await tx.deleteFrom(`content.${noun}`).where('id', '=', from).execute();
  await sql`insert into content.former_slug (resource, slug, id) values (${noun}, ${slug}, ${into})`.execute(
    tx,
  );
  return true;
}

/** Locks both, and returns the slug of `from`. */
async function find(
  tx: Transaction<ContentTables>,
  noun: Merged,
  from: number,
  into: number,
): Promise<string> {
  const rows = await tx
    .selectFrom(`content.${noun}`)
    .select(['id', 'slug'])
    .where('id', 'in', [from, into])
    .orderBy('id')
    .forUpdate()
    .execute();
  const slug = rows.find(({ id }) => id === from)?.slug;
  if (slug === undefined) throw new Failure('missing', `${noun} ${from} does not exist`);
  if (!rows.some(({ id }) => id === into)) throw refused('not_found', `no ${noun} has the id ${into}`);
  return slug;
}

function refused(code: FieldCode, message: string): Failure {
  return invalid([{ field: 'into', code, message }]);
}
