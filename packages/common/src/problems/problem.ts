import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { isDatabaseAway } from '../database/database.ts';
import {
  Failure,
  type FailureKind,
  FIELD_CODES,
  type FieldCode,
  type FieldFault,
  invalid,
  type PassingReason,
  type ProblemCode,
} from '../failures/failure.ts';
import { withoutApiKeys } from '../http/operation.ts';

/** Optional details of a {@link Problem}. */
interface ProblemOptions {
  /** Response headers that belong to the failure, such as `Retry-After` or `Allow`. */
  headers?: Record<string, string>;
  errors?: FieldFault[];
  /** The dependency or condition to wait for, where the same request may succeed later. */
  reason?: PassingReason | undefined;
  /** The cause of the failure; logged if the status is 5xx, never sent. */
  cause?: unknown;
}

/**
 * Throw it anywhere, and the server answers it as `application/problem+json` (RFC 9457). `detail` is for the
 * client, so it says what to change and never contains an internal message.
 */
export class Problem extends Error {
  readonly status: number;
  readonly code: ProblemCode;
  readonly headers: Record<string, string>;
  readonly errors: FieldFault[] | undefined;
  readonly reason: PassingReason | undefined;

  constructor(status: number, code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, { cause: options.cause });
    this.name = 'Problem';
    this.status = status;
    this.code = code;
    this.headers = options.headers ?? {};
    this.errors = options.errors;
    this.reason = options.reason;
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
export function temporarilyUnavailable(
  detail: string,
  retryAfter = 1,
  { reason, cause }: Pick<ProblemOptions, 'reason' | 'cause'> = {},
): Problem {
  return new Problem(503, 'temporarily_unavailable', detail, {
    headers: { 'retry-after': String(retryAfter) },
    reason,
    cause,
  });
}

/** The media type of every error body (RFC 9457, section 3). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The body of every error, as the OpenAPI description shows it. */
export const problemDocumentSchema = z
  .object({
    type: z
      .string()
      .describe('Always `about:blank`: the status code defines the kind of problem.')
      .meta({ format: 'uri-reference' }),
    title: z.string().describe('The name of the HTTP status.'),
    status: z.int().meta({ minimum: 400, maximum: 599 }).describe('The HTTP status code.'),
    detail: z.string().describe('The fault, and the change that corrects it.'),
    code: z.string().describe('A stable, machine-readable name of the problem.'),
    requestId: z.string().describe('The same as the X-Request-Id header; include it when asking for help.'),
    reason: z
      .string()
      .optional()
      .describe(
        'What to wait for, where that is known: `database`, `object_store`, `busy` (too much to do) or `key_refused`' +
          ' (another `DESK_KEY`).',
      ),
    errors: z
      .array(
        z.object({
          field: z.string(),
          code: z.string(),
          message: z.string(),
          limit: z.number().optional().describe('What the value may have at most, or at least.'),
        }),
      )
      .optional()
      .describe('With validation_failed: every error in the body.'),
  })
  // A service may add members, and RFC 9457 tells clients to ignore those that they do not know.
  .meta({ id: 'Problem', additionalProperties: true });

/** A problem document as it is sent. */
export type ProblemDocument = z.infer<typeof problemDocumentSchema>;

/** Renders a problem as the document of RFC 9457 that `docs/spec/wire.md` describes. */
export function problemDocument(problem: Problem, requestId: string): ProblemDocument {
  return {
    type: 'about:blank',
    title: STATUS_CODES[problem.status] ?? 'Error',
    status: problem.status,
    detail: problem.detail,
    code: problem.code,
    requestId,
    ...(problem.reason && { reason: problem.reason }),
    ...(problem.errors && { errors: problem.errors }),
  };
}

/**
 * The error responses of a route for its OpenAPI description, one entry per status.
 *
 * @example response: { 200: articleSchema, ...problemResponses(404, 429) }
 */
export function problemResponses<Status extends number>(...statuses: Status[]) {
  return problemResponsesOf(problemDocumentSchema, statuses);
}

/** Like {@link problemResponses}, for a service whose problem documents have more members. */
export function problemResponsesOf<Schema extends z.ZodType, Status extends number>(
  schema: Schema,
  statuses: Status[],
  mediaTypes: readonly string[] = [PROBLEM_MEDIA_TYPE],
) {
  const response = (status: Status) => ({
    description: STATUS_CODES[status] ?? 'Error',
    content: Object.fromEntries(mediaTypes.map((type) => [type, { schema }])),
  });
  return Object.fromEntries(statuses.map((status) => [status, response(status)])) as Record<
    Status,
    ReturnType<typeof response>
  >;
}

/** An issue reported by zod, as passed on by `fastify-type-provider-zod`. */
interface Issue {
  instancePath: string;
  keyword: string;
  message?: string;
  params: {
    expected?: unknown;
    keys?: unknown;
    code?: unknown;
    input?: unknown;
    origin?: unknown;
    maximum?: unknown;
    minimum?: unknown;
    params?: { code?: unknown; limit?: unknown };
  };
}

/** zod's issue codes that are sent unchanged. */
const CODES: readonly FieldCode[] = ['invalid_type', 'invalid_format', 'invalid_value'];

/** Unknown members or parameters that an error names. */
const MOST_UNKNOWN = 20;

/** Types that have a length, not a size. */
const LENGTHY = new Set<unknown>(['string', 'array']);

function codeOf({ keyword, params }: Issue): FieldCode {
  const own = FIELD_CODES.find((code) => code === params.params?.code);
  if (own !== undefined) return own;
  if (keyword === 'too_big') return LENGTHY.has(params.origin) ? 'too_long' : 'too_large';
  if (keyword === 'too_small') return LENGTHY.has(params.origin) ? 'too_short' : 'too_small';
  return CODES.find((code) => code === keyword) ?? 'invalid';
}

/** The most or the least that a rule allows, where it has one. */
function limitOf({ keyword, params }: Issue): { limit?: number } {
  const own = params.params?.limit;
  const limit = keyword === 'too_big' ? params.maximum : keyword === 'too_small' ? params.minimum : own;
  return typeof limit === 'number' ? { limit } : {};
}

/** The value in a part of the request that an issue points to. */
function valueAt(part: unknown, path: string[]): unknown {
  return path.reduce<unknown>(
    (value, member) => (value as Record<string, unknown> | undefined)?.[member],
    part,
  );
}

function fieldErrors(issue: Issue, part: unknown): FieldFault[] {
  const path = issue.instancePath.split('/').filter((member) => member !== '');
  const field = path.join('.');
  if (issue.keyword === 'unrecognized_keys' && Array.isArray(issue.params.keys)) {
    return unknownMembers(field, issue.params.keys.map(String));
  }
  if (issue.keyword === 'invalid_type' && path.length > 0 && valueAt(part, path) === undefined) {
    return [{ field, code: 'required', message: 'is required' }];
  }
  return [{ field, code: codeOf(issue), message: sentenceOf(issue, field), ...limitOf(issue) }];
}

/** zod's own texts, for schemas without one, tell of types and not of what to change. */
function sentenceOf({ message = 'is invalid', params: { expected } }: Issue, field: string): string {
  if (!message.startsWith('Invalid input')) return message;
  if (field === '') return 'the body must be a JSON object with the members that the description names';
  return typeof expected === 'string' ? `must be ${TYPES[expected] ?? expected}` : 'is invalid';
}

/** Types as zod names them, in a sentence. */
const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

/** Names the first unknown members, and how many more there are. */
function unknownMembers(field: string, names: string[]): FieldFault[] {
  const errors: FieldFault[] = names.slice(0, MOST_UNKNOWN).map((name) => ({
    field: field ? `${field}.${name}` : name,
    code: 'unknown_member',
    message: 'is not a member of this resource; remove it',
  }));
  const more = names.length - errors.length;
  if (more === 0) return errors;
  return [
    ...errors,
    { field, code: 'unknown_members', message: `has ${more} more unknown members; remove them` },
  ];
}

/** The parts of a request that are read before the body, as a client names them. */
const PLACES = { params: 'path', querystring: 'query string', headers: 'header' };

/** A part of the request that was checked against a schema. */
type Part = 'body' | 'querystring' | 'params' | 'headers';

/**
 * Turns a failed zod validation into the problem that `docs/spec/wire.md` decides: 400 `invalid_request` for
 * the path, the query string and headers; for a readable body 422 `validation_failed` or 400
 * `invalid_request`, depending on the service, with all errors. Returns undefined when `error` is not a
 * validation error.
 */
export function validationProblem(
  error: Error & { validation?: unknown; validationContext?: string | undefined },
  request: FastifyRequest,
  invalidBody: 400 | 422,
): Problem | undefined {
  if (!hasZodFastifySchemaValidationErrors(error)) return undefined;
  const { body, query: querystring, params, headers } = request;
  const part = error.validationContext as Part;
  const value = { body, querystring, params, headers }[part];
  const errors = (error.validation as unknown as Issue[]).flatMap((issue) => fieldErrors(issue, value));
  if (part === 'body') {
    if (body === undefined) return invalidRequest('the request needs a JSON body');
    const code = invalidBody === 422 ? 'validation_failed' : 'invalid_request';
    return new Problem(invalidBody, code, invalid(errors).message, { errors });
  }
  const faults = errors.map(({ field, code, message }) => {
    if (code === 'unknown_member') return `unknown parameter "${field}"`;
    if (code === 'unknown_members') return message.replace('has ', '').replaceAll('member', 'parameter');
    return `"${field}" ${Array.isArray(valueAt(value, [field])) ? 'must be given once' : message}`;
  });
  return invalidRequest(`${PLACES[part]}: ${[...new Set(faults)].join('; ')}`);
}

/** Members that a service may add to its problem documents. */
export type ProblemExtension = (document: ProblemDocument) => object;

/** Differences between a service's answers to failures and the others'. */
export interface ProblemStyle {
  /** Members that the service adds to every problem document. */
  extend?: ProblemExtension | undefined;
  /** The media type of a problem for this request; that of problem documents by default. */
  mediaType?: ((request: FastifyRequest) => string) | undefined;
  /** `Cache-Control` by status; `no-store` by default. */
  cacheControl?: Readonly<Record<number, string>> | undefined;
  /** The problem for an error of a dependency specific to the service; undefined for anything else. */
  explain?: ((error: unknown) => Problem | Failure | undefined) | undefined;
  /** The status of a readable body that breaks a rule: 422 `validation_failed`, or 400 `invalid_request`. */
  invalidBody?: 400 | 422 | undefined;
}

/**
 * Fastify's own errors in the vocabulary of `docs/spec/wire.md`; those not listed are 400 `invalid_request`.
 */
const REFUSALS: Record<string, [status: number, code: ProblemCode, detail: string]> = {
  FST_ERR_BAD_URL: [400, 'invalid_request', 'the path is not percent-encoded UTF-8 (RFC 3986)'],
  FST_ERR_MAX_PARAM_LENGTH: [400, 'invalid_request', 'a segment of the path is too long'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [415, 'unsupported_media_type', 'send the body as application/json'],
  FST_ERR_CTP_BODY_TOO_LARGE: [413, 'payload_too_large', 'the body is larger than this service accepts'],
  FST_ERR_CTP_EMPTY_JSON_BODY: [400, 'invalid_request', 'the body is empty; send JSON'],
  FST_ERR_CTP_INVALID_JSON_BODY: [400, 'invalid_request', 'the body is not JSON'],
};

/** The problem for an error thrown while a request was answered. */
function problemOf(
  error: unknown,
  request: FastifyRequest,
  { explain, invalidBody = 422 }: ProblemStyle,
): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Failure) return failureProblem(error, invalidBody);
  const explained = explain?.(error);
  if (explained instanceof Failure) return failureProblem(explained, invalidBody);
  if (explained !== undefined) return explained;
  if (isDatabaseAway(error)) {
    const detail = 'the database is not answering right now; try again';
    return temporarilyUnavailable(detail, 1, { reason: 'database', cause: error });
  }
  const fault = error as Partial<FastifyError>;
  const refusal = REFUSALS[fault.code ?? ''];
  if (refusal !== undefined) {
    const [status, code, detail] = refusal;
    return new Problem(status, code, detail, { cause: error });
  }
  const invalid = validationProblem(error as FastifyError, request, invalidBody);
  if (invalid !== undefined) return invalid;
  const status = fault.statusCode ?? 500;
  if (status >= 400 && status < 500) return invalidRequest(fault.message ?? 'the request cannot be read');
  return new Problem(
    500,
    'internal_error',
    'something went wrong on the server; include the request id when you report it',
    {
      cause: error,
    },
  );
}

