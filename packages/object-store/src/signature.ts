import { timingSafeEqual } from 'node:crypto';
import { Sha256 } from '@smithy/core/checksum';
import { escapeUriPath, HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { headerText, type S3Request } from './request.ts';
import { S3Error } from './response.ts';

/** The one pair of keys that a store knows. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

export interface Authorization {
  /** Signed in place of the body: a SHA-256 in hexadecimal, `UNSIGNED-PAYLOAD`, or `STREAMING-…`. */
  payload: string;
  /** Signs the chunks of a streaming upload; the first one follows the request's own signature. */
  chunks: ChunkSigner;
}

/** Signs the chunks of a body. */
export interface ChunkSigner {
  seed: string;
  longDate: string;
  /** `20250131/us-east-1/s3/aws4_request` */
  scope: string;
  /** Signature of a string to sign, in hexadecimal. */
  sign(stringToSign: string): Promise<string>;
}

const MAXIMUM_SKEW_MS = 15 * 60 * 1000;
const SHA256_HEADER = 'x-amz-content-sha256';

/**
 * Checks that a request was signed with these credentials, by signing it again.
 *
 * @param now ms since 1970
 * @throws S3Error AccessDenied (unsigned, or the presigned URL has expired), InvalidAccessKeyId,
 *   SignatureDoesNotMatch, RequestTimeTooSkewed, or a code that says what is malformed
 */
