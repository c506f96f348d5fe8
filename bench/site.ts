import { randomBytes } from 'node:crypto';
import { clientOf, createBucket, startEmbedded, storeSettings } from '../test/support/s3/servers.ts';
import { type BenchDatabase, openDatabase } from './database.ts';

/** What the processes of a site need, and nothing of them yet. */
export interface SiteParts extends AsyncDisposable {
  database: BenchDatabase;
  /** The settings of all processes. */
  env: Record<string, string>;
}

/** Opens a database and an object store with a bucket. */
export async function openSiteParts(): Promise<SiteParts> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await openDatabase());
  const store = resources.adopt(await startEmbedded(), (own) => own.close());
  const s3 = resources.adopt(clientOf(store), (own) => own.destroy());
  const env = {
    DATABASE_URL: database.url,
    // Any free one, for what monitoring costs a process that nobody asks for it.
    METRICS_PORT: '0',
    SETTINGS_KEY: randomBytes(32).toString('base64'),
    ...storeSettings(store, await createBucket(s3)),
  };
  const owned = resources.move();
  return { database, env, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
