import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPage, startAfter } from './listing.ts';
import { type KeyBound, keyBytes } from './storage.ts';

const key = fc.string({
  unit: fc.constantFrom('a', 'b', '/', '-', 'ü', '日', '😀', '\uffff'),
  minLength: 1,
  maxLength: 6,
});
const keys = fc.uniqueArray(key, { maxLength: 30 });
const prefix = fc.string({ unit: fc.constantFrom('a', 'b', '/'), maxLength: 2 });
const delimiter = fc.constantFrom('', '/', '-', 'a/', '日');

function rangeOf(all: string[]) {
  const rows = all.map((text) => ({ key: keyBytes(text) })).toSorted((a, b) => Buffer.compare(a.key, b.key));
  return (from: KeyBound, to: Uint8Array) =>
    rows.filter((row) => {
      const order = Buffer.compare(row.key, from.bytes);
      return (order > 0 || (order === 0 && from.inclusive)) && Buffer.compare(row.key, to) < 0;
    });
}

// The documented behavior of S3, as simple as possible: fold, sort, cut.
function entriesOf(all: string[], names: { prefix: string; delimiter: string }): string[] {
  const entries = all
    .filter((text) => text.startsWith(names.prefix))
    .map((text) => {
      const at = names.delimiter === '' ? -1 : text.indexOf(names.delimiter, names.prefix.length);
      return at < 0 ? text : text.slice(0, at + names.delimiter.length);
    });
  return [...new Set(entries)].toSorted((a, b) => Buffer.compare(keyBytes(a), keyBytes(b)));
}

test('pages add up to all entries, each page as full as possible', () => {
  fc.assert(
    fc.property(keys, prefix, delimiter, fc.integer({ min: 1, max: 5 }), (all, start, fold, limit) => {
      const names = { prefix: start, delimiter: fold };
      const expected = entriesOf(all, names);
      const listed: string[] = [];
      let after = '';
      for (let isTruncated = true; isTruncated; ) {
        const page = readPage(rangeOf(all), { ...names, limit, start: startAfter(after, names) });
        const entries = [...page.rows.map((row) => Buffer.from(row.key).toString()), ...page.commonPrefixes];
        listed.push(...entries.toSorted((a, b) => Buffer.compare(keyBytes(a), keyBytes(b))));
        expect(page.isTruncated).toBe(listed.length < expected.length);
        expect(entries.length === limit || !page.isTruncated).toBe(true);
        isTruncated = page.isTruncated;
        after = Buffer.from(page.last ?? []).toString();
      }
      expect(listed).toEqual(expected);
    }),
  );
});

test('a page begins after any name, listed or not', () => {
  fc.assert(
    fc.property(keys, prefix, delimiter, key, (all, start, fold, after) => {
      const names = { prefix: start, delimiter: fold };
      const page = readPage(rangeOf(all), { ...names, limit: 1000, start: startAfter(after, names) });
      const entries = [...page.rows.map((row) => Buffer.from(row.key).toString()), ...page.commonPrefixes];
      const expected = entriesOf(all, names).filter(
        (entry) => Buffer.compare(keyBytes(entry), keyBytes(after)) > 0,
      );
      expect(entries.toSorted()).toEqual(expected.toSorted());
    }),
  );
});

test('what lies below a common prefix is not read', () => {
  const folders = ['a/', 'b/', 'c/'];
  const all = folders.flatMap((folder) => Array.from({ length: 1000 }, (_, index) => `${folder}${index}`));
  const range = rangeOf(all);
  let reads = 0;
  const counting = (from: KeyBound, to: Uint8Array) =>
    range(from, to)
      .values()
      .map((row) => {
        reads += 1;
        return row;
      });
  const names = { prefix: '', delimiter: '/' };
  const page = readPage(counting, { ...names, limit: 1000, start: startAfter('', names) });
  expect(page.commonPrefixes).toEqual(folders);
  expect(reads).toBe(folders.length);
});
