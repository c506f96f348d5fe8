import { expect, test } from 'vitest';
import { thumbnailFormat } from './thumbnail.ts';

test.each([
  [undefined, 'webp'],
  ['', 'webp'],
  ['*/*', 'webp'],
  ['image/*', 'webp'],
  ['image/avif', 'avif'],
  ['image/webp,image/AVIF;q=0.8,*/*;q=0.5', 'avif'],
  ['image/avif;q=0, image/webp', 'webp'],
  ['image/avif; q=0.000', 'webp'],
  ['image/avif-sequence', 'webp'],
] as const)('%j takes %s', (accept, format) => {
  expect(thumbnailFormat(accept)).toBe(format);
});
