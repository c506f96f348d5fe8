import { createHmac, hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Bucket } from '../buckets/bucket.ts';

const OBJECT_URL_S = 3600;

const LIST_URL_S = 900;

/** Keys signed before other requests get a turn. */
const AT_A_TIME = 250;

interface ObjectUrlOptions {
  /** True to have browsers save the object under its name, whatever its type, instead of showing it. */
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

/** Characters that a quoted name cannot have, or that readers of the plain `filename` misread. */
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
interface SignedPage {
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

type Signing = Pick<Bucket, 'baseUrls' | 'signer'>;

/** Signs the URL of an object; with `disposition`, the store sends that as `Content-Disposition`. */
type SignObjectUrl = (key: string, disposition?: string) => string;

/**
 * Makes a function that signs URLs of a bucket's objects, all for the same time, as the SDK's presigner does
 * (AWS Signature Version 4, in the query string). The presigner takes a hundred times as long for a URL, and
 * a page has a thousand. The parts that the URLs share are put together once.
 * @param expiresIn validity of the URLs, in seconds
 */
export async function objectUrlSigner(
  { baseUrls: [baseUrl = ''], signer: { config } }: Signing,
  expiresIn: number,
): Promise<SignObjectUrl> {
  const { accessKeyId, secretAccessKey } = await config.credentials();
  const { origin, host, pathname: folder } = new URL(baseUrl);
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = [time.slice(0, 8), await config.region(), 's3', 'aws4_request'];
  const shared =
    'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD' +
    `&X-Amz-Credential=${escapeText([accessKeyId, ...scope].join('/'))}` +
    `&X-Amz-Date=${time}&X-Amz-Expires=${expiresIn}&X-Amz-SignedHeaders=host`;
  const begin = `AWS4-HMAC-SHA256\n${time}\n${scope.join('/')}\n`;
  const end = `\nhost:${host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const sign = digestSigner(signingKey(secretAccessKey, scope), begin);
  return (key, disposition) => {
    const path = folder + escapePath(key);
    const query = disposition === undefined ? shared : `${shared}&${dispositionParameter(disposition)}`;
    const signature = sign(hash('sha256', `GET\n${path}\n${query}${end}`));
    return `${origin}${path}?${query}&X-Amz-Signature=${signature}`;
  };
}

function signingKey(secret: string, scope: readonly string[]): Buffer {
  return scope.reduce(
    (key, part) => createHmac('sha256', key).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
}

/** The block and digest sizes of SHA-256, in bytes. */
const [BLOCK, DIGEST] = [64, 32];

/**
 * Signs `begin` followed by a digest in hex, with HMAC-SHA-256. Its two hashes (RFC 2104) are made in place:
 * an object of node:crypto for each text takes more than twice as long.
 */
function digestSigner(key: Buffer, begin: string): (digest: string) => string {
  const padded = (pad: number) => Buffer.alloc(BLOCK, pad).map((byte, at) => byte ^ (key[at] ?? 0));
  const inner = Buffer.concat([padded(0x36), Buffer.from(begin), Buffer.alloc(2 * DIGEST)]);
  const outer = Buffer.concat([padded(0x5c), Buffer.alloc(DIGEST)]);
  return (digest) => {
    inner.write(digest, inner.length - 2 * DIGEST, 'latin1');
    outer.write(hash('sha256', inner, 'binary'), BLOCK, 'latin1');
    return hash('sha256', outer);
  };
}

function dispositionParameter(disposition: string): string {
  return `response-content-disposition=${escapeText(disposition)}`;
}

/** Texts of which {@link escapePath} escapes nothing, as most keys are. */
const PLAIN_PATH = /^[\w.~/-]*$/;

/** Escapes everything but RFC 3986's unreserved characters, as S3 signs it. */
function escapeText(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Escapes a key for the path of a URL, where its slashes stay. */
function escapePath(key: string): string {
  return PLAIN_PATH.test(key) ? key : escapeText(key).replaceAll('%2F', '/');
}
