import { operation } from '@pressroom/common/http/operation';
import type { BucketSource } from '../buckets/bucket.ts';
import { batchList, batchListQuery, batchPath, batchRead, batchStarted } from '../operations/batch-schema.ts';
import type { Operations } from '../operations/operations.ts';
import type { OperationStore } from '../operations/store.ts';
import { problemResponses } from '../problems.ts';

/** Dependencies of the batches that run in the background. */
export interface BatchParts {
  buckets: BucketSource;
  store: OperationStore;
  operations: Operations;
}

const TAGS = ['gallery'];

/** The batches that run in the background: an addition to `docs/spec/gallery-admin.md`, "Endpoints". */
export function batchOperations({ buckets, store, operations }: BatchParts) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listBatches',
      summary: 'List the batches that run in the background and the last ones that ended',
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
      const batch = await operations.resume(await buckets.current(), params.id);
      return reply.code(202).send({ success: true as const, message: `the batch is ${batch.state}`, batch });
    },
  });
  return { list, read, resume };
}
