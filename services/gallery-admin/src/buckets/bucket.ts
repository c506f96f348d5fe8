import type { S3Client } from '@aws-sdk/client-s3';

/** A bucket that the service works on: a configuration with the clients made from it. Never changes. */
export interface Bucket {
  /** Id of the configuration; `default` is the bucket of the environment. */
  readonly id: string;
  /** Name of the S3 bucket. */
  readonly name: string;
  /** Talks to the endpoint (`S3_ENDPOINT`). */
  readonly s3: S3Client;
  /** Signs URLs for the endpoint that browsers reach (`S3_PUBLIC_ENDPOINT`, else `S3_ENDPOINT`); sends nothing. */
  readonly signer: S3Client;
  /** What the URLs of its objects begin with, at each of its endpoints: `https://host/bucket/`. */
  readonly baseUrls: readonly string[];
  /** Host of the URLs that `signer` makes, with its port unless it is the scheme's own. */
  readonly endpointHost: string;
}

/** Tells the active bucket. */
export interface BucketSource {
  /**
   * The active bucket. Ask once for a request and keep to the answer, so that a switch in between never mixes two
   * buckets. Throws the database's fault while the settings cannot be read.
   */
  current(): Promise<Bucket>;
}
