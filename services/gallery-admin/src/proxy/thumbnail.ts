import { Failure } from '@pressroom/common/failures/failure';
import type Sharp from 'sharp';
import { tooManyPixels } from './failures.ts';
import { isRaster } from './raster.ts';

/** The formats of thumbnails. */
export type ThumbnailFormat = 'webp' | 'avif';

/** The longer side of a thumbnail, in pixels. */
const LONG_SIDE = 480;

/** The most pixels that are decoded, width times height. */
const MAX_PIXELS = 100_000_000;

/** How long processing an image may take, in seconds. */
const WORK_S = 10;

const QUALITY = { webp: 78, avif: 52 };

/** AVIF's slower efforts cost seconds and save little at this size. */
const AVIF_EFFORT = 2;

/**
 * Makes a thumbnail: at most 480 px on the longer side, rotated by its EXIF orientation, in sRGB, without
 * metadata; for an animation, of the first frame. Undefined for an image that cannot be decoded. Fails with
 * `refused` for more than 100 megapixels, after reading only the header, and with `unavailable` after `workS`
 * seconds, because a busy machine may be the reason.
 */
export async function makeThumbnail(
  image: Buffer,
  format: ThumbnailFormat,
  workS = WORK_S,
): Promise<Buffer | undefined> {
  if (!isRaster(image)) return undefined;
  const sharp = await loadSharp();
  const size = await sharp(image, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined);
  if (size === undefined) return undefined;
  if (size.width * size.height > MAX_PIXELS) throw tooManyPixels(MAX_PIXELS);
  const thumbnail = sharp(image, { limitInputPixels: MAX_PIXELS, sequentialRead: true })
    .autoOrient()
    .resize({ width: LONG_SIDE, height: LONG_SIDE, fit: 'inside', withoutEnlargement: true })
    .timeout({ seconds: workS });
  const encoded =
    format === 'avif'
      ? thumbnail.avif({ quality: QUALITY.avif, effort: AVIF_EFFORT })
      : thumbnail.webp({ quality: QUALITY.webp });
  return encoded.toBuffer().catch((error: Error) => {
    if (/^timeout: /m.test(error.message)) {
      throw new Failure('unavailable', 'making the thumbnail took too long; try again', { cause: error });
    }
    return undefined;
  });
}

let loading: Promise<typeof Sharp> | undefined;

/** Loads sharp with the first image, because it takes a sixth of the memory of a service at rest. */
function loadSharp(): Promise<typeof Sharp> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // It keeps decoded images for processing them again, which never happens here.
    sharp.cache(false);
    // As many images are made at a time as there are cores; more threads for each would cost memory.
    sharp.concurrency(1);
    return sharp;
  });
  return loading;
}

/** The best format that `accept` allows (RFC 9110, section 12.5.1): AVIF if it is named, else WebP. */
export function thumbnailFormat(accept: string | undefined): ThumbnailFormat {
  const named = (accept ?? '').split(',').map((range) => range.split(';').map((part) => part.trim()));
  const avif = named.find(([type]) => type?.toLowerCase() === 'image/avif');
  if (avif === undefined) return 'webp';
  return avif.slice(1).some((parameter) => /^q=0(\.0*)?$/i.test(parameter)) ? 'webp' : 'avif';
}
