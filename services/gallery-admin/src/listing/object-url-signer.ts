import { createHmac, hash } from 'node:crypto';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Bucket } from '../buckets/bucket.ts';

/** What the SDK adds to the URL for one key: its signature, and the name of its command. */
const OWN = /^(X-Amz-Signature|x-id)=/;

/** What of a bucket signs its URLs. */
type Signing = Pick<Bucket, 'name' | 'signer'>;

/** Signs the URL of an object; with `disposition`, the store sends that as `Content-Disposition`. */
export type SignObjectUrl = (key: string, disposition?: string) => string;

/**
 * Makes a function that signs URLs of objects of a bucket, all for the same time (AWS Signature Version 4, in
 * the query string). The SDK signs one URL, which has all that the others share; for each key only the
 * signature is computed, because the SDK takes many times as long for a URL, and a page has a thousand.
 *
 * @param expiresIn how long the URLs are valid, in seconds
 */
export async function objectUrlSigner(bucket: Signing, expiresIn: number): Promise<SignObjectUrl> {
  const command = new GetObjectCommand({ Bucket: bucket.name, Key: 'k' });
  const example = new URL(await getSignedUrl(bucket.signer, command, { expiresIn }));
  const shared = example.search
    .slice(1)
    .split('&')
    .filter((parameter) => !OWN.test(parameter));
  const parameters = new URLSearchParams(shared.join('&'));
  // A date, a region, a service and `aws4_request`; the access key before them may contain a slash.
  const scope = (parameters.get('X-Amz-Credential') ?? '').split('/').slice(-4);
  const begin = `AWS4-HMAC-SHA256\n${parameters.get('X-Amz-Date')}\n${scope.join('/')}\n`;
  const key = await signingKeyOf(bucket, scope);
  const sign = (text: string) => createHmac('sha256', key).update(text).digest('hex');
  const end = `\nhost:${example.host}\n\nhost\nUNSIGNED-PAYLOAD`;
  const folder = example.pathname.slice(0, -1);
  const { origin } = example;
  const plain = shared.sort().join('&');
  return (name, disposition) => {
    const path = folder + escapePath(name);
    const query =
      disposition === undefined ? plain : [...shared, dispositionParameter(disposition)].sort().join('&');
    const signature = sign(begin + hash('sha256', `GET\n${path}\n${query}${end}`));
    return `${origin}${path}?${query}&X-Amz-Signature=${signature}`;
  };
}

/** The key for the scope. */
async function signingKeyOf({ signer }: Signing, scope: readonly string[]): Promise<Buffer> {
  const { secretAccessKey } = await signer.config.credentials();
  return scope.reduce(
    (outer, part) => createHmac('sha256', outer).update(part).digest(),
    Buffer.from(`AWS4${secretAccessKey}`),
  );
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
export function escapePath(key: string): string {
  return PLAIN_PATH.test(key) ? key : escapeText(key).replaceAll('%2F', '/');
}
