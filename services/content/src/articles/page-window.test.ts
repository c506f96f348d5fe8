import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pageWindow } from './list.ts';

/** Rows that a page may skip from either end of the list. */
const NEAR = 5000;

describe('pageWindow', () => {
  test('contains the rows of the page, whichever end they are counted from', () => {
    const page = fc.integer({ min: 1, max: 30_000 });
    const perPage = fc.integer({ min: 1, max: 100 });
    const total = fc.integer({ min: 0, max: 1_000_000 });
    fc.assert(
      fc.property(page, perPage, total, (page, perPage, total) => {
        const first = (page - 1) * perPage;
        const rows = Math.max(0, Math.min(perPage, total - first));
        const window = pageWindow({ page, perPage }, total);
        expect(window?.limit ?? 0).toBe(rows);
        if (window === undefined) return;
        if (window.from === 'oldest') expect(window.offset).toBe(total - first - rows);
        else expect(window.offset).toBe(first);
        if (window.from !== 'day') expect(window.offset).toBeLessThanOrEqual(NEAR);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    [{ page: 1, perPage: 20 }, 0, undefined],
    [{ page: 1, perPage: 20 }, 1, { from: 'newest', offset: 0, limit: 1 }],
    [{ page: 2, perPage: 20 }, 20, undefined],
    [{ page: 2, perPage: 20 }, 21, { from: 'newest', offset: 20, limit: 1 }],
    [{ page: 51, perPage: 100 }, 100_000, { from: 'newest', offset: NEAR, limit: 100 }],
    [{ page: 52, perPage: 100 }, 100_000, { from: 'day', offset: 5100, limit: 100 }],
    [{ page: 950, perPage: 100 }, 100_000, { from: 'oldest', offset: NEAR, limit: 100 }],
    [{ page: 949, perPage: 100 }, 100_000, { from: 'day', offset: 94_800, limit: 100 }],
    [{ page: 1000, perPage: 100 }, 100_000, { from: 'oldest', offset: 0, limit: 100 }],
    [{ page: 1001, perPage: 100 }, 100_001, { from: 'oldest', offset: 0, limit: 1 }],
    [{ page: Number.MAX_SAFE_INTEGER, perPage: 100 }, 1_000_000, undefined],
  ] as const)('%o of %i', (page, total, window) => {
    expect(pageWindow(page, total)).toEqual(window);
  });
});
