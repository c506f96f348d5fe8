import { corsElements, parseCorsRules } from './cors.ts';
import type { Operation } from './operation.ts';
import { S3Error, xmlResponse } from './response.ts';

const BUCKET_NAME = /^(?!\d+\.\d+\.\d+\.\d+$)(?!.*\.\.)[a-z\d][a-z\d.-]{1,61}[a-z\d]$/;

/** ListBuckets: all of them. */
export const listBuckets: Operation = async ({ storage }) => {
  const buckets = storage.buckets.list().map(({ name, created }) => ({
    Name: name,
    CreationDate: new Date(created).toISOString(),
  }));
  return xmlResponse('ListAllMyBucketsResult', {
    Owner: { ID: 'owner', DisplayName: 'owner' },
    Buckets: { Bucket: buckets },
  });
};

/** CreateBucket; creating an existing bucket again changes nothing. */
export const createBucket: Operation = async ({ storage, request, payload, now }) => {
  const { bucket } = request;
  // The document may name a location, of which this store has but one.
  await payload.text();
  if (!BUCKET_NAME.test(bucket)) {
    throw new S3Error(
      'InvalidBucketName',
      'A bucket name has 3 to 63 characters from a-z, 0-9, "-" and ".".',
    );
  }
  await storage.change(() => storage.buckets.create(bucket, now()));
  return { status: 200, headers: { location: `/${bucket}` } };
};

/** HeadBucket: whether there is such a bucket. */
export const headBucket: Operation = async ({ storage, request, region }) => {
  storage.buckets.require(request.bucket);
  return { status: 200, headers: { 'x-amz-bucket-region': region } };
};

/** DeleteBucket: an empty one, and the uploads that were going on in it. */
export const deleteBucket: Operation = async ({ storage, request }) => {
  await storage.change(() => {
    storage.buckets.delete(request.bucket);
    storage.uploads.deleteAll(request.bucket);
  });
  return { status: 204 };
};

/** GetBucketLocation; an empty element means `us-east-1`. */
export const getBucketLocation: Operation = async ({ storage, request, region }) => {
  storage.buckets.require(request.bucket);
  return xmlResponse('LocationConstraint', region === 'us-east-1' ? {} : { '#text': region });
};

export const getBucketCors: Operation = async ({ storage, request }) => {
  storage.buckets.require(request.bucket);
  const rules = storage.buckets.cors(request.bucket);
  if (rules.length === 0) throw new S3Error('NoSuchCORSConfiguration');
  return xmlResponse('CORSConfiguration', corsElements(rules));
};

export const putBucketCors: Operation = async ({ storage, request, payload }) => {
  storage.buckets.require(request.bucket);
  const rules = parseCorsRules(await payload.text());
  await storage.change(() => storage.buckets.setCors(request.bucket, rules));
  return { status: 200 };
};

export const deleteBucketCors: Operation = async ({ storage, request }) => {
  storage.buckets.require(request.bucket);
  await storage.change(() => storage.buckets.setCors(request.bucket, []));
  return { status: 204 };
};
