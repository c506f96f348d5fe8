import { expect, test } from 'vitest';
import { importLineJsonSchema, importLineReader } from './import-line.ts';

const vocabulary = { categories: ['technology', 'research'], directions: ['domestic', 'overseas'] };
const read = importLineReader(vocabulary);

const item = {
  type: 'item',
  title: '标题',
  source: { name: 'Source' },
  links: { original: 'https://example.com/a' },
  publishedAt: '2026-11-20T08:00:00+08:00',
};

function readItem(change: object) {
  return () => read(JSON.stringify({ ...item, ...change }));
}

test('an item with no more than it must have', () => {
  expect(readItem({})()).toEqual({ ...item, publishedAt: new Date('2026-11-20T00:00:00Z') });
});

test.each([
  [{ title: undefined }, 'title: is required'],
  [{ title: ' ' }, 'title: must not be empty'],
  [{ title: 'a\u0000b' }, 'title: holds a NUL character'],
  [{ publishedAt: '2026-11-20' }, 'publishedAt: must be a time with its offset'],
  [{ publishedAt: '1969-12-31T23:59:59Z' }, 'publishedAt: must not be before 1970'],
  [{ links: { original: 'ftp://example.com' } }, 'links.original: must be an absolute http or https URL'],
  [{ category: 'sports' }, 'category: must be one of technology, research'],
  [{ directions: ['domestic', 'up'] }, 'directions.1: must be of domestic, overseas'],
  [{ score: 101 }, 'score: '],
  [{ id: 'a b' }, 'id: must be 1 to 128 visible ASCII characters'],
  [{ story: 'a/b' }, 'story: must be 1 to 128 of the characters'],
  [{ story: '..' }, 'story: must not be . or ..'],
  [{ titel: 'x', source: { name: 'x', kind: 1 } }, 'titel: unknown member'],
])('%j is refused: %s', (change, reason) => {
  expect(readItem(change)).toThrow(reason);
});

test('every fault of a line is named at once', () => {
  expect(readItem({ title: 1, score: -1 })).toThrow(/title: .*; score: /);
});

test.each([
  ['{', 'the line is not JSON'],
  ['[]', 'line: '],
  ['{"type":"note"}', 'type: type must be item, story, merge'],
])('%s is refused: %s', (line, reason) => {
  expect(() => read(line)).toThrow(reason);
});

test('times of reset records are kept as they are shown', () => {
  const activity = {
    id: 'a',
    publishedAt: '2026-11-20T00:00:00Z',
    eventIds: [],
    kind: 'related',
    text: null,
    originalText: 'soon',
    context: [],
    statusChanged: false,
    action: null,
    url: 'https://example.com/a',
  };
  expect(read(JSON.stringify({ type: 'reset-activity', activity }))).toEqual({
    type: 'reset-activity',
    activity: { ...activity, publishedAt: '2026-11-20T08:00:00.000+08:00' },
  });
});

test('the schema names every type of line', () => {
  const schema = JSON.stringify(importLineJsonSchema(vocabulary));
  for (const type of ['item', 'story', 'merge', 'withdraw', 'reset-event', 'reset-activity', 'reset-state']) {
    expect(schema).toContain(`"const":"${type}"`);
  }
});
