import { setImmediate } from 'node:timers/promises';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Bucket } from '../buckets/bucket.ts';
import { escapePath, objectUrlSigner } from './object-url-signer.ts';

/** How long the URL of an object is valid, in seconds. */
const OBJECT_URL_S = 3600;

/** How long the URL of a listing is valid, in seconds. */
const LIST_URL_S = 900;

/** Keys signed before other requests get a turn. */
const AT_A_TIME = 250;

/** How the URLs of objects are meant. */
export interface ObjectUrlOptions {
  /** Whether a browser saves the object under its name, whatever its type, instead of showing it. */
  download?: boolean;
}

/**
 * URLs from which a browser can read objects for an hour, one for each key, in the order of `keys`.
 */
export async function signObjectUrls(
  bucket: Bucket,
  keys: readonly string[],
  { download = false }: ObjectUrlOptions = {},
): Promise<string[]> {
  const sign = await objectUrlSigner(bucket, OBJECT_URL_S);
  const urls: string[] = [];
  for (const [index, key] of keys.entries()) {
    urls.push(sign(key, download ? attachment(key) : undefined));
    if (index % AT_A_TIME === AT_A_TIME - 1) await setImmediate();
  }
  return urls;
}

/** What a quoted name cannot have, or readers of the plain `filename` take for something else. */
const NOT_PLAIN = /[^\x20-\x7e]|["\\%]/gu;

/**
 * The `Content-Disposition` with which an object is saved under the last part of its key, for clients that
 * know the encoded name and for others (RFC 6266, section 4.3).
 */
export function attachment(key: string): string {
  const name = key.split('/').findLast((part) => part !== '') ?? '';
  return `attachment; filename="${name.replaceAll(NOT_PLAIN, '_')}"; filename*=UTF-8''${escapePath(name)}`;
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
