import { finished, Readable } from 'node:stream';
import { Failure } from '@pressroom/common/failures/failure';
import {
  endBody,
  GuardedAgents,
  NotPublicAddress,
  type Resolve,
  TooManyRedirects,
} from '@pressroom/common/fetching/guarded-agents';
import { isPublicAddress, literalAddress } from '@pressroom/common/fetching/public-address';
import type { Dispatcher } from 'undici';
import type { Unseen } from '../stills/formats.ts';
import { type HostRule, isListed } from './host-rules.ts';

export interface FetcherOptions {
  /** The most bytes of a body. */
  maxBytes: number;
  /** From the request to the first byte of the body, including redirects, in ms. */
  firstByteMs: number;
  /** Between two chunks of a body, in ms. */
  pauseMs: number;
  /** The time for the whole file of a thumbnail, in ms. */
  wholeMs: number;
  /** Resolves names; the system's resolver by default. */
  resolve?: Resolve;
  /** Certificates (PEM) to trust instead of the system's. */
  ca?: string;
}

/** The limits set by `docs/spec/wire.md`. */
export const PROXY_LIMITS = {
  maxBytes: 50 * 2 ** 20,
  firstByteMs: 10_000,
  pauseMs: 30_000,
  wholeMs: 30_000,
};

const MAX_REDIRECTS = 3;

/** The headers that describe a body and are passed on. */
const DESCRIBING = [
  'content-type',
  'content-length',
  'content-encoding',
  'content-range',
  'accept-ranges',
  'etag',
  'last-modified',
] as const;

const ASKING = {
  accept: 'image/*, video/*, audio/*',
  'accept-encoding': 'identity',
  'user-agent': 'pressroom-gallery',
};

/** Fetches media from allowed hosts, and from nowhere else. */
export class MediaFetcher {
  readonly #options: FetcherOptions;
  readonly #agents: GuardedAgents;

  constructor(options: FetcherOptions) {
    const { firstByteMs, pauseMs, resolve, ca } = options;
    this.#options = options;
    this.#agents = new GuardedAgents({
      connectMs: firstByteMs,
      headersMs: firstByteMs,
      pauseMs,
      resolve,
      ca,
    });
  }

  /** The most bytes of a body. */
  get maxBytes(): number {
    return this.#options.maxBytes;
  }

  /** The time limit for fetching a whole file for a thumbnail, in ms. */
  get wholeMs(): number {
    return this.#options.wholeMs;
  }

  /** Closes all connections, including those in use. */
  async close(): Promise<void> {
    await this.#agents.close();
  }

  /**
   * Requests `target` and follows up to 3 redirects, each to an allowed host; resolves with the first byte.
   * Throws a failure that says why no media is returned, or {@link RangeOutside}.
   */
  async fetch(target: Target, hosts: ProxyHosts, request: MediaRequest): Promise<Media> {
    const { firstByteMs } = this.#options;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new UpstreamTimeout()), firstByteMs);
    const signal = AbortSignal.any([request.signal, deadline.signal]);
    try {
      const { answer } = await this.#agents.follow(
        target,
        { method: request.method, headers: { ...ASKING, ...request.headers }, signal },
        { most: MAX_REDIRECTS, next: (location, from) => redirectTarget(location, from, hosts) },
      );
      return await this.#read(answer, request);
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      throw deadline.signal.aborted ? upstreamTimeout(firstByteMs) : this.#explain(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #read({ statusCode, headers, body }: Dispatcher.ResponseData, request: MediaRequest): Promise<Media> {
    try {
      const described = describing(headers);
      const status = acceptedStatus(statusCode, described, request);
      if (status === 304) {
        endBody(body);
        return { status, headers: validators(described), body };
      }
      this.#accept(described);
      const isDeclared = 'content-length' in described;
      return {
        status,
        headers: described,
        body: await boundedBody(body, this.#options.maxBytes, isDeclared),
      };
    } catch (error) {
      endBody(body);
      throw error;
    }
  }

  #accept(headers: Record<string, string>): void {
    const { maxBytes } = this.#options;
    if (!isMedia(headers['content-type'])) throw notMedia(headers['content-type']);
    if (Number(headers['content-length'] ?? 0) > maxBytes) throw mediaTooLarge(maxBytes);
  }

  #explain(error: unknown): unknown {
    if (error instanceof Failure || error instanceof RangeOutside) return error;
    if (error instanceof NotPublicAddress) return notPublic(error.hostname);
    if (error instanceof TooManyRedirects) return upstreamFailed(error.message);
    const { code } = error as { code?: string };
    if (code !== undefined && TIMEOUTS.has(code)) return upstreamTimeout(this.#options.firstByteMs);
    return upstreamFailed('it cannot be reached, or the connection broke', error);
  }
}

