import { type Bytes, isAt, type ReadPart, u16, u32, viewOf } from './bytes.ts';
import { endOfScan } from './jpeg.ts';
import { PNG_HEAD } from './png.ts';

const [EXTENSION, IMAGE] = [0x21, 0x2c];

/** What whole pictures of a kind end with, and a slow look for that end, for those with more behind it. */
const KINDS = [
  { head: '\xff\xd8\xff', end: '\xff\xd9', isCut: isCutJpeg },
  { head: PNG_HEAD, end: 'IEND\xaeB`\x82', isCut: isCutPng },
  { head: 'GIF8', end: '\0;', isCut: isCutGif },
] as const;

/**
 * True if a JPEG, PNG, WebP or GIF ends before its end. Whatever follows a picture, such as a video of a
 * phone, is no part of it; other files, and those that are not understood, are not called cut off.
 */
export async function isCutOff(size: number, read: ReadPart): Promise<boolean> {
  const start = await read(0, 16);
  if (isAt(start, 0, 'RIFF') && isAt(start, 8, 'WEBP')) return 8 + viewOf(start).getUint32(4, true) > size;
  const kind = KINDS.find(({ head }) => isAt(start, 0, head));
  if (kind === undefined) return false;
  const { end, isCut } = kind;
  // Most have nothing behind: their last bytes are enough.
  if (isAt(await read(Math.max(0, size - end.length), end.length), 0, end)) return false;
  return isCut(await read(0, size));
}

function isCutJpeg(jpeg: Bytes): boolean {
  for (let at = 2; at + 4 <= jpeg.length; ) {
    const marker = jpeg[at + 1] ?? 0;
    if (jpeg[at] !== 0xff || marker === 0xd9) return false;
    const isAlone = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    if (marker === 0xff) at += 1;
    else at += isAlone ? 2 : 2 + u16(jpeg, at + 2);
    if (marker === 0xda) at = endOfScan(jpeg, at);
  }
  return true;
}

function isCutPng(png: Bytes): boolean {
  for (let at: number = PNG_HEAD.length; at + 12 <= png.length; at += 12 + u32(png, at))
    if (isAt(png, at + 4, 'IEND')) return false;
  return true;
}

function isCutGif(gif: Bytes): boolean {
  let at = 13 + colours(gif[10]);
  while (at < gif.length) {
    if (gif[at] === EXTENSION) at += 2;
    else if (gif[at] === IMAGE) at += 11 + colours(gif[at + 9]);
    else return false;
    for (let length = gif[at]; length; length = gif[at]) at += 1 + length;
    at += 1;
  }
  // Some end without the trailer.
  return at > gif.length;
}

/** The bytes of a table of colours, which one of the flags says is there (GIF89a, section 18). */
function colours(flags = 0): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0;
}
