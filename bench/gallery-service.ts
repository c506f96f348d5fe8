import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { S3Client } from '@aws-sdk/client-s3';
import sharp from 'sharp';
import { type MediaHost, startMediaHost } from '../test/support/media-host.ts';
import { removeBucket } from '../test/support/s3/objects.ts';
import {
  clientOf,
  createBucket,
  namedServer,
  type Server,
  startEmbedded,
  storeSettings,
} from '../test/support/s3/servers.ts';
import { ask } from './ask.ts';
import { type ServerProcess, startServer } from './child.ts';
import { createDatabase, startBenchPostgres } from './database.ts';

/** The administrator of the measured service. */
export const ADMIN = { username: 'bench', password: randomBytes(16).toString('hex') };

/** The gallery administration in its own process, with its dependencies and a session. */
export interface BenchGallery {
  process: ServerProcess;
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
  post: (path: string, json: unknown) => Promise<unknown>;
  stop: () => Promise<void>;
}

/**
 * Starts the service on the store that `S3_ENDPOINT` names, else on the embedded one. `settings` are added to
 * its environment.
 */
export async function startBenchGallery(settings: Record<string, string> = {}): Promise<BenchGallery> {
  const postgres = await startBenchPostgres();
  const named = namedServer(process.env);
  const embedded = named ? undefined : await startEmbedded();
  const store = (named ?? embedded) as Server;
  const s3 = clientOf(store, { maxAttempts: 3 });
  const bucket = await createBucket(s3);
  const media = await startMediaHost(['localhost']);
  const caFile = join(postgres.dataDir, 'bench-ca.pem');
  await writeFile(caFile, media.ca);
  const env = {
    DATABASE_URL: await createDatabase(postgres.url, 'bench'),
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
  const program = 'services/gallery-admin/src/main.ts';
  const service = await startServer({ program, env, port: 'GALLERY_ADMIN_PORT', ready: '/healthz' });
  const cookie = await login(service.port);
  const stop = async () => {
    await service.stop();
    await media.close();
    await removeBucket(s3, bucket);
    await embedded?.close();
    await postgres.stop();
  };
  const post = (path: string, json: unknown) =>
    ask(`http://127.0.0.1:${service.port}${path}`, { json, headers: { cookie } });
  return { process: service, env, cookie, s3, store, bucket, media, caFile, post, stop };
}

/** Logs in as a new browser; the `Cookie` header of the session. */
export async function login(port: number): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  });
  const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
  if (!response.ok) throw new Error(`login answered ${response.status}`);
  return cookie;
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

let photos = 0;

/** An address of the photo that was never asked for before, so that nothing has its thumbnail. */
export function newPhotoUrl({ media }: BenchGallery): string {
  photos += 1;
  return `https://localhost:${media.port}/photo.jpg?${photos}`;
}

/** Has the thumbnail of an image made. */
export async function askForThumbnail(
  { process: { port }, cookie }: BenchGallery,
  url: string,
): Promise<void> {
  const path = `/api/proxy?thumbnail=true&url=${encodeURIComponent(url)}`;
  await readThumbnail(`http://127.0.0.1:${port}${path}`, { cookie });
}

/** Reads a thumbnail. Throws unless it is one. */
export async function readThumbnail(url: string, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(url, { headers });
  const { byteLength } = await response.arrayBuffer();
  const type = response.headers.get('content-type');
  if (type !== 'image/webp' || byteLength === 0) {
    throw new Error(`${url} answered ${response.status} with ${type}`);
  }
}
