import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ClientConfig,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { CachedValue } from '@pressroom/common/caching/cached-value';
import type { Lease } from '@pressroom/common/caching/representation-cache';
import type { BucketCode } from '@pressroom/common/failures/failure';
import type { Meter } from '@pressroom/common/metrics/meter';
import { ensureHome } from '@pressroom/common/start/home';
import { refuseOtherServers } from '@pressroom/common/stores/store-answers';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { StoreConfig } from '../config.ts';
import { unquoted } from '../objects/object-page.ts';
import type { BucketTest } from './buckets.ts';
import { isBusy, isStoreFault, statusOf } from './store-errors.ts';

/** A bucket that the service works on: a configuration with the clients made from it. Never changes. */
export interface Bucket {
  /** Id of the configuration; `default` is the bucket of the environment. */
  readonly id: string;
  /** Name of the S3 bucket. */
  readonly name: string;
  /** The client for the endpoint (`S3_ENDPOINT`). */
  readonly s3: S3Client;
  /**
   * Signs URLs for the endpoint that browsers reach (`S3_PUBLIC_ENDPOINT`, else `S3_ENDPOINT`); sends
   * nothing.
   */
  readonly signer: S3Client;
  /** The prefix of its objects' URLs at each of its endpoints: `https://host/bucket/`. */
  readonly baseUrls: readonly string[];
  /** Host of the URLs that `signer` makes, with the port unless it is the scheme's default. */
  readonly endpointHost: string;
}

export interface BucketSource {
  /**
   * The active bucket. Call it once per request and keep the result, so that a switch in between never mixes
   * two buckets. Throws the database's error if the settings cannot be read.
   */
  current(): Promise<Bucket>;
}

/** Reads the configuration of the active bucket. */
interface ActiveConfiguration {
  active(): Promise<BucketConfiguration>;
}

/**
 * The active bucket. It is kept in memory as long as every change of the settings is sure to be noticed, and
 * read from the database otherwise, so a switch takes effect within a second.
 */
export class ActiveBucket implements BucketSource {
  readonly #kept: CachedValue<Bucket>;

  constructor(settings: ActiveConfiguration, connections: StoreConnections, lease: Lease) {
    this.#kept = new CachedValue(lease, async () => connections.open(await settings.active()));
  }

  /** The active bucket; see {@link BucketSource}. */
  current(): Promise<Bucket> {
    return this.#kept.current();
  }

  /**
   * The active bucket, for probes: what is kept in memory will do, because a change of the settings drops it.
   * Asking does not keep the lease going.
   */
  probed(): Promise<Bucket> {
    return this.#kept.last();
  }

  /** Drops the cached bucket, because the settings have changed. */
  clear(): void {
    this.#kept.drop();
  }
}

const CONNECT_TIMEOUT_MS = 2000;

/**
 * The longest wait for an answer to start, and the longest pause within it, in ms; slower requests override
 * it. With the connection, a store that hangs is given up on within 10 s.
 */
const ANSWER_TIMEOUT_MS = 7_500;

/** The longest silence of a connection, in ms: copying 5 GiB takes a while. */
const SILENCE_MS = 300_000;

const MAX_SOCKETS = 128;

/** The timeouts of a request to a store, in ms. */
export interface StoreTimeouts {
  connectMs: number;
  answerMs: number;
}

const TIMEOUTS: StoreTimeouts = { connectMs: CONNECT_TIMEOUT_MS, answerMs: ANSWER_TIMEOUT_MS };

/** Connections to object stores, shared by all buckets, so switching buckets interrupts nothing. */
export class StoreConnections {
  readonly #handler: NodeHttpHandler;
  readonly #answerMs: number;
  readonly #meter = new StoreMeter();

