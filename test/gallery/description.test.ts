import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { type JsonBody, send } from '../support/http.ts';

let gallery: GalleryFixture;
let description: JsonBody;
beforeAll(async () => {
  gallery = await galleryFixture();
  description = (await send(`${gallery.url}/openapi.json`)).body;
});
afterAll(() => gallery.close());

/** The twelve endpoints of `docs/spec/gallery-admin.md`. */
const ENDPOINTS = [
  ['post', '/api/login'],
  ['post', '/api/logout'],
  ['post', '/api/upload'],
  ['post', '/api/upload/multipart'],
  ['get', '/api/proxy'],
  ['get', '/api/settings/buckets'],
  ['post', '/api/settings/buckets'],
  ['get', '/api/gallery'],
  ['post', '/api/gallery'],
  ['post', '/api/gallery/delete'],
  ['post', '/api/gallery/batch'],
  ['get', '/api/gallery/folder-preview'],
] as const;

test.each(ENDPOINTS)('%s %s is described, and needs the session unless it is the login', (method, path) => {
  const operation = description.paths[path]?.[method];
  expect(operation?.summary).toEqual(expect.any(String));
  const isLogin = path === '/api/login';
  expect(operation.security).toEqual(isLogin ? [] : [{ session: [] }]);
  expect(Object.keys(operation.responses)).toContain('401');
});

test.each(ENDPOINTS)('%s %s answers 401 without a session, as described', async (method, path) => {
  if (path === '/api/login') return expect(description.paths[path].post.responses).toHaveProperty('401');
  const { status, body } = await send(`${gallery.url}${path}`, { method: method.toUpperCase() });
  expect(status).toBe(401);
  const { GalleryProblem } = description.components.schemas;
  expect(Object.keys(body).sort()).toEqual(GalleryProblem.required.toSorted());
});

test('the page for people is there', async () => {
  const { status, headers } = await send(`${gallery.url}/docs/`);
  expect({ status, type: headers.get('content-type') }).toMatchObject({
    status: 200,
    type: expect.stringContaining('text/html'),
  });
});
