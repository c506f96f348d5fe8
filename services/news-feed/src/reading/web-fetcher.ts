import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { Failure, type SourceCode } from '@pressroom/common/failures/failure';
import {
  endBody,
  GuardedAgents,
  type GuardedTarget,
  isRefused,
  NotPublicAddress,
  ProxyAway,
  type Resolve,
} from '@pressroom/common/fetching/guarded-agents';
import { isHostAmong } from '@pressroom/common/fetching/public-address';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import type { Page } from './page.ts';
import type { Reader } from './reader.ts';
import { isOwnOrigin, type OwnRequest } from './source-access.ts';

export interface WebFetcherOptions {
  /** The most bytes of an answer, also after its content coding is undone. */
  maxBytes: number;
  /** Time limit of the whole answer, with its redirects but without waiting for a slot or a turn, in ms. */
  totalMs: number;
  /** Hosts that may have addresses that are not public, without ports; see {@link Fetch}. */
  privateHosts: readonly string[];
  /** The proxies that sources can be asked through, by name. */
  proxies?: ReadonlyMap<string, URL>;
  /** Resolves names; the system's resolver by default. */
  resolve?: Resolve;
  /** Holds a slot of its host for each request; without it there is no limit. */
  inSlot?: InSlot;
}

/** Does `work`, a request to a host, when the host has a free slot. Throws the signal's reason meanwhile. */
export type InSlot = <T>(host: string, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

/** Waits until a request to a host may begin; throws the signal's reason meanwhile. */
export type TakeTurn = (host: string, signal: AbortSignal) => Promise<void>;

/** Rules that a crawler follows with each host that it asks; a redirect may lead to another one. */
export interface CrawlPolicy {
  /** Resolves to false if the host's robots.txt forbids the address. */
  mayRequest: (url: URL) => Promise<boolean>;
  /** Waits until a request to the host may begin. */
  takeTurn: (host: string) => Promise<void>;
}

/** The limits of one answer: 10 MiB and 20 s. */
export const FETCH_LIMITS = { maxBytes: 10 * 2 ** 20, totalMs: 20_000 };

export interface Fetched {
  status: number;
  /** The address that answered, after redirects. */
  url: string;
  /** Target of permanent redirects (301, 308), if the first hop was one; else undefined. */
  movedTo: string | undefined;
  /** Headers by lower-case name; repeated ones are joined. */
  headers: Readonly<Record<string, string>>;
  /** Empty unless the status is 2xx. */
  body: Buffer;
  /** The page of an error, which may say what is asked for; empty if it cannot be read. */
  refusal?: Buffer;
}

/**
 * Requests an address, and what it redirects to. Throws a {@link FetchFault}, or the signal's reason.
 *
 * @param givenUrl what an editor gave the worker to read, and has led to `url`: private hosts are asked only
 * if its own host is one of them, or any publisher could make the worker read what is private
 * @param own what the source sets for itself; its headers go to the origin of `givenUrl` alone, and all goes
 * through its proxy
 */
export type Fetch = (
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  givenUrl: string,
  crawlPolicy?: CrawlPolicy,
  own?: OwnRequest,
) => Promise<Fetched>;

/** Sends a form to an address, once, and returns the status; for `givenUrl` and faults see {@link Fetch}. */
export type Post = (
  url: string,
  form: URLSearchParams,
  signal: AbortSignal,
  givenUrl: string,
) => Promise<number>;

interface Sent {
  headers: Readonly<Record<string, string>>;
  /** Time limit, in ms. */
  timeoutMs: number;
  form?: URLSearchParams;
}

const MAX_REDIRECTS = 5;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const PERMANENT = new Set([301, 308]);

/** Fetches feeds and pages from public addresses, and from the private hosts that are named for their own. */
export class WebFetcher {
  readonly #options: WebFetcherOptions;
  readonly #agents: GuardedAgents;
  readonly #inSlot: InSlot;

  constructor(options: WebFetcherOptions) {
    const { totalMs, resolve } = options;
    this.#options = options;
    this.#inSlot = options.inSlot ?? ((_host, _signal, work) => work());
    this.#agents = new GuardedAgents({ connectMs: totalMs, headersMs: totalMs, pauseMs: totalMs, resolve });
  }

  /** Closes all connections, including those in use. */
  async close(): Promise<void> {
    await this.#agents.close();
  }

  /** See {@link Fetch}. */
  readonly fetch: Fetch = async (address, headers, signal, givenUrl, crawlPolicy, own) => {
    const proxy = this.#proxyOf(own?.proxy);
    let target = this.#allowed(address, givenUrl);
    let movedTo: string | undefined;
    let isPermanent = true;
    const timeoutMs = own?.timeoutMs ?? this.#options.totalMs;
    let leftMs = timeoutMs;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const { url } = target;
      if (crawlPolicy !== undefined && !(await crawlPolicy.mayRequest(url))) {
        throw new FetchFault('source_robots', `robots.txt does not allow ${url.href}`);
      }
      const answer = await this.#inSlot(url.host, signal, async () => {
        await crawlPolicy?.takeTurn(url.host);
        const began = performance.now();
        const sent = {
          ...headers,
          ...(own?.userAgent !== undefined && { 'user-agent': own.userAgent }),
          ...(isOwnOrigin(url, givenUrl) && own?.headers),
        };
        const ask = (limited: AbortSignal) =>
          this.#ask({ ...target, proxy }, { headers: sent, timeoutMs }, limited).then(this.#read);
        const read = await this.#inTime(leftMs, timeoutMs, signal, ask);
        leftMs -= performance.now() - began;
        return read;
      });
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.status) || location === undefined) {
        return { url: url.href, movedTo, ...answer };
      }
      isPermanent &&= PERMANENT.has(answer.status);
      target = this.#allowed(location, givenUrl, url);
      if (isPermanent) movedTo = target.url.href;
    }
    throw new FetchFault('source_redirects', `it redirects more than ${MAX_REDIRECTS} times`);
  };

  /** See {@link Post}; redirects are not followed. */
  readonly post: Post = async (address, form, signal, givenUrl) => {
    const target = this.#allowed(address, givenUrl);
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const { totalMs } = this.#options;
    const send = async (limited: AbortSignal) => {
      const { statusCode, body } = await this.#ask(target, { headers, form, timeoutMs: totalMs }, limited);
      endBody(body);
      return statusCode;
    };
    return this.#inSlot(target.url.host, signal, () => this.#inTime(totalMs, totalMs, signal, send));
  };

  /** Throws a {@link FetchFault} unless the address may be asked for what `givenUrl` has led to. */
  #allowed(address: string, givenUrl: string, base?: URL): GuardedTarget {
    if (!URL.canParse(address, base?.href)) {
      throw new FetchFault('source_redirects', 'it redirects to something that is not a URL');
    }
    const url = new URL(address, base);
    const mayBePrivate = this.#isPrivateHost(url) && this.#isPrivateHost(new URL(givenUrl));
    if (!/^https?:$/.test(url.protocol)) {
      throw new FetchFault('source_redirects', `${url.protocol} is not http or https`);
    }
    if (url.username !== '' || url.password !== '') {
      throw new FetchFault('source_redirects', 'the address must not contain a user name or password');
    }
    if (isRefused({ url, mayBePrivate })) throw explained(new NotPublicAddress(url.hostname));
    return { url, mayBePrivate };
  }

  /** Never asks without the proxy of a source, which may be there to hide who asks. */
  #proxyOf(name: string | undefined): URL | undefined {
    const proxy = name === undefined ? undefined : this.#options.proxies?.get(name);
    if (name === undefined || proxy !== undefined) return proxy;
    throw new FetchFault('source_proxy_failed', `NEWS_PROXIES names no proxy ${JSON.stringify(name)}`);
  }

  #isPrivateHost(url: URL): boolean {
    return isHostAmong(url, this.#options.privateHosts);
  }

  /** Does work within the `ms` that are left of `totalMs`. */
  async #inTime<T>(
    ms: number,
    totalMs: number,
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = AbortSignal.timeout(Math.max(0, Math.ceil(ms)));
    try {
      return await work(AbortSignal.any([signal, deadline]));
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) {
        throw new FetchFault(
          'source_too_slow',
          `it did not answer completely within ${totalMs / 1000} s`,
          error,
        );
      }
      throw explained(error);
    }
  }

  #ask(target: GuardedTarget, { headers, form, timeoutMs }: Sent, signal: AbortSignal) {
    return this.#agents.request(target, {
      method: form === undefined ? 'GET' : 'POST',
      ...(form !== undefined && { body: form.toString() }),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      headers: { 'user-agent': USER_AGENT, 'accept-encoding': ACCEPTED_CODINGS, ...headers },
      signal,
    });
  }

  readonly #read = async ({ statusCode, headers, body }: Dispatcher.ResponseData) => {
    const joined = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, [value ?? []].flat().join(', ')]),
    );
    try {
      const answer = { status: statusCode, headers: joined };
      const read = (maxBytes: number) => decodedBody(body, joined['content-encoding'], maxBytes);
      if (statusCode >= 200 && statusCode < 300) {
        return { ...answer, body: await read(this.#options.maxBytes) };
      }
      const none = Buffer.alloc(0);
      if (statusCode < 400 || !/\bhtml\b/i.test(joined['content-type'] ?? ''))
        return { ...answer, body: none };
      return { ...answer, body: none, refusal: await read(MOST_REFUSAL).catch(() => none) };
    } finally {
      endBody(body);
    }
  };
}

