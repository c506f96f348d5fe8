import { crc32, deflateSync } from 'node:zlib';
import { Failure } from '@pressroom/common/failures/failure';
import type { Metadata, Sharp, default as SharpModule } from 'sharp';
import { stillFormat } from '../stills/formats.ts';

/** The most pixels that are decoded, width times height. */
const MAX_PIXELS = 100_000_000;

/** The time limit for processing an image, in seconds. */
const WORK_S = 10;

/** An image whose header has been read, and which may be decoded. */
export interface OpenImage {
  /** The header's contents; `autoOrient` has the size as it is seen. */
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
  const image = asStill(withoutStrayBytes(file));
  if (!isRaster(image)) return undefined;
  const filled = withEnd(image);
  const sharp = await loadSharp();
  const metadata = await sharp(filled, { limitInputPixels: false, failOn: 'none' })
    .metadata()
    .catch(() => undefined);
  if (metadata === undefined) return undefined;
  if (metadata.width * metadata.height > MAX_PIXELS) throw tooManyPixels(MAX_PIXELS);
  const source = await inKnownColors(filled, metadata);
  const given = source === filled ? image : source;
  // libvips takes a gap in a TIFF for an error, not for an early end.
  const strict = metadata.format === 'tiff' ? 'error' : 'truncated';
  return {
    metadata,
    pixels: (mustBeComplete = false) =>
      sharp(mustBeComplete ? given : source, {
        limitInputPixels: MAX_PIXELS,
        sequentialRead: true,
        failOn: mustBeComplete ? strict : 'none',
      }).autoOrient(),
  };
}

/** Bytes that programs leave before a picture: a line end, a byte order mark, zeros. */
const STRAY = /^(?:\xef\xbb\xbf|[\0\s]){1,16}(?=\xff\xd8\xff|\x89PNG\r\n|GIF8[79]a|RIFF)/;

function withoutStrayBytes(file: Buffer): Buffer {
  const [stray = ''] = STRAY.exec(file.toString('latin1', 0, 64)) ?? [];
  return file.subarray(stray.length);
}

/** The most bytes that are put in the place of missing ones. */
const MAX_FILLED = 32 * 2 ** 20;

/** The bytes in which the directory at the end of a TIFF may have its values. */
const DIRECTORY_END = 1024;

/** A picture with zeros where its end should be: libvips reads nothing of a WebP that has none. */
function withEnd(image: Buffer): Buffer {
  const end = endOf(image);
  if (end === undefined || end - image.length > MAX_FILLED) return image;
  const filled = Buffer.alloc(end);
  image.copy(filled);
  if (isWebp(image)) filled.writeUInt32LE(end - RIFF_HEAD, 4);
  return filled;
}

const RIFF_HEAD = 8;

function isWebp(image: Buffer): boolean {
  return image.toString('latin1', 8, 12) === 'WEBP';
}

