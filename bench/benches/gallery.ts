import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { makeThumbnail } from '@pressroom/gallery-admin/proxy/image';
import { STORE_KINDS, type StoreKind, startStore } from '../../conformance/s3-stores/store.ts';
import { putAll } from '../../test/support/s3/objects.ts';
import { namedServer } from '../../test/support/s3/servers.ts';
import type { Bench } from '../bench.ts';
import { compareWithBare } from '../compare.ts';
import { type Figure, figuresOf, MEMORY_AIM } from '../figures/figure.ts';
import type { Part } from '../figures/parts.ts';
import { membersOf, select } from '../figures/read.ts';
import {
  askForThumbnail,
  type BenchGallery,
  serve,
  servePhoto,
  startBenchGallery,
} from '../gallery/service.ts';
import { comparisonTable } from '../report/comparisons.ts';
import { measuredTables, shortfalls } from '../report/measured.ts';
import { sectionOf } from '../report/section.ts';
import { peakMemory } from '../server.ts';
import { inTurns, timed } from '../turns.ts';

const THUMBNAILS = 64;
const MEDIA_BYTES = 10 * 2 ** 20;

/** The smallest acceptable ratios to the same work without the service, and the largest of a list's time. */
const PROXY_AIM = 0.8;
const THUMBNAIL_AIM = 0.85;
const LIST_AIM = 1.3;

const figure = figuresOf('gallery-admin');

/** The times of `work` by round, in ms, and their ratios to those of `bare`, after a warm-up of both. */
async function timesOf(rounds: number, work: () => Promise<unknown>, bare: () => Promise<unknown>) {
  await inTurns([work, bare], 1, timed);
  const [times = [], bareTimes = []] = await inTurns([work, bare], rounds, timed);
  return { times, ratios: times.map((ms, round) => ms / (bareTimes[round] ?? Number.NaN)) };
}

const putObjects = ({ s3, bucket }: BenchGallery, objects: number) =>
  putAll(
    s3,
    bucket,
    Array.from({ length: objects }, (_, index) => `from/${index}.jpg`),
  );

async function measureListing(
  { url, cookie, s3, bucket }: BenchGallery,
  objects: number,
  store = '',
): Promise<Figure[]> {
  let answer = new ArrayBuffer(0);
  const list = async () => {
    const response = await fetch(`${url}/api/gallery?json=1&path=from/`, { headers: { cookie } });
    answer = await response.arrayBuffer();
  };
  const input = { Bucket: bucket, Prefix: 'from/', Delimiter: '/', MaxKeys: 1000 };
  const command = new ListObjectsV2Command({ ...input, EncodingType: 'url' });
  const signed = await getSignedUrl(s3, command, { expiresIn: 3600 });
  // The time of the store alone for the same. Neither answer is read, because that is the client's work.
  const alone = async () => {
    const response = await fetch(signed);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`the store answered ${response.status}`);
  };
  const { times, ratios } = await timesOf(21, list, alone);
  const { data, message } = JSON.parse(Buffer.from(answer).toString());
  if (data?.files.length !== Math.min(objects, 1000)) throw new Error(message ?? 'the listing is incomplete');
  const what = `list 1,000 of ${objects.toLocaleString('en')} objects${store}`;
  return [
    figure(what, 'time', 'ms', times),
    figure(what, "times the store's own answer", '', ratios, LIST_AIM),
  ];
}

/** The listing on a store that others have written. */
async function measureStore(kind: StoreKind, program: string, objects: number): Promise<Figure[]> {
  await using store = await startStore(kind, program);
  await using gallery = await startBenchGallery({}, namedServer(store.env));
  await putObjects(gallery, objects);
  return await measureListing(gallery, objects, `, ${kind.name}`);
}

/** Stores whose programs `MINIO` and `VERSITYGW` name. */
function storeParts(objects: number): Part<BenchGallery>[] {
  return STORE_KINDS.flatMap((kind) => {
    const program = process.env[kind.name.toUpperCase()];
    const run = (path: string) => () => measureStore(kind, path, objects);
    return program === undefined ? [] : [{ name: `list on ${kind.name}`, seconds: 200, run: run(program) }];
  });
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
  const ours = all(() => askForThumbnail(gallery));
  const { times, ratios } = await timesOf(
    5,
    ours,
    all(() => makeThumbnail(image, 'webp')),
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
  const requests = [{ path: `/api/proxy?url=${encodeURIComponent(target)}`, headers: { cookie } }];
  const request = { requests, connections: 4, status: 200 };
  const env = { TARGET: target, NODE_EXTRA_CA_CERTS: caFile };
  return compareWithBare(
    { name: 'gallery-admin', process: service },
    { name: 'node:http + undici', program: 'bench/servers/pipe.ts', env, ready: '/ready' },
    [{ ...request, what: 'proxy, files of 10 MiB', at: { connections: 4 }, aim: PROXY_AIM }],
  );
}

async function measure(gallery: BenchGallery, objects: number): Promise<Figure[]> {
  await putObjects(gallery, objects);
  return [
    ...(await measureListing(gallery, objects)),
    // Before the work that needs more memory, so that its own peak can be seen.
    ...(await measureMove(gallery, objects)),
    ...(await measureThumbnails(gallery)),
    ...(await measureProxy(gallery)),
  ];
}

/** `pnpm bench gallery [OBJECTS]`: the gallery with a bucket of that many objects. */
export const gallery: Bench<BenchGallery> = {
  start: async (_sizes, resources) => resources.use(await startBenchGallery()),
  parts: ([objects = 100_000]) => [
    { name: 'gallery', seconds: 240, run: (started) => measure(started, objects) },
    ...storeParts(objects),
  ],
  sections: {
    'gallery, stores': sectionOf('gallery', (figures) => [
      measuredTables(figures.filter(({ what }) => what.startsWith('list '))),
    ]),
    gallery: sectionOf('gallery', (figures) => {
      const compared = membersOf(select(figures, { metric: 'ratio' }), 'what');
      const alone = figures.filter(({ what }) => !compared.includes(what));
      return [measuredTables(alone), comparisonTable(figures, 'gallery-admin'), shortfalls(figures)];
    }),
  },
};
