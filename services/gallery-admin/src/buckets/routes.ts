import { Failure } from '@pressroom/common/failures/failure';
import { operation } from '@pressroom/common/http/operation';
import type { FastifyRequest } from 'fastify';
import { problemResponses } from '../problems.ts';
import { logWrite } from '../writing.ts';
import { checkBucket } from './check.ts';
import type { BucketConfiguration } from './configuration.ts';
import { type BucketAction, bucketAction, bucketActionAnswer, bucketListAnswer } from './schema.ts';
import type { BucketStore } from './store.ts';

/** What the operations on the bucket settings need. */
export interface BucketParts {
  buckets: BucketStore;
  /** Called after a change has been committed, so that the next request uses it. */
  changed: () => void;
}

/** The kind of store: anything that speaks S3. */
const PROVIDER = 's3';

const TAGS = ['settings'];

/** The bucket configurations and the active one (`docs/spec/wire.md`, "Buckets"). */
export function bucketOperations(parts: BucketParts) {
  const list = operation({
    schema: {
      tags: TAGS,
      operationId: 'listBuckets',
      summary: 'List the buckets',
      response: { 200: bucketListAnswer, ...problemResponses(400, 401, 500, 503) },
    },
    handler: async () => {
      const listed = await parts.buckets.list();
      const activeBucketId = listed.find(({ active }) => active)?.id ?? '';
      const runtime = { provider: PROVIDER, activeBucketId };
      return { success: true as const, data: { buckets: listed, runtime } };
    },
  });
  const change = operation({
    schema: {
      tags: TAGS,
      operationId: 'manageBucket',
      summary: 'Test, save, activate, remove or read a bucket',
      body: bucketAction,
      response: { 200: bucketActionAnswer, ...problemResponses(400, 401, 403, 404, 413, 415, 500, 503) },
    },
    handler: (request) => act(request, request.body, parts),
  });
  return { list, change };
}

async function act(request: FastifyRequest, body: BucketAction, { buckets, changed }: BucketParts) {
  switch (body.action) {
    case 'test':
      return checkBucket(await buckets.configurationOf(body.bucket));
    case 'get-bucket':
      return done(await buckets.read(body.id));
    case 'save': {
      if (body.setActive && !body.force) await assertUsable(await buckets.configurationOf(body.bucket));
      const id = await buckets.save(body.bucket, body.setActive);
      changed();
      logWrite(request, 'bucket_saved', { id, name: body.bucket.name, active: body.setActive });
      const { accessKeyId: _, ...view } = await buckets.read(id);
      return done(view);
    }
    case 'set-active':
      await buckets.setActive(body.id);
      break;
    case 'remove':
      await buckets.remove(body.id);
      break;
  }
  changed();
  logWrite(request, body.action === 'remove' ? 'bucket_removed' : 'bucket_activated', { id: body.id });
  return done({ provider: PROVIDER, activeBucketId: await buckets.activeId() });
}

/** A mistyped key should be reported here, not discovered in an empty gallery. */
async function assertUsable(bucket: BucketConfiguration): Promise<void> {
  const { success, message } = await checkBucket(bucket);
  if (success) return;
  const detail = `${message}; nothing was saved: fix this, save without setActive, or send "force": true`;
  throw new Failure('refused', detail, { code: 'bucket_unusable' });
}

function done<Data>(data: Data) {
  return { success: true as const, data };
}
