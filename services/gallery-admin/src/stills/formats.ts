/** A format that sharp does not read; all but `RAW` and `PDF` by ImageMagick's name for it. */
export type StillFormat = 'HEIC' | 'JP2' | 'J2K' | 'JXL' | 'BMP' | 'PSD' | 'RAW' | 'PDF';

/** The bytes that files of a format begin with, or have at an offset. */
const SIGNATURES: readonly { format: StillFormat; bytes: string; at?: number }[] = [
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx'].map(
    (brand) => ({ format: 'HEIC', bytes: `ftyp${brand}`, at: 4 }) as const,
  ),
  { format: 'JP2', bytes: '\0\0\0\x0cjP  \r\n\x87\n' },
  { format: 'J2K', bytes: '\xff\x4f\xff\x51' },
  { format: 'JXL', bytes: '\0\0\0\x0cJXL \r\n\x87\n' },
  { format: 'JXL', bytes: '\xff\x0a' },
  { format: 'BMP', bytes: 'BM' },
  { format: 'PSD', bytes: '8BPS' },
  { format: 'PDF', bytes: '%PDF-' },
  { format: 'RAW', bytes: 'ftypcrx ', at: 4 },
  { format: 'RAW', bytes: 'FUJIFILMCCD-RAW' },
  { format: 'RAW', bytes: 'IIRO' },
  { format: 'RAW', bytes: 'IIRS' },
  { format: 'RAW', bytes: 'IIU\0' },
];

/** The format of a file that `decodeStill` draws, by its bytes; undefined for any other. */
export function stillFormat(image: Buffer): StillFormat | undefined {
  const text = (at: number, length: number) => image.toString('latin1', at, at + length);
  const known = SIGNATURES.find(({ bytes, at = 0 }) => text(at, bytes.length) === bytes);
  if (known !== undefined) return known.format;
  // HEIC and AVIF share this brand, and name themselves among those that follow it.
  if (/^ftypm[is]f1$/.test(text(4, 8))) {
    const brands = text(16, Math.min(image.readUInt32BE(0), 256) - 16).match(/.{4}/gs) ?? [];
    return brands.some((brand) => /^he[iv]/.test(brand)) ? 'HEIC' : undefined;
  }
  return isCameraRaw(image) ? 'RAW' : undefined;
}

const TAG = { kind: 0x106, make: 0x10f, subDirectories: 0x14a, dngVersion: 0xc612 };

/** The kind of pixels that lie behind a filter of colors, as a sensor has them (TIFF/EP). */
const FILTERED = 32_803;

/** True if a TIFF holds what a camera's sensor has recorded. */
function isCameraRaw(image: Buffer): boolean {
  const order = image.toString('latin1', 0, 4);
  if (order !== 'II*\0' && order !== 'MM\0*') return false;
  if (image.toString('latin1', 8, 10) === 'CR') return true;
  const tags = tagsOf(image, order === 'II*\0');
  if (tags.has(TAG.dngVersion) || tags.get(TAG.kind) === FILTERED) return true;
  return tags.has(TAG.make) && tags.has(TAG.subDirectories);
}

/** The tags of a TIFF's first directory, each with the start of its value as a number of two bytes. */
function tagsOf(image: Buffer, isLittleEndian: boolean): Map<number, number> {
  const short = (at: number) => {
    if (at + 2 > image.length) return 0;
    return isLittleEndian ? image.readUInt16LE(at) : image.readUInt16BE(at);
  };
  if (image.length < 8) return new Map();
  const start = isLittleEndian ? image.readUInt32LE(4) : image.readUInt32BE(4);
  const fields = Array.from({ length: short(start) }, (_, index) => start + 2 + 12 * index);
  return new Map(fields.map((at) => [short(at), short(at + 8)]));
}

/** JPEGs that are looked at in a file: cameras embed up to four. */
const MAX_JPEGS = 64;

/**
 * The largest JPEG in a camera's raw file, with the orientation of the file where it has none of its own.
 * Undefined without any: developing the sensor's data would need more time than there is for a thumbnail.
 */
export async function largestPreview(image: Buffer): Promise<Buffer | undefined> {
  let best: { at: number; pixels: number } | undefined;
  let at = image.indexOf(START);
  for (let count = 0; at !== -1 && count < MAX_JPEGS; count += 1) {
    const pixels = pixelsOf(image, at);
    if (pixels > (best?.pixels ?? 0)) best = { at, pixels };
    at = image.indexOf(START, at + START.length);
  }
  if (best === undefined) return undefined;
  const jpeg = image.subarray(best.at);
  if (jpeg[3] === EXIF) return jpeg;
  return Buffer.concat([
    jpeg.subarray(0, 2),
    orientationSegment(await orientationOf(image)),
    jpeg.subarray(2),
  ]);
}

const START = Buffer.of(0xff, 0xd8, 0xff);

/** The marker of EXIF, which orientation is part of. */
const EXIF = 0xe1;

/** Segments before the size of a JPEG. */
const MAX_SEGMENTS = 64;

/** The pixels of the JPEG at an offset; 0 if sharp cannot read it, as the lossless one of a sensor. */
function pixelsOf(image: Buffer, start: number): number {
  let at = start + 2;
  for (let count = 0; count < MAX_SEGMENTS && at + 9 <= image.length; count += 1) {
    const marker = image[at + 1] ?? 0;
    if (image[at] !== 0xff || marker < 0xc0) return 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return marker > 0xc2 ? 0 : image.readUInt16BE(at + 5) * image.readUInt16BE(at + 7);
    at += 2 + image.readUInt16BE(at + 2);
  }
  return 0;
}

/** The orientation that EXIF, which is a TIFF, or an image with it says; 1, as stored, where it says none. */
export async function exifOrientation(exif: Uint8Array): Promise<number> {
  try {
    const { default: reader } = await import('exifreader');
    const { Orientation } = reader.load(Buffer.from(exif.buffer, exif.byteOffset, exif.length));
    return Number(Orientation?.value ?? 1);
  } catch {
    return 1;
  }
}

/** The EXIF orientation of a raw file, which in a CR3 is in a box of its own. */
function orientationOf(image: Buffer): Promise<number> {
  const box = image.toString('latin1', 4, 12) === 'ftypcrx ' ? image.indexOf('CMT1') : -1;
  const tiff = box === -1 ? image : image.subarray(box + 4);
  return exifOrientation(tiff);
}

/** A segment of EXIF that says no more than an orientation. */
function orientationSegment(orientation: number): Buffer {
  const head = 'Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0';
  return Buffer.from(`\xff\xe1\0\x22${head}${String.fromCharCode(orientation)}\0\0\0\0\0\0`, 'latin1');
}

/** The most pixels of a file that sharp does not read: all of them are in memory two or three times. */
export const MAX_STILL_PIXELS = 64_000_000;

/** The most memory of a library's, in bytes. */
export const MAX_LIBRARY_BYTES = 768 * 2 ** 20;

/** The reason why a file has no picture. */
export type Unseen =
  /** It is damaged or incomplete. */
  | 'damaged'
  /** No decoder here reads its format. */
  | 'unsupported'
  /** It needs more computing or memory than a picture is given. */
  | 'too_complex'
  /** A camera's raw file without an embedded preview. */
  | 'no_preview'
  /** A PDF with a password. */
  | 'locked';

/**
 * A picture that sharp reads, with the file's EXIF if the image itself lacks it, or the reason why there is
 * none.
 */
export type StillResult =
  | { image: Uint8Array; exif?: Uint8Array | undefined }
  | { unseen: Unseen | 'too_many_pixels' };
