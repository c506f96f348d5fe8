import { ApiKeyStore } from '@pressroom/content/api-keys';
import { pruneTrail, readTrail } from '@pressroom/content/audit';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody, CONTENT } from '../support/content-client.ts';
import { contentCli, importText } from '../support/content-import.ts';
import { send } from '../support/http.ts';
import { until } from '../support/until.ts';

let fixture: ContentFixture;
let db: Kysely<ContentTables>;
let prefix: string;
beforeAll(async () => {
  fixture = await contentFixture();
  db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool: fixture.database.pool }) });
  prefix = fixture.key.slice(3, 11);
});
afterAll(() => fixture.close());

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();

/** The entries about an article, the oldest first. */
async function trailOf(article: number) {
  return (await readTrail(db, { article, limit: 100 })).toReversed();
}

const actionsOf = async (article: number) => (await trailOf(article)).map(({ action }) => action);

test('says who published, planned, took back and deleted an article, with the request and its address', async () => {
  const headers = { 'x-api-key': fixture.key, 'x-request-id': 'audited' };
  const json = articleBody({ is_published: true, slug: 'audited' });
  const made = await send(`${fixture.url}/api/articles`, { method: 'POST', headers, json });
  const { id } = made.body.data;
  const path = `/api/articles/${id}`;
  const [first] = await trailOf(id);
  expect(first).toMatchObject({
    action: 'article.published',
    key: prefix,
    request_id: 'audited',
    address: '127.0.0.1',
    program: 'pressroom content',
    detail: { slug: 'audited', published_at: expect.any(String) },
  });
  const before = await trailOf(id);
  // Neither reads nor changes of the text are in it, nor what was refused.
  await fixture.client.detail(id);
  await fixture.client.patch(path, { excerpt: 'Changed' });
  await fixture.client.patch(path, { is_published: false, category_id: 999_999 });
  expect(await trailOf(id)).toEqual(before);
  await fixture.client.patch(path, { is_published: false });
  await fixture.client.patch(path, { publish_at: inAnHour() });
  await fixture.database.pool.query('update content.article set publish_at = now() where id = $1', [id]);
  await until('it is published', async () => (await fixture.client.detail(id)).is_published);
  const preview = (await fixture.client.post(`${path}/previews`, {})).body.data.id;
  await fixture.client.post(`${path}/previews`, {});
  await fixture.client.delete(`${path}/previews/${preview}`);
  await fixture.client.delete(path);
  const entries = await trailOf(id);
  expect(entries.map(({ action, key, program }) => [action, key, program])).toEqual([
    ['article.published', prefix, 'pressroom content'],
    ['article.unpublished', prefix, 'pressroom content'],
    ['article.planned', prefix, 'pressroom content'],
    // By hand, and at its time.
    ['article.planned', null, ''],
    ['article.published', null, 'pressroom content'],
    ['preview.created', prefix, 'pressroom content'],
    ['preview.created', prefix, 'pressroom content'],
    ['preview.revoked', prefix, 'pressroom content'],
    ['article.deleted', prefix, 'pressroom content'],
  ]);
  expect(JSON.stringify(entries)).not.toContain(fixture.key);
});

test('a draft costs nothing, and one request does not speak for the next on its connection', async () => {
  const { id } = await fixture.client.article({});
  await fixture.client.patch(`/api/articles/${id}`, { excerpt: 'Changed' });
  expect(await actionsOf(id)).toEqual([]);
  const { rows } = await fixture.database.pool
    .query(
      `begin; select content.written_by('aaaaaaaa', 'r', 'a'); commit; select current_setting('pressroom.key', true) as key`,
    )
    .then((results) => (results as unknown as { rows: { key: string }[] }[]).at(-1) ?? { rows: [] });
  expect(rows).toEqual([{ key: '' }]);
});

