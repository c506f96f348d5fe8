import { type Bytes, isAt, joined, type ReadPart, slice, u16, u32, viewOf } from './bytes.ts';
import { hasGps } from './exif.ts';
import { heifMetadata } from './heif.ts';
import { hasPlace } from './iptc.ts';
import { JPEG_HEADS, MORE_XMP } from './jpeg.ts';
import { understand } from './not-understood.ts';
import { isXmp, xmpOf } from './png.ts';
import { pictureKind } from './strip.ts';
import { tiffOf } from './webp.ts';
import { mentionsPlace } from './xmp.ts';

/** The kind of metadata in which a picture names a place. */
export type PlaceSource = 'EXIF' | 'XMP' | 'IPTC';

/** Prefix of a PNG's text that holds metadata of a JPEG, as ImageMagick writes it. */
const RAW_PROFILE = 'Raw profile type ';

/** Bytes searched at the end of a PNG: the metadata is before or after all of the picture. */
const PNG_END = 2 ** 17;

/**
 * Finds the metadata in which a JPEG, PNG, WebP, HEIC or AVIF of `size` bytes names the place where it was
 * made; reads only the parts around its metadata. Throws `NotUnderstood`, also if it names none but holds
 * other pictures or a video, and for any other file.
 */
export async function findPlaces(read: ReadPart, size: number): Promise<PlaceSource[]> {
  const kind = pictureKind(await read(0, 16));
  understand(kind !== undefined, 'it is no JPEG, PNG, WebP, HEIC or AVIF');
  const found = new Set<PlaceSource>();
  const look = (source: PlaceSource, is: boolean) => is && found.add(source);
  if (kind === 'jpeg') {
    const resources: Bytes[] = [];
    let hasMore = false;
    for await (const content of jpegMetadata(read)) {
      const head = Object.values(JPEG_HEADS).find((one) => isAt(content, 0, one));
      const bytes = content.subarray(head?.length ?? 0);
      if (head === JPEG_HEADS.exif) look('EXIF', hasGps(bytes));
      if (head === JPEG_HEADS.xmp || isAt(content, 0, MORE_XMP)) look('XMP', mentionsPlace(bytes));
      if (head === JPEG_HEADS.photoshop) resources.push(bytes);
      hasMore ||= isAt(content, 0, 'MPF\0');
    }
    look('IPTC', hasPlace(joined(resources)));
    const end = await read(Math.max(0, size - 2), 2);
    understand(
      found.size > 0 || (!hasMore && isAt(end, 0, '\xff\xd9')),
      'there are other pictures or a video in the JPEG, or its end is missing',
    );
    return [...found];
  }
  if (kind === 'heif') {
    for await (const [source, content] of heifMetadata(read, size)) {
      look(source, source === 'EXIF' ? hasGps(content) : mentionsPlace(content));
    }
    return [...found];
  }
  const chunks = kind === 'png' ? pngMetadata(read, size) : webpMetadata(read, size);
  for await (const [type, content] of chunks) {
    if (/^exif$/i.test(type)) look('EXIF', hasGps(tiffOf(content)));
    if (type === 'XMP ') look('XMP', mentionsPlace(content));
    understand(!isAt(content, 0, RAW_PROFILE), 'there is metadata of another format in the PNG');
    if (isXmp(type, content)) look('XMP', mentionsPlace(await xmpOf(type, content)));
  }
  return [...found];
}

async function* jpegMetadata(read: ReadPart): AsyncGenerator<Bytes, void> {
  for (let at = 2; ; ) {
    const head = await read(at, 4);
    understand(head[0] === 0xff, 'the JPEG has no marker where one is to be');
    const [, marker = 0] = head;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0xda || marker === 0xd9) return;
    const length = u16(head, 2);
    understand(length >= 2, 'a segment of the JPEG has no length');
    if (marker === 0xe1 || marker === 0xe2 || marker === 0xed)
      yield slice(await read(at + 4, length - 2), 0, length - 2);
    at += 2 + length;
  }
}

async function* pngMetadata(
  read: ReadPart,
  size: number,
): AsyncGenerator<[type: string, content: Bytes], void> {
  for (let at = 8; ; ) {
    const head = await read(at, 8);
    const length = u32(head, 0);
    const type = nameAt(head, 4);
    if (type === 'IDAT' || type === 'IEND') break;
    if (isMetadata(type)) yield [type, slice(await read(at + 8, length), 0, length)];
    at += 12 + length;
  }
  const from = Math.max(8, size - PNG_END);
  const end = await read(from, size - from);
  // The chunks of the picture are too many to go from one to the next.
  for (let at = 4; at + 8 < end.length; at += 1) {
    const length = isMetadata(nameAt(end, at)) ? u32(end, at - 4) : end.length;
    if (at + 4 + length + 4 <= end.length) yield [nameAt(end, at), slice(end, at + 4, length)];
  }
}

async function* webpMetadata(
  read: ReadPart,
  size: number,
): AsyncGenerator<[type: string, content: Bytes], void> {
  for (let at = 12; at + 8 <= size; ) {
    const head = await read(at, 8);
    const length = viewOf(slice(head, 4, 4)).getUint32(0, true);
    const type = nameAt(head, 0);
    if (type === 'EXIF' || type === 'XMP ') yield [type, slice(await read(at + 8, length), 0, length)];
    at += 8 + length + (length % 2);
  }
}

function nameAt(bytes: Bytes, at: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + 4));
}

function isMetadata(type: string): boolean {
  return type === 'eXIf' || type === 'iTXt' || type === 'zTXt' || type === 'tEXt';
}