  constructor({ connectMs, answerMs }: StoreTimeouts = TIMEOUTS) {
    ensureHome();
    this.#answerMs = answerMs;
    const agent = { keepAlive: true, maxSockets: MAX_SOCKETS };
    this.#handler = new NodeHttpHandler({
      connectionTimeout: connectMs,
      requestTimeout: answerMs,
      throwOnRequestTimeout: true,
      socketTimeout: SILENCE_MS,
      httpAgent: agent,
      httpsAgent: agent,
    });
  }

  /** The clients of a bucket; `attempts`: how often a request is sent if the store fails. */
  open(configuration: BucketConfiguration, attempts = 3): Bucket {
    const { id, name, endpoint, publicEndpoint, forcePathStyle } = configuration;
    const signingEndpoint = publicEndpoint ?? endpoint;
    const shared = clientSettings(configuration);
    const { host } = new URL(signingEndpoint);
    const s3 = new S3Client({ ...shared, endpoint, requestHandler: this.#handler, maxAttempts: attempts });
    refuseOtherServers(s3);
    giveUpSilentStore(s3, this.#answerMs);
    repeatSkewed(s3);
    this.#meter.watch(s3);
    return {
      id,
      name,
      s3,
      signer: new S3Client({ ...shared, endpoint: signingEndpoint }),
      baseUrls: [...new Set([signingEndpoint, endpoint])].map((url) => baseUrl(configuration, url)),
      endpointHost: forcePathStyle ? host : `${name}.${host}`,
    };
  }

  /** Figures of the requests to all stores. */
  meters(): Meter[] {
    return this.#meter.meters();
  }

  close(): void {
    this.#handler.destroy();
  }
}

function baseUrl({ name, forcePathStyle }: BucketConfiguration, endpoint: string): string {
  const { protocol, host, pathname } = new URL(endpoint);
  const path = pathname.replace(/\/$/, '');
  return forcePathStyle ? `${protocol}//${host}${path}/${name}/` : `${protocol}//${name}.${host}${path}/`;
}

function clientSettings({ region, forcePathStyle, credentials }: BucketConfiguration): S3ClientConfig {
  return {
    region,
    forcePathStyle,
    credentials: { ...credentials },
    // Checksums that S3 does not require would be signed into upload URLs, and other stores reject them.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // AWS settings in the environment do not apply to the buckets configured here.
    followRegionRedirects: false,
    useFipsEndpoint: false,
    useDualstackEndpoint: false,
    useArnRegion: false,
    disableMultiregionAccessPoints: true,
  };
}

/** The id of the bucket of the environment. */
export const DEFAULT_ID = 'default';

/** The two keys of an object store account. */
export interface Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

interface BucketPlace {
  /** Name of the S3 bucket. */
  name: string;
  /** URL of the store that this service talks to. */
  endpoint: string;
  region: string;
  /** True for `endpoint/bucket/key`, false for `bucket.endpoint/key`. */
  forcePathStyle: boolean;
  /** URL at which browsers reach the same store, if it differs. */
  publicEndpoint: string | null;
}

export interface BucketConfiguration extends BucketPlace {
  id: string;
  credentials: Credentials;
}

export function environmentBucket(config: StoreConfig): BucketConfiguration {
  return {
    id: DEFAULT_ID,
    name: config.S3_BUCKET,
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    forcePathStyle: config.S3_FORCE_PATH_STYLE,
    publicEndpoint: config.S3_PUBLIC_ENDPOINT ?? null,
    credentials: {
      accessKeyId: config.S3_ACCESS_KEY_ID,
      secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    },
  };
}

/** Commands during which a store may be silent for minutes, because it assembles objects. */
const LONG = new Set(['CompleteMultipartUploadCommand', 'CopyObjectCommand', 'UploadPartCopyCommand']);

/** A store was silent for too long. Asking it again at once would only take as long. */
class StoreSilent extends Error {
  constructor(cause: unknown) {
    super('the store stopped answering', { cause });
    this.name = 'AbortError';
  }
}

/**
 * Aborts an answer if nothing arrives for `limitMs` while a reader waits for it, and stops the SDK from
 * retrying a request that a store left unanswered: three attempts would take three times as long.
 */
function giveUpSilentStore(s3: S3Client, limitMs: number): void {
  s3.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const answer = await next(args);
        const { body } = answer.response as { body?: unknown };
        if (isFromSocket(body) && !LONG.has(commandName ?? '')) watch(body, limitMs);
        return answer;
      },
    { step: 'deserialize', priority: 'low', name: 'watchAnswer' },
  );
  s3.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        throw isSilence(error) ? new StoreSilent(error) : error;
      }
    },
    // Runs inside the SDK's own retries, which treat a TimeoutError as retryable.
    { step: 'finalizeRequest', priority: 'low', name: 'repeatNoSilence' },
  );
}

/** True for a time limit that has passed. The SDK calls a connection that broke a TimeoutError, too. */
function isSilence(error: unknown): boolean {
  if (!(error instanceof Error) || error.name !== 'TimeoutError') return false;
  return !('code' in error) || error.code === 'ETIMEDOUT';
}

/** The body of an answer, as Node receives it. */
type Body = Readable & { socket: Socket };

function isFromSocket(body: unknown): body is Body {
  return body instanceof Readable && 'socket' in body;
}

function watch(body: Body, limitMs: number): void {
  const { socket } = body;
  const onSilence = () => {
    // If data has arrived but is not read yet, the reader is slow, not the store.
    if (body.readableLength > 0) socket.setTimeout(limitMs);
    else body.destroy(Object.assign(new Error('the store stopped answering'), { name: 'TimeoutError' }));
  };
  socket.setTimeout(limitMs);
  socket.on('timeout', onSilence);
  body.once('close', () => {
    socket.off('timeout', onSilence);
    socket.setTimeout(0);
  });
}

