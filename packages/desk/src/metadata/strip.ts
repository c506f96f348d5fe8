import { type Bytes, isAt, joined } from './bytes.ts';
import { strippedJpeg } from './jpeg.ts';
import { understand } from './not-understood.ts';
import { PNG_HEAD, strippedPng } from './png.ts';
import { strippedWebp } from './webp.ts';
import type { ParseXml } from './xmp.ts';

/** The pictures whose metadata can be rewritten. */
export type PictureKind = 'jpeg' | 'png' | 'webp';

/** What kind of picture begins so; undefined for any other file. */
export function pictureKind(start: Bytes): PictureKind | undefined {
  if (isAt(start, 0, '\xff\xd8\xff')) return 'jpeg';
  if (isAt(start, 0, PNG_HEAD)) return 'png';
  return isAt(start, 0, 'RIFF') && isAt(start, 8, 'WEBP') ? 'webp' : undefined;
}

/**
 * How files of other kinds begin that may say where they were made: HEIC, AVIF, video, JPEG XL, TIFF, raw,
 * PSD.
 */
const CARRIERS: readonly (readonly [at: number, text: string])[] = [
  [4, 'ftyp'],
  [4, 'moov'],
  [4, 'mdat'],
  [4, 'wide'],
  [4, 'JXL '],
  [0, '\xff\x0a'],
  [0, 'II*\0'],
  [0, 'MM\0*'],
  [0, 'II+\0'],
  [0, 'MM\0+'],
  [0, 'IIRO'],
  [0, 'IIU\0'],
  [0, 'FUJIFILM'],
  [0, '8BPS'],
  [0, '\x1aE\xdf\xa3'],
];

/** Whether a file that begins so may say where it was made, in a way that cannot be rewritten. */
export function mayCarryPlace(start: Bytes): boolean {
  return CARRIERS.some(([at, text]) => isAt(start, at, text));
}

const STRIPPED = { jpeg: strippedJpeg, png: strippedPng, webp: strippedWebp };

/**
 * A picture without the place where it was made, serial numbers, thumbnails and all else but its credit, its
 * rights, its caption and how it is shown; its pixels are the same bytes. Undefined if there is nothing to
 * take out. Throws `NotUnderstood`.
 */
export async function stripped(picture: Bytes, parse: ParseXml): Promise<Bytes | undefined> {
  const kind = pictureKind(picture);
  understand(kind !== undefined, 'it is no JPEG, PNG or WebP');
  const whole = joined(await STRIPPED[kind](picture, parse));
  const isSame = whole.length === picture.length && whole.every((byte, index) => byte === picture[index]);
  return isSame ? undefined : whole;
}
