import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { type GalleryFixture, galleryFixture, login, startGallery } from '../support/gallery.ts';
import { send } from '../support/http.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

let content: ContentFixture;
let gallery: GalleryFixture;
beforeAll(async () => {
  content = await contentFixture({ DESK_KEY });
  gallery = await galleryFixture({ CONTENT_URL: content.url, DESK_KEY, MEDIA_PUBLIC: 'open/' });
});
afterAll(async () => {
  await gallery?.close();
  await content?.close();
});

const text = (html: string) => `<p>${'Boats in the harbour. '.repeat(5)}</p>${html}`;

/** The articles that another gallery of the same database finds, with these settings. */
async function usesSeenBy(settings: Record<string, string>, paths: string[]) {
  const other = await startGallery({ ...gallery.settings, ...settings });
  const cookie = await login(other.url);
  const { status, body } = await send(`${other.url}/api/gallery/uses`, {
    method: 'POST',
    json: { paths },
    headers: { cookie },
  });
  const log = other.log.text();
  await other.close();
  return { status, data: body.data, log };
}

const ask = (paths: string[]) => gallery.post('/api/gallery/uses', { paths });
const move = (from: string, to: string) => gallery.post('/api/gallery/uses/move', { from, to });

test('articles that show a file are named, drafts too, and a new name is written into them', async () => {
  const { client } = content;
  const image = 'https://site.example/media/public/pier%20(1).jpg';
  const one = await client.article({
    title: 'One',
    content: text(''),
    featured_image: `${image}?w=640`,
    is_published: true,
  });
  const short = { title: 'Two', content: `<img src="${image}" alt="">`, social_image: image };
  const two = (await client.post('/api/drafts', short)).body.data;
  await client.article({
    title: 'Three',
    content: text(''),
    featured_image: 'https://site.example/media/public/pier.jpg',
  });

  const { body } = await ask(['public/pier (1).jpg']);
  expect(body.data).toEqual({
    isKnown: true,
    canChange: true,
    articles: [
      { id: two.id, title: 'Two', isPublished: false },
      { id: one.id, title: 'One', isPublished: true },
    ],
    hasMore: false,
  });
  expect((await ask(['public/'])).body.data.articles).toHaveLength(3);
  expect((await ask(['public/gone.jpg'])).body.data.articles).toEqual([]);

  const moved = await move('public/pier (1).jpg', 'public/old/pier & mole.jpg');
  expect(moved.body.data).toEqual({ changed: 2, failed: [], hasMore: false });
  const now = 'https://site.example/media/public/old/pier%20%26%20mole.jpg';
  const read = async (id: number) => (await client.send(`/api/articles/${id}`)).body.data;
  expect((await read(one.id)).featured_image).toBe(`${now}?w=640`);
  expect(await read(two.id)).toMatchObject({ content: `<img src="${now}" alt="">`, social_image: now });
  expect((await move('public/pier (1).jpg', 'public/old/pier & mole.jpg')).body.data.changed).toBe(0);
  expect((await move('public/old/', 'public/')).body.data).toEqual({
    changed: 2,
    failed: [],
    hasMore: false,
  });
  expect((await read(one.id)).featured_image).toBe(
    'https://site.example/media/public/pier%20%26%20mole.jpg?w=640',
  );
});

test('an article that cannot be changed is named, and the others are', async () => {
  const { client, database } = content;
  const image = 'https://site.example/media/notes/a.jpg';
  const old = await client.article({ title: 'Old', content: text(`<img src="${image}">`) });
  await client.article({ title: 'New', content: text(`<img src="${image}">`) });
  // As a rule has changed since it was written.
  await database.pool.query(
    `update content.article set content = content || '<script></script>' where id = $1`,
    [old.id],
  );
  const { body } = await move('notes/a.jpg', 'notes/b.jpg');
  expect(body.data).toEqual({
    changed: 1,
    failed: [
      { id: old.id, title: 'Old', code: expect.any(String), message: expect.stringContaining('script') },
    ],
    hasMore: false,
  });
});

test('an address that readers can open is never changed for one that they cannot', async () => {
  const { client } = content;
  const shown = (path: string) => `https://site.example/media/open/${path}`;
  const { id } = await client.article({
    title: 'Harbour',
    content: text(`<img src="${shown('sub/pier.jpg')}">`),
    featured_image: shown('pier.jpg'),
    is_published: true,
  });
  const read = async () => (await client.send(`/api/articles/${id}`)).body.data;
  const left = {
    ...{ changed: 0, hasMore: false },
    failed: [{ id, title: 'Harbour', code: 'not_public', message: expect.stringContaining('public folder') }],
  };
  expect((await move('open/pier.jpg', 'harbour/pier.jpg')).body.data).toEqual(left);
  expect((await move('open/', 'harbour/')).body.data).toEqual(left);
  expect((await read()).featured_image).toBe(shown('pier.jpg'));

  expect((await move('open/sub/', 'open/other/')).body.data.changed).toBe(1);
  expect(await read()).toMatchObject({
    content: expect.stringContaining(shown('other/pier.jpg')),
    featured_image: shown('pier.jpg'),
  });
});

test('more paths than a URL takes', async () => {
  const { client } = content;
  await client.article({ title: 'Last', content: text('<img src="/media/many/999.jpg">') });
  const paths = Array.from({ length: 1000 }, (_, index) => `many/${index}.jpg`);
  const long = Array.from({ length: 9 }, (_, index) => `many/${'文'.repeat(300)}${index}.jpg`);
  expect((await ask(paths)).body.data.articles.map(({ title }: { title: string }) => title)).toEqual([
    'Last',
  ]);
  expect((await ask([...long, 'many/999.jpg'])).body.data.articles).toHaveLength(1);
});

test('without a key published articles are named; without an answer nothing is said, and nothing fails', async () => {
  const { client } = content;
  const image = { content: text('<img src="/media/press/a.jpg">') };
  await client.article({ title: 'Draft', ...image });
  await client.article({ title: 'Published', ...image, is_published: true });
  const anonymous = await usesSeenBy({ CONTENT_URL: content.url, DESK_KEY: '' }, ['press/a.jpg']);
  expect(anonymous.data).toMatchObject({
    isKnown: true,
    canChange: false,
    articles: [{ title: 'Published' }],
  });

  const nobody = `http://127.0.0.1:${await findFreePort()}`;
  const settings: Record<string, string>[] = [
    { CONTENT_URL: '' },
    { CONTENT_URL: nobody },
    { DESK_KEY: 'a-key-that-content-does-not-know-at-all' },
  ];
  for (const one of settings) {
    const { status, data, log } = await usesSeenBy(one, ['press/a.jpg']);
    expect([status, data.isKnown]).toEqual([200, false]);
    expect(log).not.toContain('a-key-that-content');
  }
});

test('what cannot be asked', async () => {
  expect((await ask([])).status).toBe(400);
  expect((await move('a.jpg', 'b/')).status).toBe(400);
  expect((await move('a.jpg', '')).status).toBe(400);
});
