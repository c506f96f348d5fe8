import type { FieldFault } from '../failures/failure.ts';

/** Optional details of a {@link Problem}. */
export interface ProblemOptions {
  /** Response headers that belong to the failure, such as `Retry-After` or `Allow`. */
  headers?: Record<string, string>;
  /** All errors in the body. */
  errors?: FieldFault[];
  /** The cause of the failure; logged if the status is 5xx, never sent. */
  cause?: unknown;
}

/**
 * Throw it anywhere, and the server answers it as `application/problem+json` (RFC 9457). `detail` is for the
 * client, so it says what to change and never contains an internal message.
 */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Record<string, string>;
  readonly errors: FieldFault[] | undefined;

  constructor(status: number, code: string, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.headers = options.headers ?? {};
    this.errors = options.errors;
  }

  /** The text for the client, the same as `message`. */
  get detail(): string {
    return this.message;
  }
}

/** 400: the request cannot be read (malformed JSON, a wrong type in the path or the query string). */
export function invalidRequest(detail: string): Problem {
  return new Problem(400, 'invalid_request', detail);
}

/** 401: the request carries no credential and needs one. */
export function unauthorized(detail: string): Problem {
  return new Problem(401, 'unauthorized', detail, { headers: { 'www-authenticate': 'Bearer' } });
}

/** 403: the credential is valid but does not allow this. */
export function forbidden(detail: string): Problem {
  return new Problem(403, 'forbidden', detail);
}

/** 404: the resource does not exist, or not for this reader. */
export function notFound(detail: string): Problem {
  return new Problem(404, 'not_found', detail);
}

/** 503: a dependency is unavailable or the service is full; `retryAfter` is in whole seconds, at least 1. */
export function temporarilyUnavailable(detail: string, retryAfter = 1, cause?: unknown): Problem {
  return new Problem(503, 'temporarily_unavailable', detail, {
    headers: { 'retry-after': String(retryAfter) },
    cause,
  });
}
