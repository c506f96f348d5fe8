import { expect, test } from 'vitest';
import { FITS, FORMATS, hasBox, nameOf, type RenditionQuery, renditionOf, WIDTHS } from './renditions.ts';

const name = (query: RenditionQuery) => nameOf(renditionOf(query, 'webp'));

test.each<[RenditionQuery, string]>([
  [{}, 'w3840-q75.webp'],
  [{ w: 1 }, 'w64-q75.webp'],
  [{ w: 640 }, 'w640-q75.webp'],
  [{ w: 641, q: 80 }, 'w828-q75.webp'],
  [{ w: 9000, q: 100 }, 'w3840-q90.webp'],
  // Without a box, there is nothing to fit in.
  [{ w: 640, fit: 'cover', focus: 'auto' }, 'w640-q75.webp'],
  [{ w: 640, h: 361 }, 'w640-16x9-inside-q75.webp'],
  [{ w: 600, h: 400, fit: 'contain', focus: '0,0' }, 'w640-3x2-contain-q75.webp'],
  [{ w: 600, h: 400, fit: 'cover' }, 'w640-3x2-cover-centre-q75.webp'],
  [{ w: 600, h: 400, fit: 'cover', focus: '0.2,1' }, 'w640-3x2-cover-southwest-q75.webp'],
  [{ w: 600, h: 400, fit: 'cover', focus: 'auto' }, 'w640-3x2-cover-auto-q75.webp'],
  [{ h: 400 }, 'w640-1x1-inside-q75.webp'],
  [{ w: 10_000, h: 1 }, 'w3840-2x1-inside-q75.webp'],
])('%j is %s', (query, expected) => {
  expect(name(query)).toBe(expected);
  expect(hasBox(`.pressroom-renditions/w64-1x1-a/b/${expected}`)).toBe(query.h !== undefined);
});

test('as many widths as anybody tries are those of the ladder', () => {
  const widths = Array.from({ length: 10_000 }, (_, index) => name({ w: index + 1 }));
  expect(new Set(widths).size).toBe(WIDTHS.length);
});

test('whatever is asked, a picture has a bounded number of renditions in a format', () => {
  const names = new Set<string>();
  for (let count = 0; count < 20_000; count += 1) {
    const some = (max: number) => 1 + Math.floor(Math.random() * max);
    const fit = FITS[some(3) - 1];
    names.add(
      name({ w: some(5000), h: some(5000), q: some(100), fit, focus: `${Math.random()},${Math.random()}` }),
    );
  }
  // Widths, proportions and qualities; a box inside or around, or a crop of nine thirds.
  expect(names.size).toBeLessThanOrEqual(12 * 10 * 3 * (2 + 9));
  expect(FORMATS).toHaveLength(3);
});
