import { Failure } from '@pressroom/common/failures/failure';
import { operation } from '@pressroom/common/http/operation';
import { Problem } from '@pressroom/common/problems/problem';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bucket, BucketSource } from '../buckets/bucket.ts';
import { problemResponses } from '../problems.ts';
import type { CopyLimits } from './copy-request.ts';
import { deleteFound } from './delete-paths.ts';
import { batchAnswer, batchBody, deleteAnswer, deleteBody, repeatableHeaders } from './schema.ts';
import { findSources } from './sources.ts';
import { identify, type OperationStore, type Outcome, type Work } from './store.ts';
import { transfer, transferred } from './transfer.ts';
import type { UnfinishedTransfers } from './unfinished.ts';

/** Dependencies of deletions and batches. */
export interface FileParts {
  buckets: BucketSource;
  unfinished: UnfinishedTransfers;
  operations: OperationStore;
  limits: CopyLimits;
}

const TAGS = ['gallery'];
const PROBLEMS = problemResponses(400, 401, 403, 413, 415, 422, 500, 503);

const REPEATABLE =
  'If a request was interrupted, send it again to finish the work. If its answer was lost, send it again within a day:' +
  ' with the same Idempotency-Key it returns the outcome of the first request; without a key it does so only if the' +
  ' first answer reached nobody and nothing is left to do.';

/** Deletions, and batches of deletions, copies and moves (`docs/spec/gallery-admin.md`, "Endpoints"). */
export function fileOperations(parts: FileParts) {
  return { remove: removeOperation(parts), batch: batchOperation(parts) };
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
      return { success: true as const, message, deleted: affected };
    },
  });
}

function batchOperation({ buckets, unfinished, operations, limits }: FileParts) {
  return operation({
    schema: {
      tags: TAGS,
      operationId: 'runBatch',
      summary: 'Delete, copy or move files and folders',
      description: `Everything is checked before anything is changed. ${REPEATABLE}`,
      headers: repeatableHeaders,
      body: batchBody,
      response: { 200: batchAnswer, ...PROBLEMS },
    },
    handler: async (request, reply) => {
      const bucket = await buckets.current();
      const { body } = request;
      const work: Work = async (before) => {
        if (body.action !== 'delete') {
          const done = await transfer(
            { bucket, unfinished, limits },
            { ...body, repeated: before !== undefined },
          );
          return before && done.affected === 0 ? before : transferred(body, done);
        }
        const { sources } = await findSources(bucket, body.paths);
        return deleteFound(bucket, { sources, before });
      };
      const asked = [body.action, body.paths.toSorted(), body.action === 'delete' ? '' : body.dest];
      const outcome = await answer({ operations, bucket, asked, work, request, reply });
      return { success: true as const, ...outcome };
    },
  });
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
