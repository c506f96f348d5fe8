import type { S3Client } from '@aws-sdk/client-s3';

/** A bucket that the service works on: a configuration with the clients made from it. Never changes. */
export interface Bucket {
  /** Id of the configuration; `default` is the bucket of the environment. */
  readonly id: string;
  /** Name of the S3 bucket. */
  readonly name: string;
  /** The client for the endpoint (`S3_ENDPOINT`). */
  readonly s3: S3Client;
  /**
   * Signs URLs for the endpoint that browsers reach (`S3_PUBLIC_ENDPOINT`, else `S3_ENDPOINT`); sends
   * nothing.
   */
  readonly signer: S3Client;
  /** The prefix of its objects' URLs at each of its endpoints: `https://host/bucket/`. */
  readonly baseUrls: readonly string[];
  /** Host of the URLs that `signer` makes, with the port unless it is the scheme's default. */
  readonly endpointHost: string;
}

/** Gives access to the active bucket. */
export interface BucketSource {
  /**
   * The active bucket. Call it once per request and keep the result, so that a switch in between never mixes
   * two buckets. Throws the database's error if the settings cannot be read.
   */
  current(): Promise<Bucket>;
}
