import { expect, test } from 'vitest';
import { readVocabulary } from '../config.ts';
import { importLineJsonSchema, importLineReader } from './importer.ts';

const vocabulary = readVocabulary({ NEWS_CATEGORIES: 'technology,research' });
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

test('an item with only its required members', () => {
  expect(readItem({})()).toEqual({ ...item, publishedAt: new Date('2026-11-20T00:00:00Z') });
});

test.each([
  [{ title: undefined }, 'title: is required'],
  [{ title: ' ' }, 'title: must not be empty'],
  [{ title: 'a\u0000b' }, 'a NUL character'],
  [{ publishedAt: '2026-11-20' }, 'publishedAt: must be a time with its offset'],
  [{ publishedAt: '1969-12-31T23:59:59Z' }, 'publishedAt: must not be before 1970'],
  [
    { links: { original: 'ftp://example.com' } },
    'links.original: must be an absolute http or https URL, not "ftp://example.com"',
  ],
  [{ category: 'sports' }, 'category: must be one of technology, research'],
  [{ directions: ['domestic', 'up'] }, 'directions.1: must be one of domestic, overseas'],
  [{ links: { original: 'https://例子.中国/' } }, 'links.original: must be a URI (RFC 3986): percent-encode'],
  [{ links: { original: `https://a.example/${'e'.repeat(2100)}` } }, 'must be at most 2048 characters long'],
  [{ score: 101 }, 'score: must be a number from 0 to 100, not 101'],
  [{ score: '50' }, 'score: must be a number from 0 to 100, not "50"'],
  [{ title: 7 }, 'title: must be a string, not 7'],
  [{ title: null }, 'title: must be a string, not null'],
  [{ selected: 'yes' }, 'selected: must be true or false, not "yes"'],
  [{ source: 'Source' }, 'source: must be an object, not "Source"'],
  [{ source: [] }, 'source: must be an object, not a list'],
  [{ source: {} }, 'source.name: is required'],
  [{ directions: 'domestic' }, 'directions: must be a list, not "domestic"'],
  [{ publishedAt: 1 }, 'publishedAt: must be a time with its offset, such as 2026-11-20T08:00:00Z, not 1'],
  [{ category: 1 }, 'category: must be one of technology, research, not 1'],
  [{ id: '.' }, 'id: must not be . or ..'],
  [{ id: '..' }, 'id: must not be . or ..'],
  [{ id: 'a/b' }, 'id: must be 1 to 128 visible ASCII characters other than /, not "a/b"'],
  [{ id: 'a b' }, 'id: must be 1 to 128 visible ASCII characters'],
  [{ story: 'a/b' }, 'story: must be 1 to 128 of the characters'],
  [{ story: '..' }, 'story: must not be . or ..'],
  [{ titel: 'x', source: { name: 'x', kind: 1 } }, 'titel: unknown member'],
])('%j is refused: %s', (change, reason) => {
  expect(readItem(change)).toThrow(reason);
});

test.each([0, 50.5, 100, null])('a score of %j is taken', (score) => {
  expect(readItem({ score })()).toMatchObject({ score });
});

test('all errors in a line are reported at once', () => {
  expect(readItem({ title: 1, score: -1 })).toThrow(/title: .*; score: /);
});

test.each([
  ['{', 'the line is not JSON'],
  ['[]', 'line: must be an object, not a list'],
  ['{}', 'type: is required'],
  ['7', 'line: must be an object, not 7'],
  ['{"type":"reset-event","event":{"posts":[{"url":"x"}],"label":"y"}}', 'event.posts.0.url: must be'],
  ['{"type":"reset-event","event":{"label":"y"}}', 'event.label: must be "全员重置" or "发重置卡", not "y"'],
  [
    '{"type":"note"}',
    'type: must be item, story, merge, withdraw, reset-event, reset-activity or reset-state, not "note"',
  ],
])('%s is refused: %s', (line, reason) => {
  expect(() => read(line)).toThrow(reason);
});

test('times in reset records are stored as they are shown', () => {
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
