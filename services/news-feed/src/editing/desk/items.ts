import {
  PRIVATE,
  replyConditionally,
  writePrecondition,
  writtenTag,
} from '@pressroom/common/caching/conditional';
import { personOf } from '@pressroom/common/desk/person';
import { integerParameter, text } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { itemId, MAX_TEXT, time } from '../../fields.ts';
import { readJudgement } from '../../grouping/judging.ts';
import type { Vocabulary } from '../../words.ts';
import { type Edited, inEdit } from '../edits.ts';
import { itemChange, itemInput, shownItem } from '../item-members.ts';
import {
  addItem,
  changeItem,
  type ItemDetail,
  type ItemEdit,
  readItemDetail,
  readWithdrawn,
  restoreItem,
  withdrawItem,
} from '../items.ts';
import { undoEdit } from '../undo.ts';
import { type EditorParts, editNumber, renewalOf, timestamp, toWire } from './editors.ts';
import { historyOperation } from './history.ts';

const itemPath = z.object({ id: itemId });

const members = { id: z.string(), ...shownItem };

const itemsAnswer = z.object({
  items: z.array(
    z
      .object({ ...members, story: z.string().nullable().describe('Its `publicId`.') })
      .meta({ id: 'NewsroomListItem' }),
  ),
  nextCursor: z.string().nullable(),
});

/** Parameters of the withdrawn items. */
export const withdrawnQuery = z.strictObject({ limit: integerParameter(1, 100).default(50) });

const withdrawnAnswer = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      sourceName: z.string(),
      publishedAt: timestamp,
      category: z.string().nullable(),
      score: z.number().nullable(),
      selected: z.boolean(),
      withdrawnAt: timestamp.nullable(),
    }),
  ),
});

const itemAnswer = z
  .object({
    ...members,
    story: z.object({ publicId: z.string(), title: z.string() }).nullable(),
    withdrawnAt: timestamp.nullable(),
    updatedAt: timestamp,
    sources: z.array(z.object({ id: z.int(), name: z.string(), isFollowed: z.boolean() })),
    reports: z.array(z.object({ period: z.string(), date: z.string() })),
  })
  .meta({ id: 'NewsroomItem', description: 'All of an item.' });

const itemEditedAnswer = z.object({ edit: editNumber, item: itemAnswer }).meta({ id: 'ItemEdit' });

/** Body of `POST`. */
const itemCreate = (vocabulary: Vocabulary) => itemInput(vocabulary, time);

/** Body of `PATCH`. */
const itemPatch = (vocabulary: Vocabulary) =>
  itemChange(vocabulary)
    .refine((body) => Object.keys(body).length > 0, {
      message: 'must have at least one member',
      params: { code: 'required' },
    })
    .meta({ minProperties: 1 });

const selection = z.strictObject({ reason: text(MAX_TEXT).nullable().optional() }).nullish();

const explanationAnswer = z.object({
  id: z.string(),
  title: z.string(),
  sourceName: z.string(),
  story: z.string().nullable(),
  category: z.string().nullable(),
  score: z.number().nullable(),
  selected: z.boolean(),
  directions: z.array(z.string()),
  judgedAt: timestamp.nullable(),
  judgedScore: z.number().nullable(),
  judgedSelected: z.boolean().nullable(),
  terms: z
    .array(
      z.object({
        name: z.string(),
        points: z.number(),
        note: z.string().optional(),
        value: z.number().optional().describe('The number in the note.'),
      }),
    )
    .nullable()
    .describe('Null if no editor has judged it.'),
});

/** Path of an edit. */
export const editPath = z.object({ edit: integerParameter(1, 999_999_999_999_999) });

const undoneAnswer = z.object({ edit: editNumber });

/** A list of items that are public, by its own parameters. */
interface ItemList<Query extends z.ZodType> {
  query: Query;
  read: (query: z.output<Query>) => Promise<z.input<typeof itemsAnswer>>;
}

const TAGS = ['items'];
const READ_PROBLEMS = problemResponses(400, 401, 403, 404, 503);
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503);

/** The operations on items: each does what a command of `newsroom item` does. */
export function itemOperations<Query extends z.ZodType>(parts: EditorParts, items: ItemList<Query>) {
  return { ...reads(parts, items), ...edits(parts), undo: undoOperation(parts) };
}

