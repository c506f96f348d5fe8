/** The beginnings of the formats that are decoded; at an offset where the beginning is not the file's. */
const SIGNATURES: readonly { bytes: string; at?: number }[] = [
  { bytes: '\xff\xd8\xff' },
  { bytes: '\x89PNG\r\n\x1a\n' },
  { bytes: 'GIF87a' },
  { bytes: 'GIF89a' },
  { bytes: 'WEBP', at: 8 },
  { bytes: 'ftypavif', at: 4 },
  { bytes: 'ftypavis', at: 4 },
  { bytes: 'ftypmif1', at: 4 },
  { bytes: 'II*\0' },
  { bytes: 'MM\0*' },
];

/**
 * True for the bytes of a JPEG, PNG, GIF, WebP, AVIF or TIFF, whatever media type it was sent with. SVG and
 * documents, whose decoders are programs of their own, are not decoded here.
 */
export function isRaster(image: Buffer): boolean {
  return SIGNATURES.some(({ bytes, at = 0 }) => image.toString('latin1', at, at + bytes.length) === bytes);
}
