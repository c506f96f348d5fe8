import type { Sharp } from 'sharp';

/** The longer side of what is hashed, in pixels: the hash has no detail that more of them would show. */
const HASHED_SIDE = 32;

/** The ThumbHash of a picture. */
export async function thumbHashOf(picture: Sharp): Promise<Buffer> {
  const { rgbaToThumbHash } = await import('thumbhash');
  const { data, info } = await picture
    .resize({ width: HASHED_SIDE, height: HASHED_SIDE, fit: 'inside', withoutEnlargement: true })
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data));
}
