/**
 * Why something that was asked for cannot be done, in the words of the domain. HTTP routes answer each kind with a
 * status (`problems/failure-problem.ts`); command lines print the message.
 */
export type FailureKind =
  /** What was named does not exist, or not for this reader. */
  | 'missing'
  /** The request is sound; the present state forbids it. */
  | 'conflict'
  /** A value breaks a rule; {@link Failure.faults} say which. */
  | 'invalid'
  /** An argument cannot be used as it is: an unreadable cursor, a destination inside its source. */
  | 'refused'
  /** What is to be changed is no longer what the caller has seen. */
  | 'outdated'
  /** A dependency does not answer or is full; the same request may succeed later. */
  | 'unavailable'
  /** The settings of the service do not allow this; whoever runs it has to mend them. */
  | 'misconfigured'
  /** Whoever asks may ask, but not for this. */
  | 'forbidden'
  /** Another host, to which the request led, failed. */
  | 'upstream_failed'
  /** Another host, to which the request led, did not answer in time. */
  | 'upstream_timeout'
  /** Work of many steps stopped in between; the message says what was done, what was not, and how to go on. */
  | 'incomplete';

/** One fault of a value: where it is (`a.b.0`, empty for the whole), what kind, and what to change. */
export interface FieldFault {
  field: string;
  code: string;
  message: string;
}

/** What a {@link Failure} may say besides its kind and message. */
export interface FailureOptions {
  /** A stable snake_case name, more precise than the kind: `slug_taken`, `destination_conflict`. */
  code?: string | undefined;
  /** Every fault at once, when the kind is `invalid`. */
  faults?: FieldFault[] | undefined;
  /** What led to the failure; logged where it matters, never shown. */
  cause?: unknown;
}

/**
 * The one way for stores and helpers to fail in an expected way. The message is read by whoever asked, so it says what
 * to change and carries nothing internal.
 *
 * @example throw new Failure('missing', `there is no article ${id}`)
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

/** An `invalid` {@link Failure}: its message is the first fault and the number of the others. */
export function invalid(faults: FieldFault[]): Failure {
  const [first] = faults;
  const where = first?.field ? `${first.field}: ` : '';
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more; see errors)` : '';
  return new Failure('invalid', `${where}${first?.message ?? 'invalid value'}${more}`, { faults });
}
