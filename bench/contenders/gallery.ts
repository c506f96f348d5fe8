import { storeSettings } from '../../test/support/s3/servers.ts';
import { ask } from '../ask.ts';
import type { ServerProcess } from '../child.ts';
import {
  askForThumbnail,
  type BenchGallery,
  newPhotoUrl,
  readThumbnail,
  servePhoto,
  startBenchGallery,
} from '../gallery-service.ts';
import { startPeer, versionOf } from './peer.ts';
import { type Asked, askWith, repeat } from './turns.ts';

/** How images are scaled: what a thumbnail of Pressroom's is. */
const SCALED = 'w_480,f_webp,q_78';

/** Pressroom's gallery with the peers of its parts, on the same store and the same images. */
export interface GalleryContest {
  /** A signature for the upload of a file. */
  signing: Asked[];
  /** A whole upload in one part: create, sign, PUT to the store, complete. */
  uploads: Asked[];
  /** A thumbnail of an image of 12 megapixels, of an address that nobody asked for before. */
  thumbnails: Asked[];
  stop: () => Promise<void>;
}

/** Starts the gallery administration, Companion and IPX. */
export async function startGalleryContest(): Promise<GalleryContest> {
  const gallery = await startBenchGallery();
  const peers: ServerProcess[] = [];
  const stop = async () => {
    await Promise.all(peers.map((peer) => peer.stop()));
    await gallery.stop();
  };
  try {
    await servePhoto(gallery);
    const { store, bucket } = gallery;
    const companion = await startPeer({
      peer: 'companion',
      command: ['server.js'],
      env: {
        SECRET: 'a secret of the bench, which nobody else can reach',
        ...storeSettings(store, bucket),
      },
      ready: '/ready',
    });
    peers.push(companion);
    const ipx = await startPeer({
      peer: 'ipx',
      command: ['server.js'],
      env: { NODE_EXTRA_CA_CERTS: gallery.caFile },
      ready: '/ready',
    });
    peers.push(ipx);
    return { ...contestants(gallery, companion, ipx), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function contestants(
  gallery: BenchGallery,
  companion: ServerProcess,
  ipx: ServerProcess,
): Omit<GalleryContest, 'stop'> {
  const { process: own, cookie, post } = gallery;
  const companionName = `Companion ${versionOf('companion', '@uppy/companion')}`;
  const upload = () => ({ filename: 'photo.jpg', path: 'peers', contentType: 'image/jpeg' });
  const sign = {
    paths: ['/api/upload'],
    headers: { cookie },
    status: 200,
    write: { method: 'POST', body: upload },
  };
  const params = { paths: ['/s3/params?filename=photo.jpg&type=image%2Fjpeg'], status: 200 };
  const askRepeatedly = (work: () => Promise<void>) => (connections: number, durationMs: number) =>
    repeat(work, connections, durationMs);
  return {
    signing: [
      { subject: 'Pressroom', process: own, ask: askWith(own, sign) },
      { subject: companionName, process: companion, ask: askWith(companion, params) },
    ],
    uploads: [
      { subject: 'Pressroom', process: own, ask: askRepeatedly(() => uploadWithPressroom(post)) },
      {
        subject: companionName,
        process: companion,
        ask: askRepeatedly(() => uploadWithCompanion(companion.port)),
      },
    ],
    thumbnails: [
      {
        subject: 'Pressroom',
        process: own,
        ask: askRepeatedly(() => askForThumbnail(gallery, newPhotoUrl(gallery))),
      },
      {
        subject: `IPX ${versionOf('ipx', 'ipx')}`,
        process: ipx,
        ask: askRepeatedly(() =>
          readThumbnail(`http://127.0.0.1:${ipx.port}/${SCALED}/${newPhotoUrl(gallery)}`),
        ),
      },
    ],
  };
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

async function uploadWithPressroom(post: BenchGallery['post']): Promise<void> {
  const multipart = async <Answer>(json: unknown) =>
    ((await post('/api/upload/multipart', json)) as { data: Answer }).data;
  const file = { filename: 'film.mp4', path: 'peers', contentType: 'video/mp4', size: PART.length };
  const { uploadId, key } = await multipart<Multipart>({ action: 'create', ...file });
  const { url } = await multipart<{ url: string }>({ action: 'sign-part', uploadId, key, partNumber: 1 });
  const parts = [{ partNumber: 1, etag: await putPart(url) }];
  await multipart({ action: 'complete', uploadId, key, parts });
}

async function uploadWithCompanion(port: number): Promise<void> {
  const multipart = <Answer>(path: string, json?: unknown) =>
    ask<Answer>(`http://127.0.0.1:${port}/s3/multipart${path}`, { json });
  const { uploadId, key } = await multipart<Multipart>('', { filename: 'film.mp4', type: 'video/mp4' });
  const query = `?key=${encodeURIComponent(key)}`;
  const { url } = await multipart<{ url: string }>(`/${encodeURIComponent(uploadId)}/1${query}`);
  const parts = [{ PartNumber: 1, ETag: await putPart(url) }];
  await multipart(`/${encodeURIComponent(uploadId)}/complete${query}`, { parts });
}
