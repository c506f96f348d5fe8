import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { makeThumbnail } from './image.ts';

/** A TIFF of 100 megapixels in CMYK, which takes seconds to convert; its strips are all the same bytes. */
function slowImage(): Buffer {
  const side = 10_000;
  const rows = 100;
  const strip = deflateSync(Buffer.alloc(side * rows * 4, 7));
  const strips = Array<number>(side / rows);
  const directory = 10 + 9 * 12 + 4;
  const lists = [
    [8, 8, 8, 8],
    strips.fill(directory + 16 + 8 * strips.length),
    [...strips].fill(strip.length),
  ];
  const [bits, offsets, lengths] = [directory, directory + 16, directory + 16 + 4 * strips.length];
  const entries = [
    [256, 1, side],
    [257, 1, side],
    [258, 4, bits],
    [259, 1, 8],
    [262, 1, 5],
    [273, strips.length, offsets],
    [277, 1, 4],
    [278, 1, rows],
    [279, strips.length, lengths],
  ];
  const head = Buffer.from('II*\0\x08\0\0\0\x09\0', 'latin1');
  const fields = entries.map(([tag = 0, ...values]) => [tag + 4 * 2 ** 16, ...values]);
  return Buffer.concat([head, longs([...fields.flat(), 0, ...lists.flat()]), strip]);
}

/** Little-endian numbers of 32 bits. */
function longs(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index);
  return bytes;
}

test('an image that is not decoded in time is asked for again, and one that cannot be decoded is not', async () => {
  // Several at once, so that a fast machine is too slow for them as well.
  const image = slowImage();
  const decodings = await Promise.allSettled(
    Array.from({ length: 8 }, () => makeThumbnail(image, 'webp', { workS: 1 })),
  );
  const late = decodings.filter(({ status }) => status === 'rejected');
  expect(late.length).toBeGreaterThan(0);
  for (const decoding of late) expect(decoding).toMatchObject({ reason: { kind: 'unavailable' } });
  expect(await makeThumbnail(Buffer.from('GIF89a but no more'), 'webp')).toBeUndefined();
});
