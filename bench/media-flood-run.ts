/**
 * `pnpm bench media-flood`: how much longer the administrator waits for a login and for a thumbnail while
 * strangers ask for ever-new renditions of a public picture: of the gallery itself, and of `gallery media`
 * beside it, as Compose and Kubernetes run it.
 */
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { type ServerProcess, startServer } from './child.ts';
import { type Figure, figuresOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { startFlood } from './gallery-flood.ts';
import {
  askForThumbnail,
  type BenchGallery,
  login,
  newPhotoUrl,
  servePhoto,
  startBenchGallery,
} from './gallery-service.ts';
import { median } from './quantile.ts';
import { inTurns, timed } from './turns.ts';

const ROUNDS = 3;

/** How often each piece of work is done in a turn. */
const TIMES = 5;

/** Strangers may have one of two cores; the load and the store share them as well. */
const AIM = 2;

const KEY = 'public/photo.jpg';

/** Lets the media host and the public part of the bucket have a photo, and serves the latter on its own. */
async function startMedia(gallery: BenchGallery): Promise<ServerProcess> {
  const Body = await servePhoto(gallery);
  await gallery.s3.send(
    new PutObjectCommand({ Bucket: gallery.bucket, Key: KEY, Body, ContentType: 'image/jpeg' }),
  );
  const program = 'services/gallery-admin/src/cli.ts';
  return startServer({ program, args: ['media'], env: gallery.env, port: 'MEDIA_PORT', ready: '/healthz' });
}

async function measure(gallery: BenchGallery, media: ServerProcess): Promise<Figure[]> {
  const { port } = gallery.process;
  const works = {
    login: () => login(port),
    'thumbnail of 12 megapixels': () => askForThumbnail(gallery, newPhotoUrl(gallery)),
  };
  /** Who makes the pictures of strangers, by port. */
  const places = { 'by the gallery itself': port, 'by `gallery media`': media.port };

  /** The median time of each work while a port is flooded, and the renditions made in a second. */
  async function turn(flooded: number | undefined) {
    const flood = flooded === undefined ? undefined : await startFlood({ port: flooded, picture: KEY });
    // Once these are done, nothing is left of the turn before.
    for (const work of Object.values(works)) await work();
    const [before, began] = [flood?.succeeded() ?? 0, performance.now()];
    const times: Record<string, number> = {};
    for (const [what, work] of Object.entries(works)) {
      times[what] = median(await Array.fromAsync({ length: TIMES }, () => timed(work)));
    }
    const rate = ((flood?.succeeded() ?? 0) - before) / ((performance.now() - began) / 1000);
    await flood?.stop();
    return { times, rate };
  }

  const [quiet = [], ...floods] = await inTurns([undefined, ...Object.values(places)], ROUNDS, turn);
  const figure = figuresOf('gallery-admin');
  return Object.keys(places).flatMap((place, index) => {
    const flood = floods[index] ?? [];
    const ofWorks = Object.keys(works).flatMap((what) => {
      const [alone, during] = [quiet, flood].map((turns) => turns.map(({ times }) => times[what] ?? 0));
      const multiples = during?.map((ms, round) => ms / (alone?.[round] ?? 0)) ?? [];
      const name = `${what}, renditions ${place}`;
      return [
        figure(name, 'alone', 'ms', alone ?? []),
        figure(name, 'during the flood', 'ms', during ?? []),
        figure(name, 'times as long', '', multiples, AIM),
      ];
    });
    const rates = flood.map(({ rate }) => rate);
    return [...ofWorks, figure(`renditions ${place} meanwhile`, 'rate', '/s', rates)];
  });
}

const gallery = await startBenchGallery({ TRUST_PROXY: '1', MEDIA_PUBLIC: 'public/' });
try {
  const media = await startMedia(gallery);
  try {
    keepFigures('media-flood', await measure(gallery, media));
  } finally {
    await media.stop();
  }
} finally {
  await gallery.stop();
}
