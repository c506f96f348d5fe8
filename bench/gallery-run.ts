/** `pnpm bench gallery [OBJECTS]`: measures the gallery with a bucket of that many objects. */
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { makeThumbnail } from '@pressroom/gallery-admin/proxy/thumbnail';
import { putAll } from '../test/support/s3/objects.ts';
import { peakMemory } from './child.ts';
import { compareWithBare } from './compare.ts';
import { type Figure, figuresOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import {
  askForThumbnail,
  type BenchGallery,
  newPhotoUrl,
  serve,
  servePhoto,
  startBenchGallery,
} from './gallery-service.ts';
import { inTurns, timed } from './turns.ts';

const ROUNDS = 7;
const SIGNED_KEYS = 2000;
const SIGN_AIM = 0.8;
const PROXY_AIM = 0.8;
const MEDIA_BYTES = 10 * 2 ** 20;
const MEMORY_AIM = 180;
const THUMBNAILS = 64;
const THUMBNAIL_ROUNDS = 5;
const THUMBNAIL_AIM = 0.85;
const LIST_ROUNDS = 21;
const LIST_AIM = 1.3;
const SUBJECT = 'gallery-admin';

const figure = figuresOf(SUBJECT);

/** The times of `work` and of `bare` by round, in ms, after a warm-up of both. */
async function timesOf(work: () => Promise<unknown>, bare: () => Promise<unknown>, rounds: number) {
  await inTurns([work, bare], 1, timed);
  const [times = [], bareTimes = []] = await inTurns([work, bare], rounds, timed);
  return { times, ratios: times.map((ms, round) => ms / (bareTimes[round] ?? Number.NaN)) };
}

async function measureSigning({ post, s3, bucket }: BenchGallery): Promise<Figure[]> {
  const keys = Array.from({ length: SIGNED_KEYS }, (_, index) => `photos/${index}.jpg`);
  const sign = () => post('/api/gallery', { action: 'sign-get-objects', keys });
  const alone = async () => {
    for (const Key of keys) {
      await getSignedUrl(s3, new GetObjectCommand({ Bucket: bucket, Key }), { expiresIn: 3600 });
    }
  };
  const { times, ratios } = await timesOf(sign, alone, ROUNDS);
  const what = `sign ${SIGNED_KEYS.toLocaleString('en')} keys`;
  const inverse = ratios.map((ratio) => 1 / ratio);
  return [
    figure(what, 'time', 'ms', times),
    figure(what, 'ratio to the presigner alone', '', inverse, SIGN_AIM),
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
  const input = { Bucket: bucket, Prefix: 'from/', Delimiter: '/', MaxKeys: 1000 };
  const command = new ListObjectsV2Command({ ...input, EncodingType: 'url' });
  const url = await getSignedUrl(s3, command, { expiresIn: 3600 });
  // What the store itself takes to say the same. Neither answer is read, because that is the client's work.
  const alone = async () => {
    const response = await fetch(url);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the store answered ${response.status}`);
  };
  const { times, ratios } = await timesOf(list, alone, LIST_ROUNDS);
  const { data, message } = JSON.parse(Buffer.from(answer).toString()) as {
    data?: { files: unknown[] };
    message?: string;
  };
  if (data?.files.length !== Math.min(objects, 1000)) throw new Error(message ?? 'the listing is incomplete');
  const what = `list 1,000 of ${objects.toLocaleString('en')} objects`;
  return [
    figure(what, 'time', 'ms', times),
    figure(what, "times the store's own answer", '', ratios, LIST_AIM),
  ];
}

async function measureMove({ post, process: service }: BenchGallery, objects: number): Promise<Figure[]> {
  const move = { action: 'move', paths: ['from/'], dest: 'to/' };
  const { ms, peak } = await peakMemory(service, () => post('/api/gallery/batch', move));
  const what = `move ${objects.toLocaleString('en')} objects`;
  return [figure(what, 'rate', '/s', objects / (ms / 1000)), figure(what, 'memory', 'MiB', peak, MEMORY_AIM)];
}

async function measureThumbnails(gallery: BenchGallery): Promise<Figure[]> {
  const image = await servePhoto(gallery);
  const all = (work: () => Promise<unknown>) => () => Promise.all(Array.from({ length: THUMBNAILS }, work));
  const { times, ratios } = await timesOf(
    all(() => askForThumbnail(gallery, newPhotoUrl(gallery))),
    all(() => makeThumbnail(image, 'webp')),
    THUMBNAIL_ROUNDS,
  );
  const what = `${THUMBNAILS} thumbnails of 12 megapixels at once`;
  const rates = times.map((ms) => THUMBNAILS / (ms / 1000));
  const inverse = ratios.map((ratio) => 1 / ratio);
  return [
    figure(what, 'rate', '/s', rates),
    figure(what, 'ratio to sharp alone', '', inverse, THUMBNAIL_AIM),
  ];
}

function measureProxy({ process: service, cookie, media, caFile }: BenchGallery): Promise<Figure[]> {
  serve(media, '/film.mp4', 'video/mp4', Buffer.alloc(MEDIA_BYTES, 7));
  const target = `https://localhost:${media.port}/film.mp4`;
  const paths = [`/api/proxy?url=${encodeURIComponent(target)}`];
  const request = { paths, headers: { cookie }, connections: 4, status: 200 };
  return compareWithBare(
    [SUBJECT, service],
    {
      name: 'node:http + undici',
      program: 'bench/servers/pipe.ts',
      env: { TARGET: target, NODE_EXTRA_CA_CERTS: caFile },
      ready: '/ready',
    },
    [{ what: 'proxy, files of 10 MiB', request, at: { connections: 4 }, aim: PROXY_AIM }],
  );
}

const objects = Number(process.argv[2] ?? 100_000);
const gallery = await startBenchGallery();
try {
  const keys = Array.from({ length: objects }, (_, index) => `from/${index}.jpg`);
  await putAll(gallery.s3, gallery.bucket, keys);
  // The move comes before the work that needs more memory, so that its own peak can be seen.
  const figures = [...(await measureListing(gallery, objects)), ...(await measureMove(gallery, objects))];
  figures.push(...(await measureSigning(gallery)), ...(await measureThumbnails(gallery)));
  keepFigures('gallery', [...figures, ...(await measureProxy(gallery))]);
} finally {
  await gallery.stop();
}
