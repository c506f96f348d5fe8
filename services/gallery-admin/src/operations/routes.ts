import { Failure } from '@pressroom/common/failures/failure';
import { operation } from '@pressroom/common/http/operation';
import { Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BucketSource } from '../buckets/bucket.ts';
import { problemResponses } from '../problems.ts';
import { TRASH } from '../trash-path.ts';
import { logWrite } from '../writing.ts';
import { batchStarted } from './batch-schema.ts';
import { parentOf } from './destination.ts';
import { loggedPaths } from './messages.ts';
import type { OperationRequest, Outcome } from './operation.ts';
import type { Operations } from './operations.ts';
import {
  batchAnswer,
  batchBody,
  deleteAnswer,
  deleteBody,
  renameAnswer,
  renameBody,
  repeatableHeaders,
} from './schema.ts';

/** Dependencies of deletions and batches. */
export interface FileParts {
  buckets: BucketSource;
  operations: Operations;
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
function deletionOf(paths: string[], toTrash = false): OperationRequest {
  return toTrash ? { action: 'trash', paths, dest: TRASH } : { action: 'delete', paths, dest: '' };
}

/** Starts a batch in the background, or finds the one that the same request started. */
async function start({ buckets, operations }: FileParts, asked: OperationRequest, request: FastifyRequest) {
  const started = operations.start(await buckets.current(), {
    request: asked,
    key: keyOf(request),
    background: true,
  });
  const batch = await started.catch(explainKey);
  logWrite(request, 'batch_started', { batch: batch.id });
  return { success: true as const, message: `the batch is ${batch.state}`, batch };
}

/** The outcome of what is asked, or of the same earlier request; records that the client received it. */
async function perform(
  { buckets, operations }: FileParts,
  asked: OperationRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Outcome> {
  const bucket = await buckets.current();
  const { socket } = request.raw;
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const performed = operations.perform(
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