/** undici's and the system's error codes for a host that does not answer. */
const TIMEOUTS = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

function describing(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  const entries = DESCRIBING.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is [(typeof DESCRIBING)[number], string] => typeof entry[1] === 'string'),
  );
}

/** The headers of a 304, which does not describe a body (RFC 9110, section 15.4.5). */
function validators(described: Record<string, string>): Record<string, string> {
  const { etag, 'last-modified': lastModified } = described;
  return {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { 'last-modified': lastModified }),
  };
}

/** The accepted statuses; throws a failure for any other. */
function acceptedStatus(
  status: number,
  described: Record<string, string>,
  { headers }: MediaRequest,
): Media['status'] {
  if (status === 200) return status;
  if (status === 206 && headers.range !== undefined) return status;
  if (status === 304 && (headers['if-none-match'] ?? headers['if-modified-since']) !== undefined)
    return status;
  if (status === 416 && headers.range !== undefined) throw new RangeOutside(described['content-range']);
  throw upstreamFailed(`it answered with status ${status}`);
}

/** True for media types that are passed on. */
export function isMedia(contentType: string | undefined): boolean {
  return /^(image|video|audio)\/[^\s;,]+\s*(;|$)/i.test(contentType ?? '');
}

/** The hosts that the proxy may contact. */
interface ProxyHosts {
  allowed: readonly HostRule[];
  /** The allowed hosts that may have addresses that are not public. */
  private: readonly HostRule[];
}

/** A URL that may be requested. */
interface Target {
  url: URL;
  /** True if its host may have an address that is not public. */
  mayBePrivate: boolean;
}

/** Parses the URL that a client requests. Fails with `refused` if it is not a URL or contains credentials. */
export function readUrl(text: string): URL {
  if (!URL.canParse(text)) throw new Failure('refused', 'query string: "url" must be an absolute https URL');
  const url = new URL(text);
  if (hasCredentials(url)) {
    throw new Failure('refused', 'query string: "url" must not contain a user name or password');
  }
  return url;
}

/**
 * Checks the URL that a client requests. Fails with `refused` for any scheme but https, and with `forbidden`
 * for a host or port that is not listed or an address that is not public.
 */
export function readTarget(url: URL, hosts: ProxyHosts): Target {
  if (url.protocol !== 'https:') throw new Failure('refused', 'query string: "url" must begin with https://');
  return allowedTarget(url, hosts);
}

/** Follows a redirect from `from`. Fails with `forbidden` if a client may not request its target either. */
function redirectTarget(location: string, from: URL, hosts: ProxyHosts): Target {
  const url = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (url?.protocol !== 'https:' || hasCredentials(url)) {
    throw new Failure(
      'forbidden',
      'the URL redirects to one that is not allowed: only https without credentials is',
    );
  }
  return allowedTarget(url, hosts);
}

function hasCredentials({ username, password }: URL): boolean {
  return username !== '' || password !== '';
}

function allowedTarget(url: URL, hosts: ProxyHosts): Target {
  if (!isListed(url, hosts.allowed)) {
    throw new Failure(
      'forbidden',
      `the host ${url.host} is not allowed; PROXY_ALLOWED_HOSTS lists the allowed hosts`,
    );
  }
  const mayBePrivate = isListed(url, hosts.private);
  const address = literalAddress(url.hostname);
  if (address !== undefined && !mayBePrivate && !isPublicAddress(address)) throw notPublic(url.hostname);
  return { url, mayBePrivate };
}

/** The host has an address that is not public. */
function notPublic(hostname: string) {
  return new Failure(
    'forbidden',
    `the address of ${hostname} is not public; PROXY_PRIVATE_HOSTS lists hosts with private addresses`,
  );
}

/** Headers of the client's request that are copied to the upstream request. */
export type ForwardedHeaders = Partial<
  Record<'range' | 'if-range' | 'if-none-match' | 'if-modified-since', string>
>;

export interface MediaRequest {
  method: 'GET' | 'HEAD';
  headers: ForwardedHeaders;
  /** Aborted when no request waits for the answer. */
  signal: AbortSignal;
}

