import { Problem, temporarilyUnavailable } from '@pressroom/common/problems/problem';

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

/** S3's error codes of a store that is there and cannot answer at the moment. */
const BUSY = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'InternalError',
  'RequestTimeout',
  'TooManyRequests',
]);

/** An error as the AWS SDK throws it: marked by `$metadata`, whatever went wrong. */
interface StoreFault extends Error {
  $metadata: { httpStatusCode?: number; attempts?: number };
}

/** True for an error of a request to an object store: its refusal, or a store that did not answer. */
export function isStoreFault(error: unknown): error is StoreFault {
  return error instanceof Error && '$metadata' in error;
}

/** True for S3's refusal with the error code `code`, such as `NoSuchKey`. */
export function isRefusal(error: unknown, code: string): boolean {
  return isStoreFault(error) && error.name === code;
}

/**
 * The problem that stands for a fault of the object store that nobody expected: 503 when it does not answer, 500
 * `server_misconfigured` when it does not accept what this service is configured with, else 500. Undefined for
 * anything else.
 */
export function explainStoreFault(error: unknown): Problem | undefined {
  if (!isStoreFault(error)) return undefined;
  const cause = withoutKeys(error);
  const status = error.$metadata.httpStatusCode;
  // The answer to a HEAD has no body that would say more.
  const refusal = REFUSALS[error.name] ?? (status === 401 || status === 403 ? REFUSED : undefined);
  if (refusal !== undefined) return new Problem(500, 'server_misconfigured', refusal, { cause });
  // Without a status there was no answer: refused, reset, timed out, or a name that leads nowhere.
  if (status === undefined || status >= 500 || BUSY.has(error.name)) {
    return temporarilyUnavailable('the object store does not answer at the moment; try again', 1, cause);
  }
  return new Problem(500, 'internal_error', 'the object store refused this; name the request id', { cause });
}

/** What of a fault is for the log: refusals repeat the access key and what was signed. */
function withoutKeys({ name, message, stack, $metadata }: StoreFault): Error {
  const error = new Error(message);
  return Object.assign(error, {
    name,
    stack,
    status: $metadata.httpStatusCode,
    attempts: $metadata.attempts,
  });
}
