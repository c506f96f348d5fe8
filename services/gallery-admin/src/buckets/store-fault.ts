import { Failure } from '@pressroom/common/failures/failure';

/** S3's error codes of a request that the store refuses because of how this service is configured. */
const REFUSALS: Record<string, string> = {
  InvalidAccessKeyId: 'the object store does not know the access key of the active bucket',
  SignatureDoesNotMatch: 'the object store refuses the secret key of the active bucket',
  AccessDenied: 'the object store does not let the access key of the active bucket do this',
  NoSuchBucket: 'the active bucket does not exist in the object store',
  PermanentRedirect: 'the active bucket is in another region or at another endpoint',
  AuthorizationHeaderMalformed: 'the active bucket is in another region',
};

const REFUSED = 'the object store refuses the keys of the active bucket, or does not let them do this';

/** S3's error codes, whatever their status, of a store that asks to be asked again later. */
const BUSY = new Set(['SlowDown', 'ServiceUnavailable', 'RequestTimeout', 'TooManyRequests']);

/** Statuses above 499 that will not be others in a while: what was asked for is not known there. */
const NEVER = new Set([501, 505]);

/** An error as the AWS SDK throws it: marked by `$metadata`, whatever went wrong. */
interface StoreFault extends Error {
  $metadata: { httpStatusCode?: number; attempts?: number };
  /** The answer, where the SDK could not read it. */
  $response?: { statusCode?: number };
}

/** True for an error of a request to an object store: its refusal, or a store that did not answer. */
export function isStoreFault(error: unknown): error is StoreFault {
  return error instanceof Error && '$metadata' in error;
}

/** True for S3's refusal with the error code `code`, such as `NoSuchKey`. */
export function isRefusal(error: unknown, code: string): boolean {
  return isStoreFault(error) && error.name === code;
}

/** The status that the store has answered with; undefined when there was no answer. */
export function statusOf({ $metadata, $response }: StoreFault): number | undefined {
  return $metadata.httpStatusCode ?? $response?.statusCode;
}

/** True when the store has refused a request for what was in it: another time it is refused as well. */
export function isLastingRefusal(error: unknown): boolean {
  if (!isStoreFault(error) || BUSY.has(error.name)) return false;
  const status = statusOf(error);
  return status !== undefined && ((status >= 400 && status < 500 && status !== 429) || NEVER.has(status));
}

/** True when the store does not accept what this service is configured with: its keys, the bucket, the region. */
export function isMisconfiguration(error: unknown): boolean {
  if (!isStoreFault(error)) return false;
  const status = statusOf(error);
  return error.name in REFUSALS || status === 401 || status === 403;
}

/**
 * The failure that stands for a fault of the object store that nobody expected: `unavailable` when it does not answer,
 * `misconfigured` when it does not accept what this service is configured with, or anything else that it will not accept
 * another time. Undefined for what is not the store's fault, the SDK's own errors among it.
 */
export function storeFailure(error: unknown): Failure | undefined {
  if (!isStoreFault(error)) return undefined;
  const cause = withoutKeys(error);
  const status = statusOf(error);
  if (status === undefined) {
    return isNoAnswer(error) ? new Failure('unavailable', AWAY, { cause }) : undefined;
  }
  // The answer to a HEAD has no body that would say more.
  if (isMisconfiguration(error)) {
    return new Failure('misconfigured', REFUSALS[error.name] ?? REFUSED, { cause });
  }
  if (isLastingRefusal(error)) {
    return new Failure('misconfigured', `the object store refuses this: ${codeOf(error, status)}`, {
      code: 'internal_error',
      cause,
    });
  }
  if (status >= 400) return new Failure('unavailable', AWAY, { cause });
  return new Failure('misconfigured', 'what answers at the endpoint of the active bucket is not S3', {
    cause,
  });
}

const AWAY = 'the object store does not answer at the moment; try again';

/** The SDK names what it cannot read `Unknown`. */
function codeOf({ name }: StoreFault, status: number): string {
  return /^[A-Z][A-Za-z]+$/.test(name) && !/^Unknown/.test(name) ? name : `status ${status}`;
}

/** Node's codes of a request that could not be written: nobody was asked. */
const NOT_SENT = /^ERR_(INVALID|HTTP|UNESCAPED|OUT_OF_RANGE|STREAM)/;

/**
 * True when no answer came: refused, reset, timed out, TLS failed, or a name leads nowhere. What the SDK could not
 * even make a request of has `$metadata` too.
 */
function isNoAnswer(error: StoreFault): boolean {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && !NOT_SENT.test(code);
}

/** What of a fault is for the log: refusals repeat the access key and what was signed. */
function withoutKeys(fault: StoreFault): Error {
  const error = new Error(fault.message);
  const { name, stack, $metadata } = fault;
  return Object.assign(error, { name, stack, status: statusOf(fault), attempts: $metadata.attempts });
}
