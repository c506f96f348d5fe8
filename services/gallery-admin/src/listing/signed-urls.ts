import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Bucket } from '../buckets/bucket.ts';

/** How long the URL of an object is valid, in seconds. */
const OBJECT_URL_S = 3600;

/** How long the URL of a listing is valid, in seconds. */
const LIST_URL_S = 900;

/** A URL from which a browser can read the object, for an hour. */
export function signObjectUrl(bucket: Bucket, key: string): Promise<string> {
  const command = new GetObjectCommand({ Bucket: bucket.name, Key: key });
  return getSignedUrl(bucket.signer, command, { expiresIn: OBJECT_URL_S });
}

/** URLs for many objects, in the order of `keys`; a key that is there twice is signed once. */
export async function signObjectUrls(bucket: Bucket, keys: readonly string[]): Promise<[string, string][]> {
  const distinct = [...new Set(keys)];
  return Promise.all(
    distinct.map(async (key): Promise<[string, string]> => [key, await signObjectUrl(bucket, key)]),
  );
}

/** The page of a listing that {@link signListUrl} signs. */
export interface SignedPage {
  prefix: string;
  maxKeys: number;
  continuationToken?: string | undefined;
}

/** A URL from which a browser can read a page of folders and files as S3's XML, for 15 minutes. */
export function signListUrl(
  bucket: Bucket,
  { prefix, maxKeys, continuationToken }: SignedPage,
): Promise<string> {
  const command = new ListObjectsV2Command({
    Bucket: bucket.name,
    Prefix: prefix,
    Delimiter: '/',
    MaxKeys: maxKeys,
    ContinuationToken: continuationToken,
  });
  return getSignedUrl(bucket.signer, command, { expiresIn: LIST_URL_S });
}
