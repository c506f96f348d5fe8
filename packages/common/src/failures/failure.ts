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
  code: FieldCode;
  message: string;
  limit?: number | undefined;
}

/**
 * Why something cannot be done right now: the database or the object store does not answer, there is too much
 * to do, or a service does not accept the desk's key.
 */
export type PassingReason = 'busy' | 'database' | 'key_refused' | 'object_store';

/** Optional details of a {@link Failure}. */
interface FailureOptions {
  /** A stable snake_case name, more precise than the kind: `slug_taken`, `destination_conflict`. */
  code?: ProblemCode | undefined;
  /** The dependency or condition to wait for, if the kind is `unavailable`. */
  reason?: PassingReason | undefined;
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
  readonly code: ProblemCode | undefined;
  readonly reason: PassingReason | undefined;
  readonly faults: readonly FieldFault[];

  constructor(kind: FailureKind, message: string, { code, reason, faults = [], cause }: FailureOptions = {}) {
    super(message, { cause });
    this.name = 'Failure';
    this.kind = kind;
    this.code = code;
    this.reason = reason;
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

/** Every `code` of a problem, also of a source or a bucket that fails; the desk has a sentence for each. */
export const PROBLEM_CODES = [
  'account_of_environment',
  'already_published',
  'article_changed',
  'author_not_empty',
  'bucket_access_key',
  'bucket_busy',
  'bucket_certificate',
  'bucket_clock',
  'bucket_disabled',
  'bucket_endpoint',
  'bucket_name',
  'bucket_permission',
  'bucket_protected',
  'bucket_region',
  'bucket_secret_key',
  'bucket_too_slow',
  'bucket_unusable',
  'category_not_empty',
  'client_gone',
  'confirmation_required',
  'conflict',
  'content_unavailable',
  'destination_conflict',
  'email_taken',
  'embed_answers_error',
  'embed_not_page',
  'embed_not_public',
  'embed_too_slow',
  'embed_unreachable',
  'factor_kept',
  'forbidden',
  'gone',
  'hook_paused',
  'hub_answers_error',
  'hub_refuses',
  'idempotency_key_reused',
  'import_not_ready',
  'insufficient_scope',
  'internal_error',
  'invalid_cursor',
  'invalid_request',
  'invitation_not_found',
  'last_owner',
  'last_way_in',
  'linked_elsewhere',
  'logged_in_as_another',
  'media_too_large',
  'method_not_allowed',
  'name_taken',
  'newsroom_unavailable',
  'no_proxy_login',
  'no_secret',
  'not_an_image',
  'not_configured',
  'not_found',
  'not_media',
  'not_published',
  'not_submitted',
  'notice_not_taken',
  'operation_incomplete',
  'other_account',
  'overloaded',
  'own_article',
  'page_not_built',
  'passkey_refused',
  'passkey_taken',
  'passwords_off',
  'payload_too_large',
  'precondition_failed',
  'provider_unavailable',
  'range_not_satisfiable',
  'rate_limited',
  'redirect_exists',
  'release_full',
  'role_forbids',
  'rule_too_slow',
  'rule_unusable',
  'second_factor_required',
  'second_factor_setup_required',
  'second_factor_wrong',
  'series_not_empty',
  'server_misconfigured',
  'slug_taken',
  'snapshot_required',
  'source_address_too_long',
  'source_answers_error',
  'source_challenge',
  'source_consent_wall',
  'source_encoding_wrong',
  'source_forbidden',
  'source_gone',
  'source_is_page',
  'source_known',
  'source_missing',
  'source_moved_away',
  'source_names_no_feed',
  'source_needs_login',
  'source_not_feed',
  'source_not_public',
  'source_proxy_failed',
  'source_rate_limited',
  'source_redirects',
  'source_robots',
  'source_secrets_unreadable',
  'source_too_large',
  'source_too_many_entries',
  'source_too_slow',
  'source_unreachable',
  'source_unreadable',
  'source_unstorable',
  'source_worker_failed',
  'tag_not_empty',
  'temporarily_unavailable',
  'too_many_comments',
  'too_many_imports',
  'too_many_pages',
  'too_many_filters',
  'too_many_passkeys',
  'too_many_pixels',
  'too_many_previews',
  'unauthorized',
  'unknown_person',
  'unsafe_html',
  'unsupported_media_type',
  'upload_not_found',
  'upstream_failed',
  'upstream_timeout',
  'validation_failed',
  'working_copy_changed',
  'wrong_code',
  'wrong_password',
] as const;

export type ProblemCode = (typeof PROBLEM_CODES)[number];

export type SourceCode = Extract<ProblemCode, `source_${string}`>;

/** Those that say why a source cannot be read. */
export const SOURCE_CODES = PROBLEM_CODES.filter((code): code is SourceCode => code.startsWith('source_'));

/** The code that this is, if it is one of these: a newer release has others. */
export function sourceCodeOf(code: string | null | undefined): SourceCode | undefined {
  return SOURCE_CODES.find((one) => one === code);
}

/** Those that say why a rule of a source is switched off. */
export const RULE_CODES = ['rule_too_slow', 'rule_unusable'] as const satisfies ProblemCode[];

export type RuleCode = (typeof RULE_CODES)[number];

/** Those that say why a schedule has failed: the database did not answer, or nobody knows. */
export const SCHEDULE_CODES = ['internal_error', 'temporarily_unavailable'] as const satisfies ProblemCode[];

export type ScheduleCode = (typeof SCHEDULE_CODES)[number];

/** Those that say why work of the newsroom has failed: on a source, a schedule, a hub or a notice. */
export const JOB_CODES = [
  ...SOURCE_CODES,
  ...SCHEDULE_CODES,
  'hub_answers_error',
  'hub_refuses',
  'notice_not_taken',
] as const satisfies ProblemCode[];

export type JobCode = (typeof JOB_CODES)[number];

/** The code that this is, if it is one of these: a newer release has others. */
export function jobCodeOf(code: string | null | undefined): JobCode | undefined {
  return JOB_CODES.find((one) => one === code);
}

export type BucketCode = Extract<ProblemCode, `bucket_${string}`>;

/** Those that say why a bucket cannot be used. */
export const BUCKET_CODES = PROBLEM_CODES.filter((code): code is BucketCode => code.startsWith('bucket_'));

/** Every `code` of a fault in a field, likewise: an address that is tried has those of a source. */
export const FIELD_CODES = [
  ...SOURCE_CODES,
  'conflict',
  'in_the_past',
  'invalid',
  'invalid_characters',
  'invalid_format',
  'invalid_type',
  'invalid_value',
  'not_allowed',
  'not_found',
  'not_public',
  'redirect_loop',
  'required',
  'too_common',
  'too_complex',
  'too_deep',
  'too_large',
  'too_long',
  'too_personal',
  'too_short',
  'too_small',
  'unknown_member',
  'unknown_members',
  'unsafe_html',
  'wrong_order',
] as const;

export type FieldCode = (typeof FIELD_CODES)[number];
