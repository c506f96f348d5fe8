import { PutObjectCommand } from '@aws-sdk/client-s3';
import { logIn } from '../../test/support/gallery-account.ts';
import type { Bench } from '../bench.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { startFlood } from '../gallery/flood.ts';
import { askForThumbnail, type BenchGallery, servePhoto, startBenchGallery } from '../gallery/service.ts';
import { median, quotients } from '../quantile.ts';
import { measuredSection } from '../report/measured.ts';
import { startServer } from '../server.ts';
import { inTurns, timed } from '../turns.ts';

const ROUNDS = 3;

/** How often each piece of work is done in a turn. */
const TIMES = 5;

/** Strangers may have one of two cores; the load and the store share them as well. */
const AIM = 2;

const KEY = 'public/photo.jpg';

async function measure(gallery: BenchGallery): Promise<Figure[]> {
  const Body = await servePhoto(gallery);
  const picture = { Bucket: gallery.bucket, Key: KEY, Body, ContentType: 'image/jpeg' };
  await gallery.s3.send(new PutObjectCommand(picture));
  const program = { program: 'services/gallery-admin/src/cli.ts', args: ['media'], port: 'MEDIA_PORT' };
  await using media = await startServer({ ...program, env: gallery.env, ready: '/healthz' });
  const works = {
    login: () => logIn(gallery.url),
    'thumbnail of 12 megapixels': () => askForThumbnail(gallery),
  };
  /** Who makes the pictures of strangers, by port. */
  const places = { 'by the gallery itself': gallery.process.port, 'by `gallery media`': media.port };

  /** The median time of each work while a port is flooded, and the renditions made in a second. */
  async function turn(port: number | undefined) {
    await using flood = port === undefined ? undefined : await startFlood({ port, picture: KEY });
    // Once these are done, nothing is left of the turn before.
    for (const work of Object.values(works)) await work();
    const [before, began] = [flood?.succeeded() ?? 0, performance.now()];
    const times: Record<string, number> = {};
    for (const [what, work] of Object.entries(works))
      times[what] = median(await Array.fromAsync({ length: TIMES }, () => timed(work)));
    const rate = ((flood?.succeeded() ?? 0) - before) / ((performance.now() - began) / 1000);
    return { times, rate };
  }

  const [quiet = [], ...floods] = await inTurns([undefined, ...Object.values(places)], ROUNDS, turn);
  const figure = figuresOf('gallery-admin');
  return Object.keys(places).flatMap((place, index) => {
    const flood = floods[index] ?? [];
    const ofWorks = Object.keys(works).flatMap((work) => {
      const alone = quiet.map(({ times }) => times[work] ?? 0);
      const during = flood.map(({ times }) => times[work] ?? 0);
      const what = `${work}, renditions ${place}`;
      return [
        figure(what, 'alone', 'ms', alone),
        figure(what, 'during the flood', 'ms', during),
        figure(what, 'times as long', '', quotients(during, alone), AIM),
      ];
    });
    const rates = flood.map(({ rate }) => rate);
    return [...ofWorks, figure(`renditions ${place} meanwhile`, 'rate', '/s', rates)];
  });
}

/**
 * `pnpm bench media-flood`: how much longer the administrator waits for a login and for a thumbnail while
 * strangers ask for ever-new renditions of a public picture: of the gallery itself, and of `gallery media`
 * beside it, as Compose and Kubernetes run it.
 */
export const mediaFlood: Bench<BenchGallery> = {
  start: () => startBenchGallery({ TRUST_PROXY: '1', MEDIA_PUBLIC: 'public/' }),
  parts: () => [{ name: 'floods', seconds: 180, run: measure }],
  sections: { 'media-flood': measuredSection('media-flood', { aims: true }) },
};
