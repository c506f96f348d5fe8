import { stillFormat } from '../stills/formats.ts';

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

/** Why there is no picture of a file that sharp does not decode. */
export function reasonOf(image: Buffer): 'damaged' | 'unsupported' {
  return isRaster(image) || stillFormat(image) !== undefined ? 'damaged' : 'unsupported';
}

/**
 * True for the bytes of a JPEG, PNG, GIF, WebP, AVIF, TIFF or BigTIFF, regardless of the declared media type.
 * SVG and documents are not decoded here.
 */
export function isRaster(image: Buffer): boolean {
  return SIGNATURES.some(({ bytes, at = 0 }) => image.toString('latin1', at, at + bytes.length) === bytes);
}
