import { readdirSync, readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Becoming } from '../fixtures/images.ts';
import { realFile } from '../support/real-data.ts';
import { ThumbnailFixture } from '../support/thumbnails.ts';

let proxy: ThumbnailFixture;

beforeAll(async () => {
  proxy = await ThumbnailFixture.start();
});

afterAll(() => proxy?.close());

const REAL: Record<string, Becoming> = {
  '320x240.jpg': [320, 240],
  '5_webp_a.webp': [300, 300],
  '65536-uint32-limit.png': 'too many pixels',
  'Channel_digital_image_CMYK_color_no_profile.jpg': [480, 320],
  'Crash_test.gif': [480, 320],
  'G31D.TIF': [364, 480],
  'Landscape_1.jpg': [480, 360],
  'Portrait_6.jpg': [360, 480],
  'animated-loop-3.gif': [370, 285],
  'big-height.webp': [13, 169],
  'blackbug.png': [480, 360],
  'check.svg': 'as it is',
  'corrupt-header.jpg': 'a placeholder',
  'giant-image.jpg': 'too many pixels',
  'pitm.avif': [480, 94],
  'rotating-squares.gif': [80, 80],
  'rotating-squares.webp': [80, 80],
  'struct-image-04-t.svg': 'as it is',
  'truncated.jpg': [480, 392, 'incomplete'],
  'truncated.png': [294, 240, 'incomplete'],
};

const TYPES: Record<string, string> = { jpg: 'jpeg', svg: 'svg+xml', TIF: 'tiff' };

/** Pictures that have once come out wrong. */
const CASES: [string, string, Becoming][] = [
  ['bigtiff.tif', 'image/tiff', [400, 300]],
  ['long-1080x20000.png', 'image/png', [26, 480]],
  ['noeoi.jpg', 'image/jpeg', [480, 360, 'incomplete']],
  ['p3-nclx.avif', 'image/avif', [300, 200]],
];

test.each(CASES)('%s (%s) becomes %j', async (name, type, expected) => {
  const file = readFileSync(realFile('cases/media', name));
  await proxy.expectBecoming(file, type, expected);
  if (name !== 'p3-nclx.avif') return;
  const { body } = await proxy.thumbnail(proxy.serve(file, type));
  const [red = 0, green = 0, blue = 0] = await sharp(body).raw().toBuffer();
  // The red of Display P3 is deeper than its numbers say.
  expect([red > 210, green < 15, blue < 15]).toEqual([true, true, true]);
});

test('every real image is expected to become something', () => {
  expect(readdirSync(realFile('images')).sort()).toEqual(Object.keys(REAL).sort());
});

test.each(Object.entries(REAL))('%s becomes %j', async (name, expected) => {
  const ending = name.slice(name.lastIndexOf('.') + 1);
  await proxy.expectBecoming(
    readFileSync(realFile('images', name)),
    `image/${TYPES[ending] ?? ending}`,
    expected,
  );
});
