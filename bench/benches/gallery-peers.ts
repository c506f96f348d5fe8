import { storeSettings } from '../../test/support/s3/servers.ts';
import { ask } from '../ask.ts';
import type { Bench } from '../bench.ts';
import type { Asked } from '../compare.ts';
import { askedFor, askedRepeatedly, contestParts } from '../contenders/contest.ts';
import { startImgproxy } from '../contenders/imgproxy.ts';
import { startPeer, versionOf } from '../contenders/peer.ts';
import {
  askForThumbnail,
  type BenchGallery,
  readThumbnail,
  servePhoto,
  startBenchGallery,
} from '../gallery/service.ts';
import { peersPictures, peerTables } from '../report/peers.ts';
import { sectionOf } from '../report/section.ts';
import type { ServerProcess } from '../server.ts';

/** How many requests are made at once. */
const CONNECTIONS = [1, 8, 32];

/** A thumbnail takes long enough: with more at once, most of the time is the wait for the others. */
const THUMBNAILS_AT_ONCE = [1, 8];

/** A server that scales images to what a thumbnail of Pressroom's is. */
interface Scaler {
  name: string;
  process: ServerProcess;
  /** The path of an image's thumbnail. */
  path: (url: string) => string;
}

/** Pressroom's gallery with the peers of its parts, on the same store and the same images. */
interface GalleryContest extends AsyncDisposable {
  gallery: BenchGallery;
  companion: ServerProcess;
  scalers: Scaler[];
}

async function startGalleryContest(): Promise<GalleryContest> {
  await using resources = new AsyncDisposableStack();
  const gallery = resources.use(await startBenchGallery());
  await servePhoto(gallery);
  const start = async (peer: string, env: Record<string, string>) =>
    resources.use(await startPeer({ peer, command: ['server.js'], env, ready: '/ready' }));
  const store = storeSettings(gallery.store, gallery.bucket);
  const secret = { SECRET: 'a secret of the bench, which nobody else can reach' };
  const companion = await start('companion', { ...secret, ...store });
  const ipx = await start('ipx', { NODE_EXTRA_CA_CERTS: gallery.caFile });
  const path = (url: string) => `/w_480,f_webp,q_78/${url}`;
  const scalers: Scaler[] = [{ name: `IPX ${versionOf('ipx', 'ipx')}`, process: ipx, path }];
  const { IMGPROXY } = process.env;
  if (IMGPROXY !== undefined) {
    const imgproxy = await startImgproxy(IMGPROXY, gallery.caFile);
    resources.use(imgproxy.process);
    const scaled = (url: string) => `/unsafe/rs:fit:480:480/q:78/f:webp/plain/${encodeURIComponent(url)}`;
    scalers.push({ ...imgproxy, path: scaled });
  }
  const owned = resources.move();
  return { gallery, companion, scalers, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A signature for the upload of a file. */
function signing({ gallery: { process, cookie }, companion }: GalleryContest): Asked[] {
  const body = () => ({ filename: 'photo.jpg', path: 'peers', contentType: 'image/jpeg' });
  const requests = [{ path: '/api/upload', headers: { cookie } }];
  const params = [{ path: '/s3/params?filename=photo.jpg&type=image%2Fjpeg' }];
  return [
    askedFor({ name: 'Pressroom', process }, { requests, status: 200, write: { method: 'POST', body } }),
    askedFor({ name: companionName(), process: companion }, { requests: params, status: 200 }),
  ];
}

/** A whole upload in one part: create, sign, PUT to the store, complete. */
function uploads({ gallery, companion }: GalleryContest): Asked[] {
  return [
    askedRepeatedly('Pressroom', gallery.process, () => uploadWithPressroom(gallery)),
    askedRepeatedly(companionName(), companion, () => uploadWithCompanion(companion)),
  ];
}

/** A thumbnail of an image of 12 megapixels, of an address that nobody asked for before. */
function thumbnails({ gallery, scalers }: GalleryContest): Asked[] {
  return [
    askedRepeatedly('Pressroom', gallery.process, () => askForThumbnail(gallery)),
    ...scalers.map(({ name, process, path }) =>
      askedRepeatedly(name, process, () =>
        readThumbnail(`http://127.0.0.1:${process.port}${path(gallery.newPhotoUrl())}`),
      ),
    ),
  ];
}

function companionName(): string {
  return `Companion ${versionOf('companion', '@uppy/companion')}`;
}

/** What both say about an upload in parts. */
interface Multipart {
  uploadId: string;
  key: string;
}

/** The only part of an upload. */
const PART = 'A part.';

async function putPart(url: string): Promise<string> {
  const response = await fetch(url, { method: 'PUT', body: PART });
  await response.arrayBuffer();
  const etag = response.headers.get('etag');
  if (!response.ok || etag === null) throw new Error(`the store answered ${response.status} to a part`);
  return etag;
}

async function uploadWithPressroom({ post }: BenchGallery): Promise<void> {
  const multipart = async <Answer>(json: unknown) =>
    (await post<{ data: Answer }>('/api/upload/multipart', json)).data;
  const file = { filename: 'film.mp4', path: 'peers', contentType: 'video/mp4', size: PART.length };
  const { uploadId, key } = await multipart<Multipart>({ action: 'create', ...file });
  const { url } = await multipart<{ url: string }>({ action: 'sign-part', uploadId, key, partNumber: 1 });
  const parts = [{ partNumber: 1, etag: await putPart(url) }];
  await multipart({ action: 'complete', uploadId, key, parts });
}

async function uploadWithCompanion({ port }: ServerProcess): Promise<void> {
  const multipart = <Answer>(path: string, json?: unknown) =>
    ask<Answer>(`http://127.0.0.1:${port}/s3/multipart${path}`, { json });
  const { uploadId, key } = await multipart<Multipart>('', { filename: 'film.mp4', type: 'video/mp4' });
  const query = `?key=${encodeURIComponent(key)}`;
  const { url } = await multipart<{ url: string }>(`/${encodeURIComponent(uploadId)}/1${query}`);
  const parts = [{ PartNumber: 1, ETag: await putPart(url) }];
  await multipart(`/${encodeURIComponent(uploadId)}/complete${query}`, { parts });
}

/**
 * `pnpm bench gallery-peers`: the gallery's signatures and uploads next to Uppy Companion, and its thumbnails
 * next to IPX and imgproxy, over the same store and the same images (`docs/peers.md`).
 */
export const galleryPeers: Bench<GalleryContest> = {
  start: startGalleryContest,
  parts: () =>
    contestParts([
      { what: 'sign an upload', connections: CONNECTIONS, choose: signing },
      { what: 'whole upload in one part', connections: CONNECTIONS, choose: uploads },
      { what: 'thumbnail of 12 megapixels', connections: THUMBNAILS_AT_ONCE, choose: thumbnails },
    ]),
  sections: {
    'gallery-peers': peersPictures('gallery-peers', 'Answers a second of Pressroom and others'),
    'gallery-peers, all loads': sectionOf('gallery-peers', (figures) => [peerTables(figures)]),
  },
};
