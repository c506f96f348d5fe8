import { type Bytes, slice, u16, u32 } from './bytes.ts';
import { type Box, boxesIn } from './heif-boxes.ts';
import { placesIn } from './heif-places.ts';
import { thumbnailsIn } from './heif-thumbnails.ts';
import { understand } from './not-understood.ts';

/** An item of a file: pixels, or metadata. */
interface Item {
  /** Undefined for what is neither a picture nor known text. */
  kind: 'pixels' | 'thumbnail' | 'EXIF' | 'XMP' | undefined;
  entry: Box;
  /** The ranges of its bytes in the file, in order. */
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

/** The items of a list, and where it says whose thumbnails some of them are. */
export interface Items {
  items: Item[];
  thumbnailReferences: Box[];
}

/**
 * Reads the items of a list, whose boxes are `boxes` and which begins at `start` of a file of `size` bytes.
 */
export function itemsIn(bytes: Bytes, boxes: readonly Box[], start: number, size: number): Items {
  const only = (type: string) => {
    const [box, another] = boxes.filter((one) => one.type === type);
    understand(box !== undefined && another === undefined, `it has no ${type}, or more than one`);
    return box;
  };
  const kinds = kindsIn(bytes, only('iinf'));
  const [data, references] = ['idat', 'iref'].map((type) => boxes.find((box) => box.type === type));
  const thumbnails = thumbnailsIn(bytes, references, primaryIn(bytes, only('pitm')));
  const items = placesIn(bytes, only('iloc')).map(({ id, isInside, extents }) => {
    const [from, end] = isInside ? [start + (data?.content ?? 0), start + (data?.end ?? 0)] : [0, size];
    const placed = extents.map(([at, length]) => [from + at, length] as const);
    const known = kinds.get(id);
    understand(known !== undefined, 'one of its items has no kind');
    understand(
      placed.every(([at, length]) => length > 0 && at + length <= end),
      'one of its items is nowhere',
    );
    const isThumbnail = known.kind === 'pixels' && thumbnails.items.has(id);
    return { ...known, ...(isThumbnail && { kind: 'thumbnail' as const }), extents: placed };
  });
  keepApart(items, size);
  return { items, thumbnailReferences: thumbnails.references };
}

/** The number of the item that is shown (`pitm`). */
function primaryIn(bytes: Bytes, { content }: Box): number {
  const [version] = slice(bytes, content, 1);
  return version === 0 ? u16(bytes, content + 4) : u32(bytes, content + 4);
}

/** Items of one kind may share bytes, as equal parts of a picture do. */
function keepApart(items: readonly Item[], size: number): void {
  const parts = items.flatMap(({ kind, extents }) =>
    extents.map(([from, length]) => ({ kind, from, end: from + length })),
  );
  const total = parts.reduce((sum, { from, end }) => sum + end - from, 0);
  understand(total <= size, 'its items are longer than itself');
  let last: (typeof parts)[number] | undefined;
  for (const part of parts.sort((one, other) => one.from - other.from)) {
    const isShared = last !== undefined && part.from < last.end;
    understand(!isShared || part.kind === last?.kind, 'two of its items share bytes');
    if (last === undefined || part.end > last.end) last = part;
  }
}

/** The kinds of items by their numbers (`iinf`). */
function kindsIn(bytes: Bytes, { content, end }: Box): Map<number, Omit<Item, 'extents'>> {
  const kinds = new Map<number, Omit<Item, 'extents'>>();
  const [version] = slice(bytes, content, 1);
  for (const box of boxesIn(bytes, content + (version === 0 ? 6 : 8), end)) {
    const [form = 0] = slice(bytes, box.content, 1);
    understand(box.type === 'infe' && (form === 2 || form === 3), 'the kind of an item is unknown');
    const id = form === 2 ? u16(bytes, box.content + 4) : u32(bytes, box.content + 4);
    understand(!kinds.has(id), 'one of its items has two kinds');
    const at = box.content + (form === 2 ? 8 : 10);
    const kind = kindOf(new TextDecoder('latin1').decode(slice(bytes, at, box.end - at)));
    kinds.set(id, { kind, entry: box });
  }
  return kinds;
}

/** The kind of an item, by its type, name, media type and compression. */
function kindOf(text: string): Item['kind'] {
  const type = text.slice(0, 4);
  if (PIXELS.includes(type)) return 'pixels';
  if (type === 'Exif') return 'EXIF';
  const [, mediaType, coding = ''] = text.slice(4).split('\0', 3);
  return type === 'mime' && mediaType === 'application/rdf+xml' && coding === '' ? 'XMP' : undefined;
}
