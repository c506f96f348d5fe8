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

test('a file of the gallery, or a folder: the articles that have an address of it, however it is spelled', async () => {
  const { client } = fixture;
  const page = (html: string) => `<p>${'Boats in the harbour. '.repeat(5)}</p>${html}`;
  const of = (title: string, html: string, more = {}) =>
    client.article({ title, content: page(html), is_published: true, ...more });
  const site = 'https://site.example/media';
  await of('Featured', '', { featured_image: `${site}/v0123456789ab/public/pier%20(1).jpg?w=640` });
  await of(
    'Candidates',
    `<img src="${site}/public/a.jpg" srcset="/media/public/pier%20(1).jpg?w=64 64w, /media/public/b.jpg, /media/c.jpg 2x">`,
  );
  await of('Link', `<a href='/media/public/pier%20(1).jpg'>Pier</a>`);
  await of('Older', `<img src="/media/public/2025/h%c3%bc.jpg" alt="">`);
  const { id } = await of('Draft', `<img src="/media/public/pier%20(1).jpg">`, { is_published: false });
  await of('Other', `<img src="/media/public/pier%20(1).jpg.png">/media/ <p>/media/public</p>`);

  const titles = async (path: string, more = '') =>
    (await list(`/api/articles?media=${encodeURIComponent(path)}${more}`))[0];
  expect(await titles('public/pier (1).jpg')).toEqual(['Link', 'Candidates', 'Featured']);
  expect(await titles('public/b.jpg')).toEqual(['Candidates']);
  expect(await titles('c.jpg')).toEqual(['Candidates']);
  expect(await titles('public/2025/hü.jpg')).toEqual(['Older']);
  expect(await titles('public/2025/')).toEqual(['Older']);
  expect(await titles('public/')).toEqual(['Other', 'Older', 'Link', 'Candidates', 'Featured']);
  expect(await titles('public')).toEqual(['Other']);
  expect(await titles('pub/')).toEqual([]);
  expect(await titles('c.jpg\npublic/2025/')).toEqual(['Older', 'Candidates']);

  const drafts = await client.send('/api/articles?media=public/pier%20(1).jpg&status=draft&fields=id,title');
  expect(drafts.body.data).toEqual([{ id, title: 'Draft' }]);
  await client.patch(`/api/articles/${id}`, { featured_image: `${site}/public/b.jpg`, content: page('') });
  const moved = await client.send('/api/articles?media=public/b.jpg&status=all');
  expect(moved.body.data.map(({ title }: { title: string }) => title)).toEqual(['Draft', 'Candidates']);
  await client.patch(`/api/articles/${id}`, { featured_image: null });
  expect((await client.send('/api/articles?media=public/b.jpg&status=draft')).body.data).toEqual([]);
});

test('as many addresses of media as an article can have, of any length', async () => {
  const { client } = fixture;
  const many = Array.from({ length: 20_000 }, (_, index) => `<img src="/media/public/${index}.jpg">`);
  const long = `<img src="/media/public/${'%E6'.repeat(3000)}.jpg">`;
  await client.article({
    title: 'Many',
    content: `<p>${'Words '.repeat(20)}</p>${long}${many.join('')}`,
    is_published: true,
  });
  expect((await list('/api/articles?media=public/19999.jpg'))[0]).toEqual(['Many']);
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