function reads<Query extends z.ZodType>({ db }: EditorParts, items: ItemList<Query>) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listItems',
      summary: 'List or search the public items, the last published first',
      querystring: items.query,
      response: { 200: itemsAnswer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async (request) => items.read(request.query as z.output<Query>),
  });
  const withdrawn = operation({
    schema: {
      tags: TAGS,
      operationId: 'listWithdrawnItems',
      summary: 'List the withdrawn items, the last withdrawn first',
      querystring: withdrawnQuery,
      response: { 200: withdrawnAnswer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async ({ query }) => ({ items: toWire(await readWithdrawn(db, query.limit)) }),
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getItem',
      summary: 'Read all of an item, withdrawn or not',
      params: itemPath,
      response: { 200: itemAnswer, ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: PRIVATE,
        load: async () => {
          const item = await readItemDetail(db, request.params.id);
          return { value: toWire(item), own: ownOf(item) };
        },
      }),
  });
  const history = historyOperation(db, 'item', itemPath, (id) => readItemDetail(db, id));
  const explain = operation({
    schema: {
      tags: TAGS,
      operationId: 'explainItem',
      summary: 'Say why the editor gave an item its score',
      params: itemPath,
      response: { 200: explanationAnswer, ...READ_PROBLEMS },
    },
    handler: async ({ params }) => {
      const judged = await readJudgement(db, params.id);
      const { source_name: sourceName, judged_at: judgedAt, ...item } = judged;
      const { judged_score: judgedScore, judged_selected: judgedSelected, ...rest } = item;
      return toWire({ ...rest, sourceName, judgedAt, judgedScore, judgedSelected });
    },
  });
  return { list, withdrawn, read, history, explain };
}

function edits(parts: EditorParts) {
  const { db, vocabulary, clock } = parts;
  /** The item as an edit has left it. */
  const edited = async (id: string, edit: number | null) => {
    const item = await readItemDetail(db, id);
    const headers = { 'cache-control': PRIVATE, etag: writtenTag(ownOf(item)) };
    return { headers, body: { edit, item: toWire(item) } };
  };
  const editOf = (request: FastifyRequest, action: string) => ({
    actor: personOf(request.headers),
    action,
    renewal: renewalOf(parts),
  });
  const add = operation({
    schema: {
      tags: TAGS,
      operationId: 'addItem',
      summary: 'Add an item by hand',
      body: itemCreate(vocabulary),
      responseHeaders: { 201: ['ETag'] },
      response: { 201: itemEditedAnswer, ...problemResponses(400, 401, 403, 404, 409, 413, 415, 422, 503) },
    },
    handler: async (request, reply) => {
      const actor = personOf(request.headers);
      const { result: id, edit } = await addItem(db, request.body, { actor, action: 'item add' }, clock());
      const { headers, body } = await edited(id, edit);
      const location = `/api/items/${encodeURIComponent(id)}`;
      return reply
        .code(201)
        .headers({ ...headers, location })
        .send(body);
    },
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'editItem',
      summary: 'Change members of an item; null removes one',
      params: itemPath,
      body: itemPatch(vocabulary),
      responseHeaders: { 200: ['ETag'] },
      response: { 200: itemEditedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const condition = writePrecondition(request);
      const { id } = request.params;
      const { edit } = await changeItem(db, id, request.body, {
        ...editOf(request, 'item edit'),
        precondition: condition && ((item) => condition(ownOf(item))),
      });
      const { headers, body } = await edited(id, edit);
      return reply.headers(headers).send(body);
    },
  });
  const acting = (
    name: 'select' | 'deselect' | 'withdraw' | 'restore',
    summary: string,
    act: (id: string, edit: ItemEdit, body: unknown) => Promise<Edited<unknown>>,
    body?: z.ZodType,
  ) =>
    operation({
      schema: {
        tags: TAGS,
        operationId: `${name}Item`,
        summary,
        params: itemPath,
        ...(body && { body }),
        response: { 200: itemEditedAnswer, ...WRITE_PROBLEMS },
      },
      handler: async (request, reply) => {
        const { id } = request.params;
        const { edit } = await act(id, editOf(request, `item ${name}`), request.body);
        const { headers, body: answer } = await edited(id, edit);
        return reply.headers(headers).send(answer);
      },
    });
  const select = (id: string, edit: ItemEdit, body: unknown) =>
    changeItem(db, id, { ...(body as z.output<typeof selection>), selected: true }, edit);
  return {
    add,
    change,
    select: acting('select', 'Add an item to the selected set', select, selection),
    deselect: acting('deselect', 'Remove an item from the selected set; it stays public', (id, edit) =>
      changeItem(db, id, { selected: false }, edit),
    ),
    withdraw: acting('withdraw', 'Remove an item from every answer', (id, { renewal, ...edit }) =>
      inEdit(db, edit, (tx) => withdrawItem(tx, id, renewal)),
    ),
    restore: acting('restore', 'Restore a withdrawn item', (id, { renewal, ...edit }) =>
      inEdit(db, edit, (tx) => restoreItem(tx, id, renewal)),
    ),
  };
}

function undoOperation(parts: EditorParts) {
  return operation({
    schema: {
      tags: ['edits'],
      operationId: 'undoEdit',
      summary: 'Undo an edit by another one, unless what it changed has been changed again',
      params: editPath,
      response: { 200: undoneAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request) => {
      const { edit } = await undoEdit(parts.db, request.params.edit, {
        actor: personOf(request.headers),
        renewal: renewalOf(parts),
        zone: parts.vocabulary.calendar.zone,
      });
      return { edit };
    },
  });
}

/** Picks the members of an item that an editor can change. */
function ownOf({ story, sources: _sources, reports: _reports, updatedAt: _at, ...members }: ItemDetail) {
  return { ...members, story: story?.publicId ?? null };
}
