import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import { LRUCache } from 'lru-cache';
import robotsParser from 'robots-parser';
import { decodeDocument } from '../feeds/decode.ts';
import { plainText } from '../feeds/plain-text.ts';
import { summaryOf } from '../feeds/summary.ts';
import { FetchFault } from '../fetching/fetch-fault.ts';
import { type Fetch, type Fetched, type Politeness, USER_AGENT } from '../fetching/web-fetcher.ts';
import type { TakeTurn } from './host-turns.ts';

/** An article's page. */
export interface Page {
  /** Its text without navigation and advertisements; null if there is none to be found. */
  text: string | null;
  summary: string | null;
  /** The address that the page gives itself, on the same site; undefined if it gives none. */
  canonicalUrl: string | undefined;
}

/** Reads articles' pages. */
export interface PageReader {
  /**
   * The page; undefined if robots.txt forbids it, or if it cannot be read: the feed then has to do.
   *
   * @param givenUrl that of its source, see {@link Fetch}
   */
  read(url: string, signal: AbortSignal, givenUrl: string): Promise<Page | undefined>;
}

/** How long a host's robots.txt is kept, in ms (RFC 9309, section 2.4: a day at most). */
const ROBOTS_TTL_MS = 6 * 60 * 60 * 1000;

/** The most characters of a page that are parsed. */
const MAX_PAGE = 2_000_000;

/** The most elements of a page, and how deep they may be nested: reading more can take minutes. */
const MAX_ELEMENTS = 30_000;
const MAX_DEPTH = 100;

/** The most characters of a page's text. */
const MAX_TEXT = 50_000;

/** A host's robots.txt. */
interface Robots {
  isAllowed(url: string, userAgent: string): boolean | undefined;
}

/** The package's types describe another kind of module than it is. */
const parseRobots = robotsParser as unknown as (url: string, text: string) => Robots;

/** Reads pages as robots.txt (RFC 9309) allows, and takes a turn for each request, redirects too. */
export class WebPageReader implements PageReader {
  readonly #fetch: Fetch;
  readonly #takeTurn: TakeTurn;
  readonly #robots = new LRUCache<string, Promise<Robots | undefined>>({ max: 1000, ttl: ROBOTS_TTL_MS });

  constructor(fetch: Fetch, takeTurn: TakeTurn) {
    this.#fetch = fetch;
    this.#takeTurn = takeTurn;
  }

  async read(url: string, signal: AbortSignal, givenUrl: string): Promise<Page | undefined> {
    const answer = await this.#get(url, signal, givenUrl, async (hop) => {
      const robots = await this.#robotsOf(hop.origin, signal, givenUrl);
      return robots !== undefined && robots.isAllowed(hop.href, USER_AGENT) !== false;
    });
    if (answer === undefined || answer.status !== 200) return undefined;
    return pageOf(decodeDocument(answer.body, answer.headers['content-type']), answer.url);
  }

  /** Asked once for all that wait for it; a host that did not answer is asked again. */
  async #robotsOf(origin: string, signal: AbortSignal, givenUrl: string): Promise<Robots | undefined> {
    const asked = this.#robots.get(origin) ?? this.#readRobots(origin, signal, givenUrl);
    this.#robots.set(origin, asked);
    const robots = await asked.catch((error: unknown) => {
      this.#robots.delete(origin);
      throw error;
    });
    if (robots === undefined) this.#robots.delete(origin);
    return robots;
  }

  /** Undefined while the host does not answer: then nothing may be read (RFC 9309, section 2.3.1.4). */
  async #readRobots(origin: string, signal: AbortSignal, givenUrl: string): Promise<Robots | undefined> {
    const url = `${origin}/robots.txt`;
    const answer = await this.#get(url, signal, givenUrl, async () => true);
    if (answer === undefined || answer.status >= 500) return undefined;
    return parseRobots(url, answer.status === 200 ? answer.body.toString('utf8') : '');
  }

  async #get(
    url: string,
    signal: AbortSignal,
    givenUrl: string,
    mayRequest: Politeness['mayRequest'],
  ): Promise<Fetched | undefined> {
    const takeTurn = (host: string) => this.#takeTurn(host, signal);
    const politeness = { mayRequest, takeTurn };
    try {
      return await this.#fetch(url, { accept: 'text/html, */*;q=0.1' }, signal, givenUrl, politeness);
    } catch (error) {
      if (error instanceof FetchFault) return undefined;
      throw error;
    }
  }
}

/** What an article's page says; undefined if it is not a page, or not one that a reader would get. */
function pageOf(html: string, url: string): Page | undefined {
  const markup = html.slice(0, MAX_PAGE);
  if ((markup.match(/<[a-z]/gi)?.length ?? 0) > MAX_ELEMENTS) return undefined;
  try {
    const { document } = parseHTML(markup);
    if (document.documentElement === null || isDeep(document)) return undefined;
    const canonicalUrl = canonicalOf(document, url);
    const article = new Readability(document as never).parse();
    const text = plainText(article?.content ?? '').slice(0, MAX_TEXT) || null;
    return { text, summary: summaryOf(text ?? ''), canonicalUrl };
  } catch {
    // Markup that the libraries cannot take; it would be the same at the next attempt.
    return undefined;
  }
}

function isDeep(document: Document): boolean {
  let level = [...document.children];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap(({ children }) => [...children]);
  }
  return false;
}

/** `rel=canonical`, else `og:url`: only on the page's own site, or a page could take another one's place. */
function canonicalOf(document: Document, url: string): string | undefined {
  const canonical = document.querySelector('link[rel~="canonical"]')?.getAttribute('href');
  const named = canonical ?? document.querySelector('meta[property="og:url"]')?.getAttribute('content');
  if (!named || !URL.canParse(named, url)) return undefined;
  const target = new URL(named, url);
  const isPage = /^https?:$/.test(target.protocol) && target.username === '' && target.pathname !== '/';
  return isPage && siteOf(target) === siteOf(new URL(url)) ? target.href : undefined;
}

function siteOf({ host }: URL): string {
  return host.replace(/^(www|m|mobile|amp)\./, '');
}
