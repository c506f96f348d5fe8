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
  last: KeyBytes | undefined;
  /** Whether there is more after it. */
  isTruncated: boolean;
}

interface FoldedNames {
  prefix: KeyBytes;
  delimiter: KeyBytes;
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
  const common = commonPrefix(keyBytes(after), { prefix: keyBytes(prefix), delimiter: keyBytes(delimiter) });
  const bound = common
    ? { bytes: prefixEnd(common), inclusive: true }
    : { bytes: keyBytes(after), inclusive: false };
  return laterBound(start, bound);
}

/** Reads a page, skipping from one common prefix to the next without reading what lies below it. */
export function readPage<Row extends { key: KeyBytes }>(range: KeyRange<Row>, query: PageQuery): Page<Row> {
  const names = { prefix: keyBytes(query.prefix), delimiter: keyBytes(query.delimiter) };
  const page: Page<Row> = { rows: [], commonPrefixes: [], last: undefined, isTruncated: false };
  let from: KeyBound | undefined = query.limit > 0 ? query.start : undefined;
  while (from) {
    const folded: KeyBytes | undefined = addRows(
      page,
      range(from, prefixEnd(names.prefix)),
      names,
      query.limit,
    );
    from = folded && { bytes: prefixEnd(folded), inclusive: true };
  }
  return page;
}

// Adds rows up to the first that lies under a common prefix. That is added in its place, and returned.
function addRows<Row extends { key: KeyBytes }>(
  page: Page<Row>,
  rows: Iterable<Row>,
  names: FoldedNames,
  limit: number,
): KeyBytes | undefined {
  for (const row of rows) {
    if (page.rows.length + page.commonPrefixes.length >= limit) {
      page.isTruncated = true;
      return undefined;
    }
    const folded = commonPrefix(row.key, names);
    page.last = folded ?? row.key;
    if (folded) {
      page.commonPrefixes.push(keyText(folded));
      return folded;
    }
    page.rows.push(row);
  }
  return undefined;
}

function commonPrefix(key: KeyBytes, { prefix, delimiter }: FoldedNames): KeyBytes | undefined {
  if (delimiter.length === 0) return undefined;
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  if (!bytes.subarray(0, prefix.length).equals(prefix)) return undefined;
  const at = bytes.indexOf(delimiter, prefix.length);
  return at < 0 ? undefined : bytes.subarray(0, at + delimiter.length);
}
