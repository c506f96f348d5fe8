import { isCameraRaw } from './camera-raw.ts';

/** A format that sharp does not read; all but `RAW` and `PDF` by ImageMagick's name for it. */
export type StillFormat = 'HEIC' | 'JP2' | 'J2K' | 'JXL' | 'BMP' | 'PSD' | 'RAW' | 'PDF';

/** What files of a format begin with, or have at an offset. */
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
