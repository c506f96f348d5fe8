import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isCutOff } from '@pressroom/pictures/cut-off';
import { NotUnderstood } from '@pressroom/pictures/not-understood';
import { pictureKind, stripped } from '@pressroom/pictures/strip';
import { JSDOM } from 'jsdom';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { realFile } from '../support/real-data.ts';

const { DOMParser } = new JSDOM('').window;
const parseXml = (xml: string) => new DOMParser().parseFromString(xml, 'application/xml');

/** The pixels, as shown; or why there are none. */
const pixelsOf = (bytes: Uint8Array) =>
  sharp(bytes, { animated: true })
    .raw()
    .toBuffer()
    .catch((error: Error) => error.name);

test('real pictures have the same pixels without their metadata, and broken ones are not understood', async () => {
  const refused: string[] = [];
  for (const name of readdirSync(realFile('images')).sort()) {
    const bytes = new Uint8Array(readFileSync(realFile('images', name)));
    if (pictureKind(bytes) === undefined) continue;
    try {
      const clean = await stripped(bytes, parseXml);
      if (clean) expect(await pixelsOf(clean), name).toEqual(await pixelsOf(bytes));
    } catch (error) {
      if (!(error instanceof NotUnderstood)) throw error;
      refused.push(name);
    }
  }
  expect(refused).toEqual(['corrupt-header.jpg', 'truncated.png']);
});

test('of real pictures, those that lack their end are called cut off, and each is once it is cut', async () => {
  const folders = [realFile('images'), realFile('cases', 'media')];
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const isCut = (bytes: Uint8Array<ArrayBuffer>) =>
    isCutOff(bytes.length, async (from, length) => bytes.subarray(from, from + length));
  const [cut, missed]: [string[], string[]] = [[], []];
  for (const file of files) {
    if (!/\.(jpg|png|webp|gif)$/.test(file)) continue;
    const bytes = new Uint8Array(readFileSync(file));
    if (await isCut(bytes)) cut.push(basename(file));
    for (const share of [0.5, 0.9])
      if (!(await isCut(bytes.subarray(0, bytes.length * share)))) missed.push(basename(file));
  }
  expect(cut.sort()).toEqual(['corrupt-header.jpg', 'noeoi.jpg', 'truncated.jpg', 'truncated.png']);
  expect(missed).toEqual([]);
});
