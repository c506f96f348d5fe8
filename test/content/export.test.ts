import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody, CONTENT } from '../support/content-client.ts';
import { contentCli } from '../support/content-import.ts';

let origin: ContentFixture;
let target: ContentFixture;
beforeAll(async () => {
  [origin, target] = await Promise.all([contentFixture(), contentFixture()]);
});
afterAll(async () => {
  await Promise.all([origin?.close(), target?.close()]);
});

const exported = async (content: ContentFixture) => {
  const { code, stdout, stderr } = await contentCli(content, ['export']);
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^\d+ lines\n$/)]);
  return stdout;
};

const restore = (input: string) => contentCli(target, ['import', '-', '--exact'], { input });

/** The summary of an import of so many articles and terms. */
const counts = (created: number, terms: number, known = 0, knownTerms = 0) =>
  `${created} created, ${known} already there, 0 refused\ncategories, tags, authors and releases: ${terms} created, ${knownTerms} already there\n`;

/** Empties the database that is restored into. */
const empty = () =>
  target.database.pool.query(
    'truncate content.article, content.category, content.tag, content.author, content.series, content.release restart identity cascade',
  );

describe('an export', () => {
  test('is restored in an empty database as it was, and its rows are the same to the API', async () => {
    const { client } = origin;
    const { id: gone } = (await client.post('/api/tags', { name: 'Gone' })).body.data;
    await client.post('/api/tags', { name: 'Kept', description: 'Two\nlines' });
    await client.delete(`/api/tags/${gone}`);
    const placed = { name: 'News', picture: 'https://media.example/news.jpg', position: 3 };
    const category = (await client.post('/api/categories', placed)).body.data;
    await client.patch(`/api/categories/${category.id}`, { slug: 'latest' });
    const article = await client.publish({ title: 'Public', category_id: category.id, tags: ['kept'] });
    const { id } = article.body.data;
    const corrections = [{ at: '2026-03-01T08:00:00.000Z', text: 'Was wrong' }];
    await client.patch(`/api/articles/${id}`, {
      slug: 'public-again',
      excerpt: 'Ä 😀 \u2028 "x"',
      corrections,
    });
    const draft = await client.post('/api/articles', articleBody({ title: 'Follows its title' }));
    const series = (await client.post('/api/series', { name: 'Every day', description: 'One' })).body.data;
    await client.put(`/api/series/${series.id}/articles`, { articles: [draft.body.data.id, id] });

    const first = await exported(origin);
    expect((await restore(first)).stdout).toBe(counts(2, 3));
    expect(await exported(target)).toBe(first);
    expect((await restore(first)).stdout).toBe(counts(0, 0, 2, 3));

    const path = `/api/articles/${id}?include=tags,series`;
    expect((await target.client.send(path)).body).toEqual((await client.send(path)).body);
    const restored = await target.client.anonymously(
      `/api/categories/${category.id}?include=picture,position`,
    );
    expect(restored.body.data).toMatchObject(placed);
    expect((await target.client.anonymously('/api/articles/by-slug/public')).status).toBe(308);
    expect((await target.client.anonymously('/api/categories/by-slug/news')).status).toBe(308);
    const renamed = await target.client.patch(`/api/articles/${draft.body.data.id}`, { title: 'New title' });
    expect(renamed.body.data.slug).toBe('new-title');
    const next = await target.client.publish({ title: 'After the import', tags: ['kept'] });
    expect(next.body.data.id).toBeGreaterThan(draft.body.data.id);
    // Into a database with others, articles come as new ones.
    await target.client.post('/api/categories', { name: 'Another' });
    const other = first.replaceAll('public-again', 'elsewhere').replaceAll('"public"', '"else"');
    const merged = await contentCli(target, ['import', '-'], { input: other });
    expect(merged.stdout).toBe(counts(2, 0, 0, 3));
    const clash = await restore(
      first.replaceAll('public-again', 'yet-another').replaceAll('"public"', '"b"'),
    );
    expect(clash.stdout).toContain('id: another article has this id; restore into an empty database');
  });

  test.skipIf(process.platform !== 'linux')('says in a sentence that the disk is full', async () => {
    await origin.client.post('/api/tags', { name: 'Something' });
    const { code, stderr } = await contentCli(origin, ['export', '/dev/full']);
    expect([code, stderr]).toEqual([1, '/dev/full is not whole: the disk is full\n']);
  });

  const text = fc
    .string({ unit: 'binary', maxLength: 40 })
    .filter((s) => !s.includes('\0') && s.isWellFormed());
  const time = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  // Else the service would see to it at once.
  const ahead = fc.date({ min: new Date('2100-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  const row = fc.record({
    title: text.filter((one) => one !== ''),
    content: text,
    excerpt: fc.option(text),
    featured_image: fc.option(text),
    alt_text: fc.option(text),
    meta_title: fc.option(text),
    meta_description: fc.option(text),
    canonical_url: fc.option(text),
    social_title: fc.option(text),
    social_description: fc.option(text),
    social_image: fc.option(text),
    author: text,
    extra: fc.option(
      fc.dictionary(text, fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }))),
    ),
    is_published: fc.boolean(),
    published_at: time,
    created_at: time,
    updated_at: time,
    slug_is_given: fc.boolean(),
    publish_at: fc.option(ahead),
    unpublish_at: fc.option(ahead),
    release: fc.option(fc.constantFrom('b', 'a')),
    tag_ids: fc.uniqueArray(fc.constantFrom(3, 5, 4), { maxLength: 3 }),
    author_ids: fc.uniqueArray(fc.constantFrom(8, 6), { maxLength: 2 }),
    category_id: fc.option(fc.constantFrom(7, 2)),
  });

  test('restores whatever the database may hold, byte for byte', async () => {
    const { pool } = origin.database;
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 30 }), async (rows) => {
        await pool.query(
          'truncate content.article, content.category, content.tag, content.author, content.series, content.release cascade',
        );
        await pool.query(`insert into content.release (name, publish_at, published_at)
          values ('b', '2101-01-01', null), ('a', null, '2001-01-01')`);
        await pool.query(`insert into content.author (id, name, slug, bio, links) overriding system value
          values (6, 'Same', 'a', null, '[]'), (8, 'Bea', 'b', 'X', '[{"label": "L", "url": "https://a.example"}]')`);
        await pool.query(`insert into content.tag (id, name, slug) overriding system value
          values (3, 'Same', 'a'), (4, 'Same', 'b'), (5, ' ', 'c')`);
        await pool.query(`insert into content.category (id, name, slug) overriding system value
          values (2, 'Same', 'b'), (7, 'Same', 'a')`);
        const whole = rows.map((one, n) => ({ ...one, slug: `s-${n}`, id: 3 * n + 1, title_words: [] }));
        const columns = Object.keys(whole[0] ?? {}).join(', ');
        await pool.query(
          `insert into content.article (${columns}) overriding system value
          select ${columns} from jsonb_populate_recordset(null::content.article, $1)`,
          [JSON.stringify(whole)],
        );
        const first = await exported(origin);
        await empty();
        expect((await restore(first)).stdout).toBe(counts(rows.length, 3 + 2 + 2 + 2));
        expect(await exported(target)).toBe(first);
      }),
      { numRuns: 3 },
    );
  });

  test('is longer than what is read at once, and in order', async () => {
    await origin.database.pool.query(
      'truncate content.article, content.category, content.tag, content.author, content.series, content.release cascade',
    );
    const lines = Array.from({ length: 45 }, (_, n) => JSON.stringify({ title: `No ${n}`, html: CONTENT }));
    await contentCli(origin, ['import', '-', '--author', 'A'], { input: lines.join('\n') });
    const titles = (await exported(origin))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).title);
    expect(titles).toEqual(lines.map((line) => JSON.parse(line).title));
  });
});
