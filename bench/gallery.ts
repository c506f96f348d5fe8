import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { makeThumbnail } from '@pressroom/gallery-admin/proxy/thumbnail';
import sharp from 'sharp';
import { putAll } from '../test/support/s3/objects.ts';
import { startServer } from './child.ts';
import { type Comparison, compare } from './compare.ts';
import { type Figure, figureOf } from './figures/figure.ts';
import { type BenchGallery, startBenchGallery } from './gallery-service.ts';

const ROUNDS = 7;
const SIGNED_KEYS = 2000;
const SIGN_BAR = 0.8;
const PROXY_BAR = 0.8;
const MEDIA_BYTES = 10 * 2 ** 20;
const MEMORY_BAR = 180;
const THUMBNAILS = 64;
const THUMBNAIL_ROUNDS = 5;
const THUMBNAIL_AIM = 0.85;
const LIST_ROUNDS = 21;
const LIST_AIM = 1.3;
const SUBJECT = 'gallery-admin';

/** The result of a measurement. */
export interface GalleryFigures {
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
    const figures = [...(await measureListing(gallery, objects)), ...(await measureMove(gallery, objects))];
    figures.push(...(await measureSigning(gallery)), ...(await measureThumbnails(gallery)));
    const proxy = await measureProxy(gallery);
    return { figures, proxy };
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
  return times;
}

async function measureSigning({ post, s3, bucket }: BenchGallery): Promise<Figure[]> {
  const keys = Array.from({ length: SIGNED_KEYS }, (_, index) => `photos/${index}.jpg`);
  const sign = () => post('/api/gallery', { action: 'sign-get-objects', keys });
  const alone = async () => {
    for (const Key of keys) {
      await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key }), { expiresIn: 3600 });
    }
  };
  const rounds = await inTurns(sign, alone, ROUNDS);
  const label = { what: `sign ${SIGNED_KEYS.toLocaleString('en')} keys`, subject: SUBJECT, at: {} };
  return [
    figureOf(
      { ...label, metric: 'time', unit: 'ms' },
      rounds.map(({ work }) => work),
    ),
    figureOf(
      { ...label, metric: 'ratio to the presigner alone', unit: '', aim: SIGN_BAR },
      rounds.map(({ work, bare }) => bare / work),
    ),
  ];
}

async function measureListing(
  { process: { port }, cookie, s3, bucket }: BenchGallery,
  objects: number,
): Promise<Figure[]> {
  let answer = new ArrayBuffer(0);
  const list = async () => {
    const response = await fetch(`http://127.0.0.1:${port}/api/gallery?json=1&path=from/`, {
      headers: { cookie },
    });
    answer = await response.arrayBuffer();
  };
  const input = {
    Bucket: bucket,
    Prefix: 'from/',
    Delimiter: '/',
    MaxKeys: 1000,
    EncodingType: 'url',
  } as const;
  const url = await getSignedUrl(s3, new ListObjectsV2Command(input), { expiresIn: 3600 });
  // What the store itself takes to say the same. Neither answer is read, because that is the client's work.
  const alone = async () => {
    const response = await fetch(url);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the store answered ${response.status}`);
  };
  const rounds = await inTurns(list, alone, LIST_ROUNDS);
  const { data, message } = JSON.parse(Buffer.from(answer).toString()) as {
    data?: { files: unknown[] };
    message?: string;
  };
  if (data?.files.length !== Math.min(objects, 1000)) throw new Error(message ?? 'the listing is incomplete');
  const label = { what: `list 1,000 of ${objects.toLocaleString('en')} objects`, subject: SUBJECT, at: {} };
  return [
    figureOf(
      { ...label, metric: 'time', unit: 'ms' },
      rounds.map(({ work }) => work),
    ),
    figureOf(
      { ...label, metric: "times the store's own answer", unit: '', aim: LIST_AIM },
      rounds.map(({ work, bare }) => work / bare),
    ),
  ];
}

async function measureMove({ post, process: service }: BenchGallery, objects: number): Promise<Figure[]> {
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, service.residentMemory());
  }, 250);
  const ms = await timed(() =>
    post('/api/gallery/batch', { action: 'move', paths: ['from/'], dest: 'to/' }),
  ).finally(() => clearInterval(watch));
  const label = { what: `move ${objects.toLocaleString('en')} objects`, subject: SUBJECT, at: {} };
  return [
    figureOf({ ...label, metric: 'rate', unit: '/s' }, [objects / (ms / 1000)]),
    figureOf({ ...label, metric: 'memory', unit: 'MiB', aim: MEMORY_BAR }, [peak]),
  ];
}

async function measureThumbnails({ process: service, cookie, media }: BenchGallery): Promise<Figure[]> {
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
  const rounds = await inTurns(
    all(one),
    all(() => makeThumbnail(image, 'webp')),
    THUMBNAIL_ROUNDS,
  );
  const label = { what: `${THUMBNAILS} thumbnails of 12 megapixels at once`, subject: SUBJECT, at: {} };
  return [
    figureOf(
      { ...label, metric: 'rate', unit: '/s' },
      rounds.map(({ work }) => THUMBNAILS / (work / 1000)),
    ),
    figureOf(
      { ...label, metric: 'ratio to sharp alone', unit: '', aim: THUMBNAIL_AIM },
      rounds.map(({ work, bare }) => bare / work),
    ),
  ];
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
    { name: SUBJECT, port: service.port, pid: service.pid },
    { name: 'node:http + undici', port: bare.port, pid: bare.pid },
  ];
  const comparison = await compare('proxy, files of 10 MiB', contenders, request, PROXY_BAR);
  await bare.stop();
  return comparison;
}
