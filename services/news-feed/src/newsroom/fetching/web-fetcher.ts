import { lookup } from 'node:dns/promises';
import {
  checkedLookup,
  NotPublicAddress,
  type Resolve,
  uncheckedLookup,
} from '@pressroom/common/fetching/checked-lookup';
import { isPublicAddress, literalAddress } from '@pressroom/common/fetching/public-address';
import { Agent, type Dispatcher } from 'undici';
import { ACCEPTED_CODINGS, decodedBody } from './decoded-body.ts';
import { FetchFault } from './fetch-fault.ts';

/** How sources are reached. */
export interface WebFetcherOptions {
  /** The most bytes of an answer, also after its content coding is undone. */
  maxBytes: number;
  /** For the whole answer, with its redirects, in ms. */
  totalMs: number;
  /** Hosts that may have addresses that are not public, without ports; see {@link Fetch}. */
  privateHosts: readonly string[];
  /** Resolves names; the system's resolver by default. */
  resolve?: Resolve;
}

/** The limits of one answer: 10 MiB and 20 s. */
export const FETCH_LIMITS = { maxBytes: 10 * 2 ** 20, totalMs: 20_000 };

/** An answer, read whole. */
export interface Fetched {
  status: number;
  /** The address that answered, after redirects. */
  url: string;
  /** Where permanent redirects (301, 308) lead, if the first hop was one; else undefined. */
  movedTo: string | undefined;
  /** By lower-case name; repeated headers are joined. */
  headers: Readonly<Record<string, string>>;
  /** Empty unless the status is 2xx. */
  body: Buffer;
}

/**
 * Requests an address. Throws a {@link FetchFault}, or the signal's reason.
 *
 * @param givenUrl what an editor gave the worker to read, and has led to `url`: private hosts are asked only
 * if its own host is one of them, or any publisher could make the worker read what is private
 */
export type Fetch = (
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  givenUrl: string,
) => Promise<Fetched>;

/** Sends a form to an address, once, and returns the status; for `givenUrl` and faults see {@link Fetch}. */
export type Post = (
  url: string,
  form: URLSearchParams,
  signal: AbortSignal,
  givenUrl: string,
) => Promise<number>;

/** What a request sends. */
interface Sent {
  headers: Readonly<Record<string, string>>;
  form?: URLSearchParams;
}

/** How the worker names itself, for robots.txt and for those who read their logs. */
export const USER_AGENT = 'Pressroom';

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const PERMANENT = new Set([301, 308]);

/** Fetches feeds and pages from public addresses, and from the private hosts that are named for their own. */
export class WebFetcher {
  readonly #options: WebFetcherOptions;
  readonly #public: Agent;
  readonly #private: Agent;

  constructor(options: WebFetcherOptions) {
    const resolve = options.resolve ?? ((hostname) => lookup(hostname, { all: true }));
    const connect = { timeout: options.totalMs };
    const shared = { allowH2: false, bodyTimeout: options.totalMs, headersTimeout: options.totalMs };
    this.#options = options;
    this.#public = new Agent({ ...shared, connect: { ...connect, lookup: checkedLookup(resolve) } });
    this.#private = new Agent({ ...shared, connect: { ...connect, lookup: uncheckedLookup(resolve) } });
  }

  /** Closes all connections, including those in use. */
  async close(): Promise<void> {
    await Promise.all([this.#public.destroy(), this.#private.destroy()]);
  }

  /** As {@link Fetch}. */
  readonly fetch: Fetch = (url, headers, signal, givenUrl) =>
    this.#inTime(signal, (limited) => this.#follow(url, headers, limited, givenUrl));

  /** As {@link Post}; redirects are not followed. */
  readonly post: Post = (url, form, signal, givenUrl) =>
    this.#inTime(signal, async (limited) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const { statusCode, body } = await this.#ask(new URL(url), { headers, form }, limited, givenUrl);
      stop(body);
      return statusCode;
    });

  async #inTime<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { totalMs } = this.#options;
    const deadline = AbortSignal.timeout(totalMs);
    try {
      return await work(AbortSignal.any([signal, deadline]));
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) {
        throw new FetchFault('timeout', `it did not answer completely within ${totalMs / 1000} s`, error);
      }
      throw explained(error);
    }
  }

  async #follow(
    address: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    givenUrl: string,
  ): Promise<Fetched> {
    let url = new URL(address);
    let movedTo: string | undefined;
    let isPermanent = true;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const answer = await this.#ask(url, { headers }, signal, givenUrl);
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.statusCode) || typeof location !== 'string') {
        return { url: url.href, movedTo, ...(await this.#read(answer)) };
      }
      stop(answer.body);
      if (!URL.canParse(location, url))
        throw new FetchFault('redirects', 'it redirects to something that is not a URL');
      isPermanent &&= PERMANENT.has(answer.statusCode);
      url = new URL(location, url);
      if (isPermanent) movedTo = url.href;
    }
    throw new FetchFault('redirects', `it redirects more than ${MAX_REDIRECTS} times`);
  }

  #ask(
    url: URL,
    { headers, form }: Sent,
    signal: AbortSignal,
    givenUrl: string,
  ): Promise<Dispatcher.ResponseData> {
    const mayBePrivate = this.#isPrivateHost(url) && this.#isPrivateHost(new URL(givenUrl));
    const literal = literalAddress(url.hostname);
    if (!/^https?:$/.test(url.protocol))
      throw new FetchFault('not_allowed', `${url.protocol} is not http or https`);
    if (url.username !== '' || url.password !== '') {
      throw new FetchFault('not_allowed', 'the address must not contain a user name or password');
    }
    if (literal !== undefined && !mayBePrivate && !isPublicAddress(literal)) {
      throw new NotPublicAddress(url.hostname);
    }
    return (mayBePrivate ? this.#private : this.#public).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: form === undefined ? 'GET' : 'POST',
      ...(form !== undefined && { body: form.toString() }),
      headers: { 'user-agent': USER_AGENT, 'accept-encoding': ACCEPTED_CODINGS, ...headers },
      signal,
    });
  }

  #isPrivateHost({ hostname }: URL): boolean {
    return this.#options.privateHosts.includes(hostname.replace(/^\[(.*)\]$/, '$1'));
  }

  async #read({ statusCode, headers, body }: Dispatcher.ResponseData) {
    const joined = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
    );
    try {
      const bytes =
        statusCode >= 200 && statusCode < 300
          ? await decodedBody(body, joined['content-encoding'], this.#options.maxBytes)
          : Buffer.alloc(0);
      return { status: statusCode, headers: joined, body: bytes };
    } finally {
      stop(body);
    }
  }
}

/** Ends a body together with its connection, if it has not ended. */
function stop(body: Dispatcher.ResponseData['body']): void {
  body.on('error', () => undefined).destroy();
}

function explained(error: unknown): FetchFault {
  if (error instanceof FetchFault) return error;
  if (error instanceof NotPublicAddress) {
    return new FetchFault(
      'not_allowed',
      `${error.message}; NEWS_PRIVATE_HOSTS lists private hosts, for sources that are added at one of them`,
    );
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return new FetchFault('unreachable', `it cannot be reached, or the connection broke${code}`, error);
}