/** Media as an upstream host sends it. */
export interface Media {
  /** 200, 206 for a range, 304 if the client already has it. */
  status: 200 | 206 | 304;
  /** The headers that describe the body, by lower-case name. */
  headers: Record<string, string>;
  /** Never more than the limit; fails if the host sends more, or stops. */
  body: Readable;
}

/** An upstream host did not start to answer in time. */
class UpstreamTimeout extends Error {}

/**
 * Waits for the first bytes of `source`, the body of an answer, and returns it as a stream of at most
 * `maxBytes`. One that has declared its length, which the caller has checked, cannot be longer (RFC 9112,
 * section 6.3); another fails beyond that, and stops the source. Rethrows an error of the source before its
 * first byte.
 */
export async function boundedBody(
  source: Readable,
  maxBytes: number,
  isDeclared: boolean,
): Promise<Readable> {
  await begun(source);
  if (isDeclared) return source;
  const body = Readable.from(bounded(source, maxBytes), { objectMode: false });
  // A generator that nothing was read from does not stop the source when it is ended.
  return body.once('close', () => source.on('error', () => undefined).destroy());
}

/** Resolves once there is something to read, or the end. */
function begun(source: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopWatching = finished(source, { writable: false }, (error) => {
      source.off('readable', begin);
      if (error) reject(error);
      else resolve();
    });
    const begin = () => {
      stopWatching();
      resolve();
    };
    source.once('readable', begin);
  });
}

async function* bounded(source: Readable, maxBytes: number): AsyncGenerator<Buffer, void> {
  let bytes = 0;
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw mediaTooLarge(maxBytes);
    yield chunk;
  }
}

/** The URL points to something other than an image, video or audio. */
export function notMedia(contentType: string | undefined): Failure {
  const type = contentType === undefined ? 'a file without a media type' : `"${contentType}"`;
  return new Failure('refused', `the URL points to ${type}; only images, videos and audio are allowed`, {
    code: 'not_media',
  });
}

/** The URL points to more bytes than the proxy passes on. */
export function mediaTooLarge(maxBytes: number): Failure {
  const limit = `${maxBytes / 2 ** 20} MiB`;
  return new Failure('refused', `the URL points to more than ${limit}, the largest size allowed`, {
    code: 'media_too_large',
  });
}

/** A thumbnail is requested of something other than an image. */
export function notAnImage(contentType: string): Failure {
  return new Failure(
    'refused',
    `the file is "${contentType}"; thumbnails and renditions are only available for images`,
    {
      code: 'not_an_image',
    },
  );
}

/** Explains why a file has no picture, and what to do about it. */
const UNSEEN: Record<Unseen, string> = {
  damaged: 'is damaged or incomplete; publish it again',
  unsupported: 'is not of a format that pictures are made of; publish it as a JPEG, PNG or WebP',
  too_complex: 'takes too much time or memory to draw; publish it as a JPEG, PNG or WebP',
  no_preview: 'is a raw file of a camera without a preview in it; publish it as a JPEG',
  locked: 'is a PDF with a password; publish it without one',
};

/** No picture can be made of a file that may have one. */
export function cannotDraw(unseen: Unseen, contentType: string): Failure {
  return new Failure('refused', `this file ("${contentType}") ${UNSEEN[unseen]}`, { code: 'not_an_image' });
}

/** The host failed; `what` says how, without quoting its message. */
export function upstreamFailed(what: string, cause?: unknown): Failure {
  return new Failure('upstream_failed', `the host of the URL failed: ${what}`, { cause });
}

/** The active bucket has no such version of the file; `cause` is the store's refusal. */
export function noSuchVersion(versionId: string, cause: unknown): Failure {
  const version = JSON.stringify(versionId);
  return new Failure('refused', `the bucket has no version ${version} of this file; leave "versionId" out`, {
    cause,
  });
}

/** The host did not start to answer in time. */
function upstreamTimeout(ms: number): Failure {
  return new Failure('upstream_timeout', `the host of the URL did not start to answer within ${ms / 1000} s`);
}

/** The host did not send the whole file in time. */
export function upstreamTooSlow(ms: number): Failure {
  return new Failure(
    'upstream_timeout',
    `the host of the URL did not send the whole file within ${ms / 1000} s`,
  );
}

/** The range lies outside the media; `contentRange` has its size, as reported by the host. */
export class RangeOutside extends Error {
  readonly contentRange: string | undefined;

  constructor(contentRange: string | undefined) {
    super('the range lies outside the media');
    this.contentRange = contentRange;
  }
}
