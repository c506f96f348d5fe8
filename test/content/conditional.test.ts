import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody, type ContentClient, wholeArticle } from '../support/content-client.ts';
import type { Answer } from '../support/http.ts';

const PUBLIC = 'public, max-age=0, s-maxage=60, stale-while-revalidate=60';
const PRIVATE = 'private, no-store';
const VARY = 'X-API-Key, Authorization';

let fixture: ContentFixture;
let client: ContentClient;
/** Something to read at every path. */
let category: number;
let article: number;

beforeAll(async () => {
  fixture = await contentFixture();
  client = fixture.client;
  category = (await client.category({ name: 'Category' })).id;
  article = (await client.article({ category_id: category, is_published: true })).id;
});

afterAll(() => fixture.close());

/** The paths that may be cached. */
const READS: [string, () => string][] = [
  ['the list of articles', () => '/api/articles'],
  ['a page of a category of articles', () => `/api/articles?category_id=${category}&page=1&per_page=5`],
  ['an article', () => `/api/articles/${article}`],
  ['the list of categories', () => '/api/categories'],
  ['a category', () => `/api/categories/${category}`],
];

/** The entity tag of an answer, which must be a strong one. */
function tagOf({ status, headers }: Answer): string {
  expect([200, 304]).toContain(status);
  const etag = headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\x21\x23-\x7e]+"$/);
  return etag;
}

/** The entity tag of `path` as it is now. */
async function tagAt(path: string): Promise<string> {
  return tagOf(await client.send(path));
}

