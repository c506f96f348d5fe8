import { type ServerOptions, type StartedServer, startServer } from './server.ts';

/** How each process of a site is started, by its name. */
export const PROCESSES = {
  content: { program: 'services/content/src/main.ts', port: 'CONTENT_PORT' },
  'news-feed': { program: 'services/news-feed/src/main.ts', port: 'NEWS_FEED_PORT' },
  'gallery-admin': { program: 'services/gallery-admin/src/main.ts', port: 'GALLERY_ADMIN_PORT' },
  newsroom: { program: 'services/news-feed/src/cli.ts', args: ['work'], port: 'METRICS_PORT' },
} as const satisfies Record<string, Omit<ServerOptions, 'env'>>;

/** The name of a process of a site. */
export type ProcessName = keyof typeof PROCESSES;

/** Nobody is to wait for the limit of another client. */
const UNLIMITED = {
  CONTENT_RATE_LIMIT: '1000000000',
  CONTENT_KEY_RATE_LIMIT: '1000000000',
  NEWS_RATE_LIMIT: '1000000000',
};

/** The setting of a service that keeps no answers. */
export const NO_CACHE = { CACHE_BYTES: '0' };

/** Starts a process of a site with these settings, without rate limits. */
export function startService(name: ProcessName, settings: Record<string, string>): Promise<StartedServer> {
  return startServer({ ...PROCESSES[name], env: { ...UNLIMITED, ...settings }, ready: '/readyz' });
}
