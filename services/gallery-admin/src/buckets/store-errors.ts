import { setTimeout as pause } from 'node:timers/promises';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { Failure } from '@pressroom/common/failures/failure';
import type { Bucket } from './bucket.ts';

/** S3's error codes for a request that the store refuses because this service is misconfigured. */
const REFUSALS: Record<string, string> = {
  InvalidAccessKeyId: 'the object store does not recognize the access key of the active bucket',
  SignatureDoesNotMatch: 'the object store rejects the secret key of the active bucket',
  AccessDenied: 'the access key of the active bucket does not have permission for this in the object store',
  NoSuchBucket: 'the active bucket does not exist in the object store',
  PermanentRedirect: 'the active bucket is in another region or at another endpoint',
  AuthorizationHeaderMalformed: 'the active bucket is in another region',
};

const REFUSED = 'the object store rejects the keys of the active bucket, or they lack permission for this';

/**
 * S3's error codes, with any status, for "try again later". The last one means that a clock has been set: the
 * SDK corrects for the difference.
 */
const BUSY = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'RequestTimeout',
  'TooManyRequests',
  'RequestTimeTooSkewed',
]);

/** Statuses above 499 for which retrying is useless: the store does not support the request. */
const NEVER = new Set([501, 505]);

/** Any error thrown by the AWS SDK, recognized by `$metadata`. */
interface StoreFault extends Error {
  $metadata: { httpStatusCode?: number; attempts?: number };
  /** The answer, if the SDK could not read it. */
  $response?: { statusCode?: number };
}

/** True for a failed request to an object store: it refused the request or did not answer. */
export function isStoreFault(error: unknown): error is StoreFault {
  return error instanceof Error && '$metadata' in error;
}

/** True for S3's refusal with the error code `code`, such as `NoSuchKey`. */
export function isRefusal(error: unknown, code: string): boolean {
  return isStoreFault(error) && error.name === code;
}

/** The status of the store's answer; undefined if there was none. */
export function statusOf({ $metadata, $response }: StoreFault): number | undefined {
  return $metadata.httpStatusCode ?? $response?.statusCode;
}

/** True if the store asks to try again later. */
export function isBusy(error: unknown): boolean {
  return isStoreFault(error) && (BUSY.has(error.name) || statusOf(error) === 429);
}

/** True if the store refused a request because of its content, so that a retry is refused as well. */
export function isLastingRefusal(error: unknown): boolean {
  if (!isStoreFault(error) || isBusy(error)) return false;
  const status = statusOf(error);
  return status !== undefined && ((status >= 400 && status < 500) || NEVER.has(status));
}

/** True if the store does not accept this service's configuration: its keys, bucket or region. */
export function isMisconfiguration(error: unknown): boolean {
  if (!isStoreFault(error) || isBusy(error)) return false;
  const status = statusOf(error);
  return error.name in REFUSALS || status === 401 || status === 403;
}

/**
 * The failure for an unexpected object store error: `unavailable` if the store does not answer,
 * `misconfigured` if it does not accept this service's configuration or refuses anything else for good.
 * Undefined for errors that are not the store's, such as the SDK's own.
 */
export function storeFailure(error: unknown): Failure | undefined {
  if (!isStoreFault(error)) return undefined;
  const cause = withoutKeys(error);
  const status = statusOf(error);
  if (status === undefined) {
    return isNoAnswer(error) ? away(cause) : undefined;
  }
  // The answer to a HEAD has no body with details.
  if (isMisconfiguration(error)) {
    return new Failure('misconfigured', REFUSALS[error.name] ?? REFUSED, { cause });
  }
  if (isLastingRefusal(error)) {
    return new Failure('misconfigured', `the object store refused the request: ${codeOf(error, status)}`, {
      code: 'internal_error',
      cause,
    });
  }
  if (status >= 400) return away(cause);
  return new Failure(status < 300 ? 'unavailable' : 'misconfigured', NOT_S3, { cause });
}

function away(cause: Error): Failure {
  const message = 'the object store is not answering right now; try again';
  return new Failure('unavailable', message, { reason: 'object_store', cause });
}

const NOT_S3 =
  'the server at the endpoint of the active bucket is not S3, or something in front of it answers; check the endpoint, or try again';

/** The SDK names what it cannot read `Unknown`. */
function codeOf({ name }: StoreFault, status: number): string {
  return /^[A-Z][A-Za-z]+$/.test(name) && !/^Unknown/.test(name) ? name : `status ${status}`;
}

/** Node's codes for a request that could not be written and was never sent. */
const NOT_SENT = /^ERR_(INVALID|HTTP|UNESCAPED|OUT_OF_RANGE|STREAM)/;

