import { describe, expect, test } from 'vitest';
import { type ImportedArticle, type LineOptions, readImportLine } from './import-line.ts';

const PLAIN: LineOptions = { truncate: false, exact: false, author: 'Desk' };

const HTML = `<p>${'Words that make up an article. '.repeat(4)}</p>`;

const read = (more: object = {}, options: Partial<LineOptions> = {}) =>
  readImportLine({ source: 'a/1', title: 'Title', html: HTML, ...more }, undefined, {
    ...PLAIN,
    ...options,
  }) as ImportedArticle;

describe('a line', () => {
  test('is a published article unless it says otherwise', () => {
    expect(read({ byline: 'Ada\n L', excerpt: 'Short' })).toMatchObject({
      source: 'a/1',
      body: { title: 'Title', content: HTML, excerpt: 'Short', author: 'Ada L', is_published: true },
    });
    for (const byline of [undefined, null, '', ' ']) expect(read({ byline }).body.author).toBe('Desk');
    expect(() => read({}, { author: undefined })).toThrow('author: none is named');
  });

  test.each([
    [{}, [undefined, undefined, undefined]],
    [{ published_at: '2016-01-02T03:04:05Z' }, [2016, 2016, 2016]],
    [{ created_at: '2015-01-01T00:00:00Z', published_at: '2016-01-01T00:00:00Z' }, [2015, 2016, 2016]],
    [{ created_at: '2015-01-01T00:00:00Z', updated_at: '2017-01-01T00:00:00Z' }, [2015, undefined, 2017]],
    [{ updated_at: '2017-01-01T00:00:00Z' }, [2017, undefined, 2017]],
  ])('with %j was created, published and changed in %j', (times, years) => {
    const { created_at, published_at, updated_at } = read(times).past;
    expect([created_at, published_at, updated_at].map((time) => time?.getUTCFullYear())).toEqual(years);
  });

  test('shortens only the excerpt, and only on request', () => {
    const long = 'word '.repeat(200);
    expect(() => read({ excerpt: long })).toThrow('excerpt: must be at most 500');
    expect(() => read({ title: long, excerpt: long }, { truncate: true })).toThrow('title: ');
    expect(read({ excerpt: long }, { truncate: true }).body.excerpt).toBe('word '.repeat(100).trim());
  });

  test('is the same article when read again, and a different one when it differs', () => {
    expect(read().key).toBe(read({ excerpt: 'other' }, { truncate: true }).key);
    const keys = [{}, { title: 'Other' }, { html: `${HTML} ` }, { source: 'b/1' }, { source: null }].map(
      (more) => read(more).key,
    );
    expect(new Set(keys).size).toBe(5);
    for (const key of keys) expect(key).toMatch(/^import-[\x21-\x7e]{1,240}$/);
  });

  test('has the key that the imports of earlier versions kept', () => {
    expect(
      (readImportLine({ source: 'a/1', title: 'Title', html: HTML }, undefined, PLAIN) as ImportedArticle)
        .key,
    ).toBe('import-ViSaBHZe92_5z_8gXDlb05xF5Ky-VTIRFhS0QNx48b8');
  });

  test.each([
    [null, 'line: '],
    [[], 'line: '],
    [{ html: HTML }, 'title: '],
    [{ title: 'x' }, 'html: is required'],
    [{ title: 'x', html: HTML, content: HTML }, 'html: is required'],
    [{ title: 7, html: HTML }, 'title: '],
    [{ title: 'x', html: HTML, excerpt: 7 }, 'excerpt: '],
    [{ title: 'x', html: HTML, category: 'a', category_id: 7 }, 'category: does not go with category_id'],
    [{ type: 'page', title: 'x', html: HTML }, 'type: '],
    [{ type: 'tag', title: 'x' }, 'name: '],
  ])('%j is refused with what is wrong', (line, message) => {
    expect(() => readImportLine(line, undefined, PLAIN)).toThrow(message);
  });
});
