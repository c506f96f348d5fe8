/**
 * How long answers may be cached (`docs/spec/wire.md`, "News feed"); `s-maxage` is the shortest interval
 * between two polls, in seconds.
 */
export const CACHE_CONTROL = {
  items: 'public, max-age=60, s-maxage=60, stale-while-revalidate=300',
  item: 'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
  hotTopics: 'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
  stories: 'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
  dailies: 'public, max-age=60, s-maxage=60, stale-while-revalidate=300',
  pastDaily: 'public, max-age=31536000, s-maxage=31536000, immutable',
  currentDaily: 'public, max-age=300, s-maxage=300, stale-while-revalidate=3600',
  snapshot: 'public, max-age=300, s-maxage=300, stale-while-revalidate=900',
  changes: 'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
  feeds: 'public, max-age=300, s-maxage=300, stale-while-revalidate=900',
  codexResets: 'public, max-age=60, s-maxage=60, stale-while-revalidate=60',
} as const;
