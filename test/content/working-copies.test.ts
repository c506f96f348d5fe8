import { ApiKeyStore } from '@pressroom/content/api-keys';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { CONTENT, ContentClient } from '../support/content-client.ts';
import { send } from '../support/http.ts';

let content: ContentFixture;
let client: ContentClient;
beforeAll(async () => {
  content = await contentFixture({ CONTENT_SITE_URL: 'https://site.example' });
  client = content.client;
});
afterAll(() => content.close());

const copyOf = (id: number) => `/api/articles/${id}/working-copy`;
const publish = (id: number, headers = {}) =>
  client.send(`${copyOf(id)}/publish`, { method: 'POST', headers });

/** Everything that shows an article to a reader. */
async function seenByReaders(id: number): Promise<string[]> {
  const { slug } = await client.detail(id);
  const paths = [
    `/api/articles/${id}`,
    `/api/articles/by-slug/${slug}?include=tags,jsonld`,
    '/api/articles?fields=full&cursor=',
    '/api/articles?q=unheard',
    '/api/articles?tag=unheard',
    '/api/tags',
    '/articles/feed.xml',
    '/articles/feed.json',
    '/sitemap.xml?part=articles-1',
    '/api/sync/snapshot?fields=full',
  ];
  return Promise.all(paths.map(async (path) => (await send(content.url + path)).text));
}

test('nobody sees a working copy before it is published, in one commit', async () => {
  await client.post('/api/tags', { name: 'Unheard', slug: 'unheard' });
  const category = (await client.category({ name: 'Unheard' })).id;
  const { id } = await client.article({ title: 'Heard', is_published: true });
  const changes = {
    title: 'Unheard of',
    content: `${CONTENT}<p>Unheard of</p>`,
    category_id: category,
    tags: ['unheard'],
    slug: 'unheard-of',
  };
  const before = await seenByReaders(id);
  const saved = await client.put(copyOf(id), { title: 'First thoughts' });
  expect([saved.status, saved.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  expect((await client.put(copyOf(id), changes)).body.data).toEqual({
    revision: 1,
    is_current: true,
    saved_at: expect.any(String),
    key: { prefix: content.key.slice(3, 11), name: 'Test' },
    changes,
  });
  expect((await client.send(copyOf(id))).body.data.changes).toEqual(changes);
  expect(await seenByReaders(id)).toEqual(before);
  expect((await client.detail(id)).title).toBe('Heard');
  expect((await client.anonymously(copyOf(id))).status).toBe(401);

  // A preview shows what was saved last.
  const { token } = (await client.post(`/api/articles/${id}/previews`, {})).body.data;
  const { category_id, ...readable } = changes;
  const preview = await send(`${content.url}/api/articles/${id}?include=tags&preview=${token}`);
  expect(preview.body.data).toMatchObject({
    ...readable,
    category: { id: category },
    tags: [{ slug: 'unheard' }],
  });
  expect(preview.headers.get('cache-control')).toBe('private, no-store');
  expect((await send(`${content.url}/api/articles/${id}?preview=x`)).body.data.title).toBe('Heard');
  expect(await seenByReaders(id)).toEqual(before);

  const { status, body } = await publish(id);
  expect([status, body.data]).toEqual([200, { id, title: 'Unheard of', slug: 'unheard-of' }]);
  expect(await client.detail(id)).toMatchObject({
    title: 'Unheard of',
    content: changes.content,
    slug: 'unheard-of',
  });
  const { data } = (await client.send(`/api/articles/${id}/revisions`)).body;
  expect(data[0]).toMatchObject({
    revision: 2,
    key: { name: 'Test' },
    changed: ['category_id', 'content', 'slug', 'tags', 'title'],
  });
  expect((await client.send(copyOf(id))).status).toBe(404);
  expect((await publish(id)).status).toBe(404);
});

test('an article that has changed since is not overwritten unseen', async () => {
  const { id } = await client.article({ title: 'Shared', is_published: true });
  await client.put(copyOf(id), { title: 'Mine' });
  await client.patch(`/api/articles/${id}`, { excerpt: 'Theirs' });
  expect((await publish(id)).body).toMatchObject({
    status: 409,
    code: 'article_changed',
    detail: expect.stringContaining('revision 1, now 2'),
  });
  expect((await client.send(copyOf(id))).body.data.is_current).toBe(false);
  expect((await publish(id, { 'if-match': '"other"' })).status).toBe(412);
  const { headers } = await client.send(`/api/articles/${id}`);
  expect((await publish(id, { 'if-match': String(headers.get('etag')) })).status).toBe(200);
  expect(await client.detail(id)).toMatchObject({ title: 'Mine', excerpt: 'Theirs' });
});

test('of two who save, the second sees that there is another, if it asks', async () => {
  const { id } = await client.article({ is_published: true });
  const early = { method: 'PUT', headers: { 'if-match': '"other"' }, json: { title: 'Zero' } };
  expect((await client.send(copyOf(id), early)).status).toBe(412);
  const first = await client.put(copyOf(id), { title: 'One' });
  const read = await client.send(copyOf(id));
  const tags = [first, read].map(({ headers }) => String(headers.get('etag')));
  await client.put(copyOf(id), { title: 'Two' });
  for (const etag of tags) {
    for (const method of ['PUT', 'DELETE']) {
      const json = method === 'PUT' ? { json: { title: 'Three' } } : {};
      const { body } = await client.send(copyOf(id), { method, headers: { 'if-match': etag }, ...json });
      expect([method, body.code]).toEqual([method, 'precondition_failed']);
    }
  }
  expect((await client.delete(copyOf(id))).body.data).toBe(null);
  expect((await client.delete(copyOf(id))).status).toBe(404);
});

test('of two who save a first one at once, one is told, if both ask that there be none', async () => {
  const { id } = await client.article({ is_published: true });
  const first = (title: string) =>
    client.send(copyOf(id), { method: 'PUT', headers: { 'if-none-match': '*' }, json: { title } });
  const titles = ['One', 'Two', 'Three'];
  const answers = await Promise.all(titles.map(first));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412, 412]);
  const saved = titles[answers.findIndex(({ status }) => status === 200)];
  expect((await client.send(copyOf(id))).body.data.changes).toEqual({ title: saved });
  // Whoever asks for nothing replaces what is there.
  expect((await client.put(copyOf(id), { title: 'Four' })).status).toBe(200);
  expect((await first('Five')).body.code).toBe('precondition_failed');
  await client.delete(copyOf(id));
  expect((await first('Six')).status).toBe(200);
});

