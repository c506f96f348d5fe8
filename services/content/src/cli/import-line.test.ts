import { codePoints } from '@pressroom/common/fields/text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LineOptions, readImportLine, truncateAtWord } from './import-line.ts';

const PLAIN: LineOptions = { truncate: false, ignore: [] };

describe('truncateAtWord', () => {
  test.each([
    ['fits', 10, 'fits'],
    ['exactly ten', 11, 'exactly ten'],
    ['one two three', 12, 'one two'],
    ['one two three', 7, 'one two'],
    ['one two three', 8, 'one two'],
    ['one two   three', 10, 'one two'],
    ['one\n\ttwo', 4, 'one'],
    ['unbroken', 4, 'unbr'],
    [' unbroken', 5, ' unbr'],
    ['😀😀 😀😀😀', 4, '😀😀'],
    ['😀😀😀😀', 2, '😀😀'],
    ['日本語の文', 3, '日本語'],
  ])('%j to %i is %j', (text, max, expected) => {
    expect(truncateAtWord(text, max)).toBe(expected);
  });

  test('is the longest prefix of whole words that fits, and is never empty unless the text is', () => {
    const words = fc.array(fc.constantFrom('a', 'word', 'längeres', '😀', '  ', '\n', 'x'.repeat(30)));
    fc.assert(
      fc.property(
        words.map((parts) => parts.join(' ')),
        fc.integer({ min: 1, max: 60 }),
        (text, max) => {
          const short = truncateAtWord(text, max);
          expect(text.startsWith(short)).toBe(true);
          expect(codePoints(short)).toBeLessThanOrEqual(max);
          expect(short.isWellFormed()).toBe(true);
          if (codePoints(text) <= max) expect(short).toBe(text);
          if (codePoints(text) <= max) return;
          const beginning = [...text].slice(0, max).join('');
          if (beginning.trim() !== '') expect(short.trim()).not.toBe('');
          // A word is cut only if it alone is too long.
          const next = text.slice(short.length);
          if (!/^\s/.test(next)) expect(short.trim()).not.toMatch(/\s/);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('readImportLine', () => {
  const line = (more: object = {}) =>
    JSON.stringify({ source: 'a/1', title: 'Title', html: '<p>x</p>', ...more });

  test('is a published article unless it says otherwise', () => {
    const { source, body } = readImportLine(line({ byline: 'Ada', excerpt: 'Short' }), PLAIN);
    expect(source).toBe('a/1');
    expect(body).toEqual({
      title: 'Title',
      content: '<p>x</p>',
      excerpt: 'Short',
      author: 'Ada',
      is_published: true,
    });
  });

  test('has every member that a request can set', () => {
    const more = {
      is_published: false,
      category_id: 7,
      featured_image: 'https://a.example/a.jpg',
      alt_text: 'A',
      meta_title: 'B',
      meta_description: null,
      canonical_url: 'https://a.example/',
      slug: 'title-of-2016',
    };
    expect(readImportLine(line(more), PLAIN).body).toEqual({
      title: 'Title',
      content: '<p>x</p>',
      excerpt: null,
      ...more,
    });
  });

  test.each(['category', 'published_at', 'created_at', 'updated_at'])(
    'is refused with %s, which no request can set, rather than imported without',
    (name) => {
      expect(() => readImportLine(line({ [name]: 'x' }), PLAIN)).toThrow(`${name}: cannot be imported: `);
      expect(readImportLine(line({ [name]: 'x' }), { ...PLAIN, ignore: [name] }).body).not.toHaveProperty(
        name,
      );
    },
  );

  test('is refused with unknown members, unless they are to be ignored', () => {
    const odd = line({ lang: 'en', draft: true });
    expect(() => readImportLine(odd, PLAIN)).toThrow('unknown members: lang, draft; take them out');
    expect(() => readImportLine(odd, { ...PLAIN, ignore: ['lang'] })).toThrow('unknown members: draft;');
    expect(readImportLine(odd, { ...PLAIN, ignore: ['lang', 'draft'] }).body.is_published).toBe(true);
  });

  test('leaves out a missing author', () => {
    for (const byline of [undefined, null, '']) {
      expect(readImportLine(line({ byline }), PLAIN).body).toEqual({
        title: 'Title',
        content: '<p>x</p>',
        excerpt: null,
        is_published: true,
      });
    }
  });

  test('shortens only the excerpt, and only on request', () => {
    const long = 'word '.repeat(200);
    const more = { title: long, html: long, byline: long, excerpt: long };
    expect(readImportLine(line(more), PLAIN).body.excerpt).toBe(long);
    const { body } = readImportLine(line(more), { ...PLAIN, truncate: true });
    expect(body).toMatchObject({ title: long, content: long, author: long.trim() });
    expect(body.excerpt).toBe('word '.repeat(100).trim());
  });

  test('is the same article when read again, and a different one when it differs', () => {
    const keyOf = (more: object, truncate = false) =>
      readImportLine(line(more), { ...PLAIN, truncate }).idempotencyKey;
    expect(keyOf({})).toBe(keyOf({}, true));
    expect(keyOf({})).toBe(keyOf({ excerpt: 'other' }));
    const keys = [{}, { title: 'Other' }, { html: 'other' }, { source: 'b/1' }, { source: null }].map(
      (more) => keyOf(more),
    );
    expect(new Set(keys).size).toBe(5);
    for (const key of keys) expect(key).toMatch(/^[\x21-\x7e]{1,255}$/);
  });

  test.each([
    ['{', 'the line is not JSON'],
    ['null', 'line: '],
    ['[]', 'line: '],
    ['{"html":"x"}', 'title: '],
    ['{"title":"x"}', 'html: '],
    ['{"title":7,"html":"x"}', 'title: '],
    ['{"title":"x","html":"x","excerpt":7}', 'excerpt: '],
  ])('%s is refused with what is wrong', (text, message) => {
    expect(() => readImportLine(text, PLAIN)).toThrow(message);
  });
});
