import { expect, test } from 'vitest';
import { composeReport, type Quotable, REPORT_SIZES } from './report.ts';

const CATEGORIES = ['technology', 'research'];

function item(id: string, change: Partial<Quotable> = {}): Quotable {
  const at = new Date('2026-11-20T00:00:00Z');
  return { id, title: id, summary: `about ${id}`, category: 'technology', score: 50, at, ...change };
}

/** A composition with items replaced by their ids. */
function composed(...items: Quotable[]) {
  const { lead, sections, flashes } = composeReport(items, CATEGORIES, REPORT_SIZES.daily);
  const ids = (list: Quotable[]) => list.map(({ id }) => id).join(' ');
  return {
    lead: lead?.id ?? null,
    sections: Object.fromEntries(sections.map((section) => [section.category, ids(section.items)])),
    flashes: ids(flashes),
  };
}

test('the best item leads, and sections follow the order of the categories', () => {
  expect(
    composed(item('a', { category: 'research', score: 90 }), item('b'), item('c', { score: 60 })),
  ).toEqual({
    lead: 'a',
    sections: { technology: 'c b', research: 'a' },
    flashes: '',
  });
});

test('an item without a summary, or without a category of the deployment, is a flash', () => {
  expect(
    composed(
      item('bare', { summary: null, score: 99 }),
      item('blank', { summary: ' ' }),
      item('none', { category: null }),
      item('old', { category: 'withdrawn-category' }),
    ),
  ).toEqual({ lead: 'none', sections: {}, flashes: 'bare blank none old' });
});

test('a section contains eight items; the rest are flashes', () => {
  const items = Array.from({ length: 10 }, (_, index) => item(`i${index}`, { score: 100 - index }));
  expect(composed(...items)).toEqual({
    lead: 'i0',
    sections: { technology: 'i0 i1 i2 i3 i4 i5 i6 i7' },
    flashes: 'i8 i9',
  });
});

test('equal scores are ordered by newest, then by smallest id; unscored items come last', () => {
  const newer = new Date('2026-11-20T01:00:00Z');
  const items = [item('u', { score: null, at: newer }), item('z'), item('n', { at: newer }), item('a')];
  expect(composed(...items).sections.technology).toBe('n a z u');
  expect(composed(...items.toReversed())).toEqual(composed(...items));
});

test('no items make an empty report', () => {
  expect(composed()).toEqual({ lead: null, sections: {}, flashes: '' });
});
