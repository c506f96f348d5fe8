import { type StartedServer, startServer } from './child.ts';

/** Starts the content service without rate limits; `cacheBytes` is its `CACHE_BYTES`. */
export function startContent(
  databaseUrl: string,
  cacheBytes?: string,
  settings: Record<string, string> = {},
): Promise<StartedServer> {
  const limits = {
    CONTENT_RATE_LIMIT: '1000000000',
    CONTENT_KEY_RATE_LIMIT: '1000000000',
    LOG_LEVEL: 'info',
    ...settings,
  };
  return startServer({
    program: 'services/content/src/main.ts',
    env: { DATABASE_URL: databaseUrl, ...limits, ...(cacheBytes && { CACHE_BYTES: cacheBytes }) },
    port: 'CONTENT_PORT',
    ready: '/readyz',
  });
}
