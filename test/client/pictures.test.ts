import { PutObjectCommand } from '@aws-sdk/client-s3';
import {
  describePicture,
  isPublicMedia,
  nextImageLoader,
  RENDITION_WIDTHS,
  renditionUrl,
  sourceSet,
} from '@pressroom/client';
import service from '@pressroom/client/astro';
import { WIDTHS } from '@pressroom/gallery-admin/media/renditions';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';

let gallery: GalleryFixture;
let photo: string;
beforeAll(async () => {
  gallery = await galleryFixture({ MEDIA_PUBLIC: 'public/' });
  const body = await sharp({ create: { width: 700, height: 350, channels: 3, background: '#246' } })
    .jpeg()
    .toBuffer();
  await put('public/harbour ü.jpg', body);
  await put('public/note.txt', 'No picture.');
  await put('public/data', 'No picture.', 'application/octet-stream');
  photo = `${gallery.url}/media/public/harbour%20%C3%BC.jpg`;
});
afterAll(() => gallery?.close());

function put(Key: string, Body: Buffer | string, ContentType = 'image/jpeg') {
  return gallery.s3.send(new PutObjectCommand({ Bucket: gallery.bucket, Key, Body, ContentType }));
}

async function sizeOf(address: string) {
  const response = await fetch(address);
  expect(response.status, address).toBe(200);
  const { width, height, format } = await sharp(await response.arrayBuffer()).metadata();
  return { width, height, format };
}

test('the widths are those of the gallery', () => {
  expect(RENDITION_WIDTHS).toEqual(WIDTHS);
});

test('a rendition has the next width of the ladder, and the proportions of the box', async () => {
  expect(renditionUrl(photo, { width: 300 })).toBe(`${photo}?w=384`);
  expect(await sizeOf(renditionUrl(photo, { width: 300 }))).toEqual({
    width: 384,
    height: 192,
    format: 'jpeg',
  });
  const square = {
    width: 100,
    height: 100,
    fit: 'cover',
    focus: 'auto',
    format: 'webp',
    quality: 50,
  } as const;
  expect(await sizeOf(renditionUrl(photo, square))).toEqual({ width: 128, height: 128, format: 'webp' });
});

test('every candidate of a srcset is as wide as it says, and none is wider than the picture', async () => {
  const candidates = sourceSet(photo, { width: 700 }).split(', ');
  expect(candidates.map((one) => one.split(' ')[1])).toEqual(['64w', '128w', '256w', '384w', '640w', '700w']);
  for (const [address = '', width] of candidates.map((one) => one.split(' '))) {
    expect(`${(await sizeOf(address)).width}w`).toBe(width);
  }
  const [square = ''] = sourceSet(photo, { width: 700, ratio: 1, fit: 'cover' }).split(' ');
  expect(await sizeOf(square)).toMatchObject({ width: 64, height: 64 });
});

test('a description has the size; of what is no picture or not there, there is none', async () => {
  expect(await describePicture(`${photo}?w=64`)).toMatchObject({ width: 700, height: 350, alt: null });
  for (const none of ['gone.jpg', 'note.txt', 'data']) {
    expect(await describePicture(`${gallery.url}/media/public/${none}`), none).toBeUndefined();
  }
});

test('addresses with a query or of other hosts', () => {
  expect(renditionUrl('/media/public/a.jpg?w=64#x', { width: 640, quality: 90 })).toBe(
    '/media/public/a.jpg?w=640&q=90',
  );
  expect(nextImageLoader({ src: '/media/public/a.jpg', width: 750, quality: 75 })).toBe(
    '/media/public/a.jpg?w=828&q=75',
  );
  for (const other of [
    'https://images.example/a.jpg?w=1',
    '/a.jpg',
    '/media/',
    'data:image/png;base64,AA/media/a',
  ]) {
    expect(isPublicMedia(other), other).toBe(false);
    expect([renditionUrl(other, { width: 64 }), sourceSet(other)]).toEqual([other, '']);
  }
});

test('Astro gets the size and the addresses of renditions, and other pictures as they are', async () => {
  expect(await service.getRemoteSize(photo)).toEqual({ width: 700, height: 350 });
  const shown = {
    src: photo,
    width: 640,
    height: 320,
    widths: [320, 640, 650],
    alt: 'Boats',
    quality: 'high',
  };
  expect(service.getURL(shown)).toBe(`${photo}?w=640&q=90`);
  const sources = service.getSrcSet(shown);
  expect(sources.map(({ transform, descriptor }) => [service.getURL(transform), descriptor])).toEqual([
    [`${photo}?w=384&q=90`, '384w'],
    [`${photo}?w=640&q=90`, '640w'],
    [`${photo}?w=828&q=90`, '828w'],
  ]);
  expect(service.getHTMLAttributes(shown)).toEqual({ width: 640, height: 320, alt: 'Boats' });
  const other = { src: 'https://images.example/a.jpg', width: 64, height: 64, densities: [2] };
  expect([service.getURL(other), service.getSrcSet(other), service.getRemoteSize(other.src)]).toEqual([
    other.src,
    [],
    undefined,
  ]);
});
