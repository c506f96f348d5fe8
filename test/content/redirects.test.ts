import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type ContentFixture,
  contentFixture,
  type RunningContent,
  startContent,
} from '../support/content.ts';
import type { ContentClient } from '../support/content-client.ts';
import { type JsonBody, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const PATH = '/api/redirects';

let content: ContentFixture;
let replica: RunningContent;
let client: ContentClient;
beforeAll(async () => {
  const settings = { CONTENT_SITE_URL: 'https://news.example/daily', CONTENT_ARTICLE_PATH: '/{id}/{slug}/' };
  content = await contentFixture(settings);
  replica = await startContent(content.database.url, settings);
  client = content.client;
});
afterAll(async () => {
  await replica.close();
  await content.close();
});
beforeEach(async () => {
  await content.database.pool.query(
    'delete from content.redirect; delete from content.article where id in (select id from content.article order by id for update); delete from content.category',
  );
});

async function add(from: string, to: string | null, status?: number): Promise<JsonBody> {
  const { status: got, text, body } = await client.post(PATH, { from, to, ...(status && { status }) });
  expect([got, text]).toEqual([201, text]);
  return body.data;
}

/** A site's answer to a request for an address; undefined for 404. */
async function answerOf(address: string): Promise<[number, string | null] | undefined> {
  const { status, text, body } = await client.anonymously(`${PATH}?from=${encodeURIComponent(address)}`);
  expect([status, text]).toEqual([200, text]);
  const [found] = body.data;
  return found?.answer && [found.answer.status, found.answer.location];
}

const faultsOf = async (json: object) => {
  const { status, body } = await client.post(PATH, json);
  return [status, body.errors?.map(({ field, code }: JsonBody) => `${field} ${code}`)];
};

test('an address leads elsewhere, or is gone, until the redirect is changed or removed', async () => {
  const { id } = await add('/old', '/new');
  await add('/campaign', 'https://shop.example/?a=b#c', 302);
  await add('/withdrawn', null, 410);
  expect(await answerOf('/old')).toEqual([301, '/new']);
  expect(await answerOf('/campaign')).toEqual([302, 'https://shop.example/?a=b#c']);
  expect(await answerOf('/withdrawn')).toEqual([410, null]);
  expect(await answerOf('/other')).toBeUndefined();

  const changed = await client.patch(`${PATH}/${id}`, { to: '/newer', status: 302 });
  expect(changed.body.data).toMatchObject({ id, from: '/old', to: '/newer', status: 302, source: 'manual' });
  expect(await answerOf('/old')).toEqual([302, '/newer']);
  expect((await client.delete(`${PATH}/${id}`)).status).toBe(200);
  expect(await answerOf('/old')).toBeUndefined();
  expect((await client.delete(`${PATH}/${id}`)).status).toBe(404);
  expect((await client.patch(`${PATH}/${id}`, { to: '/x' })).status).toBe(404);
});

test('an address is found however it is spelt, with its own query before any', async () => {
  await add('/caf%c3%a9/', '/coffee');
  for (const spelling of ['/café', '/cafe\u0301/', '/caf%C3%A9', '/a/../caf%c3%a9', '/café?utm_source=x'])
    expect([spelling, await answerOf(spelling)]).toEqual([spelling, [301, '/coffee']]);
  expect(await answerOf('/Café')).toBeUndefined();
  await add('/?p=5', '/five');
  expect(await answerOf('/?p=5')).toEqual([301, '/five']);
  expect(await answerOf('/?p=55')).toBeUndefined();
  await add('/a%2Fb', '/slash');
  expect(await answerOf('/a/b')).toBeUndefined();
  await add('/100%', '/all');
  expect(await answerOf('/100%25')).toEqual([301, '/all']);
  await add('/caf%E9', '/latin');
  expect(await answerOf('/caf%e9')).toEqual([301, '/latin']);
  const again = await client.post(PATH, { from: '/cafe%CC%81', to: '/tea' });
  expect([again.status, again.body.code]).toEqual([409, 'redirect_exists']);
});

test('what is no address, or says two things, is refused at its field', async () => {
  for (const from of ['old', 'https://news.example/old', '', ' ', '/a\nb', '/a\0b', `/${'é'.repeat(400)}`])
    expect([from, await faultsOf({ from, to: '/new' })]).toEqual([
      from,
      [422, [expect.stringMatching(/^from /)]],
    ]);
  for (const to of [
    'new',
    '//evil.example/',
    '/\\evil.example/',
    '/..//evil.example/',
    '/%2e%2e//evil.example',
    'javascript:alert(1)',
    'ftp://files.example/',
    'https://ada:secret@site.example/',
    'https://',
    '/a\r\nSet-Cookie: a=b',
  ])
    expect([to, await faultsOf({ from: '/old', to })]).toEqual([to, [422, [expect.stringMatching(/^to /)]]]);
  expect(await faultsOf({ from: '/old' })).toEqual([422, ['to required']]);
  expect(await faultsOf({ from: '/old', to: '/new', status: 410 })).toEqual([422, ['to invalid_value']]);
  expect(await faultsOf({ from: '/old', to: '/new', status: 308 })).toEqual([
    422,
    [expect.stringMatching(/^status /)],
  ]);
  expect((await client.anonymously(`${PATH}?from=old`)).status).toBe(400);
  expect((await client.anonymously(`${PATH}?from=%2Fa%00`)).status).toBe(400);
});

test('what stands in an address as it must not is escaped in the answer', async () => {
  await add('/old', '/neu und <schön>?q="a"');
  expect(await answerOf('/old')).toEqual([301, '/neu%20und%20%3Csch%C3%B6n%3E?q=%22a%22']);
  await add('/other', 'https://straße.example/ü');
  expect(await answerOf('/other')).toEqual([301, 'https://xn--strae-oqa.example/%C3%BC']);
});

test('redirects are followed to their end, and none closes a circle', async () => {
  await add('/a', '/b');
  const b = await add('/b', 'https://news.example/c/?x=1');
  await add('/c', '/d', 302);
  expect(await answerOf('/a')).toEqual([302, '/d']);
  expect(await faultsOf({ from: '/d', to: '/a#top' })).toEqual([422, ['to redirect_loop']]);
  expect(await faultsOf({ from: '/e', to: '/e/?y' })).toEqual([422, ['to redirect_loop']]);
  const { status, body } = await client.patch(`${PATH}/${b.id}`, { to: '/a' });
  expect([status, body.errors[0].code]).toEqual([422, 'redirect_loop']);
  expect(await answerOf('/a')).toEqual([302, '/d']);
  await add('/d', null, 410);
  expect(await answerOf('/a')).toEqual([410, null]);
});

test('two writes at once close no circle together', async () => {
  const tries = Array.from({ length: 10 }, (_, n) => [
    client.post(PATH, { from: `/${n}/a`, to: `/${n}/b` }),
    client.post(PATH, { from: `/${n}/b`, to: `/${n}/a` }),
  ]);
  for (const pair of await Promise.all(tries.map((two) => Promise.all(two))))
    expect(pair.map(({ status }) => status).toSorted()).toEqual([201, 422]);
});

describe('former slugs', () => {
  test('lead to where readers see the article now, unless a person says otherwise', async () => {
    const { id } = await client.article({ title: 'First', is_published: true });
    await client.patch(`/api/articles/${id}`, { slug: 'second' });
    const old = `/daily/${id}/first`;
    expect(await answerOf(`${old}/`)).toEqual([301, `/daily/${id}/second/`]);
    await client.patch(`/api/articles/${id}`, { slug: 'third' });
    expect(await answerOf(old)).toEqual([301, `/daily/${id}/third/`]);
    expect(await answerOf(`/daily/${id + 1}/first`)).toBeUndefined();
    const { body } = await client.anonymously(PATH);
    expect(body.data.map(({ from, source }: JsonBody) => [from, source])).toEqual([
      [`/daily/${id}/second`, 'slug'],
      [old, 'slug'],
    ]);
    const refused = await client.delete(`${PATH}/${body.data[0].id}`);
    expect([refused.status, refused.body.detail]).toEqual([404, expect.stringContaining('follows a slug')]);

    await add('/before', old);
    expect(await answerOf('/before')).toEqual([301, `/daily/${id}/third/`]);
    await add(old, '/elsewhere');
    expect(await answerOf(old)).toEqual([301, '/elsewhere']);
    const froms = (await client.anonymously(PATH)).body.data.map(({ from }: JsonBody) => from);
    expect(froms).toEqual([old, '/before', `/daily/${id}/second`]);

    await client.patch(`/api/articles/${id}`, { is_published: false });
    expect(await answerOf(`/daily/${id}/second`)).toBeUndefined();
  });

  test('are none that only a draft had', async () => {
    const { id } = await client.article({ title: 'Withdrawn', is_published: true });
    const change = (body: object) => client.patch(`/api/articles/${id}`, body);
    const froms = async () => {
      await change({ is_published: true });
      const { data } = (await client.anonymously(PATH)).body;
      return data.map(({ from }: JsonBody) => from.replace(`/daily/${id}/`, ''));
    };
    await change({ is_published: false });
    for (const slug of ['one', 'two', 'final']) await change({ slug });
    expect(await froms()).toEqual(['withdrawn']);
    await change({ is_published: false });
    for (const slug of ['withdrawn', 'three', 'last']) await change({ slug });
    expect(await froms()).toEqual(['withdrawn', 'final']);
  });

  test('of categories and authors too; in a circle, they lead nowhere', async () => {
    const { id } = await client.category({ name: 'Harbour' });
    await client.patch(`/api/categories/${id}`, { slug: 'port' });
    expect(await answerOf('/daily/categories/harbour')).toEqual([301, '/daily/categories/port']);
    await add('/daily/categories/quay', '/daily/categories/port');
    await client.patch(`/api/categories/${id}`, { slug: 'quay' });
    expect(await answerOf('/daily/categories/harbour')).toBeNull();
    const { body } = await client.anonymously(`${PATH}?from=/daily/categories/harbour`);
    expect(body.data).toMatchObject([{ to: '/daily/categories/quay', answer: null }]);
    await client.delete(`/api/categories/${id}`);
    expect((await client.anonymously(`${PATH}?from=/daily/categories/harbour`)).body.data).toEqual([]);
  });
});

test('the list is read page by page, searched, and answers 304 while nothing has changed', async () => {
  for (const n of [1, 2, 3]) await add(`/über-${n}`, `/neu-${n}`);
  const pages: string[][] = [];
  for (let cursor = ''; ; ) {
    const { body } = await client.anonymously(`${PATH}?per_page=2${cursor}`);
    pages.push(body.data.map(({ from }: JsonBody) => from));
    if (body.meta.next_cursor === null) break;
    cursor = `&cursor=${body.meta.next_cursor}`;
  }
  expect(pages).toEqual([['/über-3', '/über-2'], ['/über-1']]);
  for (const [q, count] of [
    ['ÜBER-2', 1],
    ['neu-', 3],
    ['%', 0],
    ['nowhere', 0],
  ] as const)
    expect([q, (await client.anonymously(`${PATH}?q=${encodeURIComponent(q)}`)).body.data.length]).toEqual([
      q,
      count,
    ]);

  const first = await client.anonymously(PATH);
  expect(first.headers.get('cache-control')).toContain('s-maxage=60');
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
  expect((await client.anonymously(PATH, { headers })).status).toBe(304);
  const elsewhere = () => send(`${replica.url}${PATH}?from=/late`);
  expect((await elsewhere()).body.data).toEqual([]);
  await add('/late', '/neu-1');
  expect((await client.anonymously(PATH, { headers })).status).toBe(200);
  await until('the other replica has it', async () => (await elsewhere()).body.data.length === 1);
});

test('the trail says who led what where', async () => {
  const { id } = await add('/trailed', '/a');
  await client.patch(`${PATH}/${id}`, { to: null, status: 410 });
  await client.delete(`${PATH}/${id}`);
  const { body } = await client.send('/api/audit?action=redirect.&per_page=3');
  expect(body.data.map(({ action, detail }: JsonBody) => [action, detail])).toEqual([
    ['redirect.deleted', { id, from_address: '/trailed', to_address: null, status: 410 }],
    ['redirect.changed', { id, from_address: '/trailed', to_address: null, status: 410 }],
    ['redirect.created', { id, from_address: '/trailed', to_address: '/a', status: 301 }],
  ]);
});
