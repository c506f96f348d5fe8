import {
  PRIVATE,
  replyConditionally,
  writePrecondition,
  writtenTag,
} from '@pressroom/common/caching/conditional';
import { personOf } from '@pressroom/common/desk/person';
import { text } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import { z } from 'zod';
import { correctionNote, itemId, MAX_TEXT, storyId } from '../../fields.ts';
import { splitStory } from '../../grouping/story-renewal.ts';
import type { NewsTables } from '../../tables.ts';
import { inEdit } from '../edits.ts';
import {
  describeStory,
  existingStory,
  HOT_PLACES,
  mergeStories,
  readStoryDetail,
  type StoryDetail,
  setCorrection,
  setDigest,
  setHotPlace,
} from '../stories.ts';
import { unmergeStory } from '../undo.ts';
import { type EditorParts, editNumber, renewalOf, timestamp, toWire } from './editors.ts';
import { historyOperation } from './history.ts';

const storyPath = z.object({ id: storyId });

const status = z.enum(['active', 'settled']);

const storiesAnswer = z.object({
  stories: z.array(
    z
      .object({
        publicId: z.string(),
        title: z.string(),
        status,
        digest: z.string().nullable(),
        reportCount: z.int(),
        latest: z.object({ id: z.string(), title: z.string(), publishedAt: timestamp }),
      })
      .meta({ id: 'NewsroomStoryListItem' }),
  ),
  nextCursor: z.string().nullable(),
});

const storyAnswer = z
  .object({
    publicId: z.string(),
    title: z.string(),
    status,
    digest: z.string().nullable(),
    digestUpdatedAt: timestamp.nullable(),
    digestBy: z.string().nullable().describe('`rules`, `model` or `person`.'),
    digestRefusal: z
      .object({
        why: z
          .enum(['invented', 'form', 'endpoint', 'report'])
          .describe(
            '`invented`: it names `detail`, which no report does; `form`: it cannot be published; `endpoint`: ' +
              'the endpoint did not write it; `report`: a report reads like an instruction, and none was asked for.',
          ),
        detail: z.string().nullable(),
      })
      .nullable()
      .describe("Why the model's digest was not taken, while that of the rules stands in its place."),
    correction: z.string().nullable().describe('What was wrong with it or its digest, for its readers.'),
    correctedAt: timestamp.nullable(),
    lead: z.string().nullable().describe('The summary of its newest report.'),
    words: z
      .array(z.string())
      .describe('What its reports have in common, as their titles spell it, weightiest first; at most 8.'),
    createdAt: timestamp,
    updatedAt: timestamp,
    mergedInto: z.string().nullable(),
    merged: z.array(z.object({ publicId: z.string(), title: z.string() })),
    keptApartFrom: z.array(z.string()),
    references: z.array(z.object({ kind: z.string(), publicId: z.string(), relation: z.string() })),
    reports: z.array(
      z.object({
        id: z.string(),
        title: z.string(),
        sourceName: z.string(),
        publishedAt: timestamp,
        selected: z.boolean(),
        withdrawnAt: timestamp.nullable(),
      }),
    ),
  })
  .meta({ id: 'NewsroomStory', description: 'All of a story.' });

const merge = z.strictObject({ into: storyId });

/** The most reports that are moved at once. */
const MOST_MOVED = 1000;

const split = z.strictObject({
  items: z
    .array(itemId, 'must be a list of ids of reports')
    .min(1, 'must have at least one report')
    .max(MOST_MOVED, `must have at most ${MOST_MOVED} reports`),
});

const digestPut = z.strictObject({ digest: text(MAX_TEXT).nullable() });

const correctionPut = z.strictObject({ correction: correctionNote });

const placePut = z.strictObject({
  place: z.enum(HOT_PLACES, `must be ${HOT_PLACES.join(', ')} or null`).nullable(),
});

const storyEditedAnswer = z.object({ edit: editNumber });

/** Answer of a merge or a split. */
const storyMovedAnswer = z.object({
  edit: editNumber,
  publicId: z.string().describe('The story that it is now, or the new one.'),
});

/** A list of stories with public reports, by its own parameters. */
interface StoryList<Query extends z.ZodType> {
  query: Query;
  read: (query: z.output<Query>) => Promise<z.input<typeof storiesAnswer>>;
}

const TAGS = ['stories'];
const READ_PROBLEMS = problemResponses(400, 401, 403, 404, 503);
const WRITE_PROBLEMS = problemResponses(400, 401, 403, 404, 409, 412, 413, 415, 422, 503);

/** The operations on stories: each does what a command of `newsroom story` does. */
export function storyOperations<Query extends z.ZodType>(parts: EditorParts, stories: StoryList<Query>) {
  return { ...reads(parts, stories), ...moves(parts), ...texts(parts) };
}

