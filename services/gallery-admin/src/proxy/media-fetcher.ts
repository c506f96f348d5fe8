import type { Readable } from 'node:stream';
import { Failure } from '@pressroom/common/failures/failure';
import { NotPublicAddress, type Resolve } from '@pressroom/common/fetching/checked-lookup';
import { GuardedAgents } from '@pressroom/common/fetching/guarded-agents';
import type { Dispatcher } from 'undici';
import { boundedBody } from './bounded-body.ts';
import { mediaTooLarge, notMedia, RangeOutside, upstreamFailed, upstreamTimeout } from './failures.ts';
import { type Media, type MediaRequest, UpstreamTimeout } from './media-request.ts';
import { notPublic, type ProxyHosts, redirectTarget, type Target } from './target.ts';

/** How upstream hosts are reached. */
export interface FetcherOptions {
  /** The most bytes of a body. */
  maxBytes: number;
  /** From the request to the first byte of the body, including redirects, in ms. */
  firstByteMs: number;
  /** Between two chunks of a body, in ms. */
  pauseMs: number;
  /** The whole of a file of which a thumbnail is made, in ms. */
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
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

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

  /** How long a whole file may take of which a thumbnail is made, in ms. */
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
      const answer = await this.#follow(target, hosts, { ...request, signal });
      return await this.#read(answer, request);
    } catch (error) {
      if (request.signal.aborted) throw request.signal.reason;
      throw deadline.signal.aborted ? upstreamTimeout(firstByteMs) : this.#explain(error);
    } finally {
      clearTimeout(timer);
    }
  }

  async #follow(target: Target, hosts: ProxyHosts, request: MediaRequest): Promise<Dispatcher.ResponseData> {
    let next = target;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await this.#ask(next, request);
      if (!REDIRECTS.has(answer.statusCode)) return answer;
      stop(answer.body);
      const { location } = answer.headers;
      if (typeof location !== 'string') throw upstreamFailed('it redirects without a Location header');
      next = redirectTarget(location, next.url, hosts);
    }
    throw upstreamFailed(`it redirects more than ${MAX_REDIRECTS} times`);
  }

  #ask(target: Target, { method, headers, signal }: MediaRequest) {
    return this.#agents.request(target, {
      method,
      headers: { ...ASKING, ...headers },
      signal,
    });
  }

  async #read({ statusCode, headers, body }: Dispatcher.ResponseData, request: MediaRequest): Promise<Media> {
    try {
      const described = describing(headers);
      const status = acceptedStatus(statusCode, described, request);
      if (status === 304) {
        stop(body);
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
      stop(body);
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

/** Ends an unread body together with its connection. */
function stop(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

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
