import sharp from 'sharp';
import { startMedia } from '../../test/support/allowed-media.ts';
import { logIn } from '../../test/support/gallery-account.ts';
import type { MediaHost } from '../../test/support/media-host.ts';
import type { Server } from '../../test/support/s3/servers.ts';
import { ask } from '../ask.ts';
import type { ServerProcess } from '../server.ts';
import { startService } from '../services.ts';
import { openSiteParts, type SiteParts } from '../site.ts';

/** The gallery administration in its own process, with its dependencies and a session. */
export interface BenchGallery extends SiteParts {
  process: ServerProcess;
  /** Its address, without a path. */
  url: string;
  /** The `Cookie` header of the session. */
  cookie: string;
  /** Media for the proxy, at `https://localhost`. */
  media: MediaHost;
  /** A file with the certificate of the authority that signed the media host's. */
  caFile: string;
  /** POSTs JSON and returns the answer; throws unless it succeeded. */
  post: <Answer>(path: string, json: unknown) => Promise<Answer>;
  /** An address of the photo that was never asked for before, so that nothing has its thumbnail. */
  newPhotoUrl: () => string;
}

/** Starts the service with these settings, on the caller's store if there is one. */
export async function startBenchGallery(
  settings: Record<string, string> = {},
  store?: Server,
): Promise<BenchGallery> {
  await using resources = new AsyncDisposableStack();
  const site = resources.use(await openSiteParts(store));
  const { host: media, settings: allowed } = resources.use(await startMedia());
  const env = { ...site.env, ...allowed, ...settings };
  const service = resources.use(await startService('gallery-admin', env));
  const url = `http://127.0.0.1:${service.port}`;
  const [cookie = ''] = (await logIn(url)).cookies;
  const post = <Answer>(path: string, json: unknown) =>
    ask<Answer>(`${url}${path}`, { json, headers: { cookie } });
  let photos = 0;
  const newPhotoUrl = () => {
    photos += 1;
    return `https://localhost:${media.port}/photo.jpg?${photos}`;
  };
  const owned = resources.move();
  const [caFile, dispose] = [allowed.NODE_EXTRA_CA_CERTS, () => owned.disposeAsync()];
  const gallery = { url, cookie, media, caFile, post, newPhotoUrl };
  return { ...site, env, process: service, ...gallery, [Symbol.asyncDispose]: dispose };
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
