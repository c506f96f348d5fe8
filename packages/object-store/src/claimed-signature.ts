import { S3Error } from './errors.ts';
import type { S3Request } from './request.ts';

/** A Signature Version 4 that came with a request, taken apart but not yet checked. */
export interface ClaimedSignature {
  /** In the `Authorization` header, or in the query of a presigned URL. */
  form: 'header' | 'query';
  accessKeyId: string;
  /** Region of the credential scope. */
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
export function readSignature(request: S3Request): ClaimedSignature {
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
