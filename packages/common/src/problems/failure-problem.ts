import type { Failure, FailureKind } from '../failures/failure.ts';
import { Problem } from './problem.ts';

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
export function failureProblem(failure: Failure, invalidStatus: 400 | 422): Problem {
  const [status, usualCode] =
    failure.kind === 'invalid' && invalidStatus === 400 ? ANSWERS.refused : ANSWERS[failure.kind];
  return new Problem(status, failure.code ?? usualCode, failure.message, {
    ...(status === 503 && { headers: { 'retry-after': '1' } }),
    ...(failure.faults.length > 0 && status === 422 && { errors: [...failure.faults] }),
    cause: failure.cause,
  });
}
