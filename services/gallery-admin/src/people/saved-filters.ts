import { lockUntilCommit } from '@pressroom/common/database/database';
import { Failure } from '@pressroom/common/failures/failure';
import { onOneLine, requiredText } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { Problem } from '@pressroom/common/problems/problem';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { problemResponses } from '../problems.ts';
import { doneAnswer } from '../session/session.ts';
import type { GalleryTables } from '../tables.ts';
import type { Role } from './people-store.ts';

/** The filters that one person may save. */
const MOST = 50;

/** The shared ones that are shown. */
const MOST_SHARED = 100;

/** Roles that may show a filter to everybody, and take it away again. */
const SHARING: readonly Role[] = ['owner', 'editor'];

const filterBody = z.strictObject({
  name: onOneLine(requiredText(60)),
  query: onOneLine(requiredText(500)).describe(
    'The query of the address of the desk’s list of articles, such as `status=draft&tag=sea`.',
  ),
  shared: z.boolean().default(false).describe('True to show it to everybody; for owners and editors.'),
});

const filterPath = z.object({ id: z.uuid('must be a UUID that the page has made up') });

const filtersAnswer = z.object({
  success: z.literal(true),
  data: z.object({
    filters: z.array(
      z
        .object({
          id: z.uuid(),
          name: z.string(),
          query: z.string(),
          shared: z.boolean(),
          own: z.boolean().describe('True if it is one’s own.'),
        })
        .meta({ id: 'SavedFilter' }),
    ),
  }),
});

/** The operations on the filters of the list of articles that people have saved. */
export function savedFilterOperations(db: Kysely<GalleryTables>) {
  const list = operation({
    schema: {
      tags: ['me'],
      operationId: 'listSavedFilters',
      summary: 'List the saved filters of the list of articles: one’s own, and the shared ones',
      description: `The first saved first: up to ${MOST} of one’s own, and ${MOST_SHARED} shared ones.`,
      response: { 200: filtersAnswer, ...problemResponses(401, 403, 503) },
    },
    handler: async ({ person }) => {
      const { rows } = await sql<z.infer<typeof filtersAnswer>['data']['filters'][number]>`
        select id, name, query, shared, own from (
          (select *, true as own from gallery.saved_filter
            where person_id is not distinct from ${person.id}::uuid order by created_at limit ${MOST})
          union all
          (select *, false as own from gallery.saved_filter
            where shared and person_id is distinct from ${person.id}::uuid
            order by created_at limit ${MOST_SHARED})
        ) as found order by created_at, id`.execute(db);
      return { success: true as const, data: { filters: rows } };
    },
  });
  const save = operation({
    schema: {
      tags: ['me'],
      operationId: 'saveFilter',
      summary: 'Save a filter of the list of articles under a name, or change one’s own',
      description: 'The page makes up the id: repeated, the same request saves one filter.',
      params: filterPath,
      body: filterBody,
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 503) },
    },
    handler: async ({ params: { id }, body, person }) => {
      if (body.shared) requireSharing(person.role);
      await db.transaction().execute(async (tx) => {
        // Two windows at once would go over the limit together.
        await lockUntilCommit(tx, 'save a filter', person.id ?? '');
        const { rows } = await sql<{ count: number }>`select count(*)::integer as count
          from gallery.saved_filter where person_id is not distinct from ${person.id}::uuid and id <> ${id}`.execute(
          tx,
        );
        if ((rows[0]?.count ?? 0) >= MOST) {
          const detail = `${MOST} filters are saved already; remove one first`;
          throw new Failure('conflict', detail, { code: 'too_many_filters' });
        }
        const { numAffectedRows } = await sql`
          insert into gallery.saved_filter as kept (id, person_id, name, query, shared)
          values (${id}, ${person.id}::uuid, ${body.name}, ${body.query}, ${body.shared})
          on conflict (id) do update
            set name = excluded.name, query = excluded.query, shared = excluded.shared
            where kept.person_id is not distinct from excluded.person_id`.execute(tx);
        if (numAffectedRows === 0n) throw new Failure('missing', 'this filter is somebody else’s');
      });
      return { success: true as const };
    },
  });
  const remove = operation({
    schema: {
      tags: ['me'],
      operationId: 'removeSavedFilter',
      summary: 'Remove one’s own saved filter; owners and editors remove shared ones too',
      description: 'What is not there, or not for the caller to remove, stays as it is.',
      params: filterPath,
      response: { 200: doneAnswer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async ({ params: { id }, person }) => {
      await sql`delete from gallery.saved_filter where id = ${id} and
        (person_id is not distinct from ${person.id}::uuid or (shared and ${SHARING.includes(person.role)}))`.execute(
        db,
      );
      return { success: true as const };
    },
  });
  return { list, save, remove };
}

function requireSharing(role: Role): void {
  if (SHARING.includes(role)) return;
  throw new Problem(403, 'role_forbids', `the role ${role} may not share filters`);
}
