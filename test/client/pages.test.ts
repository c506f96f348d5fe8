import {
  type ArticleOf,
  type ArticlePicture,
  article,
  articleRevisions,
  articles,
  type ChosenArticle,
  contentClient,
  deletedArticles,
  type Fetch,
  type FullArticle,
  folderEntries,
  folderPages,
  galleryClient,
  type ListedArticle,
  mirrorSelected,
  newsFeedClient,
  newsItems,
  plannedArticles,
  type Redirect,
  redirect,
  redirects,
} from '@pressroom/client';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { itemRow, type NewsFeedFixture, newsFeedFixture } from '../support/news-feed.ts';
import { putAll } from '../support/s3/objects.ts';

let content: ContentFixture;
let feed: NewsFeedFixture;
let gallery: GalleryFixture;
beforeAll(async () => {
  [content, feed, gallery] = await Promise.all([contentFixture(), newsFeedFixture(), galleryFixture()]);
});
afterAll(() => Promise.all([content, feed, gallery].map((fixture) => fixture?.close())));

test('every article comes once, also when another is published in between', async () => {
  const site = contentClient({ baseUrl: content.url, headers: { 'X-API-Key': content.key } });
  const publish = async (title: string) => {
    const body = { title, content: `<p>${'word '.repeat(20)}</p>`, is_published: true };
    await site.post('/api/articles', { body });
  };
  for (const title of ['1', '2', '3', '4', '5']) await publish(title);
  const titles: string[] = [];
  for await (const { title } of articles(site, { per_page: 2 })) {
    titles.push(title);
    if (titles.length === 2) await publish('new');
  }
  expect(titles).toEqual(['5', '4', '3', '2', '1']);
});

test('an article has the members that were asked for, in its type too, and no others', async () => {
  const site = contentClient({ baseUrl: content.url, headers: { 'X-API-Key': content.key } });
  const body = { title: 'Asked for', content: `<p>${'word '.repeat(20)}</p>`, is_published: true };
  await site.post('/api/articles', { body });
  expectTypeOf<ArticleOf<string>>().toEqualTypeOf<ChosenArticle>();
  const only = { sort: 'newest', per_page: 1 } as const;

  for await (const article of articles(site, only)) {
    expectTypeOf(article).toEqualTypeOf<ListedArticle>();
    expectTypeOf(article.published_at).toEqualTypeOf<string | null>();
    const names = ['author', 'category', 'excerpt', 'featured_image', 'id', 'published_at', 'slug', 'title'];
    expect(Object.keys(article).sort()).toEqual(names);
    break;
  }
  for await (const article of articles(site, {
    ...only,
    fields: 'title,excerpt',
    include: 'tags,review,picture,category,alt_text',
  })) {
    expectTypeOf<keyof typeof article>().toEqualTypeOf<
      'id' | 'title' | 'excerpt' | 'tags' | 'review' | 'picture' | 'category' | 'alt_text'
    >();
    expectTypeOf(article.alt_text).toEqualTypeOf<string | null>();
    expectTypeOf(article.picture).toEqualTypeOf<ArticlePicture | null>();
    expectTypeOf(article.tags).toEqualTypeOf<{ id: number; name: string; slug: string }[]>();
    const names = ['alt_text', 'category', 'excerpt', 'id', 'picture', 'review', 'tags', 'title'];
    expect(Object.keys(article).sort()).toEqual(names);
    break;
  }
  for await (const article of articles(site, { ...only, fields: 'full' })) {
    expectTypeOf(article).toEqualTypeOf<FullArticle>();
    expectTypeOf<'review' extends keyof FullArticle ? true : false>().toEqualTypeOf<false>();
    expect(article.content).toBe(body.content);
    break;
  }
});

