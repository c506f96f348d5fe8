/**
 * The reason why a request cannot be carried out, in domain terms. HTTP routes answer each kind with a status
 * (`problems/failure-problem.ts`); command lines print the message.
 */
export type FailureKind =
  /** The named thing does not exist, or not for this reader. */
  | 'missing'
  /** The request is valid, but the current state forbids it. */
  | 'conflict'
  /** A value breaks a rule; {@link Failure.faults} say which. */
  | 'invalid'
  /** An argument is unusable: an unreadable cursor, a destination inside its source. */
  | 'refused'
  /** The resource has changed since the caller read it. */
  | 'outdated'
  /** A dependency does not answer or is full; the same request may succeed later. */
  | 'unavailable'
  /** The service's settings do not allow this; its operator has to fix them. */
  | 'misconfigured'
  /** The caller is known but may not do this. */
  | 'forbidden'
  /** An upstream host failed. */
  | 'upstream_failed'
  /** An upstream host did not answer in time. */
  | 'upstream_timeout'
  /**
   * Work with several steps stopped partway; the message says what was done, what was not, and how to
   * continue.
   */
  | 'incomplete';

/** One error in a value: where it is (`a.b.0`, empty for the whole), its code, and what to change. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
}

/** Optional details of a {@link Failure}. */
interface FailureOptions {
  /** A stable snake_case name, more precise than the kind: `slug_taken`, `destination_conflict`. */
  code?: string | undefined;
  /** All errors, if the kind is `invalid`. */
  faults?: FieldFault[] | undefined;
  /** The cause of the failure; logged where it matters, never shown. */
  cause?: unknown;
}

/**
 * An expected failure, as stores and helpers report it. The message is for the user, so it says what to
 * change and contains nothing internal.
 *
 * @example throw new Failure('missing', `article ${id} does not exist`)
 * @example throw new Failure('conflict', 'another category has this slug; choose another', { code: 'slug_taken' })
 */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly code: string | undefined;
  readonly faults: readonly FieldFault[];

  constructor(kind: FailureKind, message: string, { code, faults = [], cause }: FailureOptions = {}) {
    super(message, { cause });
    this.name = 'Failure';
    this.kind = kind;
    this.code = code;
    this.faults = faults;
  }
}

/** An `invalid` {@link Failure}: its message is the first error and the number of others. */
export function invalid(faults: FieldFault[]): Failure {
  const [first] = faults;
  const where = first?.field ? `${first.field}: ` : '';
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more; see errors)` : '';
  return new Failure('invalid', `${where}${first?.message ?? 'invalid value'}${more}`, { faults });
}

/**
 * Describes a failure in one line: the message of `error`, or those of the errors it combines. A host name
 * with two addresses that both refuse a connection is an `AggregateError` whose own message is empty.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  return error.message;
}
