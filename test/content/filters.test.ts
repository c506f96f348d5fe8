import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';

let fixture: ContentFixture;
beforeAll(async () => {
  fixture = await contentFixture();
});
afterAll(() => fixture.close());

/** The titles of a list, and its meta. */
async function list(path: string) {
  const { status, body } = await fixture.client.anonymously(path);
  expect(status).toBe(200);
  return [(body.data.articles ?? body.data).map(({ title }: { title: string }) => title), body.meta];
}

const meta = (total: number) => ({ page: 1, per_page: 20, total, total_pages: Math.ceil(total / 20) });

test('an author, alone and in a category, drafts left out', async () => {
  const { client } = fixture;
  const { id: category_id } = await client.category({ name: 'Engines' });
  await client.article({ title: 'Notes', author: 'Ada', category_id, is_published: true });
  await client.article({ title: 'Letters', author: 'Ada', is_published: true });
  await client.article({ title: 'Compilers', author: 'Grace', category_id, is_published: true });
  await client.article({ title: 'Draft', author: 'Ada', category_id });

  expect(await list('/api/articles?author=Ada')).toEqual([['Letters', 'Notes'], meta(2)]);
  expect(await list(`/api/articles?author=Ada&category_id=${category_id}`)).toEqual([['Notes'], meta(1)]);
  expect(await list(`/api/categories/${category_id}?author=Grace`)).toEqual([['Compilers'], meta(1)]);
  expect(await list('/api/articles?author=ada')).toEqual([[], meta(0)]);
  const drafts = await client.send('/api/articles?author=Ada&status=draft');
  expect([drafts.body.data[0].title, drafts.body.meta]).toEqual(['Draft', meta(1)]);
});

test('a list that is too long to be counted says so, and which page is too far', async () => {
  const { client, database } = fixture;
  await database.pool.query(
    `insert into content.article (title, title_words, slug, content, author, is_published, published_at)
     select 'Many', '{}', 'many-' || n, repeat('word ', 20), 'Many', true, now() - n * interval '1 minute'
     from generate_series(1, 10010) as n`,
  );
  const first = await client.anonymously('/api/articles?author=Many&per_page=100');
  expect(first.body.meta).toEqual({
    page: 1,
    per_page: 100,
    total: 10_001,
    total_pages: 101,
    total_is_exact: false,
  });
  const far = await client.anonymously('/api/articles?author=Many&per_page=100&page=102');
  expect([far.status, far.body.detail]).toEqual([400, expect.stringContaining('use cursor')]);
});
