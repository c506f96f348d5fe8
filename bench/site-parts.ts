import { randomBytes } from 'node:crypto';
import { migrate } from '@pressroom/common/database/migrate';
import type { RunningPostgres } from '@pressroom/embedded-postgres/postgres';
import { clientOf, createBucket, startEmbedded, storeSettings } from '../test/support/s3/servers.ts';
import type { ServerOptions } from './child.ts';
import { startBenchPostgres } from './database.ts';

/** How each process of a site is started, by its name. */
export const PROCESSES: Readonly<Record<string, Omit<ServerOptions, 'env'>>> = {
  content: { program: 'services/content/src/main.ts', port: 'CONTENT_PORT', ready: '/readyz' },
  'news-feed': { program: 'services/news-feed/src/main.ts', port: 'NEWS_FEED_PORT', ready: '/readyz' },
  'gallery-admin': {
    program: 'services/gallery-admin/src/main.ts',
    port: 'GALLERY_ADMIN_PORT',
    ready: '/readyz',
  },
  newsroom: {
    program: 'services/news-feed/src/cli.ts',
    args: ['work'],
    port: 'METRICS_PORT',
    ready: '/readyz',
  },
};

/** What the processes of a site need, and nothing of them yet. */
export interface SiteParts {
  postgres: RunningPostgres;
  /** The settings of all processes. */
  env: Record<string, string>;
  close: () => Promise<void>;
}

/** Opens a migrated PostgreSQL and an object store with a bucket. */
export async function openSiteParts(): Promise<SiteParts> {
  const postgres = await startBenchPostgres();
  const store = await startEmbedded();
  await migrate(postgres.url);
  const s3 = clientOf(store);
  const env = {
    DATABASE_URL: postgres.url,
    // Any free one, for what monitoring costs a process that nobody asks for it.
    METRICS_PORT: '0',
    SETTINGS_KEY: randomBytes(32).toString('base64'),
    ...storeSettings(store, await createBucket(s3)),
  };
  s3.destroy();
  const close = async () => {
    await store.close();
    await postgres.stop();
  };
  return { postgres, env, close };
}
