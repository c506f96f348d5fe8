import type { S3Client } from '@aws-sdk/client-s3';
import { gallerySettings } from '../test/support/gallery-account.ts';
import { removeBucket } from '../test/support/s3/objects.ts';
import {
  clientOf,
  createBucket,
  namedServer,
  type Server,
  startEmbedded,
} from '../test/support/s3/servers.ts';
import { type BenchDatabase, openDatabase } from './database.ts';

/** Dependencies of the processes of a site, before any of them is started. */
export interface SiteParts extends AsyncDisposable {
  database: BenchDatabase;
  store: Server;
  s3: S3Client;
  bucket: string;
  env: Record<string, string>;
}

/**
 * Opens a database, and a bucket of the caller's store, else of the one that `S3_ENDPOINT` names, else of an
 * embedded one.
 */
export async function openSiteParts(own?: Server): Promise<SiteParts> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await openDatabase());
  const named = own === undefined ? namedServer(process.env) : undefined;
  const store = own ?? named ?? resources.adopt(await startEmbedded(), (embedded) => embedded.close());
  const s3 = clientOf(store, { maxAttempts: 3 });
  const bucket = await createBucket(s3);
  // The other stores go with all that is in them.
  if (named !== undefined) resources.defer(() => removeBucket(s3, bucket));
  // Any free port for metrics: what monitoring costs a process that nobody asks for it.
  const env = { DATABASE_URL: database.url, METRICS_PORT: '0', ...gallerySettings(store, bucket) };
  const owned = resources.move();
  return { database, store, s3, bucket, env, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}
