import { PutObjectCommand } from '@aws-sdk/client-s3';
import type { Page } from 'playwright-core';
import { drawing } from '../../test/fixtures/drawing.ts';
import { putAll } from '../../test/support/s3/objects.ts';
import { type Figure, figuresOf } from '../figures/figure.ts';
import { quotients } from '../quantile.ts';
import type { PageBench } from './browser.ts';

/** A folder of this many files, of which the first ones are pictures. */
const FOLDER = 'first/';
const PICTURES = 40;

/** What the browser accepts for an image: AVIF is smaller, and takes longer to make. */
const ACCEPTED = 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8';

/** What a browser has in flight to one origin over HTTP/1.1. */
const CONNECTIONS = 6;

const ROUNDS = 5;

/**
 * From the navigation until the window is full of thumbnails, and the same by the API alone. Cold is a
 * browser that has never been here, and thumbnails that have never been made. Warm is the same browser again;
 * the API alone is then asked for thumbnails that the service has.
 */
export async function measureFirstThumbnails(bench: PageBench, objects: number): Promise<Figure[]> {
  const { gallery, url, visit } = bench;
  const names = Array.from({ length: objects - PICTURES }, (_, index) => `${FOLDER}text ${index}.txt`);
  await putAll(gallery.s3, gallery.bucket, names);
  const times = { cold: [] as number[][], warm: [] as number[][] };
  for (let round = 0; round < ROUNDS; round += 1) {
    await renewPictures(bench, 2 * round);
    const page = await visit();
    const cold = await untilThumbnails(page, url);
    const warm = await untilThumbnails(page, url);
    await page.context().close();
    await renewPictures(bench, 2 * round + 1);
    times.cold.push([cold.ms, await apiAlone(bench, cold.thumbnails)]);
    times.warm.push([warm.ms, await apiAlone(bench, cold.thumbnails)]);
  }
  const at = { objects };
  return Object.entries(times).flatMap(([state, rounds]) => {
    const what = `first thumbnails, ${state}`;
    const [page = [], api = []] = [0, 1].map((index) => rounds.map((pair) => pair[index] ?? 0));
    return [
      figuresOf('page', at)(what, 'p50', 'ms', page),
      figuresOf('API alone', at)(what, 'p50', 'ms', api),
      figuresOf('page', at)(what, 'multiple', '', quotients(page, api)),
    ];
  });
}

/** New bytes have thumbnails that nobody has asked for. */
async function renewPictures({ gallery: { s3, bucket } }: PageBench, version: number): Promise<void> {
  for (let index = 0; index < PICTURES; index += 1) {
    const object = { Bucket: bucket, Key: `${FOLDER}picture ${index}.jpg`, ContentType: 'image/jpeg' };
    const Body = await drawing(version * PICTURES + index);
    await s3.send(new PutObjectCommand({ ...object, Body }));
  }
}

/** Loads the page; resolves to when every picture in the window is drawn, and how many there are. */
async function untilThumbnails(page: Page, url: string): Promise<{ ms: number; thumbnails: number }> {
  await page.goto(`${url}/desk/media?path=${encodeURIComponent(FOLDER)}`, { waitUntil: 'commit' });
  return page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const images = [...document.querySelectorAll('[role="gridcell"] img')];
      const seen = images.filter((image) => image.getBoundingClientRect().top < innerHeight);
      const isDone = seen.length > 0 && seen.every((image) => image.complete && image.naturalWidth > 0);
      if (isDone) resolve({ ms: performance.now(), thumbnails: images.length });
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** The requests of the page without the page: the listing, then as many thumbnails. */
async function apiAlone({ gallery, url }: PageBench, thumbnails: number): Promise<number> {
  const headers = { cookie: gallery.cookie };
  const begin = performance.now();
  const list = await fetch(`${url}/api/gallery?json=1&path=${encodeURIComponent(FOLDER)}`, { headers });
  await list.json();
  const waiting = Array(thumbnails).keys();
  const read = async () => {
    for (const index of waiting) {
      const key = encodeURIComponent(`${FOLDER}picture ${index}.jpg`);
      const media = `${url}/api/gallery/media?thumbnail=true&key=${key}`;
      await (await fetch(media, { headers: { ...headers, accept: ACCEPTED } })).arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, read));
  return performance.now() - begin;
}
