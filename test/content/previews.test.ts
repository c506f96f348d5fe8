import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { send } from '../support/http.ts';

let fixture: ContentFixture;
beforeAll(async () => {
  fixture = await contentFixture();
});
afterAll(() => fixture.close());

const NO_ARTICLE = { status: 404, code: 'not_found' };

/** Makes a preview of an article. */
async function preview(id: number, body: object = {}) {
  const answer = await fixture.client.post(`/api/articles/${id}/previews`, body);
  expect(answer.status).toBe(201);
  return answer.body.data as { id: number; token: string; created_at: string; expires_at: string };
}

/** Reads anonymously, without anything that the test's client adds. */
const read = (path: string) => send(fixture.url + path);

test('a link shows one draft as last saved, by id and by slug, privately, until it is revoked', async () => {
  const { client } = fixture;
  const { id, slug } = await client.article({ title: 'Secret draft' });
  const other = await client.article({ title: 'Other draft' });
  const { token, id: made, created_at, expires_at } = await preview(id);
  expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(24 * 3_600_000);
  for (const path of [`/api/articles/${id}`, `/api/articles/by-slug/${slug}`]) {
    expect((await read(path)).body).toMatchObject(NO_ARTICLE);
    const { status, body, headers } = await read(`${path}?preview=${token}`);
    expect([status, body.data.title, body.data.is_published]).toEqual([200, 'Secret draft', false]);
    expect(headers.get('cache-control')).toBe('private, no-store');
    // Not from a cache that the preview has filled.
    expect((await read(path)).body).toMatchObject(NO_ARTICLE);
  }
  await client.patch(`/api/articles/${id}`, { excerpt: 'Saved a moment ago' });
  expect((await read(`/api/articles/${id}?preview=${token}`)).body.data.excerpt).toBe('Saved a moment ago');

  // Of no use for anything else.
  expect((await read(`/api/articles/${other.id}?preview=${token}`)).body).toMatchObject(NO_ARTICLE);
  for (const path of ['/api/articles', '/api/categories', `/api/articles/${id}/previews`]) {
    const { status } = await read(`${path}?preview=${token}`);
    expect([path, status]).toEqual([path, path.endsWith('previews') ? 401 : 400]);
  }
  const asKey = { headers: { 'x-api-key': token } };
  expect((await send(`${fixture.url}/api/articles/${id}`, asKey)).status).toBe(403);

  const listed = await client.send(`/api/articles/${id}/previews`);
  expect(listed.body.data).toEqual([{ id: made, created_at, expires_at }]);
  expect((await client.delete(`/api/articles/${other.id}/previews/${made}`)).status).toBe(404);
  expect((await client.delete(`/api/articles/${id}/previews/${made}`)).status).toBe(200);
  expect((await read(`/api/articles/${id}?preview=${token}`)).body).toMatchObject(NO_ARTICLE);
  expect((await client.send(`/api/articles/${id}/previews`)).body.data).toEqual([]);
  expect((await client.delete(`/api/articles/${id}/previews/${made}`)).status).toBe(404);
});

test('a token that is wrong or has expired shows what anybody sees', async () => {
  const { client, database } = fixture;
  const draft = await client.article({});
  const published = await client.article({ is_published: true });
  const { token, id } = await preview(draft.id, { expires_in: 3600 });
  await database.pool.query(`update content.preview set expires_at = clock_timestamp() where id = $1`, [id]);
  const missing = (await read('/api/articles/999999?preview=x')).body;
  for (const wrong of [token, 'x', '', encodeURIComponent('\u0000é'), token.slice(1)]) {
    const { body } = await read(`/api/articles/${draft.id}?preview=${wrong}`);
    expect({ ...body, detail: '', requestId: '' }).toEqual({
      ...missing,
      detail: '',
      requestId: '',
      instance: body.instance,
    });
    const { status, headers } = await read(`/api/articles/${published.id}?preview=${wrong}`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-store']);
  }
  expect((await read(`/api/articles/${draft.id}?preview=${'x'.repeat(101)}`)).status).toBe(400);
  await preview(draft.id);
  const { rows } = await database.pool.query('select id from content.preview where id = $1', [id]);
  expect(rows).toEqual([]);
});

test('neither the log nor the database has a token', async () => {
  const { id } = await fixture.client.article({});
  const { token } = await preview(id);
  await read(`/api/articles/${id}?preview=${token}`);
  for (const path of [
    '/api/articles/by-slug/nothing',
    `/api/articles/${id}/`,
    `//api/articles/${id}`,
    `/API/articles/${id}`,
    '/api/articles',
    '/nothing',
  ]) {
    await read(`${path}?preview=${token}`);
  }
  const { rows } = await fixture.database.pool.query('select preview::text from content.preview');
  expect(JSON.stringify(rows)).not.toContain(token);
  expect(fixture.log.text()).toContain(`"preview_created"`);
  expect(fixture.log.text()).not.toContain(token);
});

test('the old slug of a published article leads to the current one, with its preview', async () => {
  const { client } = fixture;
  const { id, slug } = await client.article({ title: 'Moved', is_published: true });
  await client.patch(`/api/articles/${id}`, { slug: 'moved-on', is_published: false });
  const { token } = await preview(id);
  const moved = await fetch(`${fixture.url}/api/articles/by-slug/${slug}?preview=${token}`, {
    redirect: 'manual',
  });
  expect([moved.status, moved.headers.get('location'), moved.headers.get('cache-control')]).toEqual([
    308,
    `/api/articles/by-slug/moved-on?preview=${token}`,
    'private, no-store',
  ]);
  expect((await read(`/api/articles/by-slug/${slug}`)).status).toBe(404);
});

test('says what is wrong with a request, and has a limit for each article', async () => {
  const { client, database } = fixture;
  const { id } = await client.article({});
  for (const expires_in of [3599, 2_592_001, 4000.5, '3600', null]) {
    const { status, body } = await client.post(`/api/articles/${id}/previews`, { expires_in });
    expect([status, body.errors?.[0]?.field]).toEqual([422, 'expires_in']);
  }
  expect((await client.post('/api/articles/999999/previews', {})).status).toBe(404);
  await database.pool.query(
    `insert into content.preview (article_id, token_hash, expires_at)
     select $1, sha256(n::text::bytea), now() + interval '1 day' from generate_series(1, 99) as n`,
    [id],
  );
  const many = await Promise.all([1, 2, 3].map(() => client.post(`/api/articles/${id}/previews`, {})));
  expect(many.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  await client.delete(`/api/articles/${id}`);
  const { rows } = await database.pool.query('select 1 from content.preview where article_id = $1', [id]);
  expect(rows).toEqual([]);
});