test('an article by its id or slug has what was asked for, in its type too', async () => {
  const site = contentClient({ baseUrl: content.url, headers: { 'X-API-Key': content.key } });
  const { data } = await site.post('/api/categories', { body: { name: 'Of both' } });
  const body = { content: `<p>${'word '.repeat(20)}</p>`, category_id: data.id, is_published: true };
  await site.post('/api/articles', { body: { ...body, title: 'Neighbour' } });
  const { data: created } = await site.post('/api/articles', { body: { ...body, title: 'Read alone' } });

  const asked = await article(site, created.slug, { include: 'related:5,tags' });
  expectTypeOf(asked.related[0]).toExtend<(ListedArticle & { alt_text: string | null }) | undefined>();
  expectTypeOf<'jsonld' extends keyof typeof asked ? true : false>().toEqualTypeOf<false>();
  expectTypeOf<'picture' extends keyof (typeof asked)['related'][0] ? true : false>().toEqualTypeOf<false>();
  expect(asked.related.map(({ title }) => title)).toEqual(['Neighbour']);
  const pictured = await article(site, created.id, { include: 'picture,category,alt_text,related:5' });
  expectTypeOf(pictured.related.map(({ picture }) => picture)).toEqualTypeOf<(ArticlePicture | null)[]>();
  expect([pictured.picture, pictured.related[0]?.picture]).toEqual([null, null]);
  const { series } = await article(site, created.id, { include: 'series' });
  expectTypeOf(series).toExtend<{ position: number; next: { slug: string } | null } | null>();
  expect(series).toBeNull();
  const plain = await article(site, created.id);
  expectTypeOf<'related' extends keyof typeof plain ? true : false>().toEqualTypeOf<false>();
  expect(plain.title).toBe('Read alone');
});

test('revisions, deleted and planned articles come page by page', async () => {
  const site = contentClient({ baseUrl: content.url, headers: { 'X-API-Key': content.key } });
  const { data } = await site.post('/api/articles', {
    body: { title: 'Often changed', content: `<p>${'word '.repeat(20)}</p>` },
  });
  const path = { id: data.id };
  for (let n = 0; n < 24; n += 1) await site.patch('/api/articles/{id}', { path, body: { excerpt: `${n}` } });
  const numbers = await Array.fromAsync(articleRevisions(site, data.id), ({ revision }) => revision);
  expect(numbers).toEqual(Array.from({ length: 25 }, (_, index) => 25 - index));
  await site.post('/api/articles/{id}/revisions/{revision}/restore', { path: { ...path, revision: 2 } });
  await site.delete('/api/articles/{id}', { path });
  expect((await Array.fromAsync(deletedArticles(site)))[0]?.id).toBe(data.id);
  await site.post('/api/articles/{id}/restore', { path });
  expect((await site.get('/api/articles/{id}', { path })).data.excerpt).toBe('0');
  const times = Array.from({ length: 21 }, (_, n) =>
    new Date(Date.now() + (n + 1) * 86_400_000).toISOString(),
  );
  for (const publish_at of times.toReversed()) {
    const body = { title: 'Planned', content: `<p>${'word '.repeat(20)}</p>`, publish_at };
    await site.post('/api/articles', { body });
  }
  expect(await Array.fromAsync(plannedArticles(site), ({ due_at }) => due_at)).toEqual(times);
});

