/** The processes of a site: the program of each, and the setting of its port. */
export const PROCESSES = {
  content: { program: 'services/content/src/main.ts', args: [], port: 'CONTENT_PORT' },
  'news-feed': { program: 'services/news-feed/src/main.ts', args: [], port: 'NEWS_FEED_PORT' },
  'gallery-admin': { program: 'services/gallery-admin/src/main.ts', args: [], port: 'GALLERY_ADMIN_PORT' },
  newsroom: { program: 'services/news-feed/src/cli.ts', args: ['work'], port: 'METRICS_PORT' },
} as const;

/** The name of a process of a site. */
export type ProcessName = keyof typeof PROCESSES;

/** Settings with which nobody waits for the limit of another client. */
export const UNLIMITED = {
  CONTENT_RATE_LIMIT: '1000000000',
  CONTENT_KEY_RATE_LIMIT: '1000000000',
  NEWS_RATE_LIMIT: '1000000000',
};
