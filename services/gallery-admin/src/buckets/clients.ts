import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';
import type { Meter } from '@pressroom/common/metrics/meter';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { Bucket } from './bucket.ts';
import type { BucketConfiguration } from './configuration.ts';
import { giveUpSilentStore } from './silent-store.ts';
import { repeatSkewed } from './skewed-clock.ts';
import { StoreMeter } from './store-meter.ts';

/** How long a connection to a store may take, in ms. */
const CONNECT_TIMEOUT_MS = 2000;

/**
 * How long a store may take to start its answer, and pause within it, in ms; slower requests override it.
 * Including the connection, a store that hangs is given up on within 10 s.
 */
const ANSWER_TIMEOUT_MS = 7_500;

/** How long a connection may be silent at most, in ms: copying 5 GiB takes a while. */
const SILENCE_MS = 300_000;

/** Concurrent connections to each store. */
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

  /** Closes the connections. */
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