function reads<Query extends z.ZodType>({ db, lexicon }: EditorParts, stories: StoryList<Query>) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listStories',
      summary: 'List the stories with public reports, that with the newest one first',
      querystring: stories.query,
      response: { 200: storiesAnswer, ...problemResponses(400, 401, 403, 503) },
    },
    handler: async (request) => stories.read(request.query as z.output<Query>),
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'getStory',
      summary: 'Read all of a story, its reports and the stories that it points to',
      params: storyPath,
      response: { 200: storyAnswer, ...NOT_MODIFIED, ...READ_PROBLEMS },
    },
    handler: (request, reply) =>
      replyConditionally(request, reply, {
        cacheControl: PRIVATE,
        load: async () => {
          const { id } = request.params;
          const [story, told] = await Promise.all([readStoryDetail(db, id), describeStory(db, id, lexicon)]);
          return { value: toWire({ ...story, ...told }), own: ownOf(story) };
        },
      }),
  });
  const history = historyOperation(db, 'story', storyPath, (id) => existingStory(db, id));
  return { list, read, history };
}

function moves(parts: EditorParts) {
  const { db, vocabulary } = parts;
  const join = operation({
    schema: {
      tags: TAGS,
      operationId: 'mergeStory',
      summary: 'Merge a story into another one; its address redirects there from now on',
      params: storyPath,
      body: merge,
      response: { 200: storyMovedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request) => {
      const [from, { into }] = [request.params.id, request.body];
      const edit = { actor: personOf(request.headers), action: 'story merge' };
      const done = await inEdit(db, edit, (tx) => mergeStories(tx, from, into, renewalOf(parts)));
      const { mergedInto } = await readStoryDetail(db, from);
      return { edit: done.edit, publicId: mergedInto ?? into };
    },
  });
  const unmerge = operation({
    schema: {
      tags: TAGS,
      operationId: 'unmergeStory',
      summary: 'Undo the merge of a story; the newsroom does not merge the two again',
      params: storyPath,
      response: { 200: storyEditedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request) => {
      const undoing = {
        actor: personOf(request.headers),
        renewal: renewalOf(parts),
        zone: vocabulary.calendar.zone,
      };
      const { edit } = await unmergeStory(db, request.params.id, undoing);
      return { edit };
    },
  });
  const part = operation({
    schema: {
      tags: TAGS,
      operationId: 'splitStory',
      summary: 'Move reports of a story to a new story; the newsroom does not merge the two again',
      params: storyPath,
      body: split,
      response: { 200: storyMovedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request) => {
      const { id } = request.params;
      const edit = { actor: personOf(request.headers), action: 'story split' };
      const done = await inEdit(db, edit, (tx) => splitStory(tx, id, request.body.items, renewalOf(parts)));
      return { edit: done.edit, publicId: done.result };
    },
  });
  return { merge: join, unmerge, split: part };
}

function texts({ db }: EditorParts) {
  /** Writes a text of the story, as it was when its `ETag` was read. */
  const written = async (
    request: FastifyRequest,
    id: string,
    action: string,
    write: (tx: Transaction<NewsTables>) => Promise<boolean>,
  ) => {
    const condition = writePrecondition(request);
    const { edit } = await inEdit(db, { actor: personOf(request.headers), action }, async (tx) => {
      await tx.selectFrom('news.story').select('public_id').where('public_id', '=', id).forUpdate().execute();
      if (condition !== undefined) condition(ownOf(await readStoryDetail(tx, id)));
      return write(tx);
    });
    return { edit, etag: writtenTag(ownOf(await readStoryDetail(db, id))) };
  };
  const digest = operation({
    schema: {
      tags: TAGS,
      operationId: 'writeDigest',
      summary: 'Replace the digest of a story; null or an empty text removes it',
      params: storyPath,
      body: digestPut,
      responseHeaders: { 200: ['ETag'] },
      response: { 200: storyEditedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const text = request.body.digest?.trim() || null;
      const { edit, etag } = await written(request, id, 'story digest', (tx) => setDigest(tx, id, text));
      return reply.headers({ 'cache-control': PRIVATE, etag }).send({ edit });
    },
  });
  const note = operation({
    schema: {
      tags: TAGS,
      operationId: 'noteOnStory',
      summary: 'Say to the readers of a story what was wrong with it or its digest; null if nothing was',
      description: 'It takes the place of what was said of the stories that have become this one.',
      params: storyPath,
      body: correctionPut,
      responseHeaders: { 200: ['ETag'] },
      response: { 200: storyEditedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const { correction } = request.body;
      const { edit, etag } = await written(request, id, 'story note', (tx) =>
        setCorrection(tx, id, correction),
      );
      return reply.headers({ 'cache-control': PRIVATE, etag }).send({ edit });
    },
  });
  const place = operation({
    schema: {
      tags: TAGS,
      operationId: 'placeStory',
      summary: 'Pin a story in the hot list or hide it there, from the next ranking on; null does neither',
      params: storyPath,
      body: placePut,
      response: { 200: storyEditedAnswer, ...WRITE_PROBLEMS },
    },
    handler: async ({ headers, params, body }) => {
      const by = { actor: personOf(headers), action: 'story place' };
      const { edit } = await inEdit(db, by, (tx) => setHotPlace(tx, params.id, body.place));
      return { edit };
    },
  });
  return { digest, note, place };
}

/** Picks the members of a story that an editor can change. */
function ownOf(story: StoryDetail) {
  const { publicId, title, status, digest, digestBy, correction, mergedInto } = story;
  return { publicId, title, status, digest, digestBy, correction, mergedInto };
}
