import { integerParameter } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { NewsTables } from '../../tables.ts';
import { readHistory } from '../undo.ts';
import { editNumber, timestamp, toWire } from './editors.ts';

const historyQuery = z.strictObject({ limit: integerParameter(1, 100).default(50) });

const historyAnswer = z.object({
  edits: z
    .array(
      z
        .object({
          edit: z.int(),
          at: timestamp,
          actor: z.string().nullable().describe('The editor; null for the newsroom itself.'),
          program: z.string(),
          action: z.string(),
          undoes: editNumber.describe('The edit that it undoes.'),
          undoneBy: editNumber.describe('The edit that undoes it.'),
          changes: z.array(z.object({ member: z.string(), before: z.unknown(), after: z.unknown() })),
        })
        .meta({ id: 'Edit' }),
    )
    .describe('The newest first.'),
});

/** The operation that reads the history of an item or a story; `find` throws for one that does not exist. */
export function historyOperation(
  db: Kysely<NewsTables>,
  kind: 'item' | 'story',
  params: z.ZodType<{ id: string }>,
  find: (id: string) => Promise<unknown>,
) {
  return operation({
    schema: {
      tags: [kind === 'item' ? 'items' : 'stories'],
      operationId: `get${kind === 'item' ? 'Item' : 'Story'}History`,
      summary: `Say who changed ${kind === 'item' ? 'an item' : 'a story'}, when and what`,
      params,
      querystring: historyQuery,
      response: { 200: historyAnswer, ...problemResponses(400, 401, 403, 404, 503) },
    },
    handler: async ({ params: { id }, query: { limit } }) => {
      await find(id);
      return { edits: toWire(await readHistory(db, { kind, subject: id, limit })) };
    },
  });
}
