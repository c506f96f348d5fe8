import type { StoreConfig } from '../config.ts';

/** The id of the bucket of the environment. */
export const DEFAULT_ID = 'default';

/** The two keys of an object store account. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/** Where a bucket is, without its keys. */
interface BucketPlace {
  /** Name of the S3 bucket. */
  name: string;
  /** URL of the store that this service talks to. */
  endpoint: string;
  region: string;
  /** True for `endpoint/bucket/key`, false for `bucket.endpoint/key`. */
  forcePathStyle: boolean;
  /** URL at which browsers reach the same store, if it differs. */
  publicEndpoint: string | null;
}

/** A complete bucket configuration. */
export interface BucketConfiguration extends BucketPlace {
  id: string;
  credentials: Credentials;
}

/** The bucket of the environment. */
export function environmentBucket(config: StoreConfig): BucketConfiguration {
  return {
    id: DEFAULT_ID,
    name: config.S3_BUCKET,
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT ?? null,
    credentials: {
      accessKeyId: config.S3_ACCESS_KEY_ID,
      secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    },
  };
}
