import { type KeyBound, type KeyBytes, keyBytes, keyText, laterBound, prefixEnd } from './storage/keys.ts';

/** Which keys a page holds. */
export interface PageQuery {
  /** Only keys that begin with it. */
  prefix: string;
  /** What follows the prefix up to this is one entry, a common prefix. Empty: every key is an entry. */
  delimiter: string;
  /** Where the page begins. */
  start: KeyBound;
  /** Entries at most. */
  limit: number;
}

/** A page of keys. */
export interface Page<Row> {
  rows: Row[];
  commonPrefixes: string[];
  /** The last entry, key or common prefix; undefined for an empty page. */
  last: string | undefined;
  /** Whether there is more after it. */
  isTruncated: boolean;
}

/** Rows in the order of their keys, from a bound up to (and without) an end. */
export type KeyRange<Row> = (from: KeyBound, to: Uint8Array) => Iterable<Row>;

/**
 * Where a page begins that comes after an entry, be it a key or a common prefix. Keys under a common prefix
 * that the entry lies in are passed over, as they were listed with it.
 */
export function startAfter(
  after: string,
  { prefix, delimiter }: { prefix: string; delimiter: string },
): KeyBound {
  const start: KeyBound = { bytes: keyBytes(prefix), inclusive: true };
  if (after === '') return start;
  const common = commonPrefix(keyBytes(after), keyBytes(prefix), keyBytes(delimiter));
  const bound = common
    ? { bytes: prefixEnd(common), inclusive: true }
    : { bytes: keyBytes(after), inclusive: false };
  return laterBound(start, bound);
}

/** Reads a page, skipping from one common prefix to the next without reading what lies below it. */
export function readPage<Row extends { key: KeyBytes }>(range: KeyRange<Row>, query: PageQuery): Page<Row> {
  const prefix = keyBytes(query.prefix);
  const delimiter = keyBytes(query.delimiter);
  const page: Page<Row> = { rows: [], commonPrefixes: [], last: undefined, isTruncated: false };
  if (query.limit === 0) return page;
  const isFull = () => page.rows.length + page.commonPrefixes.length >= query.limit;
  let from: KeyBound | undefined = query.start;
  while (from) {
    const found: Uint8Array | 'end' = readUpToCommonPrefix(range(from, prefixEnd(prefix)));
    if (found === 'end') break;
    page.last = keyText(found);
    page.commonPrefixes.push(page.last);
    from = { bytes: prefixEnd(found), inclusive: true };
  }
  return page;

  function readUpToCommonPrefix(rows: Iterable<Row>): Uint8Array | 'end' {
    for (const row of rows) {
      if (isFull()) {
        page.isTruncated = true;
        return 'end';
      }
      const common = commonPrefix(row.key, prefix, delimiter);
      if (common) return common;
      page.rows.push(row);
      page.last = keyText(row.key);
    }
    return 'end';
  }
}

function commonPrefix(key: Uint8Array, prefix: Uint8Array, delimiter: Uint8Array): Uint8Array | undefined {
  if (delimiter.length === 0) return undefined;
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  if (!bytes.subarray(0, prefix.length).equals(prefix)) return undefined;
  const at = bytes.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : bytes.subarray(0, at + delimiter.length);
}
