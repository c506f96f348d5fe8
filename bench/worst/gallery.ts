import { putAll } from '../../test/support/s3/objects.ts';
import type { Figure } from '../figures/figure.ts';
import { askForThumbnail, servePhoto, startBenchGallery } from '../gallery/service.ts';
import { HELD_MS, heldRate, sendTo } from '../held-rate.ts';
import { load } from '../load.ts';
import { memoryUnderLoad, timesOf } from './site.ts';

const SUBJECT = 'gallery-admin';
const THUMBNAILS = 64;
const RATE = 20;

/** Lists a folder at rising rates, and while 64 thumbnails of 12 megapixels are made. */
export async function galleryAtWorst(): Promise<Figure[]> {
  await using gallery = await startBenchGallery();
  const { s3, bucket, cookie, process } = gallery;
  const keys = Array.from({ length: 100 }, (_, index) => `worst/${index}.jpg`);
  await putAll(s3, bucket, keys);
  const requests = [{ path: '/api/gallery?json=1&path=worst/', headers: { cookie } }];
  const target = { port: process.port, requests };
  const rates = [25, 50, 100, 150, 200, 300, 400, 600];
  const rising = { what: 'list a folder', subject: SUBJECT, rates, heldMs: HELD_MS };
  const held = await heldRate({ ...rising, send: sendTo(target) });
  const list = () => load({ ...target, rate: RATE, durationMs: 3000 });
  const alone = await list();
  await servePhoto(gallery);
  const thumbnails = Array.from({ length: THUMBNAILS }, () => askForThumbnail(gallery));
  const [during] = await Promise.all([list(), ...thumbnails]);
  return [
    memoryUnderLoad(SUBJECT, process),
    ...held,
    ...timesOf([SUBJECT, 'list a folder, no thumbnails', RATE], alone),
    ...timesOf([SUBJECT, 'list a folder, 64 thumbnails', RATE], during),
  ];
}
