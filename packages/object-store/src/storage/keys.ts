/**
 * A key as stored in the index. Keys are ordered by the bytes of their UTF-8, which is the order that S3
 * lists them in; JavaScript strings compare by UTF-16 units, which differs beyond the basic plane.
 */
export type KeyBytes = Uint8Array;

/** A place in the order of keys where a listing goes on. */
export interface KeyBound {
  bytes: Uint8Array;
  /** Whether a key that is these bytes comes after the bound. */
  inclusive: boolean;
}

/** The bytes of a key. */
export function keyBytes(key: string): KeyBytes {
  return Buffer.from(key, 'utf8');
}

/** The key that the bytes are. */
export function keyText(bytes: KeyBytes): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

/** The first bytes that are greater than every key with this prefix: 0xFF does not occur in UTF-8. */
export function prefixEnd(prefix: Uint8Array): Uint8Array {
  return Buffer.concat([prefix, Buffer.of(0xff)]);
}

/** The later of two bounds. */
export function laterBound(left: KeyBound, right: KeyBound): KeyBound {
  const order = Buffer.compare(left.bytes, right.bytes);
  if (order !== 0) return order > 0 ? left : right;
  return left.inclusive ? right : left;
}
