import { GetObjectCommand } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { makeThumbnail } from '@pressroom/gallery-admin/proxy/thumbnail';
import sharp from 'sharp';
import { putAll } from '../test/support/s3/objects.ts';
import { startServer } from './child.ts';
import { type Comparison, compare, median } from './compare.ts';
import { type BenchGallery, startBenchGallery } from './gallery-service.ts';

const ROUNDS = 7;
const SIGNED_KEYS = 2000;
const SIGN_BAR = 0.8;
const PROXY_BAR = 0.8;
const MEDIA_BYTES = 10 * 2 ** 20;
const MEMORY_BAR = 250;
const THUMBNAILS = 64;

/** A time or a rate, and its comparison. */
export interface Figure {
  what: string;
  value: number;
  unit: string;
  /** The ratio to the library doing the same work alone: the median of the rounds. */
  ratio?: number;
  bar?: number;
}

/** The result of a measurement. */
export interface GalleryFigures {
  objects: number;
  figures: Figure[];
  proxy: Comparison;
}

/** Measures the gallery administration with a bucket of `objects` objects. */
export async function benchGallery(objects: number): Promise<GalleryFigures> {
  const gallery = await startBenchGallery();
  try {
    const keys = Array.from({ length: objects }, (_, index) => `from/${index}.jpg`);
    await putAll(gallery.s3, gallery.bucket, keys);
    // The move comes before the work that needs more memory, so that its own peak can be seen.
    const figures = [await measureListing(gallery, objects), ...(await measureMove(gallery, objects))];
    figures.push(await measureSigning(gallery), await measureThumbnails(gallery));
    const proxy = await measureProxy(gallery);
    return { objects, figures, proxy };
  } finally {
    await gallery.stop();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Times `work` and `bare` in turns, after a warm-up of both; in ms. */
async function inTurns(work: () => Promise<unknown>, bare: () => Promise<unknown>, rounds: number) {
  await work();
  await bare();
  const times: { work: number; bare: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push({ work: await timed(work), bare: await timed(bare) });
  }
  return {
    work: median(times.map((time) => time.work)),
    ratio: median(times.map((time) => time.bare / time.work)),
  };
}

async function measureSigning({ post, s3, bucket }: BenchGallery): Promise<Figure> {
  const keys = Array.from({ length: SIGNED_KEYS }, (_, index) => `photos/${index}.jpg`);
  const sign = () => post('/api/gallery', { action: 'sign-get-objects', keys });
  const alone = async () => {
    for (const Key of keys) {
      await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key }), { expiresIn: 3600 });
    }
  };
  const { work, ratio } = await inTurns(sign, alone, ROUNDS);
  return { what: `sign ${SIGNED_KEYS} keys`, value: work, unit: 'ms', ratio, bar: SIGN_BAR };
}

async function measureListing({ process: { port }, cookie }: BenchGallery, objects: number): Promise<Figure> {
  const list = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/gallery?json=1&path=from/`, {
      headers: { cookie },
    });
    const { data, message } = (await response.json()) as { data?: { files: unknown[] }; message?: string };
    if (data?.files.length !== Math.min(objects, 1000))
      throw new Error(message ?? 'the listing is incomplete');
  };
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(list));
  return { what: `list 1000 of ${objects} objects`, value: median(times), unit: 'ms' };
}

async function measureMove({ post, process: service }: BenchGallery, objects: number): Promise<Figure[]> {
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, service.residentMemory());
  }, 250);
  const ms = await timed(() =>
    post('/api/gallery/batch', { action: 'move', paths: ['from/'], dest: 'to/' }),
  ).finally(() => clearInterval(watch));
  return [
    { what: `move ${objects} objects`, value: objects / (ms / 1000), unit: 'objects/s' },
    { what: 'peak memory while moving', value: peak, unit: 'MiB', bar: MEMORY_BAR },
  ];
}

async function measureThumbnails({ process: service, cookie, media }: BenchGallery): Promise<Figure> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const;
  const image = await sharp({ create: { width: 4000, height: 3000, channels: 3, background: '#888', noise } })
    .blur(2)
    .jpeg({ quality: 88 })
    .toBuffer();
  media.answers.set('/photo.jpg', (_request, response) => {
    response.writeHead(200, { 'content-type': 'image/jpeg', 'content-length': image.length }).end(image);
  });
  let made = 0;
  const one = async () => {
    made += 1;
    const url = encodeURIComponent(`https://localhost:${media.port}/photo.jpg?${made}`);
    const response = await fetch(`http://127.0.0.1:${service.port}/api/proxy?thumbnail=true&url=${url}`, {
      headers: { cookie },
    });
    await response.arrayBuffer();
    if (response.headers.get('content-type') !== 'image/webp')
      throw new Error('the answer is not a thumbnail');
  };
  const all = (work: () => Promise<unknown>) => () => Promise.all(Array.from({ length: THUMBNAILS }, work));
  const { work, ratio } = await inTurns(
    all(one),
    all(() => makeThumbnail(image, 'webp')),
    3,
  );
  const what = `${THUMBNAILS} concurrent thumbnails of 12 megapixels`;
  return { what, value: THUMBNAILS / (work / 1000), unit: 'images/s', ratio };
}

async function measureProxy({ process: service, cookie, media, caFile }: BenchGallery): Promise<Comparison> {
  const bytes = Buffer.alloc(MEDIA_BYTES, 7);
  media.answers.set('/film.mp4', (_request, response) => {
    response.writeHead(200, { 'content-type': 'video/mp4', 'content-length': bytes.length }).end(bytes);
  });
  const target = `https://localhost:${media.port}/film.mp4`;
  const env = { TARGET: target, NODE_EXTRA_CA_CERTS: caFile };
  const bare = await startServer({ program: 'bench/servers/pipe.ts', env, port: 'PORT', ready: '/ready' });
  const path = `/api/proxy?url=${encodeURIComponent(target)}`;
  const request = { paths: [path], headers: { cookie }, connections: 4, status: 200 };
  const contenders: Parameters<typeof compare>[1] = [
    { name: 'gallery', port: service.port, pid: service.pid },
    { name: 'node:http + undici', port: bare.port, pid: bare.pid },
  ];
  const comparison = await compare('proxy, files of 10 MiB', contenders, request, PROXY_BAR);
  await bare.stop();
  return comparison;
}