/** The offset from the store's clock that a signature may have, in ms: as in the SDK. */
const TOLERATED_MS = 240_000;

/**
 * Lets `s3` sign a request again if the store refused it because of its time. The store says so only in a
 * body, which the answer to a HEAD does not have; and the SDK, which corrects its time by every answer,
 * repeats no request that it had signed for a difference that is gone.
 */
function repeatSkewed(s3: S3Client): void {
  s3.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const { headers = {} } = args.request as { headers?: Record<string, string> };
        throw isSkewed(error, headers) ? asSkewed(error) : error;
      }
    },
    // Within the SDK's repetitions, and after the signature.
    { step: 'finalizeRequest', priority: 'low', name: 'repeatSkewed' },
  );
}

/** A refusal as the SDK throws it. */
interface Refusal extends Error {
  $metadata: { httpStatusCode?: number };
  $response?: { headers?: Record<string, string> };
}

function isSkewed(error: unknown, sent: Record<string, string>): error is Refusal {
  if (!(error instanceof Error) || !('$metadata' in error)) return false;
  const { $metadata, $response } = error as Refusal;
  if ($metadata.httpStatusCode !== 403) return false;
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(sent['x-amz-date'] ?? '') ?? [];
  const [year = '', month, day, hour, minute, second] = parts;
  const signedAt = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const answeredAt = Date.parse($response?.headers?.date ?? '');
  return Math.abs(answeredAt - signedAt) > TOLERATED_MS;
}

/** Named as S3 names it, and repeatable: by now the SDK knows the right time. */
function asSkewed(error: Refusal): Refusal {
  return Object.assign(error, { name: 'RequestTimeTooSkewed', $retryable: { throttling: false } });
}

/** Counts the requests to object stores and how long they took. */
class StoreMeter {
  #answered = 0;
  #failed = 0;
  #seconds = 0;

  /** Counts what `s3` sends from now on. A request that the SDK repeats counts each time. */
  watch(s3: S3Client): void {
    s3.middlewareStack.add(
      (next) => async (args) => {
        const sent = performance.now();
        try {
          const answer = await next(args);
          this.#answered += 1;
          return answer;
        } catch (error) {
          this.#failed += 1;
          throw error;
        } finally {
          this.#seconds += (performance.now() - sent) / 1000;
        }
      },
      { step: 'finalizeRequest', priority: 'low', name: 'meter' },
    );
  }

