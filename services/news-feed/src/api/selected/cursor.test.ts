import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  historyOf,
  type PageCursor,
  readPageCursor,
  readSyncCursor,
  type SyncCursor,
  writePageCursor,
  writeSyncCursor,
} from './cursor.ts';

const syncCursors: fc.Arbitrary<SyncCursor> = fc.record({
  history: fc.uuid().map((epoch) => historyOf(epoch)),
  fields: fc.constantFrom('default', 'minimal'),
  seq: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
});

const pageCursors: fc.Arbitrary<PageCursor> = fc.record({
  sync: syncCursors,
  asOf: fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
  after: fc.stringMatching(/^[!-~]{1,128}$/),
});

describe('cursors', () => {
  it('are read back as they were written', () => {
    fc.assert(
      fc.property(syncCursors, pageCursors, (sync, page) => {
        expect(readSyncCursor(writeSyncCursor(sync))).toEqual(sync);
        expect(readPageCursor(writePageCursor(page))).toEqual(page);
      }),
    );
  });

  it('are unreadable with any character changed, added or left out', () => {
    const alphabet = fc.constantFrom(...'ABCxyz019_-=+/ é');
    fc.assert(
      fc.property(syncCursors, fc.nat(), alphabet, (cursor, place, character) => {
        const text = writeSyncCursor(cursor);
        const at = place % text.length;
        fc.pre(text[at] !== character);
        expect(readSyncCursor(text.slice(0, at) + character + text.slice(at + 1))).toBeUndefined();
        expect(readSyncCursor(text.slice(0, at) + character + text.slice(at))).toBeUndefined();
        expect(readSyncCursor(text.slice(0, at))).toBeUndefined();
      }),
    );
  });

  it('are unreadable as cursors of the other kind', () => {
    fc.assert(
      fc.property(syncCursors, pageCursors, (sync, page) => {
        expect(readPageCursor(writeSyncCursor(sync))).toBeUndefined();
        expect(readSyncCursor(writePageCursor(page))).toBeUndefined();
      }),
    );
  });

  it('are unreadable if they are any other text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 2000 }), (text) => {
        expect(readSyncCursor(text)).toBeUndefined();
        expect(readPageCursor(text)).toBeUndefined();
      }),
    );
  });
});

describe('historyOf', () => {
  it('distinguishes the parts, not only their concatenation', () => {
    expect(historyOf('a', 'bc')).not.toBe(historyOf('ab', 'c'));
  });
});
