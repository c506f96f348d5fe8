import { ascii, type Bytes, joined, number, type ReadPart, slice, u32 } from './bytes.ts';
import { keptExif } from './exif.ts';
import { type Box, boxAt, boxesIn } from './heif-boxes.ts';
import { type Items, itemsIn } from './heif-items.ts';
import { understand } from './not-understood.ts';
import { keptXmp, type ParseXml } from './xmp.ts';

/** Boxes that describe items, and how to show them. */
const DESCRIBED = ['hdlr', 'pitm', 'iinf', 'iloc', 'iref', 'iprp', 'idat', 'dinf', 'grpl'];
const SHOWN =
  'hvcC lhvC av1C avcC vvcC j2kH ispe pixi colr irot imir clap pasp auxC clli mdcv cclv amve ndwt reve rloc lsel a1op a1lx tols oinf tmap cmin cmex altr'.split(
    ' ',
  );

/** Boxes that are not shown: a person's description, and data that only some programs know. */
const UNSEEN = ['udes', 'uuid', 'free', 'skip'];

const NOTHING = ascii('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');

/** EXIF without a field. */
const NO_FIELDS = ascii('MM\0*\0\0\0\x08\0\0\0\0\0\0');

/** Largest list of items, or item of metadata, in bytes: they have some thousands. */
const LARGEST = 2 ** 20;

/** A file of pictures, such as HEIC and AVIF, by places in it. */
interface Heif extends Items {
  boxes: Box[];
  list: Box;
  described: Box[];
  properties: Box[];
}

/** Yields the EXIF and XMP in a HEIC or AVIF file. */
export async function* heifMetadata(
  read: ReadPart,
  size: number,
): AsyncGenerator<['EXIF' | 'XMP', Bytes], void> {
  const { boxes, described, properties, items } = await heifOf(read, size);
  const holdsOnly = (those: Box[], types: string[]) =>
    those.every(({ type }) => type === 'free' || type === 'skip' || types.includes(type));
  understand(holdsOnly(boxes, ['ftyp', 'meta', 'mdat']), 'it holds more than pictures');
  understand(
    holdsOnly(described, DESCRIBED) && holdsOnly(properties, SHOWN),
    'there is more in the list of its pictures',
  );
  for (const { kind, extents } of items) {
    if (kind === 'pixels' || kind === 'thumbnail') continue;
    const total = extents.reduce((sum, [, length]) => sum + length, 0);
    understand(total <= LARGEST, 'its metadata are too long');
    const parts: Bytes[] = [];
    for (const [from, length] of extents) parts.push(slice(await read(from, length), 0, length));
    const content = joined(parts);
    if (isBlank(content)) continue;
    understand(kind !== undefined, 'one of its items is neither a picture nor EXIF nor XMP');
    yield [kind, kind === 'EXIF' ? tiffIn(content) : content];
  }
}

/**
 * A HEIC or AVIF that keeps of its metadata only what is published. It is as long as before, because its list
 * says where each item is: what goes is overwritten, and so is all that no picture is made of.
 */
export async function strippedHeif(heif: Bytes, parse: ParseXml): Promise<Bytes[]> {
  const read: ReadPart = async (from, length) => heif.subarray(from, from + length);
  const { boxes, list, described, properties, items, thumbnailReferences } = await heifOf(read, heif.length);
  const clean = new Uint8Array(heif.length);
  const keep = (from: number, end: number) => clean.set(heif.subarray(from, end), from);
  const blank = ({ at, content }: Box) => {
    keep(at, content);
    clean.set(ascii('free'), at + 4);
  };
  for (const box of boxes) {
    understand(box.type !== 'moov', 'it is a sequence of pictures');
    if (box.type === 'ftyp') keep(box.at, box.end);
    else if (['meta', 'mdat'].includes(box.type)) keep(box.at, box.content);
    else blank(box);
  }
  keep(list.content, list.content + 4);
  for (const box of described) {
    if (!DESCRIBED.includes(box.type)) blank(box);
    else keep(box.at, box.type === 'idat' ? box.content : box.end);
  }
  for (const property of properties) {
    if (SHOWN.includes(property.type)) continue;
    understand(UNSEEN.includes(property.type), 'a picture in it has an unknown property');
    clean.fill(0, property.content, property.end);
    blank(property);
  }
  for (const { at } of thumbnailReferences) clean.set(ascii('free'), at + 4);
  for (const { kind, entry, extents } of items) {
    if (kind === 'thumbnail') {
      hide(clean, entry);
      continue;
    }
    const whole = joined(extents.map(([from, length]) => slice(heif, from, length)));
    const kept = kind === 'pixels' ? whole : keptOf(kind, whole, parse);
    let at = 0;
    for (const [from, length] of extents) {
      clean.set(kept.subarray(at, at + length), from);
      at += length;
    }
  }
  return [clean];
}

