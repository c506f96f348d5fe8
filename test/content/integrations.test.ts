import { randomBytes } from 'node:crypto';
import { verifyEvent } from '@pressroom/client/hooks';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type ContentFixture, contentFixture, startContent } from '../support/content.ts';
import { HookReceiver } from '../support/hook-receiver.ts';
import { type Sending, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

let content: ContentFixture;
let receiver: HookReceiver;
beforeAll(async () => {
  receiver = await new HookReceiver().start();
  content = await contentFixture({
    DESK_KEY,
    CONTENT_HOOKS_KEY: randomBytes(32).toString('base64'),
    CONTENT_HOOKS_PRIVATE_HOSTS: '127.0.0.1',
  });
});
beforeEach(() => {
  receiver.received.length = 0;
  receiver.answer = (response) => response.writeHead(204).end('thanks');
});
afterAll(async () => {
  await content.close();
  await receiver.stop();
});

/** Asks as the desk does for an owner, or for somebody of another scope. */
function desk(path: string, method = 'GET', json?: unknown, scope?: string) {
  const headers = {
    'x-api-key': DESK_KEY,
    'x-desk-person': 'Ada',
    ...(scope !== undefined && { 'x-desk-scope': scope }),
  };
  const sending: Sending = { method, headers, ...(json !== undefined && { json }) };
  return send(content.url + path, sending);
}

const withKey = (path: string, key: string, sending: Sending = {}) =>
  send(content.url + path, { ...sending, headers: { 'x-api-key': key } });

const trail = async (action: string) => (await desk(`/api/audit?action=${action}`)).body.data;

test('a key is made once, lists never have it, and a revoked one opens nothing', async () => {
  const made = await desk('/api/keys', 'POST', { name: 'The site', scope: 'published' });
  expect(made.status, made.text).toBe(201);
  expect(made.headers.get('cache-control')).toBe('private, no-store');
  const { key, ...listed } = made.body.data;
  expect(key).toMatch(new RegExp(`^pk_${listed.prefix}_`));
  expect(listed).toMatchObject({
    name: 'The site',
    scope: 'published',
    revoked_at: null,
    last_used_at: null,
  });
  expect((await withKey('/api/articles', key)).status).toBe(200);
  const list = await desk('/api/keys');
  expect(list.text).not.toContain(key);
  const [newest] = list.body.data;
  expect(newest).toEqual({ ...listed, last_used_at: expect.any(String) });
  expect((await desk(`/api/keys/${listed.prefix}`, 'DELETE')).status).toBe(200);
  await until('it opens nothing', async () => (await withKey('/api/articles', key)).status === 403);
  expect((await desk(`/api/keys/${listed.prefix}`, 'DELETE')).status).toBe(404);
  const prefix = listed.prefix;
  expect((await trail('key.'))[0]).toMatchObject({
    action: 'key.revoked',
    key: 'desk:Ada',
    detail: { prefix },
  });
  expect((await trail('key.created'))[0]).toMatchObject({ key: 'desk:Ada', detail: { prefix } });
  expect(JSON.stringify(await trail('key.'))).not.toContain(key);
});

test('a key says what it is for, for one category, and until when', async () => {
  const { id: category_id } = await content.client.category({ name: 'Harbour' });
  const expires_at = '2035-01-31T00:00:00.000Z';
  const body = { name: 'Sport desk', scope: 'write', category_id, expires_at };
  expect((await desk('/api/keys', 'POST', body)).body.data).toMatchObject(body);
  const faults = async (json: object) => {
    const { status, body } = await desk('/api/keys', 'POST', json);
    return [status, body.errors?.map(({ field }: { field: string }) => field)];
  };
  expect(await faults({ ...body, category_id: 9999 })).toEqual([422, ['category_id']]);
  expect(await faults({ ...body, scope: 'read' })).toEqual([422, ['category_id']]);
  expect(await faults({ ...body, scope: 'everything' })).toEqual([422, ['scope']]);
  expect(await faults({ ...body, expires_at: '2001-01-01T00:00:00Z' })).toEqual([422, ['expires_at']]);
  expect(await faults({ ...body, name: ' ' })).toEqual([422, ['name']]);
});

test('keys are managed by owners at the desk, not by keys, nor by others', async () => {
  const key = { name: 'Another', scope: 'full' };
  for (const [method, path] of [
    ['GET', '/api/keys'],
    ['POST', '/api/keys'],
    ['DELETE', '/api/keys/AAAAAAAA'],
  ] as const) {
    const sending = { method, ...(method === 'POST' && { json: key }) };
    const byKey = await withKey(path, content.key, sending);
    expect([byKey.status, byKey.body.code]).toEqual([403, 'insufficient_scope']);
    expect((await desk(path, method, sending.json, 'write')).status).toBe(403);
    expect((await send(content.url + path, sending)).status).toBe(401);
  }
});

test('a hook is added, tested, watched, paused, replayed and removed', async () => {
  const made = await desk('/api/hooks', 'POST', { url: receiver.url, events: ['article.*'] });
  expect(made.status, made.text).toBe(201);
  const { secret, ...hook } = made.body.data;
  expect(hook).toMatchObject({ url: receiver.url, events: ['article.*'], paused_at: null, waiting: 0 });
  expect(hook.last_attempt).toBeNull();
  const { id } = hook;
  const tried = await desk(`/api/hooks/${id}/test`, 'POST');
  expect(tried.status, tried.text).toBe(202);
  const log = async () => (await desk(`/api/hooks/${id}/deliveries`)).body.data;
  const attempt = await until('the test was sent', async () => (await log())[0]);
  const { event_id } = tried.body.data;
  expect(attempt).toMatchObject({ event_id, type: 'hook.test', status: 204, fault: null, fault_code: null });
  const [sent] = receiver.received;
  expect(await verifyEvent(sent?.body ?? '', sent?.headers ?? {}, secret)).toMatchObject({
    type: 'hook.test',
  });

  const paused = await desk(`/api/hooks/${id}`, 'PATCH', { is_paused: true });
  expect(paused.body.data).toMatchObject({ paused_at: expect.any(String), pause_code: 'by_operator' });
  const last_attempt = { ended_at: attempt.ended_at, status: 204, fault_code: null };
  expect(paused.body.data.last_attempt).toEqual(last_attempt);
  const untested = await desk(`/api/hooks/${id}/test`, 'POST');
  expect([untested.status, untested.body.code]).toEqual([409, 'hook_paused']);
  await content.client.publish({ title: 'While it is paused' });
  expect((await desk('/api/hooks')).body.data).toMatchObject([{ id, waiting: 2 }]);
  expect((await desk(`/api/hooks/${id}`, 'PATCH', { is_paused: false })).body.data.paused_at).toBeNull();
  await until('both came', () => receiver.received.length === 3);

  const replayed = await desk(`/api/hooks/${id}/replay`, 'POST', {
    since: hook.created_at ?? '2026-01-01T00:00:00Z',
  });
  expect(replayed.body.data.events).toBeGreaterThanOrEqual(2);
  await until('they came again', () => receiver.received.length >= 5);
  const arrived = receiver.received.length;
  const last = Math.max(...(await log()).map((one: { event_id: number }) => one.event_id));
  const again = (event_id: unknown) =>
    desk(`/api/hooks/${id}/replay`, 'POST', { since: '2026-01-01T00:00:00Z', event_id });
  expect((await again(last)).body.data).toEqual({ events: 1 });
  await until('it came alone', () => receiver.received.length === arrived + 1);
  expect(receiver.received.at(-1)?.event.id).toMatch(new RegExp(`^evt_${last}_`));
  // One of another hook, as a test is not repeated, and none at all.
  expect((await again(event_id)).status).toBe(404);
  expect((await again(2 ** 40)).status).toBe(404);
  expect((await again('1')).status).toBe(422);
  // One about the same article that the hook does not want.
  const { body } = await desk('/api/hooks', 'POST', { url: receiver.url, events: ['article.published'] });
  const created = (
    await content.database.pool.query(
      "select max(id) as id from content.event where type = 'article.created'",
    )
  ).rows[0].id;
  const other = { since: '2026-01-01T00:00:00Z', event_id: Number(created) };
  expect((await desk(`/api/hooks/${body.data.id}/replay`, 'POST', other)).status).toBe(404);
  expect((await desk(`/api/hooks/${body.data.id}`, 'DELETE')).status).toBe(200);
  const rotated = await desk(`/api/hooks/${id}/secret`, 'POST');
  expect(rotated.body.data.secret).not.toBe(secret);
  expect((await desk('/api/hooks')).text).not.toContain('whsec_');
  expect((await desk(`/api/hooks/${id}`, 'DELETE')).status).toBe(200);
  expect((await desk(`/api/hooks/${id}/deliveries`)).status).toBe(404);
  expect((await trail('hook.')).map(({ action, key }: Record<string, string>) => [action, key])).toEqual(
    ['removed', 'rotated', 'removed', 'added', 'resumed', 'paused', 'added'].map((what) => [
      `hook.${what}`,
      'desk:Ada',
    ]),
  );
});

test.each([
  ['http://10.0.0.5/x', 422],
  ['https://[::1]:8443/x', 422],
  // As browsers and the sender read it.
  ['http://2130706434/x', 422],
  ['http://receiver.example/x', 201],
  ['https://localhost/x', 201],
  ['https://8.8.8.8/x', 201],
])(
  'a hook to %s is answered %i: nothing would be sent to a private address without a name',
  async (url, status) => {
    const made = await desk('/api/hooks', 'POST', { url, events: ['tag.deleted'] });
    const faults = [
      { field: 'url', code: 'not_public', message: expect.stringContaining('must have a public address') },
    ];
    expect([made.status, made.body.errors]).toEqual([status, status === 422 ? faults : undefined]);
    if (status === 201) await desk(`/api/hooks/${made.body.data.id}`, 'DELETE');
  },
);

test('what a hook may not be is said at its field', async () => {
  const fault = async (json: object) => {
    const { status, body } = await desk('/api/hooks', 'POST', {
      url: receiver.url,
      events: ['article.*'],
      ...json,
    });
    return [status, body.errors?.[0]?.field];
  };
  expect(await fault({ url: 'ftp://example.org/' })).toEqual([422, 'url']);
  expect(await fault({ url: 'https://ada:secret@example.org/' })).toEqual([422, 'url']);
  expect(await fault({ events: ['article.eaten'] })).toEqual([422, 'events.0']);
  expect(await fault({ events: [] })).toEqual([422, 'events']);
  expect(await fault({ category_id: 9999 })).toEqual([422, 'category_id']);
  expect(
    (await desk('/api/hooks', 'POST', { url: receiver.url, events: ['article.*'] }, 'write')).status,
  ).toBe(403);
  expect((await withKey('/api/hooks', content.key)).status).toBe(200);
});

test('without CONTENT_HOOKS_KEY, hooks are listed, and none is added', async () => {
  const service = await startContent(content.database.url, { DESK_KEY });
  const headers = { 'x-api-key': DESK_KEY, 'x-desk-person': 'Ada' };
  expect((await send(`${service.url}/api/hooks`, { headers })).status).toBe(200);
  const json = { url: receiver.url, events: ['article.*'] };
  const { status, body } = await send(`${service.url}/api/hooks`, { method: 'POST', headers, json });
  expect([status, body.code]).toEqual([409, 'not_configured']);
  await service.close();
});
