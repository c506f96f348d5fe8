import { ascii, type Bytes, isAt, joined, number, slice, u32 } from './bytes.ts';
import { keptExif } from './exif.ts';
import { inflated } from './inflate.ts';
import { understand } from './not-understood.ts';
import { keptXmp, type ParseXml } from './xmp.ts';

export const PNG_HEAD = '\x89PNG\r\n\x1a\n';

/** The keyword of a chunk with XMP. */
const XMP = 'XML:com.adobe.xmp\0';

/** The chunks that say how the picture, or the animation, is shown (PNG, third edition, "Chunk summary"). */
const SHOWN =
  'IHDR PLTE IDAT IEND acTL fcTL fdAT tRNS cHRM cICP gAMA iCCP mDCV mDCv cLLI cLLi sBIT sRGB bKGD hIST pHYs sPLT'.split(
    ' ',
  );

const TEXTS = ['Author\0', 'Copyright\0', 'Description\0', 'Title\0'];

/** A PNG that keeps of its metadata only what is published. */
export async function strippedPng(png: Bytes, parse: ParseXml): Promise<Bytes[]> {
  const chunks: Bytes[] = [];
  let exif: Bytes | undefined;
  let xmp: Bytes | undefined;
  for (let at: number = PNG_HEAD.length, type = ''; type !== 'IEND'; ) {
    const length = u32(png, at);
    const chunk = slice(png, at, 12 + length);
    const content = chunk.subarray(8, 8 + length);
    type = String.fromCharCode(...chunk.subarray(4, 8));
    at += chunk.length;
    if (type === 'eXIf') exif = content;
    else if (isXmp(type, content)) xmp = await xmpOf(type, content);
    else if (SHOWN.includes(type)) chunks.push(chunk);
    else if (/^(iTXt|tEXt|zTXt)$/.test(type) && TEXTS.some((text) => isAt(content, 0, text)))
      chunks.push(chunk);
    else understand(/^[a-z]/.test(type), 'the PNG has an unknown chunk without which it cannot be shown');
  }
  const [header, ...rest] = chunks;
  understand(header !== undefined && isAt(header, 4, 'IHDR'), 'the PNG does not begin with its header');
  const kept = [
    ...written('eXIf', exif && keptExif(exif)),
    ...written('iTXt', xmp && withHead(keptXmp(xmp, parse))),
  ];
  return [ascii(PNG_HEAD), header, ...kept, ...rest];
}

/** True if a chunk holds XMP, which some programs compress. */
export function isXmp(type: string, content: Bytes): boolean {
  return (type === 'iTXt' || type === 'zTXt') && isAt(content, 0, XMP);
}

/** The XMP of a chunk: after how it is compressed, and in `iTXt` its language and its name in that. */
export async function xmpOf(type: string, content: Bytes): Promise<Bytes> {
  const at = XMP.length;
  if (type === 'zTXt') return inflated(content.subarray(at + 1));
  const language = content.indexOf(0, at + 2);
  const name = content.indexOf(0, language + 1);
  understand(language !== -1 && name !== -1, 'the XMP of the PNG has no text');
  const text = content.subarray(name + 1);
  return content[at] === 0 ? text : inflated(text);
}

function withHead(xmp: Bytes | undefined): Bytes | undefined {
  return xmp && joined([ascii(XMP), new Uint8Array(4), xmp]);
}

function written(type: string, content: Bytes | undefined): Bytes[] {
  if (content === undefined) return [];
  const named = joined([ascii(type), content]);
  return [joined([number(content.length, 4), named, number(crc32(named), 4)])];
}

/** The check sum of a chunk (PNG, "CRC algorithm"). */
function crc32(bytes: Bytes): number {
  let sum = -1;
  for (const byte of bytes) {
    sum ^= byte;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}
