import { Failure } from '@pressroom/common/failures/failure';
import { LRUCache } from 'lru-cache';
import type { Page } from '../reading/page.ts';
import type { Reader } from '../reading/reader.ts';
import { type CrawlPolicy, type Fetch, type Fetched, FetchFault } from '../reading/web-fetcher.ts';
import type { TakeTurn } from './leases.ts';

export interface PageReader {
  /**
   * The page; undefined if robots.txt forbids it, or if it cannot be read: the feed then has to do.
   *
   * @param givenUrl that of its source, see {@link Fetch}
   */
  read(url: string, signal: AbortSignal, givenUrl: string): Promise<Page | undefined>;
}

/** Lifetime of a host's cached robots.txt, in ms (RFC 9309, section 2.4: a day at most). */
const ROBOTS_TTL_MS = 6 * 60 * 60 * 1000;

/** The most characters of rules that are kept, of all hosts together. */
const MAX_ROBOTS = 2 ** 24;

/** The caller that asks for a host's robots.txt. */
interface Asker {
  signal: AbortSignal;
  givenUrl: string;
}

/** Reads pages as robots.txt (RFC 9309) allows, and takes a turn for each request, redirects too. */
export class WebPageReader implements PageReader {
  readonly #fetch: Fetch;
  readonly #reader: Reader;
  readonly #takeTurn: TakeTurn;
  /** Texts by origin; requested once for all that wait, and again if the host did not answer. */
  readonly #robots = new LRUCache<string, string, Asker>({
    maxSize: MAX_ROBOTS,
    sizeCalculation: (rules) => rules.length + 1024,
    ttl: ROBOTS_TTL_MS,
    fetchMethod: (origin, _stale, { context }) => this.#readRobots(origin, context),
    ignoreFetchAbort: true,
  });

  constructor(fetch: Fetch, reader: Reader, takeTurn: TakeTurn) {
    this.#fetch = fetch;
    this.#reader = reader;
    this.#takeTurn = takeTurn;
  }

  /** The rules of crawling for the hosts that are asked for a source. */
  readonly crawlPolicy = (signal: AbortSignal, givenUrl: string): CrawlPolicy => ({
    mayRequest: (url) => this.#mayRequest(url, { signal, givenUrl }),
    takeTurn: (host) => this.#takeTurn(host, signal),
  });

  async read(url: string, signal: AbortSignal, givenUrl: string): Promise<Page | undefined> {
    const answer = await this.#get(url, { signal, givenUrl }, this.crawlPolicy(signal, givenUrl));
    if (answer === undefined || answer.status !== 200) return undefined;
    const { body, url: ownUrl, headers } = answer;
    const page = { body, url: ownUrl, contentType: headers['content-type'] };
    return readable(this.#reader.read(givenUrl, 'page', page));
  }

  /** Not while the host does not answer (RFC 9309, section 2.3.1.4). */
  async #mayRequest({ origin, href }: URL, asker: Asker): Promise<boolean> {
    const rules = await this.#robots.fetch(origin, { context: asker });
    if (rules === undefined) return false;
    return (await readable(this.#reader.read(asker.givenUrl, 'permission', { rules, url: href }))) ?? false;
  }

  async #readRobots(origin: string, asker: Asker): Promise<string | undefined> {
    const crawlPolicy = { ...this.crawlPolicy(asker.signal, asker.givenUrl), mayRequest: async () => true };
    const answer = await this.#get(`${origin}/robots.txt`, asker, crawlPolicy);
    if (answer === undefined || answer.status >= 500) return undefined;
    return readable(this.#reader.read(asker.givenUrl, 'robots', answer.body));
  }

  async #get(
    url: string,
    { signal, givenUrl }: Asker,
    crawlPolicy: CrawlPolicy,
  ): Promise<Fetched | undefined> {
    try {
      return await this.#fetch(url, { accept: 'text/html, */*;q=0.1' }, signal, givenUrl, crawlPolicy);
    } catch (error) {
      if (error instanceof FetchFault) return undefined;
      throw error;
    }
  }
}

/** Undefined for what cannot be read: it would be the same at the next attempt. */
async function readable<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof Failure && error.kind === 'invalid') return undefined;
    throw error;
  }
}
