import { randomUUID } from 'node:crypto';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Bucket } from './bucket.ts';
import { StoreConnections } from './clients.ts';
import type { BucketConfiguration } from './configuration.ts';
import type { BucketTest } from './schema.ts';

/** How long a test may take, in ms: an answer within 5 s (`docs/spec/wire.md`, "Buckets"). */
export const TIMEOUT_MS = 4000;

/** What S3's refusals mean to whoever fills in the form. */
const REFUSALS: Record<string, string> = {
  InvalidAccessKeyId: 'the store does not know this access key: check accessKeyId',
  SignatureDoesNotMatch: 'the store refuses the secret: check secretAccessKey',
  NoSuchBucket: 'the store has no bucket of this name: check name, or create the bucket',
  InvalidBucketName: 'the store does not take this name for a bucket: check name',
  AllAccessDisabled: 'the store has closed this bucket to everybody',
  PermanentRedirect: 'the bucket is at another endpoint: check endpoint and region',
  AuthorizationHeaderMalformed: 'the bucket is in another region: check region',
  IllegalLocationConstraintException: 'the bucket is in another region: check region',
  RequestTimeTooSkewed: 'the clocks of this server and of the store differ too much: set the clock',
};

/** Node's codes of a connection that could not be made. */
const ROUTES: Record<string, string> = {
  ENOTFOUND: 'there is no host of this name: check endpoint',
  EAI_AGAIN: 'the name of the host cannot be looked up at the moment: check endpoint and the name server',
  ECONNREFUSED: 'nothing listens there: check host and port of endpoint',
  EHOSTUNREACH: 'no route leads there: check endpoint and the network',
  ENETUNREACH: 'no route leads there: check endpoint and the network',
  ETIMEDOUT: 'nothing answers there: check host and port of endpoint, and firewalls',
  ECONNRESET: 'the connection broke: check whether the port of endpoint speaks http or https',
  EPROTO: 'TLS fails: check whether the port of endpoint speaks http or https',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS fails: the certificate is for another host than that of endpoint',
  CERT_HAS_EXPIRED: 'TLS fails: the certificate of the store has expired',
};

const UNTRUSTED = 'TLS fails: the certificate of the store is not signed by anybody that this server trusts';

/** Node's and OpenSSL's codes of a certificate that leads to no trusted root. */
const UNTRUSTED_CODES =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_(UNTRUSTED|REJECTED|SIGNATURE_FAILURE))$/;

/** Under this the test writes, so that what it could not delete is known for what it is. */
const TEST_PREFIX = '.pressroom-test-';

/** A step of the test: what is tried, what the key needs for it, and what is left behind when it is refused. */
interface Step {
  what: string;
  permission: string;
  left?: string;
  run: (signal: AbortSignal) => Promise<string | undefined>;
}

/**
 * Lists, writes and deletes in a bucket, and says what to mend when one of them fails. Leaves nothing in the bucket
 * unless it may not delete. Gives up when `signal` is aborted: all steps together take less than 5 s.
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
    const listed = await s3.send(new ListObjectsV2Command({ Bucket: name, MaxKeys: 1 }), { abortSignal });
    return listed.Name === undefined
      ? 'something answers there, and it is not S3: check endpoint'
      : undefined;
  };
  const write = async (abortSignal: AbortSignal) => {
    await s3.send(new PutObjectCommand({ ...object, Body: 'a test of the settings' }), { abortSignal });
    return undefined;
  };
  const remove = async (abortSignal: AbortSignal) => {
    await s3.send(new DeleteObjectCommand(object), { abortSignal });
    return undefined;
  };
  const left = `; the object ${object.Key} stays in the bucket`;
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
  if (error.name === 'AccessDenied' || statusOf(error) === 403) {
    const refusal = REFUSALS[error.name];
    if (refusal !== undefined) return refusal;
    return `the store knows the key, and the key may not ${what}: give it ${permission}, or check name${left}`;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNTRUSTED_CODES.test(code)) return UNTRUSTED;
  const known = REFUSALS[error.name] ?? ROUTES[code];
  if (known !== undefined) return known;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return `the store did not answer in time: check host and port of endpoint, and firewalls${left}`;
  }
  if (code.startsWith('HPE_'))
    return 'what answers there does not speak http: check whether endpoint needs https';
  const status = statusOf(error);
  if (status === undefined) return `the store cannot be reached (${code || error.name}): check endpoint`;
  return `the store answers with status ${status} (${error.name}): check endpoint, region and name`;
}

function statusOf(error: Error): number | undefined {
  if (!('$metadata' in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode;
}