/** Answers `error` as a problem document. A server error (5xx) is logged with its cause. */
export function replyWithProblem(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  style: ProblemStyle = {},
): FastifyReply {
  const problem = problemOf(error, request, style);
  if (problem.status >= 500) {
    const level = problem.status === 503 ? 'warn' : 'error';
    const { id, log } = request;
    const requestId = withoutApiKeys(id);
    log[level]({ requestId, code: problem.code, err: problem.cause ?? problem }, 'request_failed');
  }
  const document = problemDocument(problem, request.id);
  return reply
    .code(problem.status)
    .headers({
      'cache-control': style.cacheControl?.[problem.status] ?? 'no-store',
      ...problem.headers,
      'content-type': style.mediaType?.(request) ?? PROBLEM_MEDIA_TYPE,
    })
    .serializer(JSON.stringify)
    .send({ ...document, ...style.extend?.(document) });
}

/** The status and the usual code of each kind of failure (`docs/spec/wire.md`, "All three services"). */
const ANSWERS: Record<FailureKind, [status: number, code: ProblemCode]> = {
  missing: [404, 'not_found'],
  conflict: [409, 'conflict'],
  invalid: [422, 'validation_failed'],
  refused: [400, 'invalid_request'],
  outdated: [412, 'precondition_failed'],
  unavailable: [503, 'temporarily_unavailable'],
  misconfigured: [500, 'server_misconfigured'],
  forbidden: [403, 'forbidden'],
  upstream_failed: [500, 'upstream_failed'],
  upstream_timeout: [504, 'upstream_timeout'],
  incomplete: [500, 'operation_incomplete'],
};

/**
 * The problem with which HTTP answers a failure. `invalidStatus` is 400 in a service that does not
 * distinguish an unreadable body from one that breaks a rule.
 */
function failureProblem(failure: Failure, invalidStatus: 400 | 422): Problem {
  const [status, usualCode] =
    failure.kind === 'invalid' && invalidStatus === 400 ? ANSWERS.refused : ANSWERS[failure.kind];
  return new Problem(status, failure.code ?? usualCode, failure.message, {
    ...(status === 503 && { headers: { 'retry-after': '1' } }),
    ...(failure.faults.length > 0 && failure.kind === 'invalid' && { errors: [...failure.faults] }),
    reason: failure.reason,
    cause: failure.cause,
  });
}
