import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CursorCodec, historyOf, type PageCursor, type SyncCursor } from './ledger.ts';

type Fields = 'default' | 'minimal';

const codec = new CursorCodec<Fields>(['default', 'minimal']);

const syncCursors: fc.Arbitrary<SyncCursor<Fields>> = fc.record({
  history: fc.uuid().map((epoch) => historyOf(epoch)),
  fields: fc.constantFrom('default', 'minimal'),
  seq: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
});

const pageCursors: fc.Arbitrary<PageCursor<Fields>> = fc.record({
  sync: syncCursors,
  asOf: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  after: fc.stringMatching(/^[!-~]{1,128}$/),
});

describe('cursors', () => {
  it('are read back as they were written', () => {
    fc.assert(
      fc.property(syncCursors, pageCursors, (sync, page) => {
        expect(codec.readSync(codec.writeSync(sync))).toEqual(sync);
        expect(codec.readPage(codec.writePage(page))).toEqual(page);
      }),
    );
  });

  it('are unreadable with any character changed, added or left out', () => {
    const alphabet = fc.constantFrom(...'ABCxyz019_-=+/ é');
    fc.assert(
      fc.property(syncCursors, fc.nat(), alphabet, (cursor, place, character) => {
        const text = codec.writeSync(cursor);
        const at = place % text.length;
        fc.pre(text[at] !== character);
        expect(codec.readSync(text.slice(0, at) + character + text.slice(at + 1))).toBeUndefined();
        expect(codec.readSync(text.slice(0, at) + character + text.slice(at))).toBeUndefined();
        expect(codec.readSync(text.slice(0, at))).toBeUndefined();
      }),
    );
  });

  it('are unreadable as cursors of the other kind', () => {
    fc.assert(
      fc.property(syncCursors, pageCursors, (sync, page) => {
        expect(codec.readPage(codec.writeSync(sync))).toBeUndefined();
        expect(codec.readSync(codec.writePage(page))).toBeUndefined();
      }),
    );
  });

  it('are unreadable if they are any other text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000 }), (text) => {
        expect(codec.readSync(text)).toBeUndefined();
        expect(codec.readPage(text)).toBeUndefined();
      }),
    );
  });
});

describe('historyOf', () => {
  it('distinguishes the parts, not only their concatenation', () => {
    expect(historyOf('a', 'bc')).not.toBe(historyOf('ab', 'c'));
  });
});
