import { ascii, type Bytes, joined, number, type ReadPart, slice, u16, u32 } from './bytes.ts';
import { keptExif } from './exif.ts';
import { understand } from './not-understood.ts';
import { keptXmp, type ParseXml } from './xmp.ts';

/** A box of a file, by places in it (ISO/IEC 14496-12). */
interface Box {
  type: string;
  at: number;
  /** Where its content begins. */
  content: number;
  end: number;
}

/** What a file holds: pixels, or what is said of them. */
interface Item {
  type: string;
  /** Of text, its media type, and how it is compressed. */
  mediaType: string;
  coding: string;
  /** Where its bytes are in the file, in order. */
  extents: readonly (readonly [from: number, length: number])[];
}

/** Items of pixels, and how these are put together. */
const PIXELS = [
  'hvc1',
  'hev1',
  'lhv1',
  'hvt1',
  'av01',
  'avc1',
  'vvc1',
  'j2k1',
  'grid',
  'iovl',
  'iden',
  'tmap',
];

/** What is said of items where they are listed, and what is shown of it. */
const DESCRIBED = ['hdlr', 'pitm', 'iinf', 'iloc', 'iref', 'iprp', 'idat', 'dinf', 'grpl'];
const SHOWN =
  'hvcC lhvC av1C avcC vvcC j2kH ispe pixi colr irot imir clap pasp auxC clli mdcv cclv amve ndwt reve rloc lsel a1op a1lx tols oinf tmap cmin cmex altr'.split(
    ' ',
  );

/** What is not shown: a person's description, and what only some programs know. */
const UNSEEN = ['udes', 'uuid', 'free', 'skip'];

/** XMP that says nothing. */
const NOTHING = ascii('<x:xmpmeta xmlns:x="adobe:ns:meta/"/>');

/** EXIF without a field. */
const NO_FIELDS = ascii('MM\0*\0\0\0\x08\0\0\0\0\0\0');

/** How large a list of items, or an item of metadata, may be, in bytes: they have some thousands. */
const LARGEST = 2 ** 22;

/** A file of pictures, such as HEIC and AVIF. */
interface Heif {
  /** Those of the file itself. */
  boxes: Box[];
  list: Box;
  items: Item[];
}

/** What a HEIC or AVIF file says of its pictures, as far as it is EXIF or XMP. */
export async function* heifMetadata(
  read: ReadPart,
  size: number,
): AsyncGenerator<['EXIF' | 'XMP', Bytes], void> {
  const { boxes, items } = await heifOf(read, size);
  const others = boxes.find(({ type }) => !['ftyp', 'meta', 'mdat', 'free', 'skip'].includes(type));
  understand(others === undefined, 'it holds more than pictures');
  for (const item of items) {
    const kind = kindOf(item);
    if (kind === undefined) continue;
    understand(item.coding === '', 'its XMP is compressed');
    const total = item.extents.reduce((sum, [, length]) => sum + length, 0);
    understand(total <= LARGEST, 'its metadata are too long');
    const parts: Bytes[] = [];
    for (const [from, length] of item.extents) parts.push(slice(await read(from, length), 0, length));
    const content = joined(parts);
    if (!isBlank(content)) yield [kind, kind === 'EXIF' ? tiffIn(content) : content];
  }
}

/**
 * A HEIC or AVIF that keeps of its metadata only what is published. It is as long as before, because its list
 * says where each item is: what goes is overwritten, and so is all that no picture is made of.
 */
export async function strippedHeif(heif: Bytes, parse: ParseXml): Promise<Bytes[]> {
  const read: ReadPart = async (from, length) => heif.subarray(from, from + length);
  const { boxes, list, items } = await heifOf(read, heif.length);
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
  for (const box of boxesIn(heif, list.content + 4, list.end)) {
    if (!DESCRIBED.includes(box.type)) blank(box);
    else keep(box.at, box.type === 'idat' ? box.content : box.end);
    for (const property of box.type === 'iprp' ? propertiesIn(heif, box) : []) {
      if (SHOWN.includes(property.type)) continue;
      understand(UNSEEN.includes(property.type), 'a picture in it has an unknown property');
      clean.fill(0, property.content, property.end);
      blank(property);
    }
  }
  for (const item of items) {
    const whole = joined(item.extents.map(([from, length]) => slice(heif, from, length)));
    const kept = PIXELS.includes(item.type) ? whole : keptOf(item, whole, parse);
    let at = 0;
    for (const [from, length] of item.extents) {
      clean.set(kept.subarray(at, at + length), from);
      at += length;
    }
  }
  return [clean];
}

