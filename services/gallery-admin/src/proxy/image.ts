import { Failure } from '@pressroom/common/failures/failure';
import type { Metadata, Sharp, default as SharpModule } from 'sharp';
import { cicpOf, profileOf, withProfile } from '../stills/cicp.ts';
import { tooManyPixels } from '../stills/too-many-pixels.ts';
import { isRaster } from './raster.ts';

/** The most pixels that are decoded, width times height. */
const MAX_PIXELS = 100_000_000;

/** How long processing an image may take, in seconds. */
export const WORK_S = 10;

/** An image whose header has been read, and which may be decoded. */
export interface OpenImage {
  /** What its header says; `autoOrient` has the size as it is seen. */
  metadata: Metadata;
  /**
   * Its pixels, rotated by its EXIF orientation, as the beginning of a pipeline: those that there are, as
   * browsers show them, unless it `mustBeComplete`.
   */
  pixels: (mustBeComplete?: boolean) => Sharp;
}

/**
 * Reads the header of an image. Undefined for anything that is not decoded here. Fails with `refused` for
 * more than 100 megapixels.
 */
export async function openImage(file: Buffer): Promise<OpenImage | undefined> {
  if (!isRaster(file)) return undefined;
  const image = asStill(file);
  const sharp = await loadSharp();
  const metadata = await sharp(image, { limitInputPixels: false, failOn: 'none' })
    .metadata()
    .catch(() => undefined);
  if (metadata === undefined) return undefined;
  if (metadata.width * metadata.height > MAX_PIXELS) throw tooManyPixels(MAX_PIXELS);
  const source = await inKnownColors(image, metadata);
  return {
    metadata,
    pixels: (mustBeComplete = false) =>
      sharp(source, {
        limitInputPixels: MAX_PIXELS,
        sequentialRead: true,
        failOn: mustBeComplete ? 'truncated' : 'none',
      }).autoOrient(),
  };
}

/** The most pixels across of what is kept of a picture in other colours than sRGB: no rendition is wider. */
const MAX_WIDTH = 3840;

/** A picture whose colours only code points name, which libvips does not read, with a profile of them. */
async function inKnownColors(image: Buffer, { hasProfile, format, depth, width }: Metadata): Promise<Buffer> {
  const icc = hasProfile ? undefined : profileOf(cicpOf(image));
  if (icc === undefined) return image;
  if (format === 'png') return withProfile(image, icc);
  const sharp = await loadSharp();
  const pixels = sharp(image, { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'none' })
    .resize({ width: Math.min(width, MAX_WIDTH) })
    .toColourspace(depth === 'ushort' ? 'rgb16' : 'srgb')
    .png({ compressionLevel: 0 });
  const png = await drawn(pixels);
  return png === undefined ? image : withProfile(png, icc);
}

/** An animated AVIF as the picture that stands for it: libvips knows that by the brand of a still one. */
function asStill(image: Buffer): Buffer {
  if (image.toString('latin1', 4, 12) !== 'ftypavis') return image;
  const still = Buffer.from(image);
  still.write('avif', 8, 'latin1');
  return still;
}

/**
 * What a pipeline makes, as the beginning of others that need not decode the image again. Undefined and fails
 * as {@link drawn} does.
 */
export async function decoded(pipeline: Sharp, workS = WORK_S): Promise<(() => Sharp) | undefined> {
  const made = await inTime(pipeline.raw().timeout({ seconds: workS }).toBuffer({ resolveWithObject: true }));
  if (made === undefined) return undefined;
  const sharp = await loadSharp();
  const { width, height, channels } = made.info;
  return () => sharp(made.data, { raw: { width, height, channels } });
}

/**
 * Runs a pipeline. Undefined for an image that cannot be decoded. Fails with `unavailable` after `workS`
 * seconds, because a busy machine may be the reason.
 */
export function drawn(pipeline: Sharp, workS = WORK_S): Promise<Buffer | undefined> {
  return inTime(pipeline.timeout({ seconds: workS }).toBuffer());
}

function inTime<Made>(work: Promise<Made>): Promise<Made | undefined> {
  return work.catch((error: Error) => {
    if (/^timeout: /m.test(error.message)) {
      throw new Failure('unavailable', 'decoding the image took too long; try again', { cause: error });
    }
    return undefined;
  });
}

let loading: Promise<typeof SharpModule> | undefined;

/** Loads sharp with the first image, because it takes a sixth of the memory of a service at rest. */
function loadSharp(): Promise<typeof SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    // It keeps decoded images for processing them again, which never happens here.
    sharp.cache(false);
    // As many images are made at a time as there are cores; more threads for each would cost memory.
    sharp.concurrency(1);
    return sharp;
  });
  return loading;
}
