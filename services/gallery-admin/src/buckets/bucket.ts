import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { Lease } from '@pressroom/common/caching/representation-cache';
import type { Meter } from '@pressroom/common/metrics/meter';
import { ensureHome } from '@pressroom/common/start/home';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { StoreConfig } from '../config.ts';
import { refuseOtherServers } from './store-answers.ts';

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
  readonly #settings: ActiveConfiguration;
  readonly #connections: StoreConnections;
  readonly #lease: Lease;
  #kept: Promise<Bucket> | undefined;

  constructor(settings: ActiveConfiguration, connections: StoreConnections, lease: Lease) {
    this.#settings = settings;
    this.#connections = connections;
    this.#lease = lease;
  }

  /** The active bucket; see {@link BucketSource}. */
  async current(): Promise<Bucket> {
    if (!this.#lease.isCurrent()) return this.#read();
    this.#kept ??= this.#keep();
    return this.#kept;
  }

  /**
   * The active bucket, for probes: what is kept in memory will do, because a change of the settings drops it.
   * Asking does not keep the lease going.
   */
  probed(): Promise<Bucket> {
    this.#kept ??= this.#keep();
    return this.#kept;
  }

  /** Drops the cached bucket, because the settings have changed. */
  clear(): void {
    this.#kept = undefined;
  }

  #keep(): Promise<Bucket> {
    const reading = this.#read();
    reading.catch(() => {
      // A failure goes to the requests already waiting; the next request reads again.
      if (this.#kept === reading) this.#kept = undefined;
    });
    return reading;
  }

  async #read(): Promise<Bucket> {
    return this.#connections.open(await this.#settings.active());
  }
}

/** How long a connection to a store may take, in ms. */
const CONNECT_TIMEOUT_MS = 2000;

/**
 * How long a store may take to start its answer, and pause within it, in ms; slower requests override it.
 * Including the connection, a store that hangs is given up on within 10 s.
 */
const ANSWER_TIMEOUT_MS = 7_500;

/** How long a connection may be silent at most, in ms: copying 5 GiB takes a while. */
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

/** Where a bucket is, without its keys. */
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

/** How far a signature's time may be from the store's until it counts as wrong, in ms: as in the SDK. */
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
