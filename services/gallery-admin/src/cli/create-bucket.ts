import {
  type CORSRule,
  CreateBucketCommand,
  GetBucketCorsCommand,
  ListObjectsV2Command,
  PutBucketCorsCommand,
} from '@aws-sdk/client-s3';
import type { Bucket } from '../buckets/bucket.ts';
import { isRefusal, isStoreFault } from '../buckets/store-errors.ts';

/** Identifies the rule, so that it is replaced instead of added twice. */
const RULE_ID = 'pressroom-uploads';

/** Allows the upload requests, which Uppy 6 sends itself, and exposes the ETag of each part. */
function uploadRule(origins: string[]): CORSRule {
  return {
    ID: RULE_ID,
    AllowedOrigins: origins,
    AllowedMethods: ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
    AllowedHeaders: ['*'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 3600,
  };
}

/** Creates the bucket if it does not exist yet, and adds the CORS rule for uploads to its rules. */
export async function createBucket(
  bucket: Bucket,
  origins: string[],
  print: (line: string) => void,
): Promise<void> {
  const made = await make(bucket);
  print(made ? `Created the bucket ${bucket.name}.` : `The bucket ${bucket.name} already exists.`);
  const { name, s3 } = bucket;
  try {
    const others = (await currentRules(bucket)).filter(({ ID }) => ID !== RULE_ID);
    const CORSConfiguration = { CORSRules: [...others, uploadRule(origins)] };
    await s3.send(new PutBucketCorsCommand({ Bucket: name, CORSConfiguration }));
    print(`Pages of ${origins.join(', ')} may upload to it and read the ETag.`);
  } catch (error) {
    const reason = whyNoCors(error);
    if (reason === undefined) throw error;
    print(`The CORS rule was not set: ${reason}. Uploads need one; see docs/gallery.md.`);
  }
}

async function make({ name, s3 }: Bucket): Promise<boolean> {
  if (await isThere(s3, name)) return false;
  try {
    await s3.send(new CreateBucketCommand({ Bucket: name }));
    return true;
  } catch (error) {
    if (isRefusal(error, 'BucketAlreadyOwnedByYou')) return false;
    if (isRefusal(error, 'BucketAlreadyExists')) {
      throw new Error(`the bucket ${name} belongs to another account: choose another S3_BUCKET`, {
        cause: error,
      });
    }
    throw error;
  }
}

async function isThere(s3: Bucket['s3'], name: string): Promise<boolean> {
  try {
    // Not HeadBucket: without a body, its answer does not distinguish a wrong key from a missing permission.
    await s3.send(new ListObjectsV2Command({ Bucket: name, MaxKeys: 1 }));
    return true;
  } catch (error) {
    if (isRefusal(error, 'NoSuchBucket')) return false;
    throw error;
  }
}

async function currentRules({ name, s3 }: Bucket): Promise<CORSRule[]> {
  try {
    const { CORSRules = [] } = await s3.send(new GetBucketCorsCommand({ Bucket: name }));
    return CORSRules;
  } catch (error) {
    if (isRefusal(error, 'NoSuchCORSConfiguration')) return [];
    throw error;
  }
}

/** Why a store does not accept a CORS rule for a bucket; undefined for any other error. */
function whyNoCors(error: unknown): string | undefined {
  if (!isStoreFault(error)) return undefined;
  if (isRefusal(error, 'AccessDenied')) return 'the key may not change the settings of the bucket';
  const { httpStatusCode: status } = error.$metadata;
  if (status === 501 || status === 405 || isRefusal(error, 'NotImplemented')) {
    return 'this server does not support rules per bucket (MinIO has one rule for all buckets)';
  }
  return undefined;
}
