import { ascii, type Bytes, isAt, joined, slice, viewOf } from './bytes.ts';
import { keptExif } from './exif.ts';
import { JPEG_HEADS } from './jpeg.ts';
import { understand } from './not-understood.ts';
import { keptXmp, type ParseXml } from './xmp.ts';

const SHOWN = ['VP8X', 'VP8 ', 'VP8L', 'ALPH', 'ANIM', 'ANMF', 'ICCP'];

/** The bits of `VP8X` that say that there is metadata. */
const [HAS_EXIF, HAS_XMP] = [0x08, 0x04];

/** A WebP that keeps of its metadata only what is published (RFC 9649, section 2). */
export function strippedWebp(webp: Bytes, parse: ParseXml): Bytes[] {
  const riff = slice(webp, 0, 8 + viewOf(slice(webp, 4, 4)).getUint32(0, true));
  const chunks: Bytes[] = [];
  let exif: Bytes | undefined;
  let xmp: Bytes | undefined;
  for (let at = 12; at < riff.length; ) {
    const length = viewOf(slice(riff, at + 4, 4)).getUint32(0, true);
    const content = slice(riff, at + 8, length);
    const type = String.fromCharCode(...riff.subarray(at, at + 4));
    if (type === 'EXIF') exif = content;
    else if (type === 'XMP ') xmp = content;
    else if (SHOWN.includes(type)) chunks.push(chunkOf(type, content));
    at += 8 + length + (length % 2);
  }
  const [header] = chunks;
  understand(header !== undefined, 'the WebP has no picture');
  const kept: Bytes[] = [];
  // Only the extended format has metadata.
  if (isAt(header, 0, 'VP8X')) {
    const keptOfExif = exif && keptExif(tiffOf(exif));
    const keptOfXmp = xmp && keptXmp(xmp, parse);
    if (keptOfExif) kept.push(chunkOf('EXIF', keptOfExif));
    if (keptOfXmp) kept.push(chunkOf('XMP ', keptOfXmp));
    const flags = (header[8] ?? 0) & ~(HAS_EXIF | HAS_XMP);
    header[8] = flags | (keptOfExif ? HAS_EXIF : 0) | (keptOfXmp ? HAS_XMP : 0);
  }
  const body = [ascii('WEBP'), ...chunks, ...kept];
  const size = body.reduce((sum, { length }) => sum + length, 0);
  return [ascii('RIFF'), little(size), ...body];
}

/** Some programs write EXIF as JPEG has it. */
export function tiffOf(exif: Bytes): Bytes {
  return isAt(exif, 0, JPEG_HEADS.exif) ? exif.subarray(JPEG_HEADS.exif.length) : exif;
}

function chunkOf(type: string, content: Bytes): Bytes {
  return joined([ascii(type), little(content.length), content, new Uint8Array(content.length % 2)]);
}

function little(value: number): Bytes {
  const bytes = new Uint8Array(4);
  viewOf(bytes).setUint32(0, value, true);
  return bytes;
}