test('publishing and changing at once end in one of both orders, and nothing is lost', async () => {
  const { id } = await client.article({ title: 'Old', is_published: true });
  await client.put(copyOf(id), { title: 'New' });
  const answers = await Promise.all([
    publish(id),
    client.patch(`/api/articles/${id}`, { excerpt: 'Changed' }),
    publish(id),
  ]);
  const published = answers.filter(({ body }) => body.message === 'Working copy published');
  expect(answers[1]?.status).toBe(200);
  expect(published.length).toBeLessThanOrEqual(1);
  expect(await client.detail(id)).toMatchObject({
    title: published.length === 1 ? 'New' : 'Old',
    excerpt: 'Changed',
  });
  expect((await client.send(copyOf(id))).status).toBe(published.length === 1 ? 404 : 200);
});

test('what cannot be published is said when it is saved, and again when it is published', async () => {
  const category = (await client.category({ name: 'Passing' })).id;
  const { id } = await client.article({ is_published: true });
  for (const [json, field] of [
    [{}, ''],
    [{ title: '' }, 'title'],
    [{ is_published: false }, 'is_published'],
    [{ content: `${CONTENT}<script>` }, 'content'],
    [{ category_id: 999999 }, 'category_id'],
    [{ tags: ['none'] }, 'tags.0'],
  ] as const) {
    const { status, body } = await client.put(copyOf(id), json);
    expect([json, status, body.errors?.[0].field]).toEqual([json, 422, field]);
  }
  const draft = (await client.article({})).id;
  expect((await client.put(copyOf(draft), { title: 'x' })).body).toMatchObject({
    status: 409,
    code: 'not_published',
  });
  expect((await client.put(copyOf(999999), { title: 'x' })).status).toBe(404);

  await client.put(copyOf(id), { category_id: category, slug: 'wanted' });
  await client.delete(`/api/categories/${category}`);
  expect((await publish(id)).body.errors).toMatchObject([{ field: 'category_id', code: 'not_found' }]);
  await client.put(copyOf(id), { slug: 'wanted' });
  await client.publish({ slug: 'wanted' });
  expect((await publish(id)).body).toMatchObject({ status: 409, code: 'slug_taken' });
  await content.database.pool.query(
    `update content.working_copy set changes = jsonb_build_object('content', $2::text) where article_id = $1`,
    [id, `${CONTENT}<script>`],
  );
  expect((await publish(id)).body.code).toBe('unsafe_html');
  await client.patch(`/api/articles/${id}`, { is_published: false });
  await content.database.pool.query(
    `update content.working_copy set changes = '{"title": "x"}' where article_id = $1`,
    [id],
  );
  expect((await publish(id)).body.code).toBe('not_published');
});

test('a writer saves it, an editor publishes it; it comes back with its deleted article', async () => {
  const db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool: content.database.pool }) });
  const other = (await client.category({ name: 'Elsewhere' })).id;
  const keys = new ApiKeyStore(db);
  const writer = new ContentClient(content.url, (await keys.create({ name: 'Writer', scope: 'write' })).key);
  const stranger = new ContentClient(
    content.url,
    (await keys.create({ name: 'Stranger', scope: 'publish', category_id: other })).key,
  );
  const { id } = await client.article({ is_published: true });
  expect((await writer.put(copyOf(id), { title: 'Proposed' })).status).toBe(200);
  expect((await writer.send(`${copyOf(id)}/publish`, { method: 'POST' })).body.code).toBe(
    'insufficient_scope',
  );
  expect((await stranger.put(copyOf(id), { title: 'x' })).body.code).toBe('insufficient_scope');
  expect((await stranger.delete(copyOf(id))).body.code).toBe('insufficient_scope');
  expect((await stranger.send(`${copyOf(id)}/publish`, { method: 'POST' })).body.code).toBe(
    'insufficient_scope',
  );
  await client.delete(`/api/articles/${id}`);
  expect((await client.send(copyOf(id))).status).toBe(404);
  await client.post(`/api/articles/${id}/restore`, {});
  // The restore is a revision, so that it is looked at again.
  expect((await publish(id)).body.code).toBe('article_changed');
  await client.delete(`/api/articles/${id}`);
  await content.database.pool.query('delete from content.deleted_article where article_id = $1', [id]);
  const { rows } = await content.database.pool.query(
    'select from content.working_copy where article_id = $1',
    [id],
  );
  expect(rows).toEqual([]);
});
