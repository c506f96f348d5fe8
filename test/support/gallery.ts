import { randomBytes } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';
import { readGalleryConfig } from '@pressroom/gallery-admin/config';
import { type OpenOptions, openGallery } from '@pressroom/gallery-admin/open';
import { formatPasswordHash, hashPassword } from '@pressroom/gallery-admin/session/password';
import { createTestDatabase, PATIENT, type TestDatabase } from './database.ts';
import { type Answer, type Sending, send } from './http.ts';
import { memoryLog, type TestLog } from './log.ts';
import { clientOf, createBucket, namedServer, type Server, startEmbedded } from './s3/fixtures.ts';
import { removeBucket } from './s3/objects.ts';
import { storeSettings } from './s3/servers.ts';
import { until } from './until.ts';

/** The account of the tests. */
export const ADMIN = { username: 'editor', password: 'correct horse battery staple' };

/** Costs of a hash that tests can wait for. */
const CHEAP = { memory: 64, passes: 1, parallelism: 1 };

/** Time limits of a store on a machine that does many times what it can: only a fault reaches them. */
const PATIENT_STORE = { connectMs: 60_000, answerMs: 60_000 };

/** A gallery administration on its own port. */
export interface RunningGallery {
  /** Its address, without a path. */
  url: string;
  log: TestLog;
  close: () => Promise<void>;
}

/** Starts the gallery administration on a free port with exactly these settings. */
export async function startGallery(
  settings: Record<string, string>,
  surroundings: OpenOptions = {},
): Promise<RunningGallery> {
  const log = memoryLog('gallery-admin');
  const config = readGalleryConfig({ GALLERY_ADMIN_PORT: '0', ...PATIENT, ...settings });
  const { app, release } = await openGallery(config, log.log, {
    storeTimeouts: PATIENT_STORE,
    ...surroundings,
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const close = async () => {
    await app.close();
    await release();
  };
  return { url, log, close };
}

/**
 * Begins to close a service and waits until it refuses connections: SIGTERM has reached what it works on.
 * The returned function waits for the end.
 */
export async function beginToClose({ url, close }: RunningGallery): Promise<() => Promise<void>> {
  const closed = close();
  await until('the service refuses connections', async () => {
    const connects = await fetch(`${url}/healthz`)
      .then(() => true)
      .catch(() => false);
    return !connects;
  });
  return () => closed;
}

/** Logs in and returns the value of the `Cookie` header for the requests that follow. */
export async function login(url: string, credentials = ADMIN): Promise<string> {
  const { status, headers, text } = await send(`${url}/api/login`, { method: 'POST', json: credentials });
  const [cookie = ''] = (headers.get('set-cookie') ?? '').split(';');
  if (status !== 200) throw new Error(`login answered ${status}: ${text}`);
  return cookie;
}

/** A gallery administration with a database and a bucket of a test file's own, and somebody logged in. */
export interface GalleryFixture extends RunningGallery {
  database: TestDatabase;
  /** The store: the one that `S3_ENDPOINT` names, else an embedded one. */
  store: Server;
  /** The active bucket. */
  bucket: string;
  /** Makes a new, empty bucket the active one: a test then finds nothing that another has left. */
  useNewBucket: () => Promise<void>;
  /** Talks to the store beside the service. */
  s3: S3Client;
  /** Settings of the service: another replica is started with the same. */
  settings: Record<string, string>;
  /** The `Cookie` header of the one who is logged in. */
  cookie: string;
  /** Sends a request with the session. */
  ask: (path: string, sending?: Sending) => Promise<Answer>;
  /** POSTs JSON with the session. */
  post: (path: string, json: unknown) => Promise<Answer>;
}

/** Starts the gallery administration on its own database and bucket; `more` are further settings. */
export async function galleryFixture(
  more: Record<string, string> = {},
  surroundings: OpenOptions = {},
): Promise<GalleryFixture> {
  const database = await createTestDatabase();
  const named = namedServer(process.env);
  const embedded = named ? undefined : await startEmbedded();
  const store = (named ?? embedded) as Server;
  const s3 = clientOf(store);
  const bucket = await createBucket(s3);
  const buckets = [bucket];
  const settings = { ...(await settingsFor(database.url, store, bucket)), ...more };
  const service = await startGallery(settings, surroundings);
  const cookie = await login(service.url);
  const ask = (path: string, { headers, ...sending }: Sending = {}) =>
    send(`${service.url}${path}`, { ...sending, headers: { cookie, ...headers } });
  const close = async () => {
    await service.close();
    for (const name of buckets) await removeBucket(s3, name);
    s3.destroy();
    await embedded?.close();
    await database.drop();
  };
  const post = (path: string, json: unknown) => ask(path, { method: 'POST', json });
  const useNewBucket = async () => {
    const name = await createBucket(s3);
    buckets.push(name);
    const json = { action: 'save', bucket: { ...store, name, forcePathStyle: true }, setActive: true };
    const { status, text } = await post('/api/settings/buckets', json);
    if (status !== 200) throw new Error(`the new bucket was answered with ${status}: ${text}`);
    fixture.bucket = name;
  };
  const fixture = {
    ...service,
    ...{ database, store, bucket, s3, settings, cookie },
    ...{ ask, post, useNewBucket, close },
  };
  return fixture;
}

/** The settings of a service on a database, a store and a bucket, with the account {@link ADMIN}. */
export async function settingsFor(
  databaseUrl: string,
  store: Server,
  bucket: string,
): Promise<Record<string, string>> {
  return {
    DATABASE_URL: databaseUrl,
    ADMIN_USERNAME: ADMIN.username,
    ADMIN_PASSWORD_HASH: formatPasswordHash(await hashPassword(ADMIN.password, CHEAP)),
    COOKIE_SECURE: 'false',
    SETTINGS_KEY: randomBytes(32).toString('base64'),
    ...storeSettings(store, bucket),
  };
}
