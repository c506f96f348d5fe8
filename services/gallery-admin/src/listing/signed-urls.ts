import { setImmediate } from 'node:timers/promises';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { getSignedUrl, S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { formatUrl } from '@aws-sdk/util-format-url';
import type { Bucket } from '../buckets/bucket.ts';

/** How long the URL of an object is valid, in seconds. */
const OBJECT_URL_S = 3600;

/** How long the URL of a listing is valid, in seconds. */
const LIST_URL_S = 900;

/** Keys signed before other requests get a turn. */
const AT_A_TIME = 50;

/** How the URLs of objects are meant. */
export interface ObjectUrlOptions {
  /** Whether a browser saves the object under its name, whatever its type, instead of showing it. */
  download?: boolean;
}

/**
 * URLs from which a browser can read objects for an hour, one for each key, in the order of `keys`. A listing
 * page has a thousand keys, so the bucket's address is resolved once and each URL is only signed.
 */
export async function signObjectUrls(
  bucket: Bucket,
  keys: readonly string[],
  { download = false }: ObjectUrlOptions = {},
): Promise<string[]> {
  const presigner = new S3RequestPresigner({ ...bucket.signer.config });
  const place = await addressOf(bucket);
  const urls: string[] = [];
  for (const [index, key] of keys.entries()) {
    const query: Record<string, string> = download ? { 'response-content-disposition': attachment(key) } : {};
    const request = { ...place, query, path: place.path + escapePath(key) };
    urls.push(formatUrl(await presigner.presign(request, { expiresIn: OBJECT_URL_S })));
    if (index % AT_A_TIME === AT_A_TIME - 1) await setImmediate();
  }
  return urls;
}

/** The request for an empty key: the part that all URLs of the bucket share. */
async function addressOf(bucket: Bucket) {
  const command = new GetObjectCommand({ Bucket: bucket.name, Key: 'k' });
  const url = new URL(await getSignedUrl(bucket.signer, command));
  return {
    protocol: url.protocol,
    hostname: url.hostname,
    ...(url.port && { port: Number(url.port) }),
    method: 'GET',
    path: url.pathname.slice(0, -1),
    headers: { host: url.host },
  };
}

/** The `Content-Disposition` with which an object is saved under the last part of its key (RFC 6266). */
function attachment(key: string): string {
  const name = key.split('/').findLast((part) => part !== '') ?? '';
  return `attachment; filename*=UTF-8''${escapePath(name)}`;
}

/**
 * A key as the path of a URL, as S3 signs it: everything but RFC 3986's unreserved characters and `/` is
 * escaped.
 */
function escapePath(key: string): string {
  const escaped = encodeURIComponent(key).replaceAll('%2F', '/');
  return escaped.replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
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
