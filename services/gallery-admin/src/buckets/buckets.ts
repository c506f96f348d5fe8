import { BUCKET_CODES, Failure } from '@pressroom/common/failures/failure';
import { text } from '@pressroom/common/fields/fields';
import { operation } from '@pressroom/common/http/operation';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isEndpoint } from '../config.ts';
import { logWrite, problemResponses } from '../problems.ts';
import { requireFresh } from '../session/guard.ts';
import { type BucketConfiguration, checkBucket } from './bucket.ts';
import type { BucketStore } from './buckets-store.ts';

/** Bucket names as S3 and compatible stores allow them, including old ones with capitals and `_`. */
const BUCKET_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/;

const REGION = /^[A-Za-z0-9][A-Za-z0-9-]{0,62}$/;

const id = text(64);

const endpoint = text(1024)
  .refine(isEndpoint, 'must be an http or https URL such as https://s3.example.com')
  .meta({ pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^?#@]+$' });

/** A key of the store's account. Empty or absent: the stored one, if any. */
const key = z
  .string('must be a string')
  .regex(/^[\x21-\x7e]{0,512}$/, 'must be at most 512 visible ASCII characters')
  .default('');

/** A bucket configuration as a client sends it. */
const bucketInput = z.strictObject({
  id: id.nullish().transform((value) => value || undefined),
  name: z.string('must be a string').regex(BUCKET_NAME, 'must be a bucket name of 3 to 63 characters'),
  endpoint,
  region: z.string('must be a string').regex(REGION, 'must be a region such as us-east-1 or auto'),
  accessKeyId: key,
  secretAccessKey: key,
  forcePathStyle: z.boolean('must be true or false').default(true),
  publicEndpoint: z
    .union([endpoint, z.literal(''), z.null()])
    .optional()
    .transform((value) => value || null),
});

/** A bucket configuration as a client has sent it. */
export type BucketInput = z.infer<typeof bucketInput>;

/** The body of `POST /api/settings/buckets`. */
const bucketAction = z.discriminatedUnion(
  'action',
  [
    z.strictObject({ action: z.literal('test'), bucket: bucketInput }),
    z.strictObject({
      action: z.literal('save'),
      bucket: bucketInput,
      setActive: z.boolean('must be true or false').default(false),
      force: z
        .boolean('must be true or false')
        .default(false)
        .describe('With setActive: activate the bucket even if it fails the test.'),
    }),
    z.strictObject({ action: z.literal('set-active'), id }),
    z.strictObject({ action: z.literal('remove'), id }),
    z.strictObject({ action: z.literal('get-bucket'), id }),
  ],
  'must be test, save, set-active, remove or get-bucket',
);

/** The action a client of the settings has requested. */
type BucketAction = z.infer<typeof bucketAction>;

/** A bucket as every logged-in user sees it, without its keys. */
const bucketView = z
  .object({
    id: z.string(),
    name: z.string(),
    endpoint: z.string(),
    region: z.string(),
    forcePathStyle: z.boolean(),
    publicEndpoint: z.string().nullable(),
    editable: z.boolean(),
    active: z.boolean(),
    hasCredentials: z.boolean(),
  })
  .meta({ id: 'Bucket' });

/** A bucket as every logged-in user sees it. */
export type BucketView = z.infer<typeof bucketView>;

/** A bucket as it is edited: with its access key, never its secret key. */
const bucketDetails = bucketView.extend({ accessKeyId: z.string() });

export type BucketDetails = z.infer<typeof bucketDetails>;

const runtimeView = z.object({ provider: z.string(), activeBucketId: z.string() });

/** The answer of the list of buckets. */
const bucketListAnswer = z.object({
  success: z.literal(true),
  data: z.object({ buckets: z.array(bucketView), runtime: runtimeView }),
});

/** The result of a bucket test, and what to fix. */
const bucketTestAnswer = z.object({
  success: z.boolean(),
  message: z.string(),
  code: z.enum(BUCKET_CODES).nullable().describe('What to mend, for programs; null if all works.'),
});

export type BucketTest = z.infer<typeof bucketTestAnswer>;

function doneWith<Data extends z.ZodType>(data: Data) {
  return z.object({ success: z.literal(true), data });
}

/** The answers of the actions, most specific first: get-bucket, save, set-active and remove, test. */
const bucketActionAnswer = z.union([
  doneWith(bucketDetails),
  doneWith(bucketView),
  doneWith(runtimeView),
  bucketTestAnswer,
]);

interface BucketParts {
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
      description: 'Secrets are not shown. `default` is the bucket of the environment.',
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
      description:
        '`action` says which. `test` answers within 5 s, with a sentence that says what to mend. A' +
        ' save without a secret keeps the stored one. For owners.',
      body: bucketAction,
      response: { 200: bucketActionAnswer, ...problemResponses(400, 401, 403, 404, 413, 415, 500, 503) },
    },
    handler: (request) => act(request, request.body, parts),
  });
  return { list, change };
}

async function act(request: FastifyRequest, body: BucketAction, { buckets, changed }: BucketParts) {
  if (body.action !== 'get-bucket') requireFresh(request);
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
