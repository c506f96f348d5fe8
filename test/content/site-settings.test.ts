import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
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
beforeEach(() =>
  content.database.pool.query(
    'delete from content.redirect; delete from content.former_pattern; delete from content.site',
  ),
);

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

test('readers are told days and times by the zone of the site, in summer and in winter, on every replica', async () => {
  const [summer, winter] = ['2026-06-30T22:30:00.000Z', '2025-12-31T23:30:00.000Z'];
  const { client } = content;
  const { id } = await client.article({ title: 'Hours', is_published: true });
  await client.patch(`/api/articles/${id}`, {
    corrections: [winter, summer].map((at) => ({ at, text: `It was wrong at ${at}.` })),
  });
  const told = async (url: string) => {
    const [{ content_html: html }] = (await send(`${url}/articles/feed.json`)).body.items;
    const { jsonld } = (await send(`${url}/api/articles/${id}?include=jsonld`)).body.data;
    const [, published] =
      /<news:publication_date>([^<]+)/.exec((await send(`${url}/news-sitemap.xml`)).text) ?? [];
    return {
      days: [...html.matchAll(/<time[^>]*>([^<]+)/g)].map(([, day]) => day),
      times: jsonld.correction.map(({ datePublished }: JsonBody) => datePublished),
      published: [jsonld.datePublished, published].map((time) => String(time).slice(23)),
    };
  };
  await set({ language: 'en' });
  expect(await told(content.url)).toEqual({
    ...{ days: ['2025-12-31', '2026-06-30'], times: [winter, summer], published: ['Z', 'Z'] },
  });
  await set({ zone: 'Europe/Berlin' });
  const times = ['2026-01-01T00:30:00.000+01:00', '2026-07-01T00:30:00.000+02:00'];
  for (const { url } of [content, replica]) {
    await until('it goes by the zone', async () => (await told(url)).days.join() === '2026-01-01,2026-07-01');
    const { times: shown, published } = await told(url);
    expect([shown, published]).toEqual([times, [expect.stringMatching(/^\+0[12]:00$/), published[0]]]);
  }
  await set({ zone: 'America/St_Johns' });
  expect((await told(content.url)).times).toEqual([
    '2025-12-31T20:00:00.000-03:30',
    '2026-06-30T20:00:00.000-02:30',
  ]);
  // A site says the days of articles by it, too.
  expect((await send(`${content.url}/articles/feed.json`)).body._site.zone).toBe('America/St_Johns');
  const { status, body } = await desk('PATCH', { zone: '+01:00' });
  expect([status, body.errors]).toMatchObject([422, [{ field: 'zone', code: 'invalid_format' }]]);
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
  expect((await send(content.url + asked)).body.data[0].answer.location).toBe('/read/tides-and-ebbs');
});

describe('addresses that were left', () => {
  const PATHS = '/api/redirects';

  /** A site's answer to a request for an address, as a replica says it; undefined for 404. */
  async function answerOf(address: string, url = content.url) {
    const { body } = await send(`${url}${PATHS}?from=${encodeURIComponent(address)}`);
    const [found] = body.data;
    return found && [found.source, found.answer?.location];
  }

  test('lead to where each page is now, in one step and on every replica, until they hold again', async () => {
    const { id } = await content.client.article({ title: 'Locks', is_published: true });
    await content.client.patch(`/api/articles/${id}`, { slug: 'sluices' });
    await content.client.article({ title: 'Unseen' });
    const harbour = await content.client.category({ name: 'Harbour' });
    expect(await answerOf('/articles/sluices', replica.url)).toBeUndefined();
    await set({ article_path: '/{id}/{slug}/' });
    await set({ url: 'https://site.example/daily', article_path: '/read/{id}', category_path: '/on/{slug}' });

    const now = `/daily/read/${id}`;
    await until(
      'the replica follows',
      async () => (await answerOf('/articles/sluices', replica.url)) !== undefined,
    );
    for (const old of ['/articles/sluices/', '/articles/locks?utm=1', `/${id}/sluices`, `/${id}/locks/`])
      expect([old, await answerOf(old)]).toEqual([old, ['pattern', now]]);
    expect(await answerOf('/categories/harbour')).toEqual(['pattern', '/daily/on/harbour']);
    for (const none of ['/articles/unseen', `/${id + 1}/sluices`, now, '/articles/nothing'])
      expect([none, await answerOf(none)]).toEqual([none, undefined]);

    const { text } = await send(`${content.url}${PATHS}/exports/nginx.conf`);
    expect(text).toContain(`"/articles/locks" "301 ${now}";`);
    const listed: string[] = [];
    for (let cursor: number | null = 2 ** 31 - 1; cursor !== null; ) {
      const { body }: JsonBody = await send(`${content.url}${PATHS}?per_page=2&cursor=${cursor}`);
      listed.push(...body.data.map(({ from }: JsonBody) => from));
      cursor = body.meta.next_cursor;
    }
    expect(listed.filter((from) => /sluices|locks|harbour/.test(from)).toSorted()).toEqual(
      [
        `/${id}/locks`,
        `/${id}/sluices`,
        '/articles/locks',
        '/articles/sluices',
        '/categories/harbour',
      ].toSorted(),
    );
    expect(new Set(listed).size).toBe(listed.length);
    const { body: copy } = await send(`${content.url}/api/sync/snapshot?redirects=true`);
    expect(copy.data.filter(({ kind }: JsonBody) => kind === 'former_pattern')).toEqual(
      expect.arrayContaining([expect.objectContaining({ page: 'article', pattern: '/{id}/{slug}' })]),
    );

    await set({ url: null, article_path: null, category_path: null });
    expect(await answerOf('/articles/sluices')).toBeUndefined();
    expect(await answerOf(now)).toEqual(['pattern', '/articles/sluices']);
    expect(await answerOf('/categories/harbour')).toBeUndefined();
    await content.client.delete(`/api/categories/${harbour.id}`);
  });

  test('yield to pages, and to what a person says', async () => {
    const five = await content.client.article({ title: 'Five', is_published: true });
    const six = await content.client.article({ title: 'Six', slug: String(five.id), is_published: true });
    await set({ article_path: '/articles/{id}' });
    expect(await answerOf(`/articles/${five.id}`)).toBeUndefined();
    expect(await answerOf('/articles/five')).toEqual(['pattern', `/articles/${five.id}`]);
    await content.client.post(PATHS, { from: '/articles/five', to: '/elsewhere' });
    expect(await answerOf('/articles/five')).toEqual(['manual', '/elsewhere']);
    for (const { id } of [five, six]) await content.client.delete(`/api/articles/${id}`);
  });

  test('lead in no circle: what would close one is refused, whichever comes first', async () => {
    const circle = { from: '/read/ships', to: '/articles/ships' };
    const { body } = await content.client.post(PATHS, circle);
    const refused = await desk('PATCH', { article_path: '/read/{slug}' });
    expect([refused.status, refused.body.errors]).toMatchObject([
      422,
      [{ field: 'article_path', code: 'redirect_loop' }],
    ]);
    expect((await desk()).body.data.article_path.value).toBe('/articles/{slug}');
    await content.client.delete(`${PATHS}/${body.data.id}`);
    const answers = await Promise.all([
      desk('PATCH', { article_path: '/read/{slug}' }),
      content.client.post(PATHS, circle),
    ]);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(1);
  });
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
  [{ language: 'English' }, 'language invalid_format'],
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
