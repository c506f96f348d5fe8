import { Failure } from '@pressroom/common/failures/failure';
import { webUrl } from '@pressroom/common/fields/fields';
import { NOT_MODIFIED, operation } from '@pressroom/common/http/operation';
import { problemResponses } from '@pressroom/common/problems/problem';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { envelope, success } from '../envelope.ts';
import { replyPrivately } from '../requests.ts';
import { type Card, cardOf, cardOfOEmbed } from './card.ts';
import { AnswersError, type FetchedPage, PageFetcher } from './page-fetcher.ts';
import { PROVIDERS, type Provider, providerOf } from './providers.ts';

const MOST_URL = 2000;

const embed = z
  .object({
    url: z.string().describe('The address of the page, after redirects.'),
    provider: z.string().nullable().describe('The site, if it is one that is known for its frames.'),
    frame: z
      .object({
        src: z.string().describe('For the `src` of an `iframe`.'),
        title: z.string(),
        width: z.int().describe('In px.'),
        height: z.int().describe('In px.'),
      })
      .nullable()
      .describe('Null for a page that lets no other site show it.'),
    card: z
      .object({
        url: z.string(),
        title: z.string(),
        site: z.string(),
        text: z.string().nullable(),
        picture: z.string().nullable().describe('The address of its picture, by https.'),
      })
      .nullable()
      .describe('What the page says of itself, as plain text; null where it could not be read.'),
  })
  .meta({ id: 'Embed', description: 'What the address of a page can become in an article.' });

type Embed = z.infer<typeof embed>;

const embedQuery = z.strictObject({
  url: webUrl(MOST_URL).describe('The address of a page: of a film, a song, a post, or any other.'),
});

/** The operation that says what an address can become in an article. */
export function embedOperation(embeds: Embeds) {
  return operation({
    // Addresses may have secrets in them.
    config: { secretQuery: true },
    schema: {
      tags: ['embeds'],
      operationId: 'readEmbed',
      summary: 'Say what the address of a page can become in an article',
      description:
        'A frame of a known provider, by its oEmbed, or a card of what the page says by Open Graph. The page is asked' +
        ' from here, at public addresses only, within 8 s; its HTML is not passed on. An answer is kept for an hour.',
      querystring: embedQuery,
      response: {
        200: envelope(embed),
        ...NOT_MODIFIED,
        ...problemResponses(400, 401, 403, 422, 429, 503),
      },
    },
    handler: (request, reply) =>
      replyPrivately(request, reply, async () => ({
        value: success('Embed found', await embeds.find(new URL(request.query.url))),
      })),
  });
}

/** Time limit of all that is asked for one address, in ms. */
const MOST_MS = 8000;

/** The most pages that are asked at once. */
const MOST_AT_ONCE = 20;

const PAGE = { accept: 'text/html', type: /^\s*(?:text\/html|application\/xhtml\+xml)/i, mostBytes: 2 ** 19 };

const OEMBED = { accept: 'application/json', type: /\bjson\b|^text\/javascript/i, mostBytes: 2 ** 16 };

/** The size of the frame of any page, in px. */
const SIZE = { width: 640, height: 360 };

interface EmbedsOptions {
  readonly providers?: readonly Provider[];
  /** Hosts that may have addresses that are not public. */
  readonly privateHosts?: readonly string[];
  readonly mostMs?: number;
}

/** The forms that addresses take in articles, by their pages and providers. */
export class Embeds {
  readonly #providers: readonly Provider[];
  readonly pages: PageFetcher;
  readonly #mostMs: number;
  readonly #found = new LRUCache<string, Embed>({ max: 500, ttl: 3_600_000 });
  readonly #asked = new Map<string, Promise<Embed>>();

  constructor({ providers = PROVIDERS, privateHosts = [], mostMs = MOST_MS }: EmbedsOptions = {}) {
    this.#providers = providers;
    this.#mostMs = mostMs;
    this.pages = new PageFetcher(mostMs, privateHosts);
  }

  close(): Promise<void> {
    return this.pages.close();
  }

  /** Throws `invalid` with the page's fault, and `unavailable` if too many are asked. */
  async find(page: URL): Promise<Embed> {
    const known = this.#found.get(page.href) ?? this.#asked.get(page.href);
    if (known !== undefined) return known;
    if (this.#asked.size >= MOST_AT_ONCE)
      throw new Failure('unavailable', 'too many pages are being read; try again', { reason: 'busy' });
    const work = this.#look(page).finally(() => this.#asked.delete(page.href));
    this.#asked.set(page.href, work);
    const answer = await work;
    // A page that could not be read now may be readable the next time.
    if (answer.card !== null) this.#found.set(page.href, answer);
    return answer;
  }

  #look(page: URL): Promise<Embed> {
    const signal = AbortSignal.timeout(this.#mostMs);
    const provider = providerOf(page, this.#providers);
    return provider === undefined ? this.#ofPage(page, signal) : this.#ofProvider(page, provider, signal);
  }

  async #ofProvider(page: URL, provider: Provider, signal: AbortSignal): Promise<Embed> {
    const answer = await this.#ask(page, provider, signal);
    const status = answer instanceof AnswersError ? answer.status : undefined;
    if (answer instanceof AnswersError && (status === 404 || status === 410)) throw answer;
    const isOff = status === 401 || status === 403;
    const said = answer instanceof Failure ? undefined : answer;
    const src = isOff ? undefined : provider.frame(page, said?.html ?? '');
    const card = said?.card ?? (await this.#card(page, src !== undefined, signal));
    if (src === undefined) return { url: page.href, provider: provider.name, frame: null, card };
    const { name, width, height } = provider;
    const frame = { src, title: card?.title ?? name, width, height };
    return { url: page.href, provider: name, frame, card };
  }

  /** A provider's answer about a page, or the reason why there is none. */
  async #ask(page: URL, { name, endpoint }: Provider, signal: AbortSignal) {
    if (endpoint === undefined) return undefined;
    const url = new URL(endpoint.replace('{host}', page.hostname));
    url.searchParams.set('url', page.href);
    url.searchParams.set('format', 'json');
    const answer = await this.pages.fetch(url, OEMBED, signal).catch(failureOf);
    return answer instanceof Failure ? answer : cardOfOEmbed(answer, page, name);
  }

  async #card(page: URL, hasFrame: boolean, signal: AbortSignal): Promise<Card | null> {
    const answer = await this.pages.fetch(page, PAGE, signal).catch(failureOf);
    if (!(answer instanceof Failure)) return cardOf(answer);
    if (hasFrame) return null;
    throw answer;
  }

  async #ofPage(address: URL, signal: AbortSignal): Promise<Embed> {
    const page = await this.pages.fetch(address, PAGE, signal);
    // A short address may lead to a provider.
    const provider = providerOf(page.url, this.#providers);
    if (provider !== undefined) return this.#ofProvider(page.url, provider, signal);
    const card = cardOf(page);
    const frame = mayBeFramed(page) ? { src: page.url.href, title: card.title, ...SIZE } : null;
    return { url: page.url.href, provider: null, frame, card };
  }
}

function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** True if a page lets every site show it: by TLS, and without a header that names some or none. */
export function mayBeFramed({ url, headers }: FetchedPage): boolean {
  if (url.protocol !== 'https:' || headers['x-frame-options'] !== undefined) return false;
  const policies = (headers['content-security-policy'] ?? '').toLowerCase().split(/[;,]/);
  const ancestors = policies
    .map((directive) => directive.trim().split(/\s+/))
    .filter(([name]) => name === 'frame-ancestors');
  return ancestors.every((sources) => sources.includes('*') || sources.includes('https:'));
}
