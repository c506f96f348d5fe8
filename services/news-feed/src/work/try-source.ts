import { Failure } from '@pressroom/common/failures/failure';
import type { ParsedFeed } from '../reading/feed.ts';
import { FOUND } from '../reading/list-selectors.ts';
import type { Reader } from '../reading/reader.ts';
import { codeOfStatus, wallOf } from '../reading/walls.ts';
import type { CrawlPolicy, Fetch } from '../reading/web-fetcher.ts';
import { acceptedTypes } from './poll-source.ts';

export interface TriedSource {
  url: string;
  title: string | null;
  entries: ParsedFeed['entries'];
  /** The feed that the page names, or the sitemaps that an index leads to, which are read instead. */
  leadsTo: readonly string[];
}

export interface TryParts {
  fetch: Fetch;
  reader: Reader;
  crawlPolicy: (signal: AbortSignal, givenUrl: string) => CrawlPolicy;
}

/**
 * Reads a source once, within the limits of the worker, and keeps nothing. Of a sitemap, everything that it
 * lists is shown. Throws a `Failure` or `FetchFault` that says why it cannot be one.
 *
 * @param listSelectors those of the list that the page is; null if it is none
 */
export async function trySource(
  { fetch, reader, crawlPolicy }: TryParts,
  address: string,
  listSelectors: string | null,
  signal: AbortSignal,
): Promise<TriedSource> {
  const policy = listSelectors === null ? undefined : crawlPolicy(signal, address);
  const answer = await fetch(address, acceptedTypes(listSelectors), signal, address, policy);
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
  if (entries.length === 0) {
    const hint = listSelectors === FOUND ? '; --page can say where it lists them' : '';
    throw new Failure('invalid', `no articles were found at ${url}${hint}`);
  }
  return { url, title, entries, leadsTo: [] };
}