export async function authenticate(
  request: S3Request,
  credentials: Credentials,
  now: number,
): Promise<Authorization> {
  const claim = readSignature(request);
  if (claim.accessKeyId !== credentials.accessKeyId) throw new S3Error('InvalidAccessKeyId');
  checkTime(claim, now);
  checkSignedHeaders(claim, request.headers);
  const payload = signedPayload(claim, request);
  const signer = new SignatureV4({
    credentials,
    region: claim.region,
    service: 's3',
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const expected = await signAgain(signer, claim, request, payload);
  if (!equals(expected, claim.signature)) throw new S3Error('SignatureDoesNotMatch');
  const signingDate = new Date(claim.signedAt);
  return {
    payload,
    chunks: {
      seed: claim.signature,
      longDate: claim.longDate,
      scope: `${claim.longDate.slice(0, 8)}/${claim.region}/s3/aws4_request`,
      sign: (stringToSign) => signer.sign(stringToSign, { signingDate }),
    },
  };
}

/** Compares two signatures in a time that does not depend on where they differ. */
export function equals(expected: string, actual: string): boolean {
  const [left, right] = [Buffer.from(expected), Buffer.from(actual)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function checkTime({ form, signedAt, expiresIn }: ClaimedSignature, now: number): void {
  if (form === 'header') {
    if (Math.abs(now - signedAt) > MAXIMUM_SKEW_MS) throw new S3Error('RequestTimeTooSkewed');
    return;
  }
  if (signedAt > now + MAXIMUM_SKEW_MS) throw new S3Error('AccessDenied', 'Request is not valid yet');
  if (now > signedAt + expiresIn * 1000) throw new S3Error('AccessDenied', 'Request has expired');
}

function checkSignedHeaders({ signedHeaders }: ClaimedSignature, headers: Record<string, string>): void {
  const mustBeSigned = (name: string) =>
    name === 'host' || (name.startsWith('x-amz-') && name !== SHA256_HEADER);
  const unsigned = Object.keys(headers).filter((name) => mustBeSigned(name) && !signedHeaders.includes(name));
  if (unsigned.length === 0) return;
  throw new S3Error(
    'AccessDenied',
    `There were headers present that were not signed: ${unsigned.join(', ')}`,
  );
}

function signedPayload({ form }: ClaimedSignature, { headers, query }: S3Request): string {
  const payload =
    headers[SHA256_HEADER] ?? (form === 'query' ? query.get('X-Amz-Content-Sha256') : undefined);
  if (payload) return payload;
  if (form === 'query') return 'UNSIGNED-PAYLOAD';
  throw new S3Error('InvalidRequest', `Missing required header for this request: ${SHA256_HEADER}`);
}

async function signAgain(
  signer: SignatureV4,
  claim: ClaimedSignature,
  request: S3Request,
  payload: string,
): Promise<string> {
  const toSign = new HttpRequest({
    method: request.method,
    path: escapeUriPath(request.path),
    query: signedQuery(request.query),
    headers: { ...signedHeaders(claim, request), [SHA256_HEADER]: payload },
  });
  const options = {
    signingDate: new Date(claim.signedAt),
    signableHeaders: new Set(claim.signedHeaders),
    // It is there to say what stands for the body, and part of the signed headers only if it was.
    unsignableHeaders: new Set([SHA256_HEADER]),
  };
  if (claim.form === 'header') {
    const { headers } = await signer.sign(toSign, options);
    return /Signature=([\da-f]+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
  }
  const unhoistableHeaders = new Set(Object.keys(toSign.headers));
  const { query } = await signer.presign(toSign, {
    ...options,
    unhoistableHeaders,
    expiresIn: claim.expiresIn,
  });
  return String(query?.['X-Amz-Signature']);
}

function signedHeaders(claim: ClaimedSignature, { headers }: S3Request): Record<string, string> {
  const signed: Record<string, string> = {};
  for (const name of claim.signedHeaders) {
    const value = headers[name];
    if (value === undefined) throw new S3Error('SignatureDoesNotMatch');
    signed[name] = headerText(value);
  }
  return signed;
}

function signedQuery(query: URLSearchParams): Record<string, string | string[]> {
  const signed: Record<string, string | string[]> = {};
  for (const name of new Set(query.keys())) {
    if (name === 'X-Amz-Signature') continue;
    const values = query.getAll(name);
    // Not an assignment, which `__proto__` would turn into something else.
    const value = values.length > 1 ? values : (values[0] ?? '');
    Object.defineProperty(signed, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return signed;
}

/** A Signature Version 4 that came with a request, taken apart but not yet checked. */
interface ClaimedSignature {
  /** In the `Authorization` header, or in the query of a presigned URL. */
  form: 'header' | 'query';
  accessKeyId: string;
  region: string;
  /** `20250131T235959Z`, as it was signed. */
  longDate: string;
  /** The same instant, ms since 1970. */
  signedAt: number;
  /** Validity of a presigned URL in seconds, 0 in the header form. */
  expiresIn: number;
  /** In lower case. */
  signedHeaders: string[];
  /** 64 hexadecimal digits. */
  signature: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MAXIMUM_EXPIRY_S = 7 * 24 * 60 * 60;

type MalformedCode = 'AuthorizationHeaderMalformed' | 'AuthorizationQueryParametersError';

/**
 * Reads the signature of a request: of its query (a presigned URL) or of its `Authorization` header.
 *
 * @throws S3Error AccessDenied when there is none; AuthorizationHeaderMalformed or
 *   AuthorizationQueryParametersError when it cannot be read
 */
function readSignature(request: S3Request): ClaimedSignature {
  const isPresigned = request.query.has('X-Amz-Signature') || request.query.has('X-Amz-Algorithm');
  const { authorization } = request.headers;
  if (isPresigned && authorization !== undefined) {
    throw new S3Error('InvalidArgument', 'Only one of Authorization header and presigned query is allowed.');
  }
  if (isPresigned) return readQuery(request.query);
  if (authorization !== undefined) return readHeader(authorization, request.headers['x-amz-date']);
  throw new S3Error('AccessDenied', 'Anonymous access is not allowed: sign the request.');
}

function readQuery(query: URLSearchParams): ClaimedSignature {
  const malformed = 'AuthorizationQueryParametersError';
  const parameter = (name: string) => {
    const value = query.get(name);
    if (value) return value;
    throw new S3Error(malformed, `The query parameter ${name} is missing.`);
  };
  if (parameter('X-Amz-Algorithm') !== ALGORITHM) {
    throw new S3Error(malformed, `X-Amz-Algorithm must be ${ALGORITHM}.`);
  }
  const expires = parameter('X-Amz-Expires');
  if (!/^\d{1,6}$/.test(expires) || Number(expires) < 1 || Number(expires) > MAXIMUM_EXPIRY_S) {
    throw new S3Error(malformed, `X-Amz-Expires must be from 1 to ${MAXIMUM_EXPIRY_S} seconds.`);
  }
  const longDate = parameter('X-Amz-Date');
  return {
    form: 'query',
    ...readCredential(parameter('X-Amz-Credential'), longDate, malformed),
    longDate,
    signedAt: readDate(longDate, malformed),
    expiresIn: Number(expires),
    signedHeaders: parameter('X-Amz-SignedHeaders').toLowerCase().split(';'),
    signature: parameter('X-Amz-Signature'),
  };
}

function readHeader(authorization: string, longDate: string | undefined): ClaimedSignature {
  const malformed = 'AuthorizationHeaderMalformed';
  const [algorithm, ...rest] = authorization.split(' ');
  if (algorithm !== ALGORITHM) throw new S3Error(malformed, `The only supported algorithm is ${ALGORITHM}.`);
  const fields = new Map(
    rest
      .join('')
      .split(',')
      .map((field) => {
        const equals = field.indexOf('=');
        return [field.slice(0, equals), field.slice(equals + 1)];
      }),
  );
  const field = (name: string) => {
    const value = fields.get(name);
    if (value) return value;
    throw new S3Error(malformed, `The field ${name} is missing in the Authorization header.`);
  };
  if (!longDate) throw new S3Error('AccessDenied', 'A signed request needs an X-Amz-Date header.');
  return {
    form: 'header',
    ...readCredential(field('Credential'), longDate, malformed),
    longDate,
    signedAt: readDate(longDate, malformed),
    expiresIn: 0,
    signedHeaders: field('SignedHeaders').toLowerCase().split(';'),
    signature: field('Signature'),
  };
}

function readCredential(credential: string, longDate: string, malformed: MalformedCode) {
  const scope = credential.split('/');
  const [terminator, service, region, day] = scope.splice(-4).reverse();
  const accessKeyId = scope.join('/');
  if (terminator !== 'aws4_request' || service !== 's3' || !region || !accessKeyId) {
    throw new S3Error(malformed, 'The credential must be KEY/YYYYMMDD/REGION/s3/aws4_request.');
  }
  if (day !== longDate.slice(0, 8)) {
    throw new S3Error(malformed, 'The date of the credential does not match X-Amz-Date.');
  }
  return { accessKeyId, region };
}

function readDate(longDate: string, malformed: MalformedCode): number {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(longDate);
  const [, year, month, day, hour, minute, second] = match ?? [];
  const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(signedAt)) throw new S3Error(malformed, 'X-Amz-Date must be like 20250131T235959Z.');
  return signedAt;
}
