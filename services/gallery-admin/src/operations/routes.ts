import { Failure } from '@pressroom/common/failures/failure';
import { operation } from '@pressroom/common/http/operation';
import { Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { BatchRunner } from '../batches/runner.ts';
import { batchStarted } from '../batches/schema.ts';
import type { BatchRequest } from '../batches/store.ts';
import type { Bucket, BucketSource } from '../buckets/bucket.ts';
import type { OriginalDates } from '../listing/original-dates.ts';
import { filename } from '../names.ts';
import { problemResponses } from '../problems.ts';
import { logWrite } from '../writing.ts';
import type { CopyLimits } from './copy-request.ts';
import { deleteFound } from './delete-paths.ts';
import { lastName, parentOf } from './destination.ts';
import { loggedPaths } from './messages.ts';
import {
  batchAnswer,
  batchBody,
  deleteAnswer,
  deleteBody,
  renameAnswer,
  renameBody,
  repeatableHeaders,
} from './schema.ts';
import { findSources } from './sources.ts';
import { identify, type OperationStore, type Outcome, type Work } from './store.ts';
import { type NewName, type Transferred, transfer, transferred } from './transfer.ts';
import type { UnfinishedTransfers } from './unfinished.ts';

/** Dependencies of deletions and batches. */
export interface FileParts {
  /** Runs batches in the background. */
  runner: BatchRunner;
  buckets: BucketSource;
  unfinished: UnfinishedTransfers;
  operations: OperationStore;
  limits: CopyLimits;
  dates: OriginalDates;
}

const TAGS = ['gallery'];
const PROBLEMS = problemResponses(400, 401, 403, 413, 415, 422, 500, 503);

const REPEATABLE =
  'If a request was interrupted, send it again to finish the work. If its answer was lost, send it again within a day:' +
  ' with the same Idempotency-Key it returns the outcome of the first request; without a key it does so only if the' +
  ' first answer reached nobody and nothing is left to do.';

/**
 * Deletions, renamings, and batches of deletions, copies and moves (`docs/spec/gallery-admin.md`,
 * "Endpoints").
 */
export function fileOperations(parts: FileParts) {
  return { remove: removeOperation(parts), batch: batchOperation(parts), rename: renameOperation(parts) };
}

function removeOperation({ buckets, operations }: FileParts) {
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
      const bucket = await buckets.current();
      const { path, type } = request.body;
      const work: Work = async (before) => {
        const { sources } = await findSources(bucket, [path]);
        // If the file does not exist, a folder with its name is not deleted instead.
        const kind = type === 'image' ? 'object' : 'folder';
        return deleteFound(bucket, { sources: sources.filter((source) => source.kind === kind), before });
      };
      const asked = ['delete', type, path];
      const { message, affected } = await answer({ operations, bucket, asked, work, request, reply });
      logWrite(request, 'objects_changed', { action: 'delete', ...loggedPaths([path]), affected });
      return { success: true as const, message, deleted: affected };
    },
  });
}

function batchOperation({ buckets, unfinished, operations, limits, dates, runner }: FileParts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'runBatch',
      summary: 'Delete, copy or move files and folders',
      description: `Everything is checked before anything is changed. ${REPEATABLE}`,
      headers: repeatableHeaders,
      body: batchBody,
      response: { 200: batchAnswer, 202: batchStarted, ...PROBLEMS },
    },
    handler: async (request, reply) => {
      const bucket = await buckets.current();
      const { body } = request;
      if (body.background) {
        const { action, paths } = body;
        const asked =
          action === 'delete'
            ? { action, paths, dest: '' }
            : { action, paths, dest: body.dest, ...namesOf(body) };
        return reply.code(202).send(await startBatch(runner, bucket, asked, request));
      }
      const work: Work = async (before, record) => {
        if (body.action !== 'delete') {
          const outcomeOf = (done: Transferred) =>
            before && done.affected === 0 ? before : transferred(body, done);
          const done = await transfer(
            { bucket, unfinished, limits, dates },
            {
              ...body,
              repeated: before !== undefined,
              record: (recorded, db) => record(outcomeOf(recorded), db),
            },
          );
          return outcomeOf(done);
        }
        const { sources } = await findSources(bucket, body.paths);
        return deleteFound(bucket, { sources, before });
      };
      const asked = identityOf(body);
      const outcome = await answer({ operations, bucket, asked, work, request, reply });
      const { action, paths } = body;
      const dest = action === 'delete' ? undefined : body.dest;
      logWrite(request, 'objects_changed', {
        action,
        ...loggedPaths(paths),
        dest,
        affected: outcome.affected,
      });
      return { success: true as const, ...outcome };
    },
  });
}

