import { readTrail } from '@pressroom/content/audit';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody, CONTENT } from '../support/content-client.ts';
import { contentCli } from '../support/content-import.ts';
import { send } from '../support/http.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

let content: ContentFixture;
beforeAll(async () => {
  content = await contentFixture({ DESK_KEY });
});
afterAll(() => content.close());

/** Sends a request as the desk does for somebody. */
function desk(path: string, person = 'desk', { headers = {}, ...sending }: Parameters<typeof send>[1] = {}) {
  const named = { 'x-desk-person': encodeURIComponent(person) };
  return send(content.url + path, { ...sending, headers: { 'x-api-key': DESK_KEY, ...named, ...headers } });
}

const write = (method: string, json?: unknown) => ({ method, ...(json !== undefined && { json }) });

test('the desk may do everything, and what is done has the name of the person', async () => {
  const made = await desk('/api/articles', 'Zoë 王', write('POST', articleBody({ is_published: true })));
  expect([made.status, made.body.message]).toEqual([201, 'Article created']);
  const { id } = made.body.data;
  expect((await desk(`/api/articles/${id}`)).body.data.author).toBe('Zoë 王');
  const key = { prefix: 'desk', name: 'Zoë 王' };
  const { body } = await desk(`/api/articles/${id}/revisions`);
  expect(body.data).toMatchObject([{ revision: 1, key }]);

  const copy = `/api/articles/${id}/working-copy`;
  expect((await desk(copy, 'Ada', write('PUT', { title: 'Another' }))).body.data.key.name).toBe('Ada');
  // Ada is named to whoever opens it next, also in lists.
  const seen = { is_current: true, key: { prefix: 'desk', name: 'Ada' }, saved_at: expect.any(String) };
  const query = `?ids=${id}&include=working_copy`;
  expect((await desk(`/api/articles${query}`)).body.data).toMatchObject([{ working_copy: seen }]);
  expect((await desk(`/api/articles/${id}?include=working_copy`)).body.data.working_copy).toEqual(seen);
  expect((await send(`${content.url}/api/articles${query}`)).status).toBe(401);
  expect((await desk(copy, 'Ada', { method: 'DELETE' })).status).toBe(200);
  expect((await desk(`/api/articles${query}`)).body.data).toMatchObject([{ working_copy: null }]);

  expect((await desk(`/api/articles/${id}`, 'Ada', { method: 'DELETE' })).status).toBe(200);
  expect((await desk('/api/trash')).body.data).toMatchObject([{ id, key: { prefix: 'desk', name: 'Ada' } }]);
  const db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool: content.database.pool }) });
  const trail = await readTrail(db, { article: id, limit: 10 });
  expect(trail.map((entry) => [entry.action, entry.key])).toEqual([
    ['article.deleted', 'desk:Ada'],
    ['article.published', 'desk:Zoë 王'],
  ]);
  const { stdout } = await contentCli(content, ['audit', '--key', 'desk:Ada', '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ action: 'article.deleted' });
});

test('a person is named by the desk alone', async () => {
  const { id } = await content.client.article();
  const headers = { 'x-desk-person': 'Mallory' };
  const changed = await content.client.send(`/api/articles/${id}`, {
    ...write('PATCH', { content: `${CONTENT}<p>More</p>` }),
    headers,
  });
  expect(changed.status).toBe(200);
  const { body } = await content.client.send(`/api/articles/${id}/revisions`);
  expect(body.data[0].key).toEqual({ prefix: content.key.slice(3, 11), name: 'Test' });
});

test.each([
  ['a name that is not UTF-8', '%E9'],
  ['no name', ''],
  ['a space', '%20'],
  ['a line break', 'A%0D%0AX-Api-Key:%20x'],
  ['a long name', 'x'.repeat(201)],
])('%s is refused', async (_, name) => {
  const { status, body } = await desk('/api/articles', undefined, { headers: { 'x-desk-person': name } });
  expect([status, body.code, body.detail]).toEqual([
    400,
    'invalid_request',
    'X-Desk-Person must be 1 to 200 visible characters, percent-encoded as UTF-8',
  ]);
});

test.each(['', 'a b', 'x'.repeat(65)])('%j is no account', async (account) => {
  const headers = { 'x-desk-account': account };
  const { status, body } = await desk('/api/articles', undefined, { headers });
  expect([status, body.detail]).toEqual([400, 'X-Desk-Account must be the id of an account']);
});

test.each([DESK_KEY.slice(1), `${DESK_KEY}x`, DESK_KEY.toUpperCase(), 'undefined'])(
  '%s is not the key',
  async (key) => {
    const headers = { 'x-api-key': key, 'x-desk-person': 'Ada' };
    const { status, body } = await send(`${content.url}/api/trash`, { headers });
    expect([status, body.code]).toEqual([403, 'forbidden']);
  },
);

test('the key of the desk is none without a person, nor through a proxy', async () => {
  const proxied = { 'x-desk-person': 'Ada', 'x-forwarded-host': 'site.example' };
  for (const headers of [{}, proxied] as Record<string, string>[]) {
    const answer = await send(`${content.url}/api/trash`, { headers: { 'x-api-key': DESK_KEY, ...headers } });
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
  }
});

test('two keys are accepted while one is rotated', async () => {
  const previous = `${DESK_KEY}-of-before`;
  const other = await contentFixture({ DESK_KEY, DESK_KEY_PREVIOUS: previous });
  const statuses = [DESK_KEY, previous, `${previous}x`].map(async (key) => {
    const headers = { 'x-api-key': key, 'x-desk-person': 'Ada' };
    return (await send(`${other.url}/api/trash`, { headers })).status;
  });
  expect(await Promise.all(statuses)).toEqual([200, 200, 403]);
  await other.close();
});

test('each person has the rate limit of a key, and retries of their own', async () => {
  const idempotent = (person: string) =>
    desk('/api/articles', person, {
      ...write('POST', articleBody()),
      headers: { 'idempotency-key': 'once' },
    });
  const one = await idempotent('Ada');
  expect((await idempotent('Ada')).body.data.id).toBe(one.body.data.id);
  const other = await idempotent('Bea');
  expect(other.body.data.id).not.toBe(one.body.data.id);
  expect(other.headers.get('x-ratelimit-limit')).toBe(one.headers.get('x-ratelimit-limit'));
  expect(Number(other.headers.get('x-ratelimit-remaining'))).toBeGreaterThan(
    Number(one.headers.get('x-ratelimit-remaining')),
  );
});

test('without a key of the desk none is accepted', async () => {
  const other = await contentFixture();
  for (const key of [DESK_KEY, 'undefined', '']) {
    const { status } = await send(`${other.url}/api/trash`, { headers: { 'x-api-key': key } });
    expect(status).toBe(key === '' ? 401 : 403);
  }
  await other.close();
});
