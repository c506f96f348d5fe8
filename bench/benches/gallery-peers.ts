import { storeSettings } from '../../test/support/s3/servers.ts';
import { ask } from '../ask.ts';
import type { Bench } from '../bench.ts';
import { type Asked, askedFor } from '../compare.ts';
import { askedRepeatedly, type Contest, contestParts } from '../contenders/contest.ts';
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

/** Requests, and the numbers of them that are made at once. */
const QUESTIONS = {
  'sign an upload': [1, 8, 32],
  'whole upload in one part': [1, 8, 32],
  // It takes long enough: with more at once, most of the time is the wait for the others.
  'thumbnail of 12 megapixels': [1, 8],
};

/** A server that scales images to what a thumbnail of Pressroom's is. */
interface Scaler {
  name: string;
  process: ServerProcess;
  /** The path of an image's thumbnail. */
  path: (url: string) => string;
}

/** Starts Pressroom's gallery with the peers of its parts, on the same store and the same images. */
async function startContest(resources: AsyncDisposableStack): Promise<Contest<keyof typeof QUESTIONS>> {
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
  return {
    'sign an upload': signing(gallery, companion),
    'whole upload in one part': uploads(gallery, companion),
    'thumbnail of 12 megapixels': thumbnails(gallery, scalers),
  };
}

/** A signature for the upload of a file. */
function signing({ process, cookie }: BenchGallery, companion: ServerProcess): Asked[] {
  const body = () => ({ filename: 'photo.jpg', path: 'peers', contentType: 'image/jpeg' });
  const requests = [{ path: '/api/upload', headers: { cookie } }];
  const params = [{ path: '/s3/params?filename=photo.jpg&type=image%2Fjpeg' }];
  return [
    askedFor({ name: 'Pressroom', process }, { requests, status: 200, write: { method: 'POST', body } }),
    askedFor({ name: companionName(), process: companion }, { requests: params, status: 200 }),
  ];
}

/** A whole upload in one part: create, sign, PUT to the store, complete. */
function uploads(gallery: BenchGallery, companion: ServerProcess): Asked[] {
  return [
    askedRepeatedly('Pressroom', gallery.process, () => uploadWithPressroom(gallery)),
    askedRepeatedly(companionName(), companion, () => uploadWithCompanion(companion)),
  ];
}

/** A thumbnail of an image of 12 megapixels, of an address that nobody asked for before. */
function thumbnails(gallery: BenchGallery, scalers: readonly Scaler[]): Asked[] {
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

/** Members of both stores' answers about an upload in parts. */
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
 * next to IPX and imgproxy, over the same store and the same images (`bench/results/peers.md`).
 */
export const galleryPeers: Bench<Contest<keyof typeof QUESTIONS>> = {
  start: (_sizes, resources) => startContest(resources),
  parts: () => contestParts(QUESTIONS),
  sections: {
    'gallery-peers': peersPictures('gallery-peers', 'Answers a second of Pressroom and others'),
    'gallery-peers, all loads': sectionOf('gallery-peers', (figures) => [peerTables(figures)]),
  },
};