  /** Requests by result, and the time that they took. */
  meters(): Meter[] {
    return [
      {
        name: 'object_store_requests_total',
        help: 'Requests to object stores; a refusal of the store counts as failed',
        kind: 'counter',
        labels: ['result'],
        read: () => [
          { labels: { result: 'answered' }, value: this.#answered },
          { labels: { result: 'failed' }, value: this.#failed },
        ],
      },
      {
        name: 'object_store_request_seconds_total',
        help: 'Time spent waiting for the answers of object stores',
        kind: 'counter',
        read: () => [{ value: this.#seconds }],
      },
    ];
  }
}

/** Lets the test answer within 5 s (`docs/spec/wire.md`, "Buckets"). */
export const TIMEOUT_MS = 4000;

/** The fault to mend: for programs, and in words. */
type Advice = readonly [code: BucketCode, message: string];

/** S3's error codes, explained to the person who fills in the form. */
const REFUSALS: Record<string, Advice> = {
  NoStoreAnswer: ['bucket_endpoint', 'the server there does not speak S3: check endpoint'],
  InvalidAccessKeyId: [
    'bucket_access_key',
    'the store does not recognize this access key: check accessKeyId',
  ],
  SignatureDoesNotMatch: ['bucket_secret_key', 'the store rejects the secret key: check secretAccessKey'],
  NoSuchBucket: ['bucket_name', 'the store has no bucket with this name: check name, or create the bucket'],
  InvalidBucketName: ['bucket_name', 'the store does not accept this bucket name: check name'],
  AllAccessDisabled: ['bucket_disabled', 'the store has disabled all access to this bucket'],
  PermanentRedirect: ['bucket_region', 'the bucket is at another endpoint: check endpoint and region'],
  AuthorizationHeaderMalformed: ['bucket_region', 'the bucket is in another region: check region'],
  IllegalLocationConstraintException: ['bucket_region', 'the bucket is in another region: check region'],
  RequestTimeTooSkewed: [
    'bucket_clock',
    'the clocks of this server and the store are too far apart: set the clock',
  ],
};

/** Node's codes for a connection that could not be made. */
const ROUTES: Record<string, Advice> = {
  ENOTFOUND: ['bucket_endpoint', 'the host does not exist: check endpoint'],
  EAI_AGAIN: [
    'bucket_endpoint',
    'the host name cannot be resolved right now: check endpoint and the DNS server',
  ],
  ECONNREFUSED: ['bucket_endpoint', 'the connection was refused: check the host and port of endpoint'],
  EHOSTUNREACH: ['bucket_endpoint', 'there is no route to the host: check endpoint and the network'],
  ENETUNREACH: ['bucket_endpoint', 'there is no route to the host: check endpoint and the network'],
  ETIMEDOUT: [
    'bucket_too_slow',
    'the connection timed out: check the host and port of endpoint, and any firewalls',
  ],
  ECONNRESET: [
    'bucket_endpoint',
    'the connection was reset: check whether the port of endpoint expects http or https',
  ],
  EPROTO: ['bucket_endpoint', 'TLS failed: check whether the port of endpoint expects http or https'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'bucket_certificate',
    'TLS failed: the certificate is not valid for the host of endpoint',
  ],
  CERT_HAS_EXPIRED: ['bucket_certificate', "TLS failed: the store's certificate has expired"],
};

const UNTRUSTED: Advice = [
  'bucket_certificate',
  "TLS failed: the store's certificate is not signed by an authority this server trusts",
];

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
  run: (signal: AbortSignal) => Promise<unknown>;
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
      const fault = await step.run(signal).then(
        () => undefined,
        (error: unknown) => adviceFor(error, step),
      );
      if (fault === undefined) continue;
      const [code, message] = fault;
      return { success: false, code, message };
    }
    return { success: true, code: null, message: 'the bucket can be listed, written to and deleted from' };
  } finally {
    connections.close();
  }
}

function stepsOf({ name, s3 }: Bucket): Step[] {
  const object = { Bucket: name, Key: `${TEST_PREFIX}${randomUUID()}` };
  const list = (abortSignal: AbortSignal) =>
    s3.send(new ListObjectsV2Command({ Bucket: name, MaxKeys: 1 }), { abortSignal });
  const write = (abortSignal: AbortSignal) =>
    s3.send(new PutObjectCommand({ ...object, Body: 'a test of the settings' }), { abortSignal });
  const remove = (abortSignal: AbortSignal) => s3.send(new DeleteObjectCommand(object), { abortSignal });
  const left = `; the object ${object.Key} is still in the bucket`;
  return [
    { what: 'list this bucket', permission: 'ListBucket', run: list },
    { what: 'write to this bucket', permission: 'PutObject', run: write },
    { what: 'delete from this bucket', permission: 'DeleteObject', left, run: remove },
  ];
}

function adviceFor(error: unknown, { what, permission, left = '' }: Step): Advice {
  if (!(error instanceof Error)) return ['bucket_unusable', 'the store cannot be used'];
  if (error.name === 'AccessDenied' || answeredStatus(error) === 403) {
    const refusal = REFUSALS[error.name];
    if (refusal !== undefined) return refusal;
    const grant = `grant it ${permission}, or check name${left}`;
    return ['bucket_permission', `the key is valid but may not ${what}: ${grant}`];
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (UNTRUSTED_CODES.test(code)) return UNTRUSTED;
  const known = REFUSALS[error.name] ?? ROUTES[code];
  if (known !== undefined) return known;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') {
    const check = `check the host and port of endpoint, and any firewalls${left}`;
    return ['bucket_too_slow', `the store did not answer in time: ${check}`];
  }
  if (code.startsWith('HPE_')) {
    return ['bucket_endpoint', 'the server there does not speak http: check whether endpoint needs https'];
  }
  if (isBusy(error)) return ['bucket_busy', `the store is busy: try again${left}`];
  const status = answeredStatus(error);
  if (status === undefined) {
    return ['bucket_endpoint', `the store cannot be reached (${code || error.name}): check endpoint`];
  }
  const answered = `the store answered with status ${status} (${error.name})`;
  return ['bucket_endpoint', `${answered}: check endpoint, region and name`];
}

function answeredStatus(error: Error): number | undefined {
  if (!('$metadata' in error)) return undefined;
  return (error.$metadata as { httpStatusCode?: number }).httpStatusCode;
}

/** Requires the object with this entity tag to be at the key when it is written, or none. */
export type WriteCondition = { IfMatch: string } | { IfNoneMatch: '*' };

/** The writes with which a file gets to its key. */
export type Write = 'put' | 'complete';

/** Writes an entity tag as a store takes it in `If-Match`. */
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

  /** True if the store refuses such a write once another file is at the key. */
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
    // A failure is not remembered, so that the next request asks again.
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

/**
 * True if the store refuses a write because its condition does not hold. Throws if the store does not answer.
 */
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
