import { Failure } from '@pressroom/common/failures/failure';
import { readConfig } from '@pressroom/common/start/config';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import type { ParsedFeed } from '../feeds/feed.ts';
import { FETCH_LIMITS, WebFetcher } from '../fetching/web-fetcher.ts';
import { FOUND } from '../lists/list-selectors.ts';
import { Reader } from '../reading/reader.ts';
import { sharedSlots } from '../work/host-slots.ts';
import { sharedTurns } from '../work/host-turns.ts';
import { WebPageReader } from '../work/page-reader.ts';
import { acceptedTypes } from '../work/poll-source.ts';
import { workerSettings } from '../work/worker-config.ts';

const { NEWS_PRIVATE_HOSTS } = workerSettings;

/** What a source would bring. */
export interface TriedSource {
  /** The address that answered. */
  url: string;
  title: string | null;
  entries: ParsedFeed['entries'];
  /** The feed that the page names, or the sitemaps that an index leads to, which are read instead. */
  leadsTo: readonly string[];
}

/**
 * Reads a source once, within the limits of the worker, and keeps nothing. Of a sitemap, everything that it
 * lists is shown.
 *
 * @param listSelectors those of the list that the page is; null if it is none
 */
export async function trySource(
  db: Kysely<NewsTables>,
  address: string,
  listSelectors: string | null,
): Promise<TriedSource> {
  const { NEWS_PRIVATE_HOSTS: privateHosts } = readConfig({ NEWS_PRIVATE_HOSTS }, process.env);
  const fetcher = new WebFetcher({ ...FETCH_LIMITS, privateHosts, inSlot: sharedSlots(db) });
  const reader = new Reader();
  const { fetch } = fetcher;
  const { politeness } = new WebPageReader(fetch, reader, sharedTurns(db));
  const { signal } = new AbortController();
  try {
    const polite = listSelectors === null ? undefined : politeness(signal, address);
    const { status, headers, body, url } = await fetch(
      address,
      acceptedTypes(listSelectors),
      signal,
      address,
      polite,
    );
    if (status !== 200) throw new Failure('upstream_failed', `it answered with status ${status}`);
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
  } finally {
    await reader.close();
    await fetcher.close();
  }
}

/** What was found, in lines. */
export function foundLines({ entries, leadsTo }: TriedSource): string[] {
  return [
    ...leadsTo.map((url) => `it leads to ${url}`),
    ...entries.map(({ publishedAt, title, url }) => {
      return `${publishedAt?.toISOString() ?? 'without a date'.padEnd(24)}  ${title}\n    ${url}`;
    }),
    ...(leadsTo.length > 0 ? [] : [`${entries.length} entries were found`]),
  ];
}
