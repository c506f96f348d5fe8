import { Failure } from '@pressroom/common/failures/failure';
import { operation } from '@pressroom/common/http/operation';
import { Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { BucketSource } from '../buckets/bucket.ts';
import {
  existingPath,
  filename,
  folderPrefix,
  isInTrash,
  parentOf,
  TRASH,
  TRASH_DAYS,
  trashedAt,
} from '../names.ts';
import { logWrite, problemResponses } from '../problems.ts';
import { requireFresh } from '../session/guard.ts';
import type { Batches } from './batches.ts';
import {
  type BatchRequest,
  type BatchStore,
  batchList,
  batchListQuery,
  batchPath,
  batchRead,
  batchStarted,
  type Outcome,
} from './batches-store.ts';
import { loggedPaths } from './objects.ts';

/** The most paths in one request. */
const MAX_PATHS = 1000;

/** A non-empty path: the root cannot be deleted, copied or moved. */
const namedPath = existingPath
  .refine((value) => value !== '', 'must not be empty')
  .meta({ minLength: 1, maxLength: 1024 });

/** The header that makes a request repeatable; other headers are not checked. */
const repeatableHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional()
    .describe(
      'A value chosen by the client, such as a UUID: for a day, the same request with the same key has the same outcome.',
    ),
});

const trash = z
  .boolean()
  .optional()
  .describe(
    `true: keep it in the trash for ${TRASH_DAYS} days, from which "restore" brings it back; otherwise it is gone for good.`,
  );

/** Things in the trash can only be deleted for good. */
function isOutside(trash: boolean | undefined, paths: readonly string[]): boolean {
  return !trash || !paths.some(isInTrash);
}

const IN_TRASH = 'is in the trash already; without "trash" it is deleted for good';

const deleteBody = z.discriminatedUnion(
  'type',
  [
    z
      .strictObject({
        type: z.literal('image'),
        path: namedPath
          .refine((value) => !value.endsWith('/'), 'must be the key of a file, without "/" at the end')
          .meta({ pattern: '[^/]$' }),
        trash,
      })
      .refine((body) => isOutside(body.trash, [body.path]), { path: ['path'], error: IN_TRASH }),
    z
      .strictObject({ type: z.literal('folder'), path: namedPath.transform(folderPrefix), trash })
      .refine((body) => isOutside(body.trash, [body.path]), { path: ['path'], error: IN_TRASH }),
  ],
  'must have a type, image or folder',
);

const deleteAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  deleted: z.int().describe('Number of objects deleted; 0 if there was nothing at the path.'),
});

const paths = z
  .array(namedPath, `must be a list of 1 to ${MAX_PATHS} paths`)
  .min(1, 'must contain at least one path')
  .max(MAX_PATHS, `must contain at most ${MAX_PATHS} paths`)
  .describe(
    'Keys of files, and folders; a path without a trailing "/" names a file if there is one, else a folder.',
  );

const background = z
  .boolean()
  .optional()
  .describe('true: answer 202 at once with a batch, which GET /api/gallery/batches/{id} follows.');

const names = z
  .array(z.strictObject({ path: namedPath, name: filename }))
  .max(MAX_PATHS)
  .optional()
  .describe('Other names at the destination for some of the paths, which are spelled as in paths.');

const transfer = {
  paths,
  background,
  dest: existingPath
    .transform(folderPrefix)
    .describe('The destination folder; everything keeps its own name. Empty for the root.'),
  names,
};

/** A name for a path that is not transferred would be lost in silence. */
function isForPaths({ paths, names = [] }: { paths: string[]; names?: { path: string }[] | undefined }) {
  const given = new Set(names.map(({ path }) => path));
  return given.size === names.length && [...given].every((path) => paths.includes(path));
}

const NAMES_RULE = {
  path: ['names'],
  error: 'must have at most one name for each path, and only for those in paths',
};

