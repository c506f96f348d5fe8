import { ConnectionError, ProblemError } from '@pressroom/client';

/** A field that the service did not accept, by which rule, and what that allows. */
export interface FieldProblem {
  readonly field: string;
  readonly code: string;
  readonly limit?: number | undefined;
}

/** An answer that is not a success (RFC 9457), or none at all: then `status` is 0. */
export class ApiProblem extends Error {
  readonly status: number;
  /** The stable name of the problem, such as `destination_conflict`; `unreachable` without an answer. */
  readonly code: string;
  readonly fields: readonly FieldProblem[];
  /** The cause to wait for, such as `database`; undefined where the service does not say. */
  readonly reason: string | undefined;
  /** By what the service's operators find the request; empty without an answer. */
  readonly requestId: string;
  /** The time to wait before asking again, in ms; undefined if the service does not say. */
  readonly retryAfterMs: number | undefined;

  constructor(
    status: number,
    code: string,
    message: string,
    {
      fields = [],
      reason,
      retryAfterMs,
      requestId = '',
    }: {
      fields?: readonly FieldProblem[];
      reason?: string | undefined;
      retryAfterMs?: number | undefined;
      requestId?: string | undefined;
    } = {},
  ) {
    super(message);
    this.name = 'ApiProblem';
    this.status = status;
    this.code = code;
    this.fields = fields;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
    this.requestId = requestId;
  }

  /** True if the same request may succeed later: the service or the store does not answer now. */
  get passes(): boolean {
    return [0, 502, 503, 504].includes(this.status);
  }
}

/** Converts the client's errors; anything else, such as an abort, stays as it is. */
function toProblem(error: unknown): unknown {
  if (error instanceof ConnectionError) return new ApiProblem(0, 'unreachable', error.message);
  if (!(error instanceof ProblemError)) return error;
  const retryAfterMs = error.retryAfter === undefined ? undefined : error.retryAfter * 1000;
  const fields = error.code === 'slug_taken' ? [{ field: 'slug', code: 'slug_taken' }] : error.errors;
  const { reason, requestId } = error;
  return new ApiProblem(error.status, error.code, error.message, { fields, reason, retryAfterMs, requestId });
}

/** Whatever was thrown, as the page shows it. */
export function asProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem(0, 'unexpected', String(error));
}

/** The answer, with what the client throws as an {@link ApiProblem}. */
export async function asked<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    throw toProblem(error);
  }
}
