import type { Sharp } from 'sharp';
import { decoded, drawn, openImage, WORK_S } from './image.ts';

/** The formats of thumbnails, the last one for clients that name none. */
export const THUMBNAIL_FORMATS = ['avif', 'webp'] as const;

/** The format of a thumbnail. */
export type ThumbnailFormat = (typeof THUMBNAIL_FORMATS)[number];

/** The longer side of a thumbnail in a grid, and of one over the whole window, in pixels. */
export const SIDES = { small: 480, large: 2048 } as const;

/** How large a thumbnail is. */
export type ThumbnailSize = keyof typeof SIDES;

const QUALITY = { webp: 79, avif: 52 };

/**
 * AVIF's slower efforts cost seconds and save little at this size. WebP's default, 4, takes twice as long,
 * and saves one byte in twenty.
 */
const EFFORT = 2;

/** Options of {@link makeThumbnail}. */
interface ThumbnailOptions {
  side?: number | undefined;
  workS?: number | undefined;
  look?: ((pixels: Sharp) => Promise<void>) | undefined;
}

/** A thumbnail, and whether the image ends too early. */
export interface MadeThumbnail {
  body: Buffer;
  isIncomplete: boolean;
}

/**
 * Makes a thumbnail: at most `side` px on the longer side, rotated by its EXIF orientation, in sRGB, without
 * metadata; for an animation, of the first frame. Undefined for an image that cannot be decoded. Fails with
 * `refused` for more than 100 megapixels, after reading only the header, and with `unavailable` after `workS`
 * seconds, because a busy machine may be the reason.
 *
 * @param look looks at the pixels of the thumbnail while they are encoded
 */
export async function makeThumbnail(
  image: Buffer,
  format: ThumbnailFormat,
  { side = SIDES.small, workS = WORK_S, look }: ThumbnailOptions = {},
): Promise<MadeThumbnail | undefined> {
  const opened = await openImage(image);
  if (opened === undefined) return undefined;
  for (const isIncomplete of [false, true]) {
    const thumbnail = opened
      .pixels(!isIncomplete)
      .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true });
    const body = await encodedAndSeen(thumbnail, format, { workS, look });
    if (body !== undefined) return { body, isIncomplete };
  }
  return undefined;
}

async function encodedAndSeen(
  thumbnail: Sharp,
  format: ThumbnailFormat,
  { workS, look }: ThumbnailOptions,
): Promise<Buffer | undefined> {
  if (look === undefined) return drawn(encoded(thumbnail, format), workS);
  const pixels = await decoded(thumbnail, workS);
  if (pixels === undefined) return undefined;
  const [made] = await Promise.all([drawn(encoded(pixels(), format), workS), look(pixels())]);
  return made;
}

function encoded(thumbnail: Sharp, format: ThumbnailFormat): Sharp {
  return format === 'avif'
    ? thumbnail.avif({ quality: QUALITY.avif, effort: EFFORT })
    : thumbnail.webp({ quality: QUALITY.webp, effort: EFFORT });
}
