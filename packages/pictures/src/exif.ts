import { type Bytes, slice, viewOf } from './bytes.ts';
import { understand } from './not-understood.ts';

/** Tags of EXIF that a picture keeps: its orientation, author, date and caption. */
const KEPT_IN_IMAGE = [
  0x010e, // ImageDescription
  0x0112, // Orientation
  0x011a, // XResolution
  0x011b, // YResolution
  0x0128, // ResolutionUnit
  0x013b, // Artist
  0x8298, // Copyright
];
const KEPT_IN_EXIF = [
  0x9003, // DateTimeOriginal
  0xa001, // ColorSpace
];

const [EXIF_POINTER, GPS_POINTER] = [0x8769, 0x8825];

/** The tags of GPS that say a place: latitude, longitude, altitude and their destinations. */
const GPS_PLACES = [1, 2, 3, 4, 5, 6, 19, 20, 21, 22];

/** The bytes of a value, by its type (TIFF 6.0, "Image File Directory"). */
const SIZES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];

interface Field {
  tag: number;
  type: number;
  count: number;
  /** In the byte order of the whole. */
  value: Bytes;
}

/** A directory of fields; a value that reaches beyond the end is not understood once somebody wants it. */
class Directory {
  readonly #tiff: Bytes;
  readonly #little: boolean;
  readonly #at: number;
  readonly #count: number;

  constructor(tiff: Bytes, little: boolean, at: number) {
    this.#tiff = tiff;
    this.#little = little;
    this.#count = viewOf(slice(tiff, at, 2)).getUint16(0, little);
    this.#at = at + 2;
    slice(tiff, this.#at, this.#count * 12);
  }

  has(tags: readonly number[]): boolean {
    return tags.some((tag) => this.#find(tag) !== undefined);
  }

  fields(tags: readonly number[]): Field[] {
    return tags.flatMap((tag) => this.#find(tag)?.() ?? []);
  }

  /** The directory that a field points to. */
  at(tag: number): Directory | undefined {
    const [pointer] = this.fields([tag]);
    if (pointer === undefined) return undefined;
    understand(pointer.value.length === 4, 'a pointer of EXIF is none');
    return new Directory(this.#tiff, this.#little, viewOf(pointer.value).getUint32(0, this.#little));
  }

  #find(tag: number): (() => Field) | undefined {
    const view = viewOf(this.#tiff);
    for (let index = 0; index < this.#count; index += 1) {
      const at = this.#at + index * 12;
      if (view.getUint16(at, this.#little) === tag) return () => this.#read(at, tag);
    }
    return undefined;
  }

  #read(at: number, tag: number): Field {
    const view = viewOf(this.#tiff);
    const type = view.getUint16(at + 2, this.#little);
    const count = view.getUint32(at + 4, this.#little);
    const size = SIZES[type] ?? 0;
    understand(size > 0, 'a field of EXIF has an unknown type');
    const length = size * count;
    const from = length <= 4 ? at + 8 : view.getUint32(at + 8, this.#little);
    return { tag, type, count, value: slice(this.#tiff, from, length) };
  }
}

function open(tiff: Bytes): { root: Directory; little: boolean } {
  const order = String.fromCharCode(...slice(tiff, 0, 2));
  const little = order === 'II';
  understand(little || order === 'MM', 'EXIF has no byte order');
  const view = viewOf(slice(tiff, 0, 8));
  understand(view.getUint16(2, little) === 42, 'EXIF is not written as TIFF');
  return { root: new Directory(tiff, little, view.getUint32(4, little)), little };
}

/** True if EXIF names the place where a picture was made. */
export function hasGps(tiff: Bytes): boolean {
  return open(tiff).root.at(GPS_POINTER)?.has(GPS_PLACES) ?? false;
}

/**
 * EXIF, written anew with what a picture keeps of it: no place, serial number, thumbnail or maker's note.
 * Undefined if nothing is left.
 */
export function keptExif(tiff: Bytes): Bytes | undefined {
  const { root, little } = open(tiff);
  const image = root.fields(KEPT_IN_IMAGE);
  const exif = root.at(EXIF_POINTER)?.fields(KEPT_IN_EXIF) ?? [];
  if (image.length + exif.length === 0) return undefined;
  const sizeOf = (count: number) => 2 + count * 12 + 4;
  const ofExif = 8 + sizeOf(image.length + (exif.length > 0 ? 1 : 0));
  const start = exif.length === 0 ? ofExif : ofExif + sizeOf(exif.length);
  const length = [...image, ...exif].reduce((sum, { value }) => sum + outside(value), start);
  const written = new Uint8Array(length);
  const view = viewOf(written);
  written.set(tiff.subarray(0, 2));
  view.setUint16(2, 42, little);
  view.setUint32(4, 8, little);
  let free = start;
  const write = (at: number, fields: readonly Field[]) => {
    view.setUint16(at, fields.length, little);
    for (const [index, { tag, type, count, value }] of fields.entries()) {
      const place = at + 2 + index * 12;
      view.setUint16(place, tag, little);
      view.setUint16(place + 2, type, little);
      view.setUint32(place + 4, count, little);
      if (value.length > 4) view.setUint32(place + 8, free, little);
      written.set(value, value.length > 4 ? free : place + 8);
      free += outside(value);
    }
  };
  if (exif.length > 0) {
    const value = new Uint8Array(4);
    viewOf(value).setUint32(0, ofExif, little);
    image.push({ tag: EXIF_POINTER, type: 4, count: 1, value });
    image.sort((a, b) => a.tag - b.tag);
    write(ofExif, exif);
  }
  write(8, image);
  return written;
}

/** The bytes that a value takes besides its field, at an even place. */
function outside({ length }: Bytes): number {
  return length > 4 ? length + (length % 2) : 0;
}