const batchBody = z.discriminatedUnion(
  'action',
  [
    z
      .strictObject({
        action: z.literal('delete'),
        paths,
        dest: existingPath.optional().describe('Not used.'),
        trash,
        background,
      })
      .refine((body) => isOutside(body.trash, body.paths), { path: ['paths'], error: IN_TRASH }),
    z
      .strictObject({
        action: z.literal('restore'),
        paths: paths.describe('As GET /api/gallery/trash lists them; each goes back to its place.'),
        background,
        names,
      })
      .refine(isForPaths, NAMES_RULE)
      .refine((body) => body.paths.every((path) => trashedAt(path) !== undefined), {
        path: ['paths'],
        error: 'must be paths as GET /api/gallery/trash lists them',
      }),
    z.strictObject({ action: z.literal('copy'), ...transfer }).refine(isForPaths, NAMES_RULE),
    z.strictObject({ action: z.literal('move'), ...transfer }).refine(isForPaths, NAMES_RULE),
  ],
  'must have an action: delete, restore, copy or move',
);

const batchAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  affected: z.int().describe('Number of objects deleted, restored, copied or moved.'),
});

const renameBody = z.strictObject({
  path: namedPath.describe('The key of a file, or a folder, which is renamed with everything in it.'),
  name: filename.describe('The new name, in the same folder.'),
  background,
});

const renameAnswer = z.object({
  success: z.literal(true),
  message: z.string(),
  affected: z.int().describe('Number of objects renamed.'),
  path: z.string().describe('The path with the new name; that of a folder ends with "/".'),
  undo: z
    .object({ path: z.string(), name: z.string() })
    .nullable()
    .describe(
      'The request that takes it back; null if something stayed behind or no new file may have the old name.',
    ),
});

interface FileParts {
  buckets: BucketSource;
  batches: Batches;
}

const TAGS = ['gallery'];
const PROBLEMS = problemResponses(400, 401, 403, 413, 415, 422, 500, 503);

const REPEATABLE =
  'If a request was interrupted, send it again to finish the work. If its answer was lost, send it again within a day:' +
  ' with the same Idempotency-Key it returns the outcome of the first request; without a key it does so only if the' +
  ' first answer was lost and nothing is left to do.';

/**
 * Deletions, renamings, and batches of deletions, copies and moves (`docs/spec/gallery-admin.md`,
 * "Endpoints").
 */
export function fileOperations(parts: FileParts) {
  return { remove: removeOperation(parts), batch: batchOperation(parts), rename: renameOperation(parts) };
}

function removeOperation(parts: FileParts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'deletePath',
      summary: 'Delete a file, or a folder with everything in it',
      description: REPEATABLE,
      headers: repeatableHeaders,
      body: deleteBody,
      response: { 200: deleteAnswer, ...PROBLEMS },
    },
    handler: async (request, reply) => {
      const { path, type, trash } = request.body;
      if (!trash) requireFresh(request);
      const filesOnly = type === 'image' ? (true as const) : undefined;
      const asked = { ...deletionOf([path], trash), filesOnly };
      const { message, affected = 0 } = await perform(parts, asked, request, reply);
      return { success: true as const, message, deleted: affected };
    },
  });
}

function batchOperation(parts: FileParts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'runBatch',
      summary: 'Delete, restore, copy or move files and folders',
      description: `Everything is checked before anything is changed. ${REPEATABLE}`,
      headers: repeatableHeaders,
      body: batchBody,
      response: { 200: batchAnswer, 202: batchStarted, ...PROBLEMS },
    },
    handler: async (request, reply) => {
      const { background, ...body } = request.body;
      if (body.action === 'delete' && !body.trash) requireFresh(request);
      const asked = body.action === 'delete' ? deletionOf(body.paths, body.trash) : { dest: '', ...body };
      if (background) return reply.code(202).send(await start(parts, asked, request));
      const { message, affected = 0 } = await perform(parts, asked, request, reply);
      return { success: true as const, message, affected };
    },
  });
}

