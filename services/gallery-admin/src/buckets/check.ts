import { randomUUID } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { unquoted } from '../objects/object-page.ts';
import { type Bucket, type BucketConfiguration, StoreConnections } from './bucket.ts';
import type { BucketTest } from './buckets.ts';
import { isBusy, isStoreFault, statusOf } from './store-fault.ts';

/** How long a test may take, in ms: an answer within 5 s (`docs/spec/wire.md`, "Buckets"). */
export const TIMEOUT_MS = 4000;

/** S3's error codes, explained to the person who fills in the form. */
const REFUSALS: Record<string, string> = {
  NoStoreAnswer: 'the server there does not speak S3: check endpoint',
  InvalidAccessKeyId: 'the store does not recognize this access key: check accessKeyId',
  SignatureDoesNotMatch: 'the store rejects the secret key: check secretAccessKey',
  NoSuchBucket: 'the store has no bucket with this name: check name, or create the bucket',
  InvalidBucketName: 'the store does not accept this bucket name: check name',
  AllAccessDisabled: 'the store has disabled all access to this bucket',
  PermanentRedirect: 'the bucket is at another endpoint: check endpoint and region',
  AuthorizationHeaderMalformed: 'the bucket is in another region: check region',
  IllegalLocationConstraintException: 'the bucket is in another region: check region',
  RequestTimeTooSkewed: 'the clocks of this server and the store are too far apart: set the clock',
};

/** Node's codes for a connection that could not be made. */
const ROUTES: Record<string, string> = {
  ENOTFOUND: 'the host does not exist: check endpoint',
  EAI_AGAIN: 'the host name cannot be resolved right now: check endpoint and the DNS server',
  ECONNREFUSED: 'the connection was refused: check the host and port of endpoint',
  EHOSTUNREACH: 'there is no route to the host: check endpoint and the network',
  ENETUNREACH: 'there is no route to the host: check endpoint and the network',
  ETIMEDOUT: 'the connection timed out: check the host and port of endpoint, and any firewalls',
  ECONNRESET: 'the connection was reset: check whether the port of endpoint expects http or https',
  EPROTO: 'TLS failed: check whether the port of endpoint expects http or https',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS failed: the certificate is not valid for the host of endpoint',
  CERT_HAS_EXPIRED: "TLS failed: the store's certificate has expired",
};

const UNTRUSTED = "TLS failed: the store's certificate is not signed by an authority this server trusts";

/** Node's and OpenSSL's codes for a certificate without a trusted root. */
const UNTRUSTED_CODES =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_(UNTRUSTED|REJECTED|SIGNATURE_FAILURE))$/;

/** Prefix of the test's objects, so that one it could not delete can be recognized. */
const TEST_PREFIX = '.pressroom-test-';

/** A step of the test: the action, the permission it needs, and what it leaves behind if it is refused. */
interface Step {
  what: string;
  permission: string;
  left?: string;
  run: (signal: AbortSignal) => Promise<string | undefined>;
}

/**
 * Lists, writes and deletes in a bucket, and says what to fix if one of them fails. Leaves nothing in the
 * bucket unless deleting is not allowed. Gives up when `signal` is aborted; all steps together take less than
 * 5 s.
 */
export async function checkBucket(
  configuration: BucketConfiguration,
  signal = AbortSignal.timeout(TIMEOUT_MS),
): Promise<BucketTest> {
  const connections = new StoreConnections({ connectMs: TIMEOUT_MS, answerMs: TIMEOUT_MS });
  try {
    for (const step of stepsOf(connections.open(configuration, 1))) {
      const fault = await step.run(signal).catch((error: unknown) => adviceFor(error, step));
      if (fault !== undefined) return failure(fault);
    }
    return { success: true, message: 'the bucket can be listed, written to and deleted from' };
  } finally {
    connections.close();
  }
}

function stepsOf({ name, s3 }: Bucket): Step[] {
  const object = { Bucket: name, Key: `${TEST_PREFIX}${randomUUID()}` };
  const list = async (abortSignal: AbortSignal) => {
    await s3.send(new ListObjectsV2Command({ Bucket: name, MaxKeys: 1 }), { abortSignal });
    return undefined;
  };
  const write = async (abortSignal: AbortSignal) => {
    await s3.send(new PutObjectCommand({ ...object, Body: 'a test of the settings' }), { abortSignal });
    return undefined;
  };
  const remove = async (abortSignal: AbortSignal) => {
    await s3.send(new DeleteObjectCommand(object), { abortSignal });
    return undefined;
  };
  const left = `; the object ${object.Key} is still in the bucket`;
  return [
    { what: 'list this bucket', permission: 'ListBucket', run: list },
    { what: 'write to this bucket', permission: 'PutObject', run: write },
    { what: 'delete from this bucket', permission: 'DeleteObject', left, run: remove },
  ];
}

function failure(message: string): BucketTest {
  return { success: false, message };
}

