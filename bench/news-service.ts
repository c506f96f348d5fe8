import { type ServerProcess, startServer } from './child.ts';

/** Starts the news feed without a rate limit; `cacheBytes` is its `CACHE_BYTES`. */
export function startNewsFeed(
  databaseUrl: string,
  cacheBytes?: string,
  settings: Record<string, string> = {},
): Promise<ServerProcess> {
  return startServer({
    program: 'services/news-feed/src/main.ts',
    env: {
      DATABASE_URL: databaseUrl,
      NEWS_RATE_LIMIT: '1000000000',
      ...settings,
      ...(cacheBytes && { CACHE_BYTES: cacheBytes }),
    },
    port: 'NEWS_FEED_PORT',
    ready: '/readyz',
  });
}