/** Sets the flag that hides an item, so that it is not shown as a separate picture. */
function hide(clean: Bytes, { content }: Box): void {
  clean.set([(clean[content + 3] ?? 0) | 1], content + 3);
}

/** Returns the part to keep of an item that is no picture, in as many bytes. */
function keptOf(kind: 'EXIF' | 'XMP' | undefined, content: Bytes, parse: ParseXml): Bytes {
  if (kind === undefined || isBlank(content)) return new Uint8Array(content.length);
  const kept =
    kind === 'EXIF'
      ? joined([number(0, 4), keptExif(tiffIn(content)) ?? NO_FIELDS])
      : (keptXmp(content, parse) ?? NOTHING);
  const isNothing = kept === NOTHING || kept.length === 4 + NO_FIELDS.length;
  if (isNothing && kept.length > content.length) return new Uint8Array(content.length);
  understand(kept.length <= content.length, 'what is kept does not fit where it was');
  const filled = new Uint8Array(content.length).fill(kind === 'EXIF' ? 0 : 0x20);
  filled.set(kept);
  return filled;
}

/** The TIFF of an item of EXIF, which begins by saying where it is. */
function tiffIn(content: Bytes): Bytes {
  const at = 4 + u32(content, 0);
  return slice(content, at, Math.max(0, content.length - at));
}

function isBlank(content: Bytes): boolean {
  return content.every((byte) => byte === 0);
}

async function heifOf(read: ReadPart, size: number): Promise<Heif> {
  const boxes: Box[] = [];
  for (let at = 0; at < size; ) {
    const box = boxAt(await read(at, 16), 0, size - at);
    boxes.push({ type: box.type, at, content: at + box.content, end: at + box.end });
    at += box.end;
  }
  const [list, another] = boxes.filter(({ type }) => type === 'meta');
  understand(list !== undefined && another === undefined, 'it has no list of its pictures, or more than one');
  const length = list.end - list.at;
  understand(length <= LARGEST, 'the list of its pictures is too long');
  const bytes = slice(await read(list.at, length), 0, length);
  const described = boxesIn(bytes, list.content - list.at + 4, length);
  const properties = described
    .filter(({ type }) => type === 'iprp')
    .flatMap((box) => propertiesIn(bytes, box));
  const placed = ({ type, at, content, end }: Box) => ({
    type,
    at: list.at + at,
    content: list.at + content,
    end: list.at + end,
  });
  const { items, thumbnailReferences } = itemsIn(bytes, described, list.at, size);
  return {
    boxes,
    list,
    described: described.map(placed),
    properties: properties.map(placed),
    items: items.map((item) => ({ ...item, entry: placed(item.entry) })),
    thumbnailReferences: thumbnailReferences.map(placed),
  };
}

/** Reads the properties of pictures, in the box `iprp`. */
function propertiesIn(bytes: Bytes, { content, end }: Box): Box[] {
  const containers = boxesIn(bytes, content, end);
  understand(
    containers.every(({ type }) => type === 'ipco' || type === 'ipma'),
    'its properties have an unknown place',
  );
  return containers.flatMap((box) => (box.type === 'ipco' ? boxesIn(bytes, box.content, box.end) : []));
}