function explained(error: unknown): FetchFault {
  if (error instanceof FetchFault) return error;
  if (error instanceof NotPublicAddress) {
    return new FetchFault(
      'source_not_public',
      `${error.message}; NEWS_PRIVATE_HOSTS lists private hosts, for sources that are added at one of them`,
    );
  }
  if (isOfProxy(error)) {
    return new FetchFault('source_proxy_failed', `its proxy: ${error.message}`, error);
  }
  const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
  return new FetchFault('source_unreachable', `it cannot be reached, or the connection broke${code}`, error);
}

/** True of errors of a proxy that is away, that refuses a connection or breaks it off. */
function isOfProxy(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof ProxyAway) return true;
  const code = 'code' in error ? String(error.code) : '';
  return code.startsWith('UND_ERR_PRX') || error.message.startsWith('Proxy response');
}

/** The most bytes of the page of an error. */
const MOST_REFUSAL = 2 ** 18;

/** Content codings (RFC 9110, section 8.4.1; RFC 8878) and how they are undone. */
const DECODERS = new Map<string, () => NodeJS.ReadWriteStream>([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

const ACCEPTED_CODINGS = 'gzip, br, zstd';

/** The most stacked codings that are undone. */
const MAX_CODINGS = 2;

/**
 * Reads a body whole and undoes its `Content-Encoding`, chunk by chunk, so that a bomb is stopped at
 * `maxBytes` of what it unpacks to. Throws a {@link FetchFault}.
 */
async function decodedBody(
  body: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<Buffer> {
  const codings = (contentEncoding ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse();
  if (codings.length > MAX_CODINGS) {
    throw new FetchFault('source_encoding_wrong', 'its answer has too many layers of Content-Encoding');
  }
  const plain = await unpacked(bounded(body, maxBytes), codings, maxBytes);
  const chunks: Buffer[] = [];
  for await (const chunk of plain) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function unpacked(
  source: AsyncIterable<Buffer>,
  codings: readonly string[],
  maxBytes: number,
): Promise<AsyncIterable<Buffer>> {
  let result = source;
  for (const coding of codings) {
    const make = DECODERS.get(coding);
    if (make === undefined) {
      throw new FetchFault('source_encoding_wrong', `its answer has an unknown Content-Encoding, ${coding}`);
    }
    result = bounded(decodedChunks(result, make(), coding), maxBytes);
  }
  return result;
}

async function* decodedChunks(
  source: AsyncIterable<Buffer>,
  decoder: NodeJS.ReadWriteStream,
  coding: string,
): AsyncGenerator<Buffer> {
  let upstream: unknown;
  const input = Readable.from(source);
  input.on('error', (error) => {
    upstream = error;
    decoder.emit('error', error);
  });
  input.pipe(decoder);
  try {
    for await (const chunk of decoder) yield chunk as Buffer;
  } catch (error) {
    if (upstream !== undefined) throw upstream;
    throw new FetchFault('source_encoding_wrong', `its answer is not valid ${coding}`, error);
  } finally {
    input.destroy();
  }
}

async function* bounded(source: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of source) {
    bytes += chunk.length;
    if (bytes > maxBytes) {
      throw new FetchFault('source_too_large', `its answer is larger than ${maxBytes / 2 ** 20} MiB`);
    }
    yield chunk;
  }
}

/** A request to a source failed; the message is for an editor. */
class FetchFault extends Failure {
  constructor(code: SourceCode, message: string, cause?: unknown) {
    super('upstream_failed', message, { code, cause });
    this.name = 'FetchFault';
  }
}

/** The worker's name, for robots.txt and for publishers who read their logs. */
export const USER_AGENT = 'Pressroom';

/** How the pages of a source are read. */
export interface PageSettings {
  /** Where their text is (CSS); null: it is found without. */
  textSelector?: string | null;
  /** The name of the proxy to go through. */
  proxy?: string | null;
}

export interface PageReader {
  /**
   * The page; undefined if robots.txt forbids it, or if it cannot be read: the feed then has to do.
   *
   * @param givenUrl that of its source, see {@link Fetch}
   */
  read(url: string, signal: AbortSignal, givenUrl: string, settings: PageSettings): Promise<Page | undefined>;
}

/** Lifetime of a host's cached robots.txt, in ms (RFC 9309, section 2.4: a day at most). */
const ROBOTS_TTL_MS = 6 * 60 * 60 * 1000;

/** The most characters of rules that are kept, of all hosts together. */
const MAX_ROBOTS = 2 ** 24;

/** The caller that asks for a host's robots.txt. */
interface Asker {
  signal: AbortSignal;
  givenUrl: string;
  /** The name of the proxy that the source is asked through. */
  proxy: string | null;
}

/** Reads pages as robots.txt (RFC 9309) allows, and takes a turn for each request, redirects too. */
export class WebPageReader implements PageReader {
  readonly #fetch: Fetch;
  readonly #reader: Reader;
  readonly #takeTurn: TakeTurn;
  /**
   * Texts by origin, and by proxy, through which hosts may answer otherwise; requested once for all that
   * wait, and again if the host did not answer.
   */
  readonly #robots = new LRUCache<string, string, Asker>({
    maxSize: MAX_ROBOTS,
    sizeCalculation: (rules) => rules.length + 1024,
    ttl: ROBOTS_TTL_MS,
    fetchMethod: (key, _stale, { context }) => this.#readRobots(key.slice(0, key.indexOf(' ')), context),
    ignoreFetchAbort: true,
  });

  constructor(fetch: Fetch, reader: Reader, takeTurn: TakeTurn) {
    this.#fetch = fetch;
    this.#reader = reader;
    this.#takeTurn = takeTurn;
  }

  /** The rules of crawling for the hosts that are asked for a source. */
  readonly crawlPolicy = (signal: AbortSignal, givenUrl: string, proxy: string | null): CrawlPolicy => ({
    mayRequest: (url) => this.#mayRequest(url, { signal, givenUrl, proxy }),
    takeTurn: (host) => this.#takeTurn(host, signal),
  });

  async read(
    url: string,
    signal: AbortSignal,
    givenUrl: string,
    { textSelector, proxy = null }: PageSettings,
  ): Promise<Page | undefined> {
    const asker = { signal, givenUrl, proxy };
    const answer = await this.#get(url, asker, this.crawlPolicy(signal, givenUrl, proxy));
    if (answer === undefined || answer.status !== 200) return undefined;
    const { body, url: ownUrl, headers } = answer;
    const page = { body, url: ownUrl, contentType: headers['content-type'], textSelector };
    return readable(this.#reader.read(givenUrl, 'page', page));
  }

  /** Not while the host does not answer (RFC 9309, section 2.3.1.4). */
  async #mayRequest({ origin, href }: URL, asker: Asker): Promise<boolean> {
    const rules = await this.#robots.fetch(`${origin} ${asker.proxy ?? ''}`, { context: asker });
    if (rules === undefined) return false;
    return (await readable(this.#reader.read(asker.givenUrl, 'permission', { rules, url: href }))) ?? false;
  }

  async #readRobots(origin: string, asker: Asker): Promise<string | undefined> {
    const { signal, givenUrl, proxy } = asker;
    const crawlPolicy = { ...this.crawlPolicy(signal, givenUrl, proxy), mayRequest: async () => true };
    const answer = await this.#get(`${origin}/robots.txt`, asker, crawlPolicy);
    if (answer === undefined || answer.status >= 500) return undefined;
    return readable(this.#reader.read(asker.givenUrl, 'robots', answer.body));
  }

  async #get(
    url: string,
    { signal, givenUrl, proxy }: Asker,
    crawlPolicy: CrawlPolicy,
  ): Promise<Fetched | undefined> {
    try {
      const own = { headers: {}, ...(proxy !== null && { proxy }) };
      return await this.#fetch(url, { accept: 'text/html, */*;q=0.1' }, signal, givenUrl, crawlPolicy, own);
    } catch (error) {
      if (error instanceof FetchFault) return undefined;
      throw error;
    }
  }
}

/** Resolves to undefined for an unreadable page: it would be the same at the next attempt. */
async function readable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid') return undefined;
    throw error;
  }
}
