import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type ContentFixture,
  contentFixture,
  type RunningContent,
  startContent,
} from '../support/content.ts';
import { type JsonBody, type Sending, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';
const PATH = '/api/site';

let content: ContentFixture;
let replica: RunningContent;
let article: number;
beforeAll(async () => {
  const settings = {
    DESK_KEY,
    CONTENT_SITE_URL: 'https://site.example',
    SITE_NAME: 'Example',
    SITE_FIXED: 'SITE_LOGO, CONTENT_AUTHOR_PATH',
  };
  content = await contentFixture(settings);
  replica = await startContent(content.database.url, settings);
  const { id } = await content.client.article({ title: 'Ships', is_published: true });
  article = id;
});
afterAll(async () => {
  await replica.close();
  await content.close();
});
beforeEach(() => content.database.pool.query('delete from content.site'));

/** Asks as the desk does for an owner. */
function desk(method = 'GET', json?: object, more: Record<string, string> = {}, path = PATH) {
  const headers = { 'x-api-key': DESK_KEY, 'x-desk-person': 'Ada', ...more };
  const sending: Sending = { method, headers, ...(json !== undefined && { json }) };
  return send(content.url + path, sending);
}

async function set(json: object): Promise<JsonBody> {
  const { status, text, body } = await desk('PATCH', json);
  expect([status, text]).toEqual([200, text]);
  return body.data;
}

/** The text of what the other replica answers once it differs from what it has answered before. */
async function newOnReplica(path: string, before: string | null): Promise<string> {
  const headers = { 'if-none-match': before ?? '' };
  return until(`${path} is new`, async () => {
    const { status, text } = await send(replica.url + path, { headers });
    return status === 200 ? text : undefined;
  });
}

test('a name of the desk is in feeds, sitemaps and JSON-LD of every replica, and in the trail', async () => {
  await set({ language: 'en' });
  const jsonLd = `/api/articles/${article}?include=jsonld`;
  const paths = ['/articles/feed.xml', '/articles/feed.atom', '/articles/feed.json', '/news-sitemap.xml'];
  const before = new Map<string, string | null>();
  for (const path of [...paths, jsonLd]) {
    await until(`${path} has the language`, async () => (await send(replica.url + path)).status === 200);
    before.set(path, (await send(replica.url + path)).headers.get('etag'));
    await send(content.url + path);
  }
  await set({ name: 'Harbour <&> Hills', description: 'News of the coast' });
  for (const path of paths) {
    expect((await send(content.url + path)).text).toMatch(/Harbour .{3,20} Hills/);
    expect(await newOnReplica(path, before.get(path) ?? null)).toMatch(/Harbour .{3,20} Hills/);
  }
  expect((await send(`${content.url}/articles/feed.json`)).body).toMatchObject({
    title: 'Harbour <&> Hills',
    description: 'News of the coast',
    language: 'en',
  });
  const told = JSON.parse(await newOnReplica(jsonLd, before.get(jsonLd) ?? null));
  expect(told.data.jsonld).toMatchObject({ publisher: { name: 'Harbour <&> Hills' }, inLanguage: 'en' });
  const [entry] = (await desk('GET', undefined, {}, '/api/audit?action=site.')).body.data;
  expect(entry).toMatchObject({
    action: 'site.changed',
    key: 'desk:Ada',
    detail: { name: 'Harbour <&> Hills', url: null },
  });

  expect((await set({ name: null })).name).toEqual({
    ...{ value: 'Example', made: null, environment: 'Example', variable: 'SITE_NAME', is_fixed: false },
  });
  expect((await send(`${content.url}/articles/feed.json`)).body.title).toBe('Example');
});

test('addresses of the desk are in feeds and sitemaps, and former slugs lead to them', async () => {
  const { id } = await content.client.article({ title: 'Tides', slug: 'tides', is_published: true });
  await content.client.patch(`/api/articles/${id}`, { slug: 'tides-and-ebbs' });
  await set({ url: 'https://NEWS.example/daily/', article_path: '/read/{slug}' });
  const feed = (await send(`${content.url}/articles/feed.json`)).body;
  expect(feed.items[0].url).toBe('https://news.example/daily/read/tides-and-ebbs');
  expect((await send(`${content.url}/sitemap.xml?part=articles-1`)).text).toContain(
    '<loc>https://news.example/daily/read/ships</loc>',
  );
  const asked = '/api/redirects?from=/daily/read/tides';
  expect((await send(content.url + asked)).body.data[0].answer.location).toBe('/daily/read/tides-and-ebbs');
  await set({ url: null });
  expect((await send(content.url + asked)).body.data).toEqual([]);
});

test('new slugs are spelled in the language of the desk', async () => {
  await set({ language: 'de' });
  expect((await content.client.article({ title: 'Über Flüsse' })).slug).toBe('ueber-fluesse');
  expect((await content.client.category({ name: 'Häfen' })).slug).toBe('haefen');
});

test('of two who change them at once, the second is told', async () => {
  await set({ name: 'First' });
  const { headers } = await desk();
  const match = { 'if-match': headers.get('etag') ?? '' };
  const answers = await Promise.all(['Second', 'Third'].map((name) => desk('PATCH', { name }, match)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  const kept = answers.find(({ status }) => status === 200);
  expect((await desk()).body.data.name.value).toBe(kept?.body.data.name.value);
  const again = { 'if-match': kept?.headers.get('etag') ?? '' };
  expect((await desk('PATCH', { name: 'Fourth' }, again)).status).toBe(200);
});

test('what the environment fixes stays, also what was set before', async () => {
  await content.database.pool.query("insert into content.site (author_path) values ('/by/{slug}')");
  expect((await desk()).body.data.author_path).toMatchObject({
    ...{ value: '/authors/{slug}', made: '/by/{slug}', is_fixed: true },
  });
  const { status, body } = await desk('PATCH', { name: 'Half', author_path: null, logo: null });
  expect([status, body.errors.map(({ field, code }: JsonBody) => `${field} ${code}`)]).toEqual([
    422,
    ['logo not_allowed', 'author_path not_allowed'],
  ]);
  expect((await desk()).body.data.name.value).toBe('Example');
});

test.each([
  [{}, ''],
  [{ name: '' }, 'name required'],
  [{ name: 'Two\nlines' }, 'name invalid_characters'],
  [{ name: 'x'.repeat(101) }, 'name too_long'],
  [{ language: 'not a language' }, 'language invalid_format'],
  [{ url: 'javascript:alert(1)' }, 'url invalid_format'],
  [{ url: 'https://user:secret@site.example' }, 'url invalid_format'],
  [{ url: 'https://:secret@site.example' }, 'url invalid_format'],
  [{ url: 'https://site.example/?' }, 'url invalid_format'],
  [{ url: 'https://site.example//other.example' }, 'url invalid_format'],
  [{ article_path: '/articles' }, 'article_path invalid_format'],
  [{ category_path: '//other.example/{slug}' }, 'category_path invalid_format'],
  [{ title: 'Unknown' }, 'title unknown_member'],
])('%j is refused', async (json, fault) => {
  const { status, body } = await desk('PATCH', json);
  expect([status, body.errors?.map(({ field, code }: JsonBody) => `${field} ${code}`)[0]]).toEqual([
    422,
    fault === '' ? expect.anything() : fault,
  ]);
});
