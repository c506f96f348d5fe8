import { readConfig } from '@pressroom/common/start/config';
import type { Kysely } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { FETCH_LIMITS, WebFetcher } from '../fetching/web-fetcher.ts';
import { Reader } from '../reading/reader.ts';
import { sharedSlots } from '../work/host-slots.ts';
import { sharedTurns } from '../work/host-turns.ts';
import { WebPageReader } from '../work/page-reader.ts';
import { type TriedSource, trySource } from '../work/try-source.ts';
import { workerSettings } from '../work/worker-config.ts';

const { NEWS_PRIVATE_HOSTS } = workerSettings;

/** Reads a source once, with the limits of the worker. Throws as {@link trySource}. */
export async function tryOnce(
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
    return await trySource({ fetch, reader, politeness }, address, listSelectors, signal);
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
