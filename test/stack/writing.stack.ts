import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { articleBody } from '../support/content-client.ts';
import { send } from '../support/http.ts';
import { ask, needed } from './stack.ts';

let key: Record<string, string>;
let session: Record<string, string>;

beforeAll(async () => {
  key = { 'x-api-key': needed('CONTENT_API_KEY') };
  const json = { username: needed('ADMIN_USERNAME'), password: needed('ADMIN_PASSWORD') };
  const { status, headers } = await ask('/api/login', { method: 'POST', json });
  expect(status).toBe(200);
  session = { cookie: (headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
});

test('an article is created, changed once by the ETag that was read, and deleted', async () => {
  const made = await ask('/api/articles', {
    method: 'POST',
    json: articleBody({ is_published: true }),
    headers: key,
  });
  expect(made.status).toBe(201);
  const path = made.headers.get('location') ?? '';
  const { headers } = await ask(path);
  const change = () =>
    ask(path, {
      method: 'PATCH',
      json: { title: `Changed ${randomUUID()}` },
      headers: { ...key, 'if-match': headers.get('etag') ?? '' },
    });
  expect((await change()).status).toBe(200);
  expect((await change()).status).toBe(412);
  expect((await ask(path, { method: 'DELETE', headers: key })).status).toBe(200);
  expect((await ask(path, { headers: key })).status).toBe(404);
});

test('a file is uploaded where browsers reach the store, listed, read and deleted', async () => {
  const folder = `stack-${randomUUID()}`;
  const asked = { filename: 'hello world.txt', path: folder, contentType: 'text/plain' };
  const { body, status } = await ask('/api/upload', { method: 'POST', json: asked, headers: session });
  expect(status).toBe(200);
  const type = { 'content-type': 'text/plain' };
  expect((await send(body.url, { method: 'PUT', raw: 'Hello', headers: type })).status).toBe(200);
  const listing = await ask(`/api/gallery?json=1&path=${folder}`, { headers: session });
  expect((await send(listing.body.data.files[0].url)).text).toBe('Hello');
  const json = { type: 'folder', path: folder };
  const gone = await ask('/api/gallery/delete', { method: 'POST', json, headers: session });
  expect(gone.status, gone.text).toBe(200);
});
