import { type Bytes, isAt, joined } from './bytes.ts';
import { strippedHeif } from './heif.ts';
import { strippedJpeg } from './jpeg.ts';
import { understand } from './not-understood.ts';
import { PNG_HEAD, strippedPng } from './png.ts';
import { strippedWebp } from './webp.ts';
import type { ParseXml } from './xmp.ts';

/** The pictures whose metadata can be rewritten. */
export type PictureKind = 'jpeg' | 'png' | 'webp' | 'heif';

/** The brands of HEIC and AVIF. */
const HEIF = /^ftyp(he[ivs]|avi|mif|msf|miaf)/;

/** Returns the kind of picture that begins so; undefined for any other file. */
export function pictureKind(start: Bytes): PictureKind | undefined {
  if (isAt(start, 0, '\xff\xd8\xff')) return 'jpeg';
  if (isAt(start, 0, PNG_HEAD)) return 'png';
  if (isAt(start, 0, 'RIFF') && isAt(start, 8, 'WEBP')) return 'webp';
  return HEIF.test(String.fromCharCode(...start.subarray(4, 12))) ? 'heif' : undefined;
}

/** Magic numbers of MP4, QuickTime and WebM. */
const VIDEOS: Beginnings = [
  [4, 'ftyp'],
  [4, 'moov'],
  [4, 'mdat'],
  [4, 'wide'],
  [0, '\x1aE\xdf\xa3'],
];

/** Beginnings of pictures that are not rewritten: of cameras, JPEG 2000 and XL, TIFF, PSD. */
const PICTURES: Beginnings = [
  [4, 'ftypcrx '],
  [4, 'jP  '],
  [4, 'JXL '],
  [0, '\xff\x0a'],
  [0, 'II*\0'],
  [0, 'MM\0*'],
  [0, 'II+\0'],
  [0, 'MM\0+'],
  [0, 'IIRO'],
  [0, 'IIRS'],
  [0, 'IIU\0'],
  [0, 'II\x1a\0'],
  [0, '\0MRM'],
  [0, 'FOVb'],
  [0, 'FUJIFILM'],
  [0, '8BPS'],
];

type Beginnings = readonly (readonly [at: number, text: string])[];

function beginsLike(start: Bytes, those: Beginnings): boolean {
  return those.some(([at, text]) => isAt(start, at, text));
}

/** True if a file that begins so may name the place where it was made, in a way that cannot be rewritten. */
export function mayCarryPlace(start: Bytes): boolean {
  return beginsLike(start, PICTURES) || beginsLike(start, VIDEOS);
}

const STRIPPED = { jpeg: strippedJpeg, png: strippedPng, webp: strippedWebp, heif: strippedHeif };

/**
 * A picture without the place where it was made, serial numbers, thumbnails and all else but its credit, its
 * rights, its caption and how it is shown; its pixels are the same bytes. Undefined if there is nothing to
 * take out. Throws `NotUnderstood`.
 */
export async function stripped(picture: Bytes, parse: ParseXml): Promise<Bytes | undefined> {
  const kind = pictureKind(picture);
  understand(kind !== undefined, 'it is no JPEG, PNG, WebP, HEIC or AVIF');
  const whole = joined(await STRIPPED[kind](picture, parse));
  const isSame = whole.length === picture.length && whole.every((byte, index) => byte === picture[index]);
  return isSame ? undefined : whole;
}
