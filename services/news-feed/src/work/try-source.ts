import { Failure } from '@pressroom/common/failures/failure';
import type { ParsedFeed } from '../reading/feed.ts';
import { FOUND } from '../reading/list-selectors.ts';
import type { Reader } from '../reading/reader.ts';
import { codeOfStatus, wallOf } from '../reading/walls.ts';
import type { CrawlPolicy, Fetch, PageReader } from '../reading/web-fetcher.ts';
import { acceptedTypes } from './poll-source.ts';

export interface TriedSource {
  url: string;
  title: string | null;
  entries: ParsedFeed['entries'];
  /** The feed that the page names, or the sitemaps that an index leads to, which are read instead. */
  leadsTo: readonly string[];
  /** The page of the first entry, where its text was asked for. */
  firstPage?: { isRead: boolean; text: string | null };
}

/** How a source is read once. */
export interface TrySettings {
  /** Selectors of the list that the page is; null if it is none. */
  page: string | null;
  /** To read the first entry's page for its text: where that is (CSS); empty: it is found without. */
  textSelector?: string | undefined;
  /** The name of the proxy to go through; null: none. */
  proxy: string | null;
}

export interface TryParts {
  fetch: Fetch;
  reader: Reader;
  pages: PageReader;
  crawlPolicy: (signal: AbortSignal, givenUrl: string, proxy: string | null) => CrawlPolicy;
}

/**
 * Reads a source once, within the limits of the worker, and keeps nothing. Of a sitemap, everything that it
 * lists is shown. Throws a `Failure` or `FetchFault` that says why it cannot be one.
 */
export async function trySource(
  { fetch, reader, pages, crawlPolicy }: TryParts,
  address: string,
  { page: listSelectors, textSelector, proxy }: TrySettings,
  signal: AbortSignal,
): Promise<TriedSource> {
  const policy = listSelectors === null ? undefined : crawlPolicy(signal, address, proxy);
  const own = { headers: {}, ...(proxy !== null && { proxy }) };
  const answer = await fetch(address, acceptedTypes(listSelectors), signal, address, policy, own);
  const { status, headers, body, url } = answer;
  if (status !== 200) {
    const plain = { reason: `it answered with status ${status}`, code: codeOfStatus(status) };
    const { reason, code } = wallOf(answer, address) ?? plain;
    throw new Failure('upstream_failed', reason, { code });
  }
  const reading = await reader.read(address, 'feed', {
    ...{ body, url, contentType: headers['content-type'], link: headers.link, listSelectors },
    ...{ mayBePage: true, memory: { since: new Date(0), known: new Uint8Array() } },
  });
  if (reading.kind === 'page') return { url, title: null, entries: [], leadsTo: [reading.feedUrl] };
  if (reading.kind === 'index') return { url, title: null, entries: [], leadsTo: reading.urls };
  const { title, entries } = reading.feed;
  const [first] = entries;
  if (first === undefined) {
    const hint = listSelectors === FOUND ? '; --page can say where it lists them' : '';
    throw new Failure('invalid', `no articles were found at ${url}${hint}`);
  }
  const tried = { url, title, entries, leadsTo: [] };
  if (textSelector === undefined) return tried;
  const page = await pages.read(first.url, signal, address, { textSelector: textSelector || null, proxy });
  return { ...tried, firstPage: { isRead: page !== undefined, text: page?.text ?? null } };
}