/** What is kept of an item that is no picture, in as many bytes. */
function keptOf(item: Item, content: Bytes, parse: ParseXml): Bytes {
  const kind = item.coding === '' ? kindOf(item) : undefined;
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

function kindOf({ type, mediaType }: Item): 'EXIF' | 'XMP' | undefined {
  if (type === 'Exif') return 'EXIF';
  return type === 'mime' && mediaType === 'application/rdf+xml' ? 'XMP' : undefined;
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
  const items = itemsIn(slice(await read(list.at, length), 0, length), list);
  return { boxes, list, items };
}

/** The box that begins at `at` of what is known of a file, and ends before `end`. */
function boxAt(bytes: Bytes, at: number, end: number): Box {
  const short = u32(bytes, at);
  const type = String.fromCharCode(...slice(bytes, at + 4, 4));
  const content = at + (short === 1 ? 16 : 8);
  const length = short === 1 ? u32(bytes, at + 8) * 2 ** 32 + u32(bytes, at + 12) : short || end - at;
  understand(at + length >= content && at + length <= end, 'a box reaches beyond its end');
  return { type, at, content, end: at + length };
}

function boxesIn(bytes: Bytes, from: number, end: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < end; at = boxes.at(-1)?.end ?? end) boxes.push(boxAt(bytes, at, end));
  return boxes;
}

/** What describes pictures, in the box `iprp`. */
function propertiesIn(bytes: Bytes, { content, end }: Box): Box[] {
  const containers = boxesIn(bytes, content, end);
  understand(
    containers.every(({ type }) => type === 'ipco' || type === 'ipma'),
    'its properties have an unknown place',
  );
  return containers.flatMap((box) => (box.type === 'ipco' ? boxesIn(bytes, box.content, box.end) : []));
}

/** The items of a list, which is `list` of the file. */
function itemsIn(bytes: Bytes, list: Box): Item[] {
  const boxes = boxesIn(bytes, list.content - list.at + 4, bytes.length);
  const only = (type: string) => {
    const [box, another] = boxes.filter((one) => one.type === type);
    understand(box !== undefined && another === undefined, `it has no ${type}, or more than one`);
    return box;
  };
  const kinds = kindsIn(bytes, only('iinf'));
  const data = boxes.find(({ type }) => type === 'idat');
  return placesIn(bytes, only('iloc')).map(({ id, isInside, extents }) => {
    const kind = kinds.get(id);
    understand(kind !== undefined, 'one of its items has no kind');
    const end = isInside ? (data?.end ?? 0) : Number.POSITIVE_INFINITY;
    const from = isInside ? (data?.content ?? 0) : -list.at;
    const placed = extents.map(([at, length]) => [list.at + from + at, length] as const);
    understand(
      placed.every(([at, length]) => length > 0 && at + length - list.at <= end),
      'one of its items is nowhere',
    );
    return { ...kind, extents: placed };
  });
}

/** The kinds of items by their numbers (`iinf`). */
function kindsIn(bytes: Bytes, { content, end }: Box): Map<number, Omit<Item, 'extents'>> {
  const kinds = new Map<number, Omit<Item, 'extents'>>();
  const [version] = slice(bytes, content, 1);
  for (const box of boxesIn(bytes, content + (version === 0 ? 6 : 8), end)) {
    const [form = 0] = slice(bytes, box.content, 1);
    understand(box.type === 'infe' && (form === 2 || form === 3), 'the kind of an item is unknown');
    const id = form === 2 ? u16(bytes, box.content + 4) : u32(bytes, box.content + 4);
    const at = box.content + (form === 2 ? 8 : 10);
    const [, mediaType = '', coding = ''] = String.fromCharCode(...bytes.subarray(at + 4, box.end)).split(
      '\0',
    );
    kinds.set(id, { type: String.fromCharCode(...slice(bytes, at, 4)), mediaType, coding });
  }
  return kinds;
}

interface Place {
  id: number;
  /** Whether its bytes are in the list itself. */
  isInside: boolean;
  extents: (readonly [at: number, length: number])[];
}

/** Where the bytes of items are, by their numbers (`iloc`). */
function placesIn(bytes: Bytes, { content, end }: Box): Place[] {
  const [version = 0, , , , sizes = 0, more = 0] = slice(bytes, content, 6);
  understand(version <= 2, 'the places of its items are unknown');
  let at = content + 6;
  const next = (size: number) => {
    understand(size === 0 || size === 2 || size === 4 || size === 8, 'the places of its items are unknown');
    understand(at + size <= end, 'the places of its items reach beyond their end');
    at += size;
    if (size === 0) return 0;
    if (size === 2) return u16(bytes, at - 2);
    return u32(bytes, at - 4) + (size === 8 ? u32(bytes, at - 8) * 2 ** 32 : 0);
  };
  const wide = version < 2 ? 2 : 4;
  return Array.from({ length: next(wide) }, () => {
    const id = next(wide);
    const method = version === 0 ? 0 : next(2);
    understand(method <= 1 && next(2) === 0, 'one of its items is elsewhere');
    const base = next(more >> 4);
    const extents = Array.from({ length: next(2) }, () => {
      if (version > 0) next(more & 15);
      return [base + next(sizes >> 4), next(sizes & 15)] as const;
    });
    return { id, isInside: method === 1, extents };
  });
}