function adviceFor(error: unknown, { what, permission, left = '' }: Step): string {
  if (!(error instanceof Error)) return 'the store cannot be used';
  if (error.name === 'AccessDenied' || answeredStatus(error) === 403) {
    const refusal = REFUSALS[error.name];
    if (refusal !== undefined) return refusal;
    return `the key is valid but may not ${what}: grant it ${permission}, or check name${left}`;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNTRUSTED_CODES.test(code)) return UNTRUSTED;
  const known = REFUSALS[error.name] ?? ROUTES[code];
  if (known !== undefined) return known;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return `the store did not answer in time: check the host and port of endpoint, and any firewalls${left}`;
  }
  if (code.startsWith('HPE_'))
    return 'the server there does not speak http: check whether endpoint needs https';
  if (isBusy(error)) return `the store is busy: try again${left}`;
  const status = answeredStatus(error);
  if (status === undefined) return `the store cannot be reached (${code || error.name}): check endpoint`;
  return `the store answered with status ${status} (${error.name}): check endpoint, region and name`;
}

function answeredStatus(error: Error): number | undefined {
  if (!('$metadata' in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode;
}

/** What has to be at a key when it is written: the object with this entity tag, or none. */
export type WriteCondition = { IfMatch: string } | { IfNoneMatch: '*' };

/** The writes with which a file gets to its key. */
export type Write = 'put' | 'complete';

/** How a store wants an entity tag in `If-Match`. */
type TagSpelling = (etag: string) => string;

/** The spelling for each write whose conditions a store honours. */
type Honoured = Partial<Record<Write, TagSpelling>>;

const quoted: TagSpelling = (etag) => `"${etag}"`;
/** Ceph takes quotes for a part of the tag. */
const bare: TagSpelling = (etag) => etag;

const NONE: WriteCondition = { IfNoneMatch: '*' };
const OTHER: WriteCondition = { IfMatch: quoted('0123456789abcdef0123456789abcdef') };

/** Finds out, once for a bucket, which conditions its store honours: some ignore or refuse them. */
export class ConditionalWrites {
  readonly #known = new Map<string, Promise<Honoured>>();

  /** Whether the store refuses such a write where another file has come to the key. */
  async areHonoured(bucket: Bucket, write: Write): Promise<boolean> {
    return (await this.#honoured(bucket))[write] !== undefined;
  }

  /** The condition that what was `found` at a key is what is replaced; undefined if the store has none. */
  async unlessChanged(
    bucket: Bucket,
    write: Write,
    found: { etag: string } | undefined,
  ): Promise<WriteCondition | undefined> {
    const spelling = (await this.#honoured(bucket))[write];
    if (spelling === undefined) return undefined;
    return found === undefined ? NONE : { IfMatch: spelling(found.etag) };
  }

  #honoured(bucket: Bucket): Promise<Honoured> {
    const key = bucket.baseUrls.join(' ');
    const known = this.#known.get(key) ?? tryWrites(bucket);
    this.#known.set(key, known);
    // What has not been found out is tried again.
    known.catch(() => this.#known.delete(key));
    return known;
  }
}

async function tryWrites({ name, s3 }: Bucket): Promise<Honoured> {
  const object = { Bucket: name, Key: `${TEST_PREFIX}${randomUUID()}` };
  const put = (condition?: WriteCondition) =>
    s3.send(new PutObjectCommand({ ...object, Body: 'a test', ...condition }));
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand(object));
  const upload = { ...object, UploadId };
  try {
    const { ETag } = await s3.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'a test' }));
    const parts = { MultipartUpload: { Parts: [{ PartNumber: 1, ETag }] } };
    const complete = (condition: WriteCondition) =>
      s3.send(new CompleteMultipartUploadCommand({ ...upload, ...parts, ...condition }));
    const etag = unquoted((await put()).ETag ?? '');
    const spelling = (await isRefused(put({ IfMatch: quoted(etag) }))) ? bare : quoted;
    const isHonoured = async (write: (condition: WriteCondition) => Promise<unknown>) =>
      (await isRefused(write(NONE))) && (await isRefused(write(OTHER)));
    return {
      ...((await isHonoured(put)) &&
        !(await isRefused(put({ IfMatch: spelling(etag) }))) && { put: spelling }),
      ...((await isHonoured(complete)) && { complete: spelling }),
    };
  } finally {
    await s3.send(new AbortMultipartUploadCommand(upload)).catch(() => undefined);
    await s3.send(new DeleteObjectCommand(object)).catch(() => undefined);
  }
}

/** Whether a write is refused because its condition does not hold. A store that does not answer throws. */
function isRefused(write: Promise<unknown>): Promise<boolean> {
  return write.then(
    () => false,
    (error: unknown) => {
      if (isConditionRefused(error)) return true;
      if (isStoreFault(error) && statusOf(error) !== undefined) return false;
      throw error;
    },
  );
}

/** True for a write that was refused because another has been there before. */
export function isConditionRefused(error: unknown): boolean {
  return isStoreFault(error) && [409, 412].includes(statusOf(error) ?? 0);
}
