import fc from 'fast-check';
import { expect, test } from 'vitest';
import { enclosing, foldOverlaps, type Source } from './transfer.ts';

const source = (path: string): Source => ({ kind: path.endsWith('/') ? 'folder' : 'object', path });

test.each([
  ['a', []],
  ['a/', []],
  ['a/b/c', ['a/', 'a/b/']],
  ['a/b/c/', ['a/', 'a/b/']],
  ['/a', ['/']],
  ['a//b', ['a/', 'a//']],
])('%j lies in %j', (path, folders) => {
  expect(enclosing(path)).toEqual(folders);
});

test.each([
  [['a/', 'a/b', 'a/c/', 'a/c/d', 'ab'], ['a/', 'ab'], 3],
  [['a/b', 'a/'], ['a/'], 1],
  [['a/', 'a/', 'b'], ['a/', 'b'], 1],
  [['a', 'a/b'], ['a', 'a/b'], 0],
])('%j is taken as %j', (named, paths, folded) => {
  const result = foldOverlaps(named.map(source));
  expect([result.sources.map(({ path }) => path), result.folded]).toEqual([paths, folded]);
});

test('the remaining paths cover everything exactly once', () => {
  const path = fc.string({ unit: fc.constantFrom('a', 'b', '/'), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(fc.array(path), (paths) => {
      const { sources } = foldOverlaps(paths.map(source));
      for (const named of paths) {
        const covering = sources.filter(
          ({ kind, path }) => path === named || (kind === 'folder' && named.startsWith(path)),
        );
        expect(covering).toHaveLength(1);
      }
    }),
  );
});