/** The length that a picture which lacks its end is given; undefined for one that lacks nothing. */
function endOf(image: Buffer): number | undefined {
  if (/^(?:II|MM)/.test(image.toString('latin1', 0, 2))) return image.length + DIRECTORY_END;
  if (!isWebp(image) || image.readUInt32LE(4) + RIFF_HEAD <= image.length) return undefined;
  // That of its last part: a frame of an animation which is all zeros would be an error.
  let end = 12;
  while (end + 8 <= image.length) end += 8 + 2 * Math.ceil(image.readUInt32LE(end + 4) / 2);
  return end;
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
 * Runs a pipeline, and returns the start of others that need not decode the image again. Undefined and fails
 * as {@link drawn} does.
 */
async function decoded(pipeline: Sharp, workS = WORK_S): Promise<(() => Sharp) | undefined> {
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

/** The formats of thumbnails, the last one for clients that name none. */
export const THUMBNAIL_FORMATS = ['avif', 'webp'] as const;

export type ThumbnailFormat = (typeof THUMBNAIL_FORMATS)[number];

/** The longer side of a thumbnail in a grid, and of one over the whole window, in pixels. */
export const SIDES = { small: 480, large: 2048 } as const;

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

/**
 * The signatures of the formats that are decoded, with an offset if they are not at the start of the file.
 */
const SIGNATURES: readonly { bytes: string; at?: number }[] = [
  { bytes: '\xff\xd8\xff' },
  { bytes: '\x89PNG\r\n\x1a\n' },
  { bytes: 'GIF87a' },
  { bytes: 'GIF89a' },
  { bytes: 'WEBP', at: 8 },
  { bytes: 'ftypavif', at: 4 },
  { bytes: 'ftypavis', at: 4 },
  { bytes: 'ftypmif1', at: 4 },
  { bytes: 'ftypmsf1', at: 4 },
  { bytes: 'II*\0' },
  { bytes: 'MM\0*' },
  { bytes: 'II+\0' },
  { bytes: 'MM\0+' },
];

/** The reason why a file that sharp does not decode has no picture. */
export function reasonOf(image: Buffer): 'damaged' | 'unsupported' {
  return isRaster(withoutStrayBytes(image)) || stillFormat(image) !== undefined ? 'damaged' : 'unsupported';
}

/**
 * True for the bytes of a JPEG, PNG, GIF, WebP, AVIF, TIFF or BigTIFF, regardless of the declared media type.
 * SVG and documents are not decoded here.
 */
function isRaster(image: Buffer): boolean {
  return SIGNATURES.some(({ bytes, at = 0 }) => image.toString('latin1', at, at + bytes.length) === bytes);
}

/** The image is too large to be decoded. */
export function tooManyPixels(maxPixels: number): Failure {
  const limit = `${maxPixels / 1e6} megapixels`;
  return new Failure('refused', `the image has more than ${limit}, the limit for thumbnails`, {
    code: 'too_many_pixels',
  });
}

/** The colour space of a picture's numbers, as the code points of ITU-T H.273. */
interface Cicp {
  primaries: number;
  transfer: number;
}

/** The number of bytes at the start of a file in which the code points are sought. */
const HEAD = 65_536;

/** The code points in an AVIF, a HEIC or a PNG; undefined without any. */
export function cicpOf(image: Uint8Array): Cicp | undefined {
  const head = Buffer.from(image.buffer, image.byteOffset, Math.min(image.length, HEAD));
  const isPng = head.toString('latin1', 1, 4) === 'PNG';
  const at = head.indexOf(isPng ? 'cICP' : 'colrnclx');
  if (at === -1 || at + 12 > head.length) return undefined;
  if (!isPng) return { primaries: head.readUInt16BE(at + 8), transfer: head.readUInt16BE(at + 10) };
  return { primaries: head.readUInt8(at + 4), transfer: head.readUInt8(at + 5) };
}

/** Red, green and blue of full strength as XYZ, adapted to the white of ICC profiles (D50). */
const COLORANTS = new Map([
  [9, [0.67346, 0.27903, -0.00193, 0.16566, 0.67534, 0.02998, 0.1251, 0.04563, 0.79716]],
  [12, [0.5151, 0.24118, -0.00105, 0.29197, 0.69224, 0.04188, 0.15715, 0.06658, 0.78438]],
]);
const SRGB_COLORANTS = [0.43607, 0.22249, 0.01392, 0.38515, 0.71687, 0.09708, 0.14307, 0.06061, 0.7141];

/** Transfer functions from a number between 0 and 1 to light between 0 and 1. */
const CURVES = new Map([
  [8, (value: number) => value],
  [16, (value: number) => onScreen(perceptual(value))],
  [18, (value: number) => onScreen(hybrid(value))],
]);

/** An ICC profile for colours that sharp would take for sRGB; undefined for those that are. */
export function profileOf(cicp: Cicp | undefined): Buffer | undefined {
  const colorants = COLORANTS.get(cicp?.primaries ?? 1);
  const curve = CURVES.get(cicp?.transfer ?? 1);
  if (colorants === undefined && curve === undefined) return undefined;
  return profile(colorants ?? SRGB_COLORANTS, curve ?? gamma);
}

function withProfile(png: Buffer, icc: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('iCCPcicp\0\0', 'latin1'), deflateSync(icc)]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(body.length - 4, 0);
  numbers.writeUInt32BE(crc32(body), 4);
  // Behind the signature and the header.
  return Buffer.concat([
    png.subarray(0, 33),
    numbers.subarray(0, 4),
    body,
    numbers.subarray(4),
    png.subarray(33),
  ]);
}

/** The transfer function of sRGB (IEC 61966-2-1). */
function gamma(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** PQ (ITU-R BT.2100), in cd/m². */
function perceptual(value: number): number {
  const root = value ** (32 / 2523);
  return 10_000 * (Math.max(0, root - 0.8359375) / (18.8515625 - 18.6875 * root)) ** (8192 / 1305);
}

/** HLG (ITU-R BT.2100) on a screen of 1,000 cd/m². */
function hybrid(value: number): number {
  const scene =
    value <= 0.5 ? value ** 2 / 3 : (Math.exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12;
  return 1000 * scene ** 1.2;
}

/** White paper (ITU-R BT.2408) and the brightest light that is told from it, in cd/m². */
const PAPER = 203;
const BRIGHTEST = 1000;

/** Light as a screen without such a range shows it (Reinhard's tone mapping, as browsers do). */
function onScreen(light: number): number {
  const [value, most] = [light / PAPER, BRIGHTEST / PAPER];
  return Math.min(1, (value * (1 + value / most ** 2)) / (1 + value));
}

const STEPS = 4096;

/** An ICC profile (ICC.1:2001-04) of three colorants and a curve. */
function profile(colorants: readonly number[], curve: (value: number) => number): Buffer {
  const points = Array.from({ length: STEPS }, (_, step) => Math.round(curve(step / (STEPS - 1)) * 65_535));
  const trc = Buffer.alloc(12 + 2 * STEPS);
  trc.write('curv');
  trc.writeUInt32BE(STEPS, 8);
  for (const [step, point] of points.entries()) trc.writeUInt16BE(point, 12 + 2 * step);
  const white = [0.9642, 1, 0.8249];
  const xyz = [white, ...[0, 3, 6].map((from) => colorants.slice(from, from + 3))].map(xyzOf);
  const texts = [description('CICP'), Buffer.from('text\0\0\0\0CC0\0', 'latin1')];
  const data = [...xyz, ...texts, trc];
  const names = ['wtpt', 'rXYZ', 'gXYZ', 'bXYZ', 'desc', 'cprt', 'rTRC', 'gTRC', 'bTRC'];
  const table = Buffer.alloc(4 + 12 * names.length);
  table.writeUInt32BE(names.length);
  const starts = data.map((_, index) =>
    data.slice(0, index).reduce((sum, one) => sum + one.length, 128 + table.length),
  );
  for (const [index, name] of names.entries()) {
    const which = Math.min(index, data.length - 1);
    table.write(name, 4 + 12 * index);
    table.writeUInt32BE(starts[which] ?? 0, 8 + 12 * index);
    table.writeUInt32BE(data[which]?.length ?? 0, 12 + 12 * index);
  }
  const head = Buffer.alloc(128);
  head.writeUInt32BE(128 + table.length + data.reduce((sum, one) => sum + one.length, 0));
  head.writeUInt32BE(0x02400000, 8);
  head.write('mntrRGB XYZ ', 12);
  head.write('acsp', 36);
  xyzOf(white).copy(head, 68, 8);
  return Buffer.concat([head, table, ...data]);
}

function xyzOf(numbers: readonly number[]): Buffer {
  const tag = Buffer.alloc(20);
  tag.write('XYZ ');
  for (const [index, number] of numbers.entries())
    tag.writeInt32BE(Math.round(number * 65_536), 8 + 4 * index);
  return tag;
}

function description(name: string): Buffer {
  const tag = Buffer.alloc(104);
  tag.write('desc');
  tag.writeUInt32BE(name.length + 1, 8);
  tag.write(name, 12);
  return tag;
}
