import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { type MediaHost, startMediaHost } from '../../test/support/media-host.ts';
import { removeBucket } from '../../test/support/s3/objects.ts';
import {
  clientOf,
  createBucket,
  namedServer,
  type Server,
  startEmbedded,
  storeSettings,
} from '../../test/support/s3/servers.ts';
import { ask } from '../ask.ts';
import { openDatabase } from '../database.ts';
import type { ServerProcess } from '../server.ts';
import { startService } from '../services.ts';

/** The administrator of the measured service. */
const ADMIN = { username: 'bench', password: randomBytes(16).toString('hex') };

/** The gallery administration in its own process, with its dependencies and a session. */
export interface BenchGallery extends AsyncDisposable {
  process: ServerProcess;
  /** Its address, without a path. */
  url: string;
  /** The environment that it was started with. */
  env: Record<string, string>;
  /** The `Cookie` header of the session. */
  cookie: string;
  s3: S3Client;
  store: Server;
  bucket: string;
  /** Media for the proxy, at `https://localhost`. */
  media: MediaHost;
  /** A file with the certificate of the authority that signed the media host's. */
  caFile: string;
  /** POSTs JSON and returns the answer; throws unless it succeeded. */
  post: <Answer>(path: string, json: unknown) => Promise<Answer>;
  /** An address of the photo that was never asked for before, so that nothing has its thumbnail. */
  newPhotoUrl: () => string;
}

/**
 * Starts the service on the store that `S3_ENDPOINT` names, else on the embedded one, with these settings.
 */
export async function startBenchGallery(settings: Record<string, string> = {}): Promise<BenchGallery> {
  await using resources = new AsyncDisposableStack();
  const database = resources.use(await openDatabase());
  const store = namedServer(process.env) ?? resources.adopt(await startEmbedded(), (own) => own.close());
  const s3 = clientOf(store, { maxAttempts: 3 });
  const bucket = resources.adopt(await createBucket(s3), (own) => removeBucket(s3, own));
  const media = resources.adopt(await startMediaHost(['localhost']), (own) => own.close());
  const caFile = join(database.server.dataDir, 'bench-ca.pem');
  await writeFile(caFile, media.ca);
  const env = {
    DATABASE_URL: database.url,
    ADMIN_USERNAME: ADMIN.username,
    ADMIN_PASSWORD: ADMIN.password,
    COOKIE_SECURE: 'false',
    SETTINGS_KEY: randomBytes(32).toString('base64'),
    ...storeSettings(store, bucket),
    PROXY_ALLOWED_HOSTS: `localhost:${media.port}`,
    PROXY_PRIVATE_HOSTS: `localhost:${media.port}`,
    NODE_EXTRA_CA_CERTS: caFile,
    ...settings,
  };
  const service = resources.use(await startService('gallery-admin', env));
  const url = `http://127.0.0.1:${service.port}`;
  const { cookies } = await logIn(url);
  const [cookie = ''] = cookies;
  const post = <Answer>(path: string, json: unknown) =>
    ask<Answer>(`${url}${path}`, { json, headers: { cookie } });
  let photos = 0;
  const newPhotoUrl = () => {
    photos += 1;
    return `https://localhost:${media.port}/photo.jpg?${photos}`;
  };
  const owned = resources.move();
  const dispose = () => owned.disposeAsync();
  const gallery = { url, env, cookie, s3, store, bucket, media, caFile, post, newPhotoUrl };
  return { process: service, ...gallery, [Symbol.asyncDispose]: dispose };
}

/** Logs in; the status of the answer, and its cookies: of the session, and of the browser. */
export async function logIn(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; cookies: string[] }> {
  const response = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(ADMIN),
  });
  await response.arrayBuffer();
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return { status: response.status, cookies };
}

/** A photo of 12 megapixels, which the media host serves from now on. */
export async function servePhoto({ media }: BenchGallery): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const image = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#888', noise } })
    .blur(2)
    .jpeg({ quality: 88 })
    .toBuffer();
  serve(media, '/photo.jpg', 'image/jpeg', image);
  return image;
}

/** Lets the media host answer a path. */
export function serve(media: MediaHost, path: string, type: string, bytes: Buffer): void {
  media.answers.set(path, (_request, response) => {
    response.writeHead(200, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
  });
}

/** Has the thumbnail of the photo made, which nobody has asked for yet. */
export function askForThumbnail({ url, cookie, newPhotoUrl }: BenchGallery): Promise<void> {
  return readThumbnail(`${url}/api/proxy?thumbnail=true&url=${encodeURIComponent(newPhotoUrl())}`, {
    cookie,
  });
}

/** Reads a thumbnail. Throws unless it is one. */
export async function readThumbnail(url: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(url, { headers });
  const { byteLength } = await response.arrayBuffer();
  const type = response.headers.get('content-type');
  if (type !== 'image/webp' || byteLength === 0)
    throw new Error(`${url} answered ${response.status} with ${type}`);
}