/**
 * True if no answer came: refused, reset, timed out, TLS failed, or the name does not resolve. Errors from
 * before the request was sent have `$metadata` too.
 */
function isNoAnswer(error: StoreFault): boolean {
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && !NOT_SENT.test(code);
}

/** The part of an error that may be logged: refusals repeat the access key and the signed text. */
function withoutKeys(fault: StoreFault): Error {
  const error = new Error(fault.message);
  const { name, stack, $metadata } = fault;
  return Object.assign(error, { name, stack, status: statusOf(fault), attempts: $metadata.attempts });
}

/** The interval between pings of the store, in ms. */
const CHECK_MS = 2000;

/** The timeout of a ping, in ms: a store that hangs is given up on within 10 s. */
const ANSWER_MS = 5000;

/** The store no longer answers; looks like a request that got no answer. */
class StoreSilent extends Error {
  readonly $metadata = {};
  override readonly name = 'TimeoutError';
}

export interface SlowRequestOptions {
  abortSignal: AbortSignal;
  /** In ms. */
  requestTimeout: number;
}

/**
 * Sends a request that may take minutes, such as assembling an object, and waits as long as the store answers
 * other requests. A store that hangs is given up on within 10 s, however long the work may take.
 */
export async function slowRequest<T>(
  bucket: Bucket,
  requestTimeout: number,
  send: (options: SlowRequestOptions) => Promise<T>,
): Promise<T> {
  const silent = new AbortController();
  const answered = new AbortController();
  const watching = watch(bucket, answered.signal).catch((error) => silent.abort(error));
  try {
    return await send({ abortSignal: silent.signal, requestTimeout });
  } catch (error) {
    throw silent.signal.aborted ? new StoreSilent('the store stopped answering', { cause: error }) : error;
  } finally {
    answered.abort();
    await watching;
  }
}

/** Resolves when `answered` is aborted; rejects if the store stops answering before that. */
async function watch({ name, s3 }: Bucket, answered: AbortSignal): Promise<void> {
  for (;;) {
    await pause(CHECK_MS, undefined, { signal: answered, ref: false }).catch(() => undefined);
    if (answered.aborted) return;
    const abortSignal = AbortSignal.any([answered, AbortSignal.timeout(ANSWER_MS)]);
    await s3.send(new HeadBucketCommand({ Bucket: name }), { abortSignal }).catch((error: unknown) => {
      // Any answer shows that the store is alive.
      const isAnswer = isStoreFault(error) && error.$metadata.httpStatusCode !== undefined;
      if (!isAnswer && !answered.aborted) throw error;
    });
  }
}

/** The timeout of a ping, in ms. */
const TIMEOUT_MS = 2000;

/** The time that an answer counts for, in ms: probes ask more often, and asking costs CPU. */
const ANSWERED_MS = 60_000;

/** Asks whether the store of a bucket answers, for `/readyz` and the metrics. */
export class StorePing {
  readonly #now: () => number;
  /** The bucket whose store answered last, and when. */
  #answered: { bucket: Bucket; at: number } | undefined;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /**
   * Resolves if the store of `bucket` has given any answer in the last minute: a wrong key is fixed in the
   * settings. Otherwise, or if the bucket's keys cannot be decrypted, rejects with the error.
   */
  async ping(active: Promise<Bucket>): Promise<void> {
    const bucket = await active;
    const at = this.#now();
    const { bucket: known, at: since } = this.#answered ?? {};
    if (known === bucket && since !== undefined && at - since < ANSWERED_MS) return;
    this.#answered = undefined;
    await ask(bucket);
    this.#answered = { bucket, at };
  }
}

async function ask({ name, s3 }: Bucket): Promise<void> {
  try {
    await s3.send(new HeadBucketCommand({ Bucket: name }), { abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const status = isStoreFault(error) ? statusOf(error) : undefined;
    if (status === undefined || status >= 500) throw error;
  }
}

/**
 * S3's error codes for a name that a store does not accept, although S3 allows it. MinIO stores objects as
 * files: each segment has at most 255 bytes, and none is empty, `.` or `..`.
 */
const NAME_CODES: readonly string[] = [
  'KeyTooLongError',
  'XMinioInvalidObjectName',
  'XMinioInvalidResourceName',
  'XMinioParentIsObject',
  // versitygw refuses a path that leads out of its bucket without a code, so the SDK names the status.
  '400',
];

/** The message for {@link isNameRefused}, for the user who chose the name. */
export const NAME_REFUSED =
  'the store does not accept this name; MinIO allows at most 255 bytes between two "/", no empty, "." or ".." segment, and' +
  ' no folder with the same name as a file';

/** True if a store refuses an object's name, so that nothing can exist under it. */
export function isNameRefused(error: unknown): boolean {
  return NAME_CODES.some((code) => isRefusal(error, code));
}
