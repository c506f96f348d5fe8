import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture, createKey } from '../support/content.ts';
import { articleBody, ContentClient } from '../support/content-client.ts';
import type { JsonBody } from '../support/http.ts';

let fixture: ContentFixture;
beforeAll(async () => {
  fixture = await contentFixture();
});
afterAll(() => fixture.close());

/** Creates an article under an `Idempotency-Key`. */
function create(key: string, more: JsonBody = {}) {
  const headers = { 'idempotency-key': key };
  return fixture.client.send('/api/articles', { method: 'POST', json: articleBody(more), headers });
}

test('a repeated request returns the first article, including its Location', async () => {
  const first = await create('again', { title: 'Again' });
  const second = await create('again', { title: 'Again' });
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body.data).toEqual(first.body.data);
  expect(first.headers.has('idempotent-replayed')).toBe(false);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  for (const { headers, body } of [first, second]) {
    expect(headers.get('location')).toBe(`/api/articles/${body.data.id}`);
  }
});

test('a different order of the members is the same request', async () => {
  const first = await create('order', { title: 'Order', excerpt: 'E' });
  const json = { excerpt: 'E', ...articleBody({ title: 'Order' }) };
  const headers = { 'idempotency-key': 'order' };
  const second = await fixture.client.send('/api/articles', { method: 'POST', json, headers });
  expect(second.body.data.id).toBe(first.body.data.id);
});

test('a key that is reused with a different body is 422, and nothing is created', async () => {
  await create('reused', { title: 'One' });
  const answer = await create('reused', { title: 'Another' });
  expect([answer.status, answer.body.code]).toEqual([422, 'idempotency_key_reused']);
  const { text } = await fixture.client.send('/api/articles?status=all&per_page=100');
  expect(text).not.toContain('"Another"');
});

test('a key is forgotten after 24 hours, and kept until then', async () => {
  const first = await create('old', { title: 'Old' });
  const age = (hours: string) =>
    fixture.database.pool.query(
      `update content.idempotency_key set expires_at = expires_at - $1::interval where key like '% old'`,
      [hours],
    );
  await age('23 hours 50 minutes');
  expect((await create('old', { title: 'Old' })).body.data.id).toBe(first.body.data.id);
  await age('10 minutes');
  const later = await create('old', { title: 'Old' });
  expect([later.status, later.headers.has('idempotent-replayed')]).toEqual([201, false]);
  expect(later.body.data.id).not.toBe(first.body.data.id);
});

test('expired keys are removed as others arrive', async () => {
  for (const key of ['gone-1', 'gone-2', 'gone-3']) await create(key);
  await fixture.database.pool.query(
    `update content.idempotency_key set expires_at = now() where key like '% gone-%'`,
  );
  await create('next');
  const { rows } = await fixture.database.pool.query(
    `select key from content.idempotency_key where key like '% gone-%'`,
  );
  expect(rows).toEqual([]);
});

test('each API key has its own keys, and those of imports are shared', async () => {
  const another = new ContentClient(fixture.url, await createKey(fixture.database, 'Another'));
  const createAs = (client: ContentClient, key: string) =>
    client.send('/api/articles', {
      method: 'POST',
      json: articleBody({ title: `As ${key}` }),
      headers: { 'idempotency-key': key },
    });
  const ids = async (key: string) => {
    const answers = [await createAs(fixture.client, key), await createAs(another, key)];
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    return answers.map(({ body }) => body.data.id);
  };
  expect(new Set(await ids('1')).size).toBe(2);
  expect(new Set(await ids('import-shared')).size).toBe(1);
});

test('an imported article keeps its key permanently', async () => {
  await create('import-abc');
  const { rows } = await fixture.database.pool.query(
    `select expires_at = 'infinity' as "forGood" from content.idempotency_key where key = 'import-abc'`,
  );
  expect(rows).toEqual([{ forGood: true }]);
});

test('a request that was refused leaves its key free', async () => {
  expect((await create('refused', { category_id: 4711 })).status).toBe(422);
  expect((await create('refused', { title: 'Mended' })).status).toBe(201);
});

test('the key of a deleted article is free', async () => {
  const { body } = await create('deleted');
  await fixture.client.delete(`/api/articles/${body.data.id}`);
  expect((await create('deleted', { title: 'Other' })).status).toBe(201);
});

test('an article that is deleted and restored is found again by its key', async () => {
  const { client } = fixture;
  const first = await create('restored', { title: 'Restored' });
  const path = `/api/articles/${first.body.data.id}`;
  await client.send(path, { method: 'DELETE' });
  await client.send(`${path}/restore`, { method: 'POST' });
  const second = await create('restored', { title: 'Restored' });
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  expect(second.body.data.id).toBe(first.body.data.id);
});

test('an earlier build keeps the key of a deleted article for the one that it creates in its place', async () => {
  const { id } = (await create('earlier', { title: 'Earlier' })).body.data;
  const other = (await create('other', { title: 'Other' })).body.data;
  const again = () =>
    fixture.database.pool.query(
      `insert into content.idempotency_key (key, fingerprint, article_id, expires_at)
       select key, fingerprint, $2, expires_at from content.idempotency_key where article_id = $1`,
      [id, other.id],
    );
  await expect(again()).rejects.toThrow('duplicate key');
  await fixture.client.send(`/api/articles/${id}`, { method: 'DELETE' });
  await again();
});

test('the key of a deleted article creates another one, which keeps it', async () => {
  const { client } = fixture;
  const first = await create('replaced', { title: 'Replaced' });
  const path = `/api/articles/${first.body.data.id}`;
  await client.send(path, { method: 'DELETE' });
  const second = await create('replaced', { title: 'Replaced, rewritten' });
  expect(second.status).toBe(201);
  await client.send(`${path}/restore`, { method: 'POST' });
  const again = await create('replaced', { title: 'Replaced, rewritten' });
  expect(again.body.data.id).toBe(second.body.data.id);
  expect(second.body.data.id).not.toBe(first.body.data.id);
});

test('what cannot be restored any more leaves no key', async () => {
  const { client, database } = fixture;
  const { body } = await create('gone', { title: 'Gone' });
  await client.send(`/api/articles/${body.data.id}`, { method: 'DELETE' });
  await database.pool.query('delete from content.deleted_article where article_id = $1', [body.data.id]);
  const { rowCount } = await database.pool.query(
    "select from content.idempotency_key where key like '% gone'",
  );
  expect(rowCount).toBe(0);
});
