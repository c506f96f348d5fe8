import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { StoreConnections } from './clients.ts';
import type { BucketConfiguration } from './configuration.ts';
import type { BucketTest } from './schema.ts';

/** How long a test may take, in ms: an answer within 5 s (`docs/spec/wire.md`, "Buckets"). */
const TIMEOUT_MS = 4000;

/** What S3's refusals mean to whoever fills in the form. */
const REFUSALS: Record<string, string> = {
  InvalidAccessKeyId: 'the store does not know this access key: check accessKeyId',
  SignatureDoesNotMatch: 'the store refuses the secret: check secretAccessKey',
  NoSuchBucket: 'the store has no bucket of this name: check name, or create the bucket',
  InvalidBucketName: 'the store takes no bucket of this name: check name',
  AccessDenied:
    'the store knows the key, and the key may not list this bucket: check its permissions and name',
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
  ETIMEDOUT: 'nobody answers there: check host and port of endpoint, and firewalls',
  ECONNRESET: 'the connection broke: check whether the port of endpoint speaks http or https',
  EPROTO: 'TLS fails: check whether the port of endpoint speaks http or https',
  ERR_TLS_CERT_ALTNAME_INVALID: 'TLS fails: the certificate is for another host than that of endpoint',
  CERT_HAS_EXPIRED: 'TLS fails: the certificate of the store has expired',
};

const UNTRUSTED = 'TLS fails: the certificate of the store is signed by nobody that this server trusts';

/** Node's and OpenSSL's codes of a certificate that leads to no trusted root. */
const UNTRUSTED_CODES =
  /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_\w+|CERT_(UNTRUSTED|REJECTED|SIGNATURE_FAILURE))$/;

/** Lists one object of a bucket, and says what to mend when that fails. Takes less than 5 s. */
export async function checkBucket(configuration: BucketConfiguration): Promise<BucketTest> {
  const connections = new StoreConnections({ connectMs: TIMEOUT_MS, answerMs: TIMEOUT_MS });
  try {
    const { s3 } = connections.open(configuration, 1);
    const command = new ListObjectsV2Command({ Bucket: configuration.name, MaxKeys: 1 });
    const listed = await s3.send(command, { abortSignal: AbortSignal.timeout(TIMEOUT_MS) });
    if (listed.Name === undefined) return failure('something answers there, and it is no S3: check endpoint');
    return { success: true, message: 'the bucket can be used' };
  } catch (error) {
    return failure(adviceFor(error));
  } finally {
    connections.close();
  }
}

function failure(message: string): BucketTest {
  return { success: false, message };
}

function adviceFor(error: unknown): string {
  if (!(error instanceof Error)) return 'the store cannot be used';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNTRUSTED_CODES.test(code)) return UNTRUSTED;
  const known = REFUSALS[error.name] ?? ROUTES[code];
  if (known !== undefined) return known;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    return 'the store did not answer in time: check host and port of endpoint, and firewalls';
  }
  if (code.startsWith('HPE_')) return 'what answers there speaks no http: check whether endpoint needs https';
  const status = statusOf(error);
  if (status === undefined) return `the store cannot be reached (${code || error.name}): check endpoint`;
  return `the store answers with status ${status} (${error.name}): check endpoint, region and name`;
}

function statusOf(error: Error): number | undefined {
  if (!('$metadata' in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode;
}
