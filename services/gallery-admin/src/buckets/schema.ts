import { text } from '@pressroom/common/fields/text';
import { z } from 'zod';
import { isEndpoint } from './endpoint.ts';

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
export const bucketAction = z.discriminatedUnion(
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
export type BucketAction = z.infer<typeof bucketAction>;

/** A bucket as every logged-in user sees it, without its keys. */
const bucketView = z.object({
  id: z.string(),
  name: z.string(),
  endpoint: z.string(),
  region: z.string(),
  forcePathStyle: z.boolean(),
  publicEndpoint: z.string().nullable(),
  editable: z.boolean(),
  active: z.boolean(),
  hasCredentials: z.boolean(),
});

/** A bucket as every logged-in user sees it. */
export type BucketView = z.infer<typeof bucketView>;

/** A bucket as it is edited: with its access key, never its secret key. */
const bucketDetails = bucketView.extend({ accessKeyId: z.string() });

/** A bucket as it is edited. */
export type BucketDetails = z.infer<typeof bucketDetails>;

/** The bucket the service currently uses. */
const runtimeView = z.object({ provider: z.string(), activeBucketId: z.string() });

/** The answer of the list of buckets. */
export const bucketListAnswer = z.object({
  success: z.literal(true),
  data: z.object({ buckets: z.array(bucketView), runtime: runtimeView }),
});

/** The result of a bucket test, and what to fix. */
const bucketTestAnswer = z.object({ success: z.boolean(), message: z.string() });

/** The result of a bucket test. */
export type BucketTest = z.infer<typeof bucketTestAnswer>;

function done<Data extends z.ZodType>(data: Data) {
  return z.object({ success: z.literal(true), data });
}

/** The answers of the actions, most specific first: get-bucket, save, set-active and remove, test. */
export const bucketActionAnswer = z.union([
  done(bucketDetails),
  done(bucketView),
  done(runtimeView),
  bucketTestAnswer,
]);