function renameOperation({ buckets, unfinished, operations, limits, dates, runner }: FileParts) {
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
      const bucket = await buckets.current();
      const { path, name } = request.body;
      const dest = parentOf(path);
      if (request.body.background) {
        const renaming = { action: 'rename' as const, paths: [path], dest, name };
        return reply.code(202).send(await startBatch(runner, bucket, renaming, request));
      }
      const work: Work = async (before, record) => {
        const renaming = { action: 'move' as const, paths: [path], dest, name };
        const outcomeOf = (done: Transferred) => {
          if (before && done.affected === 0) return before;
          return { ...transferred(renaming, done), path: done.transfers[0]?.target ?? dest + name };
        };
        const done = await transfer(
          { bucket, unfinished, limits, dates },
          {
            ...renaming,
            repeated: before !== undefined,
            record: (recorded, db) => record(outcomeOf(recorded), db),
          },
        );
        return outcomeOf(done);
      };
      const asked = ['rename', path, name];
      const outcome = await answer({ operations, bucket, asked, work, request, reply });
      const renamed = outcome.path ?? dest + name;
      const { affected } = outcome;
      logWrite(request, 'objects_changed', { action: 'rename', ...loggedPaths([path]), name, affected });
      return { success: true as const, ...outcome, path: renamed, undo: undoOf(path, renamed) };
    },
  });
}

/** What tells a batch from others. Names are a part of it only if there are some. */
function identityOf(body: z.infer<typeof batchBody>): unknown[] {
  const paths = body.paths.toSorted();
  if (body.action === 'delete') return [body.action, paths, ''];
  return [body.action, paths, body.dest, ...Object.values(namesOf(body))];
}

function namesOf({ names = [] }: { names?: NewName[] | undefined }): { names?: NewName[] } {
  return names.length === 0 ? {} : { names: names.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
}

/** Starts a batch in the background, or finds the one that the same request started. */
async function startBatch(runner: BatchRunner, bucket: Bucket, asked: BatchRequest, request: FastifyRequest) {
  const key = request.headers['idempotency-key'];
  const started = runner.start(bucket, asked, typeof key === 'string' ? key : undefined);
  const batch = await started.catch(explainKey);
  logWrite(request, 'batch_started', { batch: batch.id });
  return { success: true as const, message: `the batch is ${batch.state}`, batch };
}

/** The renaming that takes a renaming back; null if the old name is not one that a request may give. */
function undoOf(path: string, renamed: string): { path: string; name: string } | null {
  const old = lastName(path).replace(/\/$/, '');
  return filename.safeParse(old).data === old ? { path: renamed, name: old } : null;
}

interface Answering {
  operations: OperationStore;
  bucket: Bucket;
  asked: unknown[];
  work: Work;
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * Answers with the outcome of `work`, or of the same earlier request, and records that the client received
 * it.
 */
async function answer({ operations, bucket, asked, work, request, reply }: Answering): Promise<Outcome> {
  const { socket } = request.raw;
  const key = request.headers['idempotency-key'];
  const operation = identify(bucket, asked, typeof key === 'string' ? key : undefined);
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const { outcome, run } = await operations.answer(operation, work, left.signal).catch(explainKey);
  reply.raw.once('finish', () => {
    // A client that closed its side may be gone, so it is unknown whether the answer arrives.
    if (!socket.destroyed && !socket.readableEnded) void operations.delivered(operation, run);
  });
  return outcome;
}

/** In this service too, a key reused with a different request is 422. */
function explainKey(error: unknown): never {
  if (error instanceof Failure && error.code === 'idempotency_key_reused') {
    throw new Problem(422, error.code, error.message);
  }
  throw error;
}
