/** ThumbHash takes no larger picture. */
const HASHED_SIDE = 100;

/** The ThumbHash of a small picture that sharp reads. */
export async function thumbHashOf(picture: Buffer): Promise<Buffer> {
  const [{ default: sharp }, { rgbaToThumbHash }] = await Promise.all([import('sharp'), import('thumbhash')]);
  const { data, info } = await sharp(picture)
    .resize({ width: HASHED_SIDE, height: HASHED_SIDE, fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Buffer.from(rgbaToThumbHash(info.width, info.height, data));
}
