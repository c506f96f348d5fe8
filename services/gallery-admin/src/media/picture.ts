import type { ResizeOptions, Sharp } from 'sharp';
import { thumbHashOf } from '../listing/thumb-hash.ts';
import { drawn, type OpenImage, openImage } from '../proxy/image.ts';
import { asXmp, type Credit, readCredit } from './credit.ts';
import { RATIOS, type Rendition, WIDTHS } from './ladder.ts';
import type { PictureDescription } from './schema.ts';
import { versionedPath } from './version.ts';

/** AVIF reaches the same quality with a lower number. */
const AVIF_QUALITY = 2 / 3;

/** The fastest: the slower ones take up to six times as long and save nothing at these sizes. */
const AVIF_EFFORT = 0;

/** The most pixels of a side that libraries write in a format. */
const MAX_SIDE = { avif: 16_383, webp: 16_383, jpeg: 65_500 };

/** Where a format has no transparency. */
const PAPER = '#ffffff';

/** The longer side of what colours are counted in. */
const LOOKED_AT = 100;

/** An image that sharp reads, with EXIF that is not in it. */
interface Source {
  image: Buffer;
  exif?: Buffer | undefined;
}

/**
 * Makes a rendition: upright, in sRGB, never enlarged, without metadata but for credit and rights; of an
 * animation, of the first frame. Undefined for what cannot be decoded. Fails as {@link openImage} and
 * {@link drawn} do.
 */
export async function makeRendition(source: Source, asked: Rendition): Promise<MadeRendition | undefined> {
  const opened = await openImage(source.image);
  if (opened === undefined) return undefined;
  const rendition = fitting(opened, asked);
  const credit = asXmp(await creditOf(opened, source));
  const encoded = encode(opened.pixels().resize(sizeOf(opened, rendition)), rendition);
  const image = await drawn(credit === undefined ? encoded : encoded.withXmp(credit));
  return image && { image, format: rendition.format };
}

/** A rendition, in the format that it has got. */
interface MadeRendition {
  image: Buffer;
  format: Rendition['format'];
}

/** JPEG where another format cannot be as high as the picture, unless that has transparency. */
function fitting(opened: OpenImage, asked: Rendition): Rendition {
  const isTooHigh = asked.box === undefined && heightAt(opened, asked.width) > MAX_SIDE[asked.format];
  return isTooHigh && !opened.metadata.hasAlpha ? { ...asked, format: 'jpeg' } : asked;
}

function heightAt({ metadata: { autoOrient } }: OpenImage, width: number): number {
  return Math.round((autoOrient.height * Math.min(width, autoOrient.width)) / autoOrient.width);
}

function creditOf({ metadata }: OpenImage, { exif }: Source): Promise<Credit> {
  return readCredit(exif === undefined ? metadata : { ...metadata, exif });
}

function sizeOf({ metadata: { autoOrient } }: OpenImage, { width, box, format }: Rendition): ResizeOptions {
  if (box === undefined) return { width, height: MAX_SIDE[format], fit: 'inside', withoutEnlargement: true };
  const { fit, focus = 'centre' } = box;
  const ratio = RATIOS[box.ratio];
  const within = (side: number) => ({
    width: Math.min(width, side),
    height: Math.max(1, Math.round(Math.min(width, side) / ratio)),
  });
  const widthOfHeight = Math.max(1, Math.round(autoOrient.height * ratio));
  if (fit === 'inside') return { ...within(width), fit, withoutEnlargement: true };
  if (fit === 'contain') {
    const background = format === 'jpeg' ? PAPER : { r: 0, g: 0, b: 0, alpha: 0 };
    return { ...within(Math.max(autoOrient.width, widthOfHeight)), fit, background };
  }
  const position = focus === 'auto' ? 'attention' : focus;
  return { ...within(Math.min(autoOrient.width, widthOfHeight)), fit, position };
}

function encode(picture: Sharp, { format, quality }: Rendition): Sharp {
  if (format === 'avif') {
    return picture.avif({ quality: Math.round(quality * AVIF_QUALITY), effort: AVIF_EFFORT });
  }
  return format === 'webp'
    ? picture.webp({ quality })
    : picture.flatten({ background: PAPER }).jpeg({ quality, progressive: true });
}

/** Describes a picture. Undefined for what cannot be decoded. Fails as {@link makeRendition} does. */
export async function describePicture(
  source: Source,
  { key, version }: { key: string; version: string },
): Promise<PictureDescription | undefined> {
  const opened = await openImage(source.image);
  if (opened === undefined) return undefined;
  const small = opened
    .pixels()
    .resize({ width: LOOKED_AT, height: LOOKED_AT, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .png();
  const png = await drawn(small);
  if (png === undefined) return undefined;
  const { width, height } = opened.metadata.autoOrient;
  const url = versionedPath(key, version);
  return {
    width,
    height,
    url,
    srcset: srcsetOf(url, width),
    ...(await look(png)),
    ...(await creditOf(opened, source)),
  };
}

/** What a small picture looks like. */
async function look(png: Buffer): Promise<Pick<PictureDescription, 'thumbhash' | 'color'>> {
  const { default: sharp } = await import('sharp');
  const { dominant } = await sharp(png).stats();
  const hex = [dominant.r, dominant.g, dominant.b].map((part) => part.toString(16).padStart(2, '0'));
  return {
    thumbhash: (await thumbHashOf(sharp(png))).toString('base64'),
    color: `#${hex.join('')}`,
  };
}

/** The widths of the ladder below that of the picture, and the picture's own. */
function srcsetOf(url: string, width: number): string {
  const rungs = WIDTHS.filter((rung, index) => (WIDTHS[index - 1] ?? 0) < width && rung > 0);
  return rungs.map((rung) => `${url}?w=${rung} ${Math.min(rung, width)}w`).join(', ');
}
