import { understand } from './not-understood.ts';

/** The bytes of a file or a part of one. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** Reads a part of a file; less at its end. */
export type ReadPart = (from: number, length: number) => Promise<Bytes>;

/** The bytes from `from` on, which have to be there. */
export function slice(bytes: Bytes, from: number, length: number): Bytes {
  understand(from >= 0 && length >= 0 && from + length <= bytes.length, 'a part reaches beyond its end');
  return bytes.subarray(from, from + length);
}

export function viewOf({ buffer, byteOffset, length }: Bytes): DataView {
  return new DataView(buffer, byteOffset, length);
}

/** The big-endian number of two bytes. */
export function u16(bytes: Bytes, at: number): number {
  return viewOf(slice(bytes, at, 2)).getUint16(0);
}

/** The big-endian number of four bytes. */
export function u32(bytes: Bytes, at: number): number {
  return viewOf(slice(bytes, at, 4)).getUint32(0);
}

/** Text of one byte a character as bytes, as formats write their names. */
export function ascii(text: string): Bytes {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** True if `text` is written at `at`. */
export function isAt(bytes: Bytes, at: number, text: string): boolean {
  return at + text.length <= bytes.length && ascii(text).every((byte, index) => bytes[at + index] === byte);
}

/** A big-endian number of two or four bytes. */
export function number(value: number, size: 2 | 4): Bytes {
  const bytes = new Uint8Array(size);
  if (size === 2) viewOf(bytes).setUint16(0, value);
  else viewOf(bytes).setUint32(0, value);
  return bytes;
}

export function joined(parts: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
