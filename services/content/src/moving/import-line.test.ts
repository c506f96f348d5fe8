import { describe, expect, test } from 'vitest';
import { type ImportedArticle, type LineOptions, readImportLine } from './import-line.ts';

const PLAIN: LineOptions = { truncate: false, exact: false, unchecked: false, author: 'Desk' };

const HTML = `<p>${'Words that make up an article. '.repeat(4)}</p>`;

const read = (more: object = {}, options: Partial<LineOptions> = {}) =>
  readImportLine({ source: 'a/1', title: 'Title', html: HTML, ...more }, undefined, {
    ...PLAIN,
    ...options,
  }) as ImportedArticle;

describe('a line', () => {
  test('is a published article unless it says otherwise, or no date', () => {
    expect(read({ byline: 'Ada\n L', excerpt: 'Short', published_at: '2016-01-02T03:04:05Z' })).toMatchObject(
      {
        source: 'a/1',
        body: { title: 'Title', content: HTML, excerpt: 'Short', author: 'Ada L', is_published: true },
      },
    );
    expect(read()).toMatchObject({
      body: { is_published: false },
      notes: [{ code: 'undated', about: null, text: 'has no date: imported as a draft' }],
    });
    expect(read({ author: 'A' }, { exact: true, unchecked: true })).toMatchObject({
      body: { is_published: true },
      notes: [],
    });
    for (const byline of [undefined, null, '', ' ']) expect(read({ byline }).body.author).toBe('Desk');
    expect(read({ slug: null, tags: null, authors: null, former_slugs: null }).key).toBe(read().key);
    expect(() => read({}, { author: undefined })).toThrow('author: none is named');
  });

  test.each([
    [{}, [undefined, undefined, undefined]],
    [{ published_at: '2016-01-02T03:04:05Z' }, [2016, 2016, 2016]],
    [{ created_at: '2015-01-01T00:00:00Z', published_at: '2016-01-01T00:00:00Z' }, [2015, 2016, 2016]],
    [{ created_at: '2015-01-01T00:00:00Z', updated_at: '2017-01-01T00:00:00Z' }, [2015, 2015, 2017]],
    [{ updated_at: '2017-01-01T00:00:00Z' }, [2017, 2017, 2017]],
  ])('with %j was created, published and changed in %j', (times, years) => {
    const { created_at, published_at, updated_at } = read(times).past;
    expect([created_at, published_at, updated_at].map((time) => time?.getUTCFullYear())).toEqual(years);
  });

  test('shortens what is too long only on request, and says so', () => {
    const long = 'word '.repeat(200).trim();
    const texts = [
      ...['title', 'excerpt', 'alt_text', 'meta_title', 'meta_description'],
      ...['social_title', 'social_description', 'author'],
    ];
    for (const name of texts)
      expect(() => read({ [name]: long })).toThrow(new RegExp(`^${name}: must be at most .*; --truncate`));
    const address = `https://a.example/${'x'.repeat(500)}`;
    const tags = Array.from({ length: 52 }, (_, n) => `t${n}`);
    expect(() => read({ tags })).toThrow('tags: must be at most 50 tags; --truncate keeps the first 50');
    const short = read(
      {
        ...Object.fromEntries(texts.map((name) => [name, long])),
        ...{ featured_image: address, slug: 'ab-'.repeat(40).slice(0, -1), category: { name: long } },
        tags: [{ name: long, description: long }, ...tags.slice(1)],
      },
      { truncate: true },
    );
    expect(short.body).toMatchObject({ excerpt: 'word '.repeat(100).trim(), featured_image: null });
    for (const name of texts) expect(long).toMatch(new RegExp(`^${Reflect.get(short.body, name)}\\b`));
    expect(short.wanted.slug).toBe('ab-'.repeat(33).slice(0, -1));
    expect([short.tags.length, short.tags[0]?.name.length, short.category?.name.length]).toEqual([
      50, 99, 99,
    ]);
    expect(short.notes.map(({ text }) => text)).toEqual([
      'title: shortened to 255 characters',
      'excerpt: shortened to 500 characters',
      'alt_text: shortened to 255 characters',
      'meta_title: shortened to 255 characters',
      'meta_description: shortened to 320 characters',
      'social_title: shortened to 255 characters',
      'social_description: shortened to 500 characters',
      'author: shortened to 255 characters',
      'featured_image: left out, it is longer than 500 characters',
      'slug: shortened to 100 characters',
      'has no date: imported as a draft',
      'category name: shortened to 100 characters',
      'tags t50, t51: left out, an article has at most 50',
      'tag name: shortened to 100 characters',
      'tag description: shortened to 500 characters',
    ]);
  });

  test('is another article where its slug, id, address or date differs', () => {
    const keys = [
      {},
      { slug: 'a' },
      { slug: 'b' },
      { id: 1 },
      { canonical_url: 'https://a.example/' },
      { published_at: '2016-01-01T00:00:00Z' },
      { created_at: '2016-01-01T00:00:00Z' },
    ].map((more) => read(more).key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(read({ published_at: '2016-01-01T01:00:00+01:00' }).key).toBe(keys[5]);
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
    [{ title: 'x', html: HTML, published_at: '0000-01-01T00:00:00+00:01' }, 'published_at: '],
    [{ title: 'x', html: HTML, excerpt: 7 }, 'excerpt: '],
    [{ title: 'x', html: HTML, category: 'a', category_id: 7 }, 'category: does not go with category_id'],
    [{ type: 'page', title: 'x', html: HTML }, 'type: '],
    [{ type: 'tag', title: 'x' }, 'name: '],
  ])('%j is refused with what is wrong', (line, message) => {
    expect(() => readImportLine(line, undefined, PLAIN)).toThrow(message);
  });
});
