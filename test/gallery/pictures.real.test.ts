import { readdirSync, readFileSync } from 'node:fs';
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
