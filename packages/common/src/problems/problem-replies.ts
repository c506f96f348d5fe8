import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { isDatabaseAway } from '../database/database-fault.ts';
import { Failure, type FailureKind } from '../failures/failure.ts';
import { withoutApiKeys } from '../log/hidden-keys.ts';
import { invalidRequest, Problem, temporarilyUnavailable } from './problem.ts';
import { PROBLEM_MEDIA_TYPE, type ProblemDocument, problemDocument } from './problem-document.ts';
import { validationProblem } from './validation-errors.ts';

/** Members that a service may add to its problem documents. */
export type ProblemExtension = (document: ProblemDocument) => object;

/** How a service's answers to failures differ from the others'. */
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
const REFUSALS: Record<string, [status: number, code: string, detail: string]> = {
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
    return temporarilyUnavailable('the database is not answering right now; try again', 1, error);
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
const ANSWERS: Record<FailureKind, [status: number, code: string]> = {
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
    ...(failure.faults.length > 0 && status === 422 && { errors: [...failure.faults] }),
    cause: failure.cause,
  });
}
