/** One error in a request: where it is (`a.b.0`, empty for the whole body), its code, and what to change. */
export interface FieldProblem {
  field: string;
  code: string;
  message: string;
  /** The rule's upper or lower limit, where it has one. */
  limit?: number;
}

/** The codes that the services document. A service may add codes, so other text is possible as well. */
export type ProblemCode =
  | 'invalid_request'
  | 'validation_failed'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'internal_error'
  | 'temporarily_unavailable'
  | 'upstream_timeout'
  | 'invalid_cursor'
  | 'snapshot_required'
  | 'slug_taken'
  | 'redirect_exists'
  | 'unsafe_html'
  | 'idempotency_key_reused'
  | 'server_misconfigured'
  | 'destination_conflict'
  | 'operation_incomplete'
  | 'upload_not_found'
  | 'bucket_protected'
  | 'bucket_unusable'
  | 'not_media'
  | 'not_an_image'
  | 'media_too_large'
  | 'too_many_pixels'
  | 'upstream_failed'
  | 'range_not_satisfiable'
  /** The answer came from something in between, such as a proxy: it is not a problem document. */
  | 'unexpected_answer'
  | (string & {});

/** A problem document (RFC 9457), as the services send it. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  /** The fault and its remedy, for people. */
  detail: string;
  /** Stable; decide by it. */
  code: ProblemCode;
  /** Name it when you report the problem. */
  requestId: string;
  /** The cause to wait for, where known: `database`, `object_store`, `busy` or `key_refused`. */
  reason?: string | undefined;
  /** Every error of a request that broke several rules. */
  errors?: FieldProblem[];
}

/** Thrown when a service answers with an error: the problem document's members, and when to ask again. */
export class ProblemError extends Error implements ProblemDocument {
  override readonly name = 'ProblemError';
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly requestId: string;
  readonly reason: string | undefined;
  readonly errors: FieldProblem[];
  /** After how many seconds to ask again (`Retry-After`); undefined where the answer does not say. */
  readonly retryAfter: number | undefined;

  constructor(document: ProblemDocument, retryAfter?: number) {
    super(document.detail);
    this.type = document.type;
    this.title = document.title;
    this.status = document.status;
    this.code = document.code;
    this.requestId = document.requestId;
    this.reason = document.reason;
    this.errors = document.errors ?? [];
    this.retryAfter = retryAfter;
  }

  /** The same text as `message`. */
  get detail(): string {
    return this.message;
  }
}

/** Thrown when no answer arrived: whether the request was carried out is unknown. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/** True for a {@link ProblemError}, of the given code where one is given. */
export function isProblem(error: unknown, code?: ProblemCode): error is ProblemError {
  return error instanceof ProblemError && (code === undefined || error.code === code);
}

/** The problem that an unsuccessful answer carries; one of our own if it carries none. */
export function problemIn(response: Response, text: string): ProblemError {
  return new ProblemError(readDocument(text) ?? unexpected(response), retryAfterOf(response.headers));
}

/** For an answer that should have been JSON. */
export function unexpected(response: Response): ProblemDocument {
  const { status, statusText, headers } = response;
  const kind = headers.get('content-type') ?? 'no content type';
  return {
    type: 'about:blank',
    title: statusText || 'Unexpected answer',
    status,
    detail: `the answer is ${[status, statusText].join(' ').trim()} with ${kind}, which this API does not send`,
    code: 'unexpected_answer',
    requestId: headers.get('x-request-id') ?? '',
  };
}

function readDocument(text: string): ProblemDocument | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDocument(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isDocument(value: unknown): value is ProblemDocument {
  if (typeof value !== 'object' || value === null) return false;
  const { code, status, detail } = value as Record<string, unknown>;
  return typeof code === 'string' && typeof status === 'number' && typeof detail === 'string';
}

/** Seconds from now (RFC 9110, section 10.2.3): a number, or a date. */
function retryAfterOf(headers: Headers): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value);
  const seconds = Math.ceil((Date.parse(value) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds);
}