test('keys, releases, categories, imports and what SQL does are in it, and the command shows them', async () => {
  const since = new Date();
  const { key } = await new ApiKeyStore(db).create({ name: 'Audited', scope: 'write' });
  const made = key.slice(3, 11);
  await new ApiKeyStore(db).expire(made, new Date(inAnHour()));
  await new ApiKeyStore(db).revoke(made);
  await fixture.client.put('/api/releases/audited', { publish_at: inAnHour() });
  await fixture.client.put('/api/releases/audited', { publish_at: inAnHour() });
  await fixture.client.delete('/api/releases/audited');
  const { id } = await fixture.client.category({ name: 'Audited' });
  await fixture.client.delete(`/api/categories/${id}`);
  const lines = [1, 2].map((n) => JSON.stringify({ title: `Imported ${n}`, html: CONTENT }));
  const { code } = await importText(fixture, lines.join('\n'));
  expect(code).toBe(0);
  const cli = async (...args: string[]) => {
    const { stdout, stderr } = await contentCli(fixture, ['audit', '--json', ...args]);
    expect(stderr).toBe('');
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };
  const entries = (await cli('--since', since.toISOString())).toReversed();
  expect(entries.map(({ action, key: by }) => [action, by])).toEqual([
    ['key.created', null],
    ['key.changed', null],
    ['key.revoked', null],
    ['release.created', prefix],
    ['release.planned', prefix],
    ['release.planned', prefix],
    ['release.deleted', prefix],
    ['category.created', prefix],
    ['category.deleted', prefix],
    ['import', null],
  ]);
  expect(entries[0].detail).toMatchObject({ prefix: made, name: 'Audited', scope: 'write' });
  expect(entries.at(-1)).toMatchObject({ program: 'pressroom content cli', detail: { created: 2 } });
  expect(JSON.stringify(entries)).not.toContain(key);
  expect((await cli('--key', prefix, '--limit', '2')).map(({ action }) => action)).toEqual([
    'category.deleted',
    'category.created',
  ]);
  expect(await cli('--article', '999999')).toEqual([]);
  const table = await contentCli(fixture, ['audit', '--limit', '1']);
  expect(table.stdout).toContain("'import'");
  const wrong = await contentCli(fixture, ['audit', '--since', 'monday']);
  expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('"monday" is not a date')]);
});

test('is kept as long as is said, but never less than 30 days', async () => {
  const { pool } = fixture.database;
  await pool.query(
    `insert into content.audit (at, action, detail)
     select now() - make_interval(days => 40, secs => n), 'old', '{}' from generate_series(1, 2500) as n`,
  );
  const count = async () => (await pool.query(`select count(*)::int as n from content.audit`)).rows[0].n;
  const before = await count();
  expect(await pruneTrail(db, 41)).toBe(0);
  expect(await pruneTrail(db, 39)).toBe(2500);
  expect(await count()).toBe(before - 2500);
  await expect(pruneTrail(db, 29)).rejects.toThrow('last 30 days');
});

test('is read with a key of the scope full alone, in pages', async () => {
  const ask = (query: string, key = fixture.key) =>
    send(`${fixture.url}/api/audit?${query}`, { headers: { 'x-api-key': key } });
  const made = await fixture.client.article({ is_published: true });
  for (const is_published of [false, true, false]) {
    await fixture.client.patch(`/api/articles/${made.id}`, { is_published });
  }
  const actions: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body }: Awaited<ReturnType<typeof ask>> = await ask(
      `article=${made.id}&per_page=1${cursor && `&cursor=${cursor}`}`,
    );
    expect(status).toBe(200);
    actions.push(...body.data.map(({ action }: { action: string }) => action));
    cursor = body.meta.next_cursor;
  }
  expect(actions).toEqual([
    'article.unpublished',
    'article.published',
    'article.unpublished',
    'article.published',
  ]);
  const [entry] = (await ask('action=article.published&per_page=1')).body.data;
  expect(entry).toMatchObject({ article: made.id, key: prefix, program: 'pressroom content' });
  expect((await ask('cursor=1_0')).status).toBe(400);
  const { key: publisher } = await new ApiKeyStore(db).create({ name: 'Publisher', scope: 'publish' });
  expect((await ask('', publisher)).status).toBe(403);
  expect((await send(`${fixture.url}/api/audit`)).status).toBe(401);
});