function renameOperation(parts: FileParts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'renamePath',
      summary: 'Rename a file, or a folder with everything in it',
      description: `A name that is taken is 400 destination_conflict, and nothing is changed. ${REPEATABLE}`,
      headers: repeatableHeaders,
      body: renameBody,
      response: { 200: renameAnswer, 202: batchStarted, ...PROBLEMS },
    },
    handler: async (request, reply) => {
      const { path: old, name, background } = request.body;
      const dest = parentOf(old);
      const asked = { action: 'rename' as const, paths: [old], dest, name };
      if (background) return reply.code(202).send(await start(parts, asked, request));
      const outcome = await perform(parts, asked, request, reply);
      const { message, affected = 0, path = dest + name, undo: [undo] = [] } = outcome;
      const back = undo?.action === 'rename' ? { path: undo.path, name: undo.name } : null;
      return { success: true as const, message, affected, path, undo: back };
    },
  });
}

/** A deletion, for good or to the trash. */
function deletionOf(paths: string[], toTrash = false): BatchRequest {
  return toTrash ? { action: 'trash', paths, dest: TRASH } : { action: 'delete', paths, dest: '' };
}

/** Starts a batch in the background, or finds the one that the same request started. */
async function start({ buckets, batches }: FileParts, asked: BatchRequest, request: FastifyRequest) {
  const started = batches.start(await buckets.current(), {
    request: asked,
    key: keyOf(request),
    background: true,
  });
  const batch = await started.catch(explainKey);
  logWrite(request, 'batch_started', { batch: batch.id });
  return { success: true as const, message: `the batch is ${batch.state}`, batch };
}

/** The outcome of the request, or of the same earlier one; records that the client received it. */
async function perform(
  { buckets, batches }: FileParts,
  asked: BatchRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Outcome> {
  const bucket = await buckets.current();
  const { socket } = request.raw;
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const performed = batches.perform(
    bucket,
    { request: asked, key: keyOf(request), background: false },
    left.signal,
  );
  const { outcome, received } = await performed.catch(explainKey);
  reply.raw.once('finish', () => {
    // A client that closed its side may be gone, so it is unknown whether the answer arrives.
    if (!socket.destroyed && !socket.readableEnded) void received();
  });
  const { action, paths, dest, name } = asked;
  const { affected } = outcome;
  logWrite(request, 'objects_changed', { action, ...loggedPaths(paths), dest, name, affected });
  return outcome;
}

function keyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? key : undefined;
}

/** In this service too, a key reused with a different request is 422. */
function explainKey(error: unknown): never {
  if (error instanceof Failure && error.code === 'idempotency_key_reused') {
    throw new Problem(422, error.code, error.message);
  }
  throw error;
}

/** Dependencies of the batches that run in the background. */
interface BatchParts {
  buckets: BucketSource;
  store: BatchStore;
  batches: Batches;
}
/** The batches that run in the background: an addition to `docs/spec/gallery-admin.md`, "Endpoints". */
export function batchOperations({ buckets, store, batches }: BatchParts) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listBatches',
      summary: 'List the batches that run in the background and the last ones that ended',
      description:
        'The batches of more than one request’s time; a page that is opened again finds its own here.',
      querystring: batchListQuery,
      response: { 200: batchList, ...problemResponses(400, 401, 500, 503) },
    },
    handler: async () => ({ success: true as const, data: await store.list() }),
  });
  const read = operation({
    schema: {
      tags: TAGS,
      operationId: 'readBatch',
      summary: 'See how far a batch has come, and what takes it back once it is done',
      description: '`done` of `total`, and in the end what a single request would have answered.',
      params: batchPath,
      response: { 200: batchRead, ...problemResponses(400, 401, 404, 500, 503) },
    },
    handler: async ({ params }) => ({ success: true as const, ...(await store.read(params.id)) }),
  });
  const resume = operation({
    schema: {
      tags: TAGS,
      operationId: 'resumeBatch',
      summary: 'Finish a batch that was interrupted or has failed',
      description: 'A batch that runs or is done stays as it is, so the request can be repeated.',
      params: batchPath,
      response: { 202: batchStarted, ...problemResponses(400, 401, 403, 404, 500, 503) },
    },
    handler: async ({ params }, reply) => {
      const batch = await batches.resume(await buckets.current(), params.id);
      return reply.code(202).send({ success: true as const, message: `the batch is ${batch.state}`, batch });
    },
  });
  return { list, read, resume };
}