describe.each(READS)('%s', (_what, path) => {
  test('has a strong ETag that stays the same while the body does', async () => {
    const [first, second] = [await client.anonymously(path()), await client.anonymously(path())];
    expect(tagOf(first)).toBe(tagOf(second));
    expect(first.text).toBe(second.text);
  });

  test('is public without a key and private with one, with the same ETag', async () => {
    const anonymous = await client.anonymously(path());
    const keyed = await client.send(path());
    expect(anonymous.headers.get('cache-control')).toBe(PUBLIC);
    expect(keyed.headers.get('cache-control')).toBe(PRIVATE);
    for (const { headers } of [anonymous, keyed]) expect(headers.get('vary')).toBe(VARY);
    expect(tagOf(keyed)).toBe(tagOf(anonymous));
    expect(keyed.text).toBe(anonymous.text);
  });

  test.each([
    ['the tag', (tag: string) => tag],
    ['the weak tag', (tag: string) => `W/${tag}`],
    ['a list', (tag: string) => `"other", W/"and,another",${tag}, "third"`],
    ['any', () => '*'],
  ])('answers 304 to If-None-Match of %s', async (_which, condition) => {
    for (const method of ['GET', 'HEAD']) {
      const etag = tagOf(await client.anonymously(path()));
      const headers = { 'if-none-match': condition(etag) };
      const answer = await client.anonymously(path(), { method, headers });
      expect(answer.status).toBe(304);
      expect(answer.text).toBe('');
      expect(answer.headers.get('etag')).toBe(etag);
      expect(answer.headers.get('cache-control')).toBe(PUBLIC);
      expect(answer.headers.get('vary')).toBe(VARY);
      expect(answer.headers.has('content-type')).toBe(false);
      expect(answer.headers.has('x-request-id')).toBe(true);
      const keyed = await client.send(path(), { method, headers });
      expect([keyed.status, keyed.headers.get('cache-control')]).toEqual([304, PRIVATE]);
    }
  });

  test('answers 200 to If-None-Match of anything else', async () => {
    const etag = await tagAt(path());
    for (const condition of [
      '"other"',
      etag.slice(1, -1),
      etag.slice(0, -1),
      `"x${etag.slice(1)}`,
      '',
      'W/',
      '"*"',
    ]) {
      const { status } = await client.anonymously(path(), { headers: { 'if-none-match': condition } });
      expect(status, condition).toBe(200);
    }
  });

  test('HEAD answers as GET, without the body', async () => {
    const get = await client.anonymously(path());
    const head = await client.anonymously(path(), { method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    for (const name of ['etag', 'cache-control', 'vary', 'content-type']) {
      expect(head.headers.get(name), name).toBe(get.headers.get(name));
    }
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
  });
});

test('the ETag changes with the representation, including neighbours and the category', async () => {
  const tags = new Set([await tagAt(`/api/articles/${article}`)]);
  await client.patch(`/api/articles/${article}`, { excerpt: 'New' });
  tags.add(await tagAt(`/api/articles/${article}`));
  await client.patch(`/api/categories/${category}`, { name: 'Renamed' });
  tags.add(await tagAt(`/api/articles/${article}`));
  await client.article({ title: 'Neighbour', category_id: category, is_published: true });
  tags.add(await tagAt(`/api/articles/${article}`));
  expect(tags.size).toBe(4);
});

test('HEAD of a missing resource answers as GET does', async () => {
  const { status, text, headers } = await client.anonymously('/api/articles/2147483647', { method: 'HEAD' });
  expect([status, text, headers.get('cache-control')]).toEqual([404, '', 'no-store']);
});

test('If-None-Match: * does not match a missing resource', async () => {
  const { id } = await client.article();
  const headers = { 'if-none-match': '*' };
  expect((await client.anonymously(`/api/articles/${id}`, { headers })).status).toBe(404);
});

test('a draft is private, with a tag for its editors', async () => {
  const { id } = await client.article();
  const answer = await client.send(`/api/articles/${id}`);
  tagOf(answer);
  expect(answer.headers.get('cache-control')).toBe(PRIVATE);
  const list = await client.send('/api/articles?status=all');
  expect(list.headers.get('cache-control')).toBe(PRIVATE);
});

test('If-Match still matches when only a neighbour or the category is renamed', async () => {
  const { id: home } = await client.category({ name: 'Home' });
  const inHome = { category_id: home, is_published: true };
  const { id } = await client.article({ title: 'Edited', ...inHome });
  const { id: neighbour } = await client.article({ title: 'Neighbour', ...inHome });
  const path = `/api/articles/${id}`;
  const etag = await tagAt(path);
  const categoryTag = await tagAt(`/api/categories/${home}`);
  await client.patch(`/api/articles/${neighbour}`, { title: 'Renamed neighbour' });
  expect(await tagAt(path)).not.toBe(etag);
  const ofCategory = { method: 'PATCH', json: { name: 'New home' }, headers: { 'if-match': categoryTag } };
  expect((await client.send(`/api/categories/${home}`, ofCategory)).status).toBe(200);
  const edit = { method: 'PATCH', json: { excerpt: 'Mine' }, headers: { 'if-match': etag } };
  expect((await client.send(path, edit)).status).toBe(200);
  expect((await client.send(path, { ...edit, json: { excerpt: 'Later' } })).status).toBe(412);
});

test('a create returns the Location', async () => {
  const made = await client.post('/api/categories', { name: 'Located' });
  expect(made.headers.get('location')).toBe(`/api/categories/${made.body.data.id}`);
});

/** The resources to write, with the bodies of their writes. */
const WRITTEN = [
  {
    what: 'an article',
    make: async () =>
      `/api/articles/${(await client.article({ category_id: category, is_published: true })).id}`,
    put: wholeArticle({ title: 'Put' }),
    patch: { title: 'Patched' },
    other: { alt_text: 'Another editor' },
  },
  {
    what: 'a draft',
    make: async () => `/api/articles/${(await client.article()).id}`,
    put: wholeArticle({ title: 'Put' }),
    patch: { title: 'Patched' },
    other: { alt_text: 'Another editor' },
  },
  {
    what: 'a category',
    make: async () => `/api/categories/${(await client.category({ name: 'Written' })).id}`,
    put: { name: 'Put', description: null },
    patch: { name: 'Patched' },
    other: { description: 'Another editor' },
  },
];

describe.each(WRITTEN)('If-None-Match on $what', ({ make, put, patch }) => {
  test.each([
    ['PUT', put],
    ['PATCH', patch],
    ['DELETE', undefined],
  ] as const)('%s is refused where there is what it names', async (method, json) => {
    const path = await make();
    const read = await client.send(path);
    const etag = tagOf(read);
    for (const condition of ['*', etag, `W/${etag}`, `"other", ${etag}`]) {
      const sent = { method, json, headers: { 'if-none-match': condition } };
      const { status, body } = await client.send(path, sent);
      expect([condition, status, body.code]).toEqual([condition, 412, 'precondition_failed']);
    }
    expect((await client.send(path)).text).toBe(read.text);
    const other = { method, json, headers: { 'if-none-match': '"other"', 'if-match': etag } };
    expect((await client.send(path, other)).status).toBe(200);
  });
});

test('If-None-Match: * makes a release only where there is none', async () => {
  const make = (headers: Record<string, string>) =>
    client.send('/api/releases/only-once', { method: 'PUT', json: { publish_at: null }, headers });
  expect((await make({ 'if-match': '*' })).status).toBe(412);
  expect((await make({ 'if-none-match': '*' })).status).toBe(201);
  expect((await make({ 'if-none-match': '*' })).status).toBe(412);
  expect((await make({})).status).toBe(200);
});

describe.each(WRITTEN)('If-Match on $what', ({ make, put, patch, other }) => {
  const writes = [
    ['PUT', put],
    ['PATCH', patch],
    ['DELETE', undefined],
  ] as const;

  test.each(writes)('%s is made while the tag is current', async (method, json) => {
    for (const condition of [(tag: string) => tag, (tag: string) => `"other", ${tag}`, () => '*']) {
      const path = await make();
      const headers = { 'if-match': condition(await tagAt(path)) };
      expect((await client.send(path, { method, json, headers })).status).toBe(200);
    }
  });

  test.each(writes)('%s is 412 when another editor was first, with nothing changed', async (method, json) => {
    const path = await make();
    const etag = await tagAt(path);
    await client.patch(path, other);
    const before = await client.send(path);
    for (const condition of [
      etag,
      `W/${tagOf(before)}`,
      '"other", "another"',
      tagOf(before).slice(1, -1),
      '',
    ]) {
      const refused = await client.send(path, { method, json, headers: { 'if-match': condition } });
      expect(refused.status, condition).toBe(412);
      expect(refused.body.code).toBe('precondition_failed');
    }
    expect((await client.send(path)).text).toBe(before.text);
  });

  test('every write returns the tag for the next one, and no read takes it for its own', async () => {
    const path = await make();
    const name = path.split('/')[2];
    const made = await client.post(
      `/api/${name}`,
      name === 'articles' ? articleBody({ title: 'Chained' }) : { name: 'Chained' },
    );
    const own = made.headers.get('location') ?? '';
    let etag = made.headers.get('etag') ?? '';
    for (const [method, json] of writes) {
      const asked = await client.send(own, { headers: { 'if-none-match': etag } });
      expect([asked.status, etag], method).toEqual([200, expect.stringMatching(/^"written\.[\w-]{27}"$/)]);
      const answer = await client.send(own, { method, json, headers: { 'if-match': etag } });
      expect(answer.status, method).toBe(200);
      const late = await client.send(own, { method, json, headers: { 'if-match': etag } });
      expect(late.status, method).toBe(method === 'DELETE' ? 404 : 412);
      etag = answer.headers.get('etag') ?? '';
    }
    expect(etag).toBe('');
  });

  test.each(writes)('%s of a missing resource is 404', async (method, json) => {
    const path = (await make()).replace(/\d+$/, '2147483647');
    expect((await client.send(path, { method, json, headers: { 'if-match': '*' } })).status).toBe(404);
  });

  test('of two concurrent PATCHes with the same tag exactly one succeeds', async () => {
    const path = await make();
    const headers = { 'if-match': await tagAt(path) };
    const answers = await Promise.all([
      client.send(path, { method: 'PATCH', json: patch, headers }),
      client.send(path, { method: 'PATCH', json: other, headers }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});
