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

/** What deletions and batches need. */
export interface FileParts {
  buckets: BucketSource;
  unfinished: UnfinishedTransfers;
  operations: OperationStore;
  limits: CopyLimits;
}

const TAGS = ['gallery'];
const PROBLEMS = problemResponses(400, 401, 403, 413, 415, 422, 500, 503);

const REPEATABLE =
  'A request that was interrupted can be sent again: it finishes what it began. A request whose answer was lost can be' +
  ' sent again as well, within a day: with the same Idempotency-Key it answers with the outcome of the first; without a' +
  ' key it does so when the answer reached nobody and nothing is left to do.';

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
        // A file that is not there does not make the folder of its name one.
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

/** Answers with the outcome of `work`, or of the same request before, and notes when the client has it. */
async function answer({ operations, bucket, asked, work, request, reply }: Answering): Promise<Outcome> {
  const { socket } = request.raw;
  const key = request.headers['idempotency-key'];
  const operation = identify(bucket, asked, typeof key === 'string' ? key : undefined);
  const left = new AbortController();
  reply.raw.once('close', () => left.abort());
  const { outcome, run } = await operations.answer(operation, work, left.signal).catch(explainKey);
  reply.raw.once('finish', () => {
    // A client that closed its side may have gone: what it is sent is not known to arrive.
    if (!socket.destroyed && !socket.readableEnded) void operations.delivered(operation, run);
  });
  return outcome;
}

/** 422 is the status of a key that comes again with another request, in this service, too. */
function explainKey(error: unknown): never {
  if (error instanceof Failure && error.code === 'idempotency_key_reused') {
    throw new Problem(422, error.code, error.message);
  }
  throw error;
}