test('redirects come page by page, and a site asks for the one of a request', async () => {
  const site = contentClient({ baseUrl: content.url, headers: { 'X-API-Key': content.key } });
  const froms = Array.from({ length: 1001 }, (_, n) => `/old-${n + 1}`);
  await content.database.pool.query(
    "insert into content.redirect (from_address, to_address, status, source) select unnest($1::text[]), '/new', 301, 'import'",
    [froms.toReversed()],
  );
  await site.post('/api/redirects', { body: { from: '/withdrawn', status: 410 } });

  const all = await Array.fromAsync(redirects(site), ({ from }) => from);
  expect(all).toEqual(['/withdrawn', ...froms]);
  const found = await Array.fromAsync(redirects(site, { q: 'DRAWN' }), ({ status }) => status);
  expect(found).toEqual([410]);

  const answers = ['/old-7/?utm_source=x', '/withdrawn', '/unknown', 'no path', `/${'long'.repeat(600)}`];
  const given = await Promise.all(answers.map(async (from) => (await redirect(site, from))?.answer));
  expectTypeOf<Redirect['answer']>().toEqualTypeOf<
    { status: 301 | 302; location: string } | { status: 410; location: null } | null
  >();
  const gone = { status: 410, location: null };
  expect(given).toEqual([{ status: 301, location: '/new' }, gone, undefined, undefined, undefined]);
  await expect(redirect(site, '/old-7', { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
});

test('news items come along the cursors, and no page is read ahead', async () => {
  const rows = Array.from({ length: 7 }, (_, index) =>
    itemRow(`item ${index}`, { selected: true, published_at: new Date(Date.now() - index * 60_000) }),
  );
  await feed.db.insertInto('news.item').values(rows).execute();
  let requests = 0;
  const send = (url: string, init: RequestInit) => {
    requests += 1;
    return fetch(url, init);
  };
  const site = newsFeedClient({ baseUrl: feed.url, fetch: send });
  const all = await Array.fromAsync(newsItems(site, { mode: 'all', limit: 3 }));
  expect([all.length, new Set(all.map(({ id }) => id)).size, requests]).toEqual([7, 7, 3]);
  const filters = { source: 'Nobody', language: 'pt', story: 'some', q: 'news' };
  expect(await Array.fromAsync(newsItems(site, { mode: 'all', ...filters }))).toEqual([]);
  for await (const item of newsItems(site, { mode: 'all', limit: 3 })) {
    expect(item.id).toBe(all[0]?.id);
    break;
  }
  expect(requests).toBe(5);
});

test('a walk waits for its turn as long as the service says, unless `patience` is shorter', async () => {
  const waits: number[] = [];
  let requests = 0;
  const limited: Fetch = (url, init) => {
    requests += 1;
    if (requests % 2 === 0) return fetch(url, init);
    const document = {
      type: 'about:blank',
      title: 'Later',
      status: 429,
      detail: 'wait',
      code: 'rate_limited',
    };
    return Promise.resolve(Response.json(document, { status: 429, headers: { 'retry-after': '60' } }));
  };
  const wait = async (ms: number) => void waits.push(ms);
  const options = { fetch: limited, retry: { wait, random: () => 0 } };
  const site = contentClient({ baseUrl: content.url, ...options });
  const news = newsFeedClient({ baseUrl: feed.url, ...options });
  const admin = galleryClient({ baseUrl: gallery.url, headers: { cookie: gallery.cookie }, ...options });
  const items = new Map<string, unknown>();
  await Array.fromAsync(articles(site));
  await Array.fromAsync(newsItems(news));
  await Array.fromAsync(folderEntries(admin, 'p'));
  await mirrorSelected(news, {
    readCursor: async () => undefined,
    saveCursor: async () => undefined,
    put: async (changed) => changed.forEach((item) => void items.set(item.id, item)),
    remove: async () => undefined,
    ids: async () => {
      throw new Error('the snapshot has arrived');
    },
  }).catch(() => undefined);
  expect(waits).toEqual([60_000, 60_000, 60_000, 60_000]);
  await expect(Array.fromAsync(articles(site, {}, { patience: 0 }))).rejects.toMatchObject({ status: 429 });
});

test('a folder is read page by page', async () => {
  const names = ['p/1.jpg', 'p/2.jpg', 'p/3.jpg', 'p/sub/x', 'p/z ü+.jpg'];
  await putAll(gallery.s3, gallery.bucket, names);
  const admin = galleryClient({ baseUrl: gallery.url, headers: { cookie: gallery.cookie } });
  const pages = await Array.fromAsync(folderPages(admin, 'p', { maxKeys: 2 }));
  expect(pages.length).toBe(3);
  const entries = await Array.fromAsync(folderEntries(admin, 'p'));
  expect(entries.map(({ path }) => path).sort()).toEqual(names.map((name) => name.replace('x', '')).sort());
});
