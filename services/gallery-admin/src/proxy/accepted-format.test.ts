import { expect, test } from 'vitest';
import { acceptedFormat } from './thumbnails.ts';

test.each([
  [undefined, 'jpeg'],
  ['', 'jpeg'],
  ['*/*', 'jpeg'],
  ['image/*', 'jpeg'],
  ['image/avif', 'avif'],
  ['image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8', 'avif'],
  ['image/avif,image/webp,image/png,image/svg+xml,image/*;q=0.8,*/*;q=0.5', 'avif'],
  ['image/webp,image/AVIF;q=0.8,*/*;q=0.5', 'webp'],
  ['image/avif;q=0.1, image/webp', 'webp'],
  ['image/avif;q=0.1, */*', 'jpeg'],
  ['image/avif;q=0.1', 'avif'],
  ['image/avif;q=0, image/webp', 'webp'],
  ['image/avif; Q=0.000', 'jpeg'],
  ['image/jpeg;q=0.2,image/webp;q=0.3,image/*', 'webp'],
  ['image/avif-sequence', 'jpeg'],
] as const)('%j takes %s', (accept, format) => {
  expect(acceptedFormat(accept, ['avif', 'webp', 'jpeg'])).toBe(format);
});
