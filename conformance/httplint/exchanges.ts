import sharp from 'sharp';
import { SoftwarePasskey } from '../../test/support/authenticator.ts';
import { ADMIN } from '../../test/support/gallery-account.ts';
import type { MediaHost } from '../../test/support/media-host.ts';
import { headerOf } from '../support/exchange.ts';
import type { ServiceName } from '../support/stack.ts';
import type { Collection } from './collection.ts';

/** Requests what every service has: health, description, reference page, and unknown paths. */
async function collectCommon(collection: Collection, service: ServiceName): Promise<void> {
  for (const path of ['/healthz', '/readyz', '/openapi.json']) {
    await collection.ask({ service, method: 'GET', path, status: 200 });
  }
  await collection.ask({ service, method: 'GET', path: '/docs', at: '/docs/', status: 200 });
  await collection.ask({ service, method: 'GET', path: '/nothing', status: 404 });
  await collection.ask({ service, method: 'GET', path: '/nothing', at: '/%ff', status: 400 });
}

/** Paths of the news feed that have content in the sample data. */
const NEWS = [
  '/api/v1/items',
  '/api/v1/archive',
  '/api/v1/sources',
  '/api/v1/stories',
  '/api/public/fingerprint',
  '/llms.txt',
  '/api/v1/hot-topics',
  '/api/v1/dailies',
  '/api/v1/dailies/latest',
  '/api/v1/selected/snapshot',
  '/api/v1/codex-resets',
  '/api/v1/codex-resets/recent',
  '/api/v1/weeklies',
  '/api/v1/monthlies',
  ...['all', 'full', 'daily'].map((name) => `/feed/${name}.xml`),
  ...['', '/all', '/dailies', '/weeklies', '/monthlies'].flatMap((base) =>
    ['xml', 'atom', 'json'].map((ending) => `${base}/feed.${ending}`),
  ),
];

/** Causes every operation and status of the news feed. */
export async function collectNews(collection: Collection): Promise<void> {
  const service = 'news-feed';
  await collectCommon(collection, service);
  const ask = (path: string, status: number, more: object = {}) =>
    collection.ask({ service, method: 'GET', path, status, ...more });
  for (const path of NEWS) {
    await collection.read(service, path);
    await ask(path, 400, { at: `${path}?nothing=1` });
    await ask(path, 405, { method: 'POST' });
    await ask(path, 403, { headers: { 'x-forwarded-for': '203.0.113.9' } });
    await ask(path, 204, { method: 'OPTIONS', headers: PREFLIGHT });
    await ask(path, 200, { headers: { 'accept-encoding': 'gzip, br' } });
  }
  const snapshot = JSON.parse((await ask('/api/v1/selected/snapshot', 200)).body.toString());
  await collection.read(
    service,
    '/api/v1/selected/changes',
    `/api/v1/selected/changes?cursor=${snapshot.cursor}`,
  );
  await ask('/api/v1/selected/changes', 409, { at: '/api/v1/selected/changes?cursor=x' });
  const dailies = JSON.parse((await ask('/api/v1/dailies', 200)).body.toString());
  await collection.read(service, '/api/v1/dailies/{date}', `/api/v1/dailies/${dailies.items.at(-1).date}`);
  await ask('/api/v1/dailies/{date}', 404, { at: '/api/v1/dailies/1999-01-01' });
  for (const collection of ['weeklies', 'monthlies']) {
    await ask(`/api/v1/${collection}/latest`, 404);
    await ask(`/api/v1/${collection}/{date}`, 404, { at: `/api/v1/${collection}/1999-01-01` });
  }
  const ofCategory = '/feed/category/{category}.xml';
  await collection.read(service, ofCategory, '/feed/category/research.xml');
  await ask(ofCategory, 400, { at: '/feed/category/nothing.xml' });
  const topics = (await ask('/api/v1/hot-topics', 200)).body.toString();
  const [topic, another] = JSON.parse(topics).items;
  await collection.read(service, '/api/v1/items/{id}', `/api/v1/items/${topic.id}`);
  await ask('/api/v1/items/{id}', 404, { at: '/api/v1/items/nothing' });
  await collection.stack.withdrawItem(another.id);
  await ask('/api/v1/items/{id}', 410, { at: `/api/v1/items/${another.id}` });
  const [, story = ''] = /\/stories\/([^"/]+)"/.exec(topics) ?? [];
  await collection.read(service, '/api/v1/stories/{publicId}', `/api/v1/stories/${story}`);
  await ask('/api/v1/stories/{publicId}', 404, { at: '/api/v1/stories/nothing' });
  await collection.stack.mergeStory('merged', story);
  await ask('/api/v1/stories/{publicId}', 308, { at: '/api/v1/stories/merged' });
  await collection.exhaust(service, '/api/v1/items', 100);
}

const PREFLIGHT = { origin: 'https://site.example', 'access-control-request-method': 'GET' };

/** Causes every operation and status of the gallery administration. */
export async function collectGallery(collection: Collection, media: MediaHost): Promise<void> {
  const service = 'gallery-admin';
  await collectCommon(collection, service);
  const cookie = await collection.stack.login();
  const get = (path: string, status: number, more: object = {}) =>
    collection.ask({ service, method: 'GET', path, status, headers: { cookie }, ...more });
  const post = (path: string, json: unknown, status: number, more: object = {}) =>
    collection.ask({ service, method: 'POST', path, json, status, headers: { cookie }, ...more });

  await collectLogins(collection);
  const read = ['/api/settings/buckets', '/api/gallery', '/api/gallery/trash', '/api/desk'];
  for (const path of [...read, '/api/desk/operations', '/api/desk/writers']) {
    await get(path, 200);
    await get(path, 401, { headers: {} });
    await get(path, 400, { at: `${path}?nothing=1` });
  }
  await get('/api/gallery', 200, { at: '/api/gallery?json=1' });
  await get('/api/gallery/folder-preview', 410);
  for (const [path, json] of GALLERY_POSTS) {
    await post(path, json, 200);
    await post(path, json, 401, { headers: {} });
    await post(path, json, 403, { headers: { cookie, origin: 'https://evil.example' } });
    await post(path, {}, 400);
    await post(path, undefined, 415, { body: 'x', headers: { cookie, 'content-type': 'text/plain' } });
    await collection.ask({ service, method: 'PUT', path, status: 405, headers: { cookie } });
  }
  await post('/api/gallery', { action: 'sign-get-objects', keys: ['x'.repeat(17 * 2 ** 20)] }, 413);
  const repeatable = { headers: { cookie, 'idempotency-key': 'examined' } };
  await post('/api/gallery/batch', { action: 'delete', paths: ['one'] }, 200, repeatable);
  await post('/api/gallery/batch', { action: 'delete', paths: ['another'] }, 422, repeatable);
  await post('/api/gallery/uses/move', { from: 'public/a', to: 'public/b' }, 409);
  await post('/api/settings/buckets', { action: 'get-bucket', id: 'nothing' }, 404);
  await get('/api/settings', 200);
  await get('/api/settings', 401, { headers: {} });
  const patch = (json: unknown, status: number) =>
    collection.ask({ service, method: 'PATCH', path: '/api/settings', json, status, headers: { cookie } });
  await patch({ publicFolders: null }, 200);
  await patch({}, 400);
  await post('/api/settings/mail/test', { to: 'examined@example.org' }, 200);
  await post('/api/settings/mail/test', {}, 400);
  await post('/api/upload/multipart', { action: 'list-parts', uploadId: 'nothing', key: 'a' }, 404);
  await collectProxied(collection, media, cookie);
  await collectPublic(collection, cookie);
  await get('/api/gallery/media', 404, { at: '/api/gallery/media?key=nothing.png' });
  const made = await post('/api/gallery/archives', { paths: ['renamed/'] }, 200);
  const { id } = JSON.parse(made.body.toString()).data;
  await get('/api/gallery/archives/{id}', 200, { at: `/api/gallery/archives/${id}` });
  await get('/api/gallery/archives/{id}', 404, {
    at: '/api/gallery/archives/00000000-0000-4000-8000-000000000000',
  });
  const inBackground = { action: 'delete', paths: ['renamed'], background: true };
  const { batch } = JSON.parse((await post('/api/gallery/batch', inBackground, 202)).body.toString());
  await get('/api/gallery/batches', 200);
  await get('/api/gallery/batches/{id}', 200, { at: `/api/gallery/batches/${batch.id}` });
  const unknown = '/api/gallery/batches/00000000-0000-4000-8000-000000000000/resume';
  await post('/api/gallery/batches/{id}/resume', undefined, 404, { at: unknown });
  await collectPeople(collection, cookie);
  await post('/api/logout', undefined, 200);
}

const GALLERY_POSTS: readonly (readonly [path: string, json: unknown])[] = [
  ['/api/upload', { filename: 'a.png', path: '', contentType: 'image/png' }],
  [
    '/api/upload/multipart',
    {
      action: 'create',
      filename: 'a.bin',
      path: '',
      contentType: 'image/png',
      size: 9e7,
      partSize: 33554432,
    },
  ],
  ['/api/upload/sign', { method: 'PUT', key: 'a.png', contentType: 'image/png' }],
  ['/api/gallery', { action: 'sign-get-objects', keys: ['a'] }],
  ['/api/gallery/delete', { path: 'nothing', type: 'folder' }],
  ['/api/gallery/batch', { action: 'delete', paths: ['nothing'] }],
  ['/api/gallery/folder', { path: 'examined' }],
  ['/api/gallery/lookup', { paths: ['examined'] }],
  ['/api/gallery/uses', { paths: ['examined'] }],
  ['/api/gallery/rename', { path: 'examined', name: 'renamed' }],
  ['/api/settings/buckets', { action: 'get-bucket', id: 'default' }],
];

async function collectPeople(collection: Collection, cookie: string): Promise<void> {
  const ask = (method: string, path: string, status: number, more: object = {}) =>
    collection.ask({ service: 'gallery-admin', method, path, status, headers: { cookie }, ...more });
  const person = { name: 'Examined', email: 'examined@example.org', role: 'reader' };
  const made = await ask('POST', '/api/people', 201, { json: person });
  const { person: added, invitation } = JSON.parse(made.body.toString()).data;
  await ask('POST', '/api/people', 409, { json: person });
  await ask('GET', '/api/people', 200);
  const at = `/api/people/${added.id}`;
  await ask('PATCH', '/api/people/{id}', 200, { at, json: { name: 'Examined Again' } });
  const { token } = invitation;
  await ask('POST', '/api/invitation', 200, { headers: {}, json: { token } });
  await ask('POST', '/api/invitation', 404, { headers: {}, json: { token: 'nothing' } });
  const password = 'words that nobody guesses';
  await ask('POST', '/api/invitation/passkey', 200, { headers: {}, json: { token } });
  await ask('POST', '/api/invitation/accept', 200, { headers: {}, json: { token, password } });
  await ask('GET', '/api/people/{id}', 200, { at });
  await ask('DELETE', '/api/people/{id}/factors', 200, { at: `${at}/factors` });
  await ask('POST', '/api/people/{id}/invitation', 200, { at: `${at}/invitation` });
  await ask('DELETE', '/api/people/{id}', 200, { at });
  await ask('DELETE', '/api/people/{id}', 404, { at });
  const tab = 'tab=00000000-0000-4000-8000-000000000000';
  await ask('GET', '/api/presence', 200, { at: `/api/presence?${tab}` });
  await ask('GET', '/api/presence/events', 400);
  const page = { at: '/api/presence/00000000-0000-4000-8000-000000000000' };
  await ask('PUT', '/api/presence/{tab}', 200, { ...page, json: { article: 1, mode: 'looking' } });
  await ask('DELETE', '/api/presence/{tab}', 200, page);
  await ask('GET', '/api/trail', 200);
  await ask('GET', '/api/trail.csv', 200);
  await ask('GET', '/api/me', 200);
  await ask('PATCH', '/api/me', 409, { json: { name: 'Examined' } });
  await ask('POST', '/api/me/password', 409, { json: { current: 'a', password } });
  await ask('GET', '/api/me/factors', 200);
  await ask('POST', '/api/me/confirm', 200, { json: { password: ADMIN.password } });
  await ask('POST', '/api/me/confirm/options', 409);
  await ask('POST', '/api/me/passkey-options', 409);
  const passkey = new SoftwarePasskey('http://localhost');
  const created = passkey.create({ challenge: 'nothing', user: { id: 'bm9ib2R5' } });
  await ask('POST', '/api/me/passkeys', 409, { json: { name: 'Examined', credential: created } });
  const noPasskey = '/api/me/passkeys/00000000-0000-4000-8000-000000000000';
  await ask('PATCH', '/api/me/passkeys/{id}', 409, { at: noPasskey, json: { name: 'Examined' } });
  await ask('DELETE', '/api/me/passkeys/{id}', 409, { at: noPasskey });
  const used = passkey.get({ challenge: 'nothing' });
  await ask('POST', '/api/login/passkey', 401, { headers: {}, json: { credential: used } });
  await ask('POST', '/api/me/totp', 409);
  await ask('POST', '/api/me/totp/confirm', 409, { json: { code: '123456' } });
  await ask('DELETE', '/api/me/totp', 409);
  await ask('POST', '/api/me/recovery-codes', 409);
  await ask('POST', '/api/login/passkey/options', 200, { headers: {} });
  await ask('POST', '/api/me/accounts', 409, { json: { provider: 'nobody' } });
  await ask('POST', '/api/me/confirm/account', 409, { json: { provider: 'nobody' } });
  await ask('DELETE', '/api/me/accounts/{id}', 409, {
    at: '/api/me/accounts/00000000-0000-4000-8000-000000000000',
  });
  await ask('GET', '/api/login/methods', 200, { headers: {} });
  await ask('POST', '/api/login/proxy', 403, { headers: {} });
  await ask('GET', '/api/oidc/{provider}/login', 404, { at: '/api/oidc/nobody/login' });
  await ask('GET', '/api/oidc/{provider}/login', 303, { headers: {}, at: '/api/oidc/examined/login' });
  await ask('GET', '/api/oidc/{provider}/callback', 303, { headers: {}, at: '/api/oidc/examined/callback' });
  await ask('POST', '/api/oidc/{provider}/login', 404, {
    at: '/api/oidc/nobody/login',
    json: { invitation: 'a' },
  });
  await ask('GET', '/api/oidc/{provider}/callback', 404, { at: '/api/oidc/nobody/callback' });
  const filter = '/api/me/filters/00000000-0000-4000-8000-000000000001';
  await ask('PUT', '/api/me/filters/{id}', 200, { at: filter, json: { name: 'Mine', query: 'mine=1' } });
  await ask('GET', '/api/me/filters', 200);
  await ask('DELETE', '/api/me/filters/{id}', 200, { at: filter });
  await ask('GET', '/api/me/sessions', 200);
  const unknown = '/api/me/sessions/00000000-0000-4000-8000-000000000000';
  await ask('DELETE', '/api/me/sessions/{id}', 200, { at: unknown });
  await ask('DELETE', '/api/me/sessions', 200);
}

async function collectLogins(collection: Collection): Promise<void> {
  const wrong = { username: 'nobody', password: 'wrong' };
  const login = (json: unknown, status: number, headers = {}) =>
    collection.ask({ service: 'gallery-admin', method: 'POST', path: '/api/login', json, status, headers });
  await login(ADMIN, 200);
  await login({}, 400);
  await login(wrong, 403, { origin: 'https://evil.example' });
  const headers = { 'x-forwarded-for': '192.0.2.98' };
  for (let times = 0; times < 5; times += 1) await login(wrong, 401, headers);
  await login(wrong, 429, headers);
}

async function collectPublic(collection: Collection, cookie: string): Promise<void> {
  const service = 'gallery-admin';
  const picture = sharp({ create: { width: 99, height: 99, channels: 3, background: 'teal' } });
  const json = { filename: 'a.png', path: 'public', contentType: 'image/png' };
  const headers = { cookie };
  const signed = await collection.ask({
    ...{ service, method: 'POST', path: '/api/upload', json, headers, status: 200 },
  });
  const body = new Uint8Array(await picture.png().toBuffer());
  const { url } = JSON.parse(signed.body.toString());
  await fetch(url, { method: 'PUT', body, headers: { 'content-type': 'image/png' } });
  const get = (at: string, status: number, more = {}) =>
    collection.ask({ service, method: 'GET', path: '/media/{key}', at, status, headers: more });
  await get('/media/public/a.png', 200);
  await get('/media/public/a.png', 206, { range: 'bytes=0-9' });
  await get('/media/public/a.png', 412, { 'if-match': '"other"' });
  await get('/media/public/a.png?w=64', 200);
  await get('/media/public/a.png.json', 200);
  await get('/media/v000000000000/public/a.png', 302);
  await get('/media/public/a.png?utm_source=letter', 301);
  await get('/media/public/a.png?w=0', 400);
  await get('/media/nothing.png', 404);
}

async function collectProxied(collection: Collection, media: MediaHost, cookie: string): Promise<void> {
  const body = await sharp({ create: { width: 99, height: 99, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  const described = { 'content-type': 'image/png', etag: '"v1"', 'accept-ranges': 'bytes' };
  media.answers.set('/a.png', ({ headers }, response) => {
    if (headers['if-none-match'] !== undefined) response.writeHead(304, { etag: '"v1"' }).end();
    else if (headers.range === 'bytes=0-9') {
      response
        .writeHead(206, { ...described, 'content-range': `bytes 0-9/${body.length}` })
        .end(body.subarray(0, 10));
    } else if (headers.range !== undefined)
      response.writeHead(416, { 'content-range': `bytes */${body.length}` }).end();
    else response.writeHead(200, described).end(body);
  });
  media.answers.set('/silent', () => undefined);
  const ask = (path: string, status: number, headers = {}, more = '') =>
    collection.ask({
      service: 'gallery-admin',
      method: 'GET',
      path: '/api/proxy',
      at: `/api/proxy?url=${encodeURIComponent(`https://localhost:${media.port}${path}`)}${more}`,
      status,
      headers: { cookie, ...headers },
    });
  await ask('/a.png', 200);
  await ask('/a.png', 200, {}, '&thumbnail=true');
  await ask('/a.png', 206, { range: 'bytes=0-9' });
  await ask('/a.png', 416, { range: 'bytes=200000-' });
  await ask('/a.png', 304, { 'if-none-match': '"v1"' });
  await ask('/nothing', 500);
  await ask('/silent', 504);
  await collection.ask({
    service: 'gallery-admin',
    method: 'GET',
    path: '/api/proxy',
    at: `/api/proxy?url=${encodeURIComponent('https://unlisted.example/')}`,
    status: 403,
    headers: { cookie },
  });
}

const TEXT = `<p>${'Words that make up an article. '.repeat(4)}</p>`;

/** Causes every operation and status of the content service. */
export async function collectContent(collection: Collection, key: string): Promise<void> {
  const service = 'content';
  await collectCommon(collection, service);
  const ask = (method: string, path: string, status: number, more: object = {}) =>
    collection.ask({ service, method, path, status, headers: { 'x-api-key': key }, ...more });
  const created = await ask('POST', '/api/categories', 201, { json: { name: 'Examined', slug: 'examined' } });
  const category = JSON.parse(created.body.toString()).data.id;
  await ask('POST', '/api/categories', 409, { json: { name: 'Examined', slug: 'examined' } });
  const body = { title: 'Examined', content: TEXT, is_published: true, category_id: category };
  const article = JSON.parse((await ask('POST', '/api/articles', 201, { json: body })).body.toString()).data
    .id;
  const madeTag = await ask('POST', '/api/tags', 201, { json: { name: 'Examined', slug: 'examined' } });
  const tag = JSON.parse(madeTag.body.toString()).data.id;
  const madeAuthor = await ask('POST', '/api/authors', 201, { json: { name: 'Examined', slug: 'examined' } });
  const author = JSON.parse(madeAuthor.body.toString()).data.id;
  const madeSeries = await ask('POST', '/api/series', 201, { json: { name: 'Examined', slug: 'examined' } });
  const series = JSON.parse(madeSeries.body.toString()).data.id;
  for (const [path, id, json] of [
    ['/api/articles', article, body],
    ['/api/categories', category, { name: 'Examined', description: null }],
    ['/api/tags', tag, { name: 'Examined', description: null }],
    ['/api/series', series, { name: 'Examined', description: null }],
    ['/api/authors', author, { name: 'Examined', bio: null, picture: null, links: [] }],
  ] as const) {
    await collection.read(service, path);
    await collection.read(service, `${path}/{id}`, `${path}/${id}`);
    await collection.read(service, `${path}/{id}`, `${path}/${id}`, { 'x-api-key': key });
    await ask('GET', path, 400, { at: `${path}?nothing=1`, headers: {} });
    await ask('GET', `${path}/{id}`, 404, { at: `${path}/999999999`, headers: {} });
    await ask('GET', `${path}/{id}`, 400, { at: `${path}/x`, headers: {} });
    await ask('POST', path, 401, { json, headers: {} });
    await ask('POST', path, 400, {
      body: '{',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    });
    await ask('POST', path, 415, { body: 'x', headers: { 'x-api-key': key, 'content-type': 'text/plain' } });
    await ask('POST', path, 413, { json: { ...json, name: 'x'.repeat(3 * 2 ** 20) } });
    await ask('POST', path, 422, { json: {} });
    await ask('PATCH', path, 405, { json: {} });
    await ask('OPTIONS', path, 204, { headers: PREFLIGHT });
    await collectChanges(collection, { path, id, key, json });
  }
  await collection.read(service, '/api/articles', '/api/articles?q=examined&sort=relevance&highlight=1');
  await collection.read(service, '/api/articles/suggest', '/api/articles/suggest?q=exam');
  await ask('GET', '/api/articles/suggest', 400, { headers: {} });
  await ask('GET', '/api/embeds', 400);
  await ask('POST', '/api/articles/links', 200, { json: { urls: ['/articles/gone'] } });
  await ask('POST', '/api/articles/links', 422, { json: {} });
  await ask('POST', '/api/articles/links/external', 200, { json: { urls: ['http://127.0.0.1/'] } });
  const [snapshot, changes] = ['/api/sync/snapshot', '/api/sync/changes'];
  const copied = await ask('GET', snapshot, 200, { headers: {} });
  const { cursor } = JSON.parse(copied.body.toString()).meta;
  await collection.read(service, snapshot);
  await collection.read(service, changes, `${changes}?cursor=${cursor}`);
  await ask('GET', snapshot, 409, { at: `${snapshot}?page=x`, headers: {} });
  await ask('GET', changes, 409, { at: `${changes}?cursor=x`, headers: {} });
  for (const ending of ['xml', 'atom', 'json']) await collection.read(service, `/articles/feed.${ending}`);
  for (const path of ['/sitemap.xml', '/news-sitemap.xml']) {
    await collection.read(service, path);
    await ask('GET', path, 400, { at: `${path}?nothing=1` });
  }
  await ask('GET', '/sitemap.xml', 404, { at: '/sitemap.xml?part=articles-99' });
  await collectHooks(collection, key);
  await collectRedirects(collection, key);
  await collectImports(collection, key);
  await collectSlugs(collection, 'articles', article, key);
  await collectSlugs(collection, 'categories', category, key);
  await collectSlugs(collection, 'tags', tag, key);
  await collectSlugs(collection, 'authors', author, key);
  await collectSlugs(collection, 'series', series, key);
  const order = { at: `/api/series/${series}/articles`, json: { articles: [article] } };
  await ask('PUT', '/api/series/{id}/articles', 200, order);
  await ask('PUT', '/api/series/{id}/articles', 401, { ...order, headers: {} });
  await ask('PUT', '/api/series/{id}/articles', 422, { ...order, json: { articles: [article, article] } });
  await collection.read(service, '/api/articles/{id}', `/api/articles/${article}?include=series,jsonld`);
  await ask('PUT', '/api/series/{id}/articles', 200, { ...order, json: { articles: [] } });
  await ask('DELETE', '/api/series/{id}', 200, { at: `/api/series/${series}` });
  const at = `/api/articles/${article}/previews`;
  const previews = '/api/articles/{id}/previews';
  const preview = JSON.parse((await ask('POST', previews, 201, { at, json: {} })).body.toString()).data.id;
  await collection.read(service, previews, at, { 'x-api-key': key });
  await ask('POST', previews, 422, { at, json: { expires_in: 1 } });
  await ask('DELETE', `${previews}/{preview_id}`, 200, { at: `${at}/${preview}` });
  await ask('DELETE', `${previews}/{preview_id}`, 404, { at: `${at}/${preview}` });
  await collectReview(collection, key, author);
  await collectReleases(collection, key);
  await ask('DELETE', '/api/tags/{id}', 200, { at: `/api/tags/${tag}` });
  await ask('DELETE', '/api/authors/{id}', 200, { at: `/api/authors/${author}` });
  for (const terms of ['/api/tags', '/api/authors']) await collectMerge(collection, terms, key);
  await collectFormer(collection, article, key);
  await ask('DELETE', '/api/categories/{id}', 200, { at: `/api/categories/${category}` });
  await collection.exhaust(service, '/api/articles', 100);
}

/** Merges two tags or authors. */
async function collectMerge(collection: Collection, terms: string, key: string) {
  const path = `${terms}/{id}/merge`;
  const ask = (status: number, more: object) =>
    collection.ask({
      ...{ service: 'content', method: 'POST', path, status, headers: { 'x-api-key': key }, ...more },
    });
  const make = async (name: string) => {
    const made = await ask(201, { path: terms, at: terms, json: { name } });
    return JSON.parse(made.body.toString()).data.id;
  };
  const [from, into] = [await make('Goes'), await make('Stays')];
  const at = `${terms}/${from}/merge`;
  await ask(422, { at, json: { into: from } });
  await ask(401, { at, json: { into }, headers: {} });
  await ask(200, { at, json: { into } });
  await ask(404, { at, json: { into } });
}

/** Writes a draft, submits it, sends it back, and assigns it. */
async function collectReview(collection: Collection, key: string, author: number) {
  const service = 'content';
  const headers = { 'x-api-key': key };
  const articles = '/api/articles';
  const draft = { title: 'Examined draft', content: `<p>${'Words of a draft. '.repeat(6)}</p>` };
  const made = await collection.ask({
    ...{ service, method: 'POST', path: '/api/drafts', at: '/api/drafts', status: 201 },
    ...{ headers, json: draft },
  });
  const article = JSON.parse(made.body.toString()).data.id;
  const [review, assignee] = ['review', 'assignee'].map((name) => `${articles}/{id}/${name}`);
  const put = (path = '', status: number, json: object, more: object = {}) =>
    collection.ask({
      ...{ service, method: 'PUT', path, at: path.replace('{id}', String(article)), status },
      ...{ headers, json, ...more },
    });
  const write = { service, headers, method: 'PATCH', path: '/api/drafts/{id}' } as const;
  const written = { ...write, at: `/api/drafts/${article}` };
  await collection.ask({ ...written, status: 200, json: { excerpt: 'As short as it is' } });
  await collection.ask({ ...written, status: 422, json: { title: 1 } });
  await put(review, 200, { state: 'submitted' });
  await put(review, 200, { state: 'returned', comment: 'Shorter' });
  await put(review, 409, { state: 'approved' });
  await put(review, 422, { state: 'returned' });
  await put(review, 412, { state: 'submitted' }, { headers: { ...headers, 'if-match': '"other"' } });
  await put(assignee, 200, { author_id: author });
  await put(assignee, 422, { author_id: 0 });
  await collection.read(service, review ?? '', `${articles}/${article}/review`, headers);
  await collection.read(service, '/api/reviews', '/api/reviews', headers);
  await put(assignee, 200, { author_id: null });
  // No program sees comments.
  const comments = `${articles}/{id}/comments`;
  for (const [method, path] of [
    ['GET', comments],
    ['POST', comments],
    ['PATCH', `${comments}/{comment_id}`],
    ['DELETE', `${comments}/{comment_id}`],
  ] as const) {
    const at = path.replace('{id}', String(article)).replace('{comment_id}', '1');
    const json = method === 'GET' || method === 'DELETE' ? {} : { json: { text: 'Shorter' } };
    await collection.ask({ service, method, path, at, status: 403, headers, ...json });
  }
  const path = `${articles}/{id}`;
  const at = `${articles}/${article}`;
  await collection.ask({ service, method: 'DELETE', path, at, status: 200, headers });
}

/** Adds, reads, tests, pauses and removes a hook. No key manages keys, or the settings of the site. */
async function collectHooks(collection: Collection, key: string) {
  const service = 'content';
  const headers = { 'x-api-key': key };
  const ask = (method: string, path: string, status: number, json?: object, id = '0') =>
    collection.ask({
      ...{ service, method, path, at: path.replace('{id}', id).replace('{prefix}', 'Examined'), status },
      ...{ headers, ...(json !== undefined && { json }) },
    });
  await ask('GET', '/api/keys', 403);
  await ask('POST', '/api/keys', 403, { name: 'Examined', scope: 'read' });
  await ask('DELETE', '/api/keys/{prefix}', 403);
  await ask('GET', '/api/site', 403);
  await ask('PATCH', '/api/site', 403, { name: 'Examined' });
  const made = await ask('POST', '/api/hooks', 201, { url: 'https://hook.example/', events: ['tag.*'] });
  const id = String(JSON.parse(made.body.toString()).data.id);
  const [one, log] = ['/api/hooks/{id}', '/api/hooks/{id}/deliveries'];
  await ask('POST', '/api/hooks', 422, { url: 'hook', events: [] });
  await collection.read(service, '/api/hooks', '/api/hooks', headers);
  for (const read of [one, log]) await collection.read(service, read, read.replace('{id}', id), headers);
  await ask('POST', `${one}/test`, 202, undefined, id);
  await ask('POST', `${one}/replay`, 200, { since: '2026-01-01T00:00:00Z' }, id);
  await ask('PATCH', one, 200, { is_paused: true }, id);
  await ask('POST', `${one}/test`, 409, undefined, id);
  await ask('POST', `${one}/secret`, 200, undefined, id);
  await ask('DELETE', one, 200, undefined, id);
  await ask('DELETE', one, 404, undefined, '99999');
}

/** Adds, reads, changes and removes a redirect. */
async function collectRedirects(collection: Collection, key: string) {
  const service = 'content';
  const [all, one] = ['/api/redirects', '/api/redirects/{id}'];
  const ask = (method: string, path: string, status: number, json?: object, id = '99999') =>
    collection.ask({
      ...{ service, method, path, at: path.replace('{id}', id), status },
      ...{ headers: { 'x-api-key': key }, ...(json !== undefined && { json }) },
    });
  const made = await ask('POST', all, 201, { from: '/old', to: '/new' });
  const id = String(JSON.parse(made.body.toString()).data.id);
  await ask('POST', all, 409, { from: '/old', to: '/newer' });
  await ask('POST', all, 422, { from: '/new', to: '/old' });
  for (const read of [all, `${all}/exports/nginx.conf`]) await collection.read(service, read, read);
  await ask('PATCH', one, 200, { to: '/newer' }, id);
  await ask('PATCH', one, 404, { to: '/newer' });
  await ask('DELETE', one, 200, undefined, id);
  await ask('DELETE', one, 404);
}

/** Sends a file, has it checked, reads what would come of it, and removes it. */
async function collectImports(collection: Collection, key: string) {
  const service = 'content';
  const [all, one] = ['/api/imports', '/api/imports/{id}'];
  const headers = { 'x-api-key': key };
  const ask = (method: string, path: string, status: number, json?: object, id = '99999') =>
    collection.ask({
      ...{ service, method, path, at: path.replace('{id}', id).replace('{number}', '1'), status },
      ...{ headers, ...(json !== undefined && { json }) },
    });
  await ask('POST', all, 422, { name: 'a', format: 'word', size: 1 });
  const made = await ask('POST', all, 201, { name: 'a.jsonl', format: 'jsonl', size: 1 });
  const id = String(JSON.parse(made.body.toString()).data.id);
  await ask('PUT', `${one}/parts/{number}`, 400, { data: 'YWE=' }, id);
  for (const work of ['check', 'run', 'undo']) await ask('POST', `${one}/${work}`, 409, undefined, id);
  await ask('PUT', `${one}/parts/{number}`, 200, { data: 'YQ==' }, id);
  await ask('POST', `${one}/check`, 202, undefined, id);
  await collection.read(service, all, all, headers);
  for (const read of [one, `${one}/entries`])
    await collection.read(service, read, read.replace('{id}', id), headers);
  await ask('POST', `${all}/pictures`, 200, { folder: 'public/', results: [] });
  await ask('POST', `${all}/pictures`, 422, { folder: 'public/' });
  await ask('GET', '/api/exports/content.jsonl', 200);
  await ask('DELETE', one, 200, undefined, id);
  await ask('DELETE', one, 404);
}

/** Makes, moves, reads and deletes a release. */
async function collectReleases(collection: Collection, key: string) {
  const service = 'content';
  const path = '/api/releases/{name}';
  const ask = (method: string, status: number, more: object = {}) =>
    collection.ask({
      ...{ service, method, path, at: '/api/releases/examined', status },
      ...{ headers: { 'x-api-key': key }, ...more },
    });
  const json = { publish_at: null };
  for (const status of [201, 200]) await ask('PUT', status, { json });
  await ask('PUT', 422, { json: { publish_at: 'soon' } });
  await ask('PUT', 401, { json, headers: {} });
  for (const read of ['/api/releases', path])
    await collection.read(service, read, read.replace('{name}', 'examined'), { 'x-api-key': key });
  await ask('DELETE', 200);
  await ask('DELETE', 404);
}

/** Reads and restores the revisions of an article, deletes it, restores it, and deletes it again. */
async function collectFormer(collection: Collection, article: number, key: string) {
  const service = 'content';
  const headers = { 'x-api-key': key };
  const paths = ['/revisions', '/revisions/{revision}', '/revisions/{revision}/restore', '/restore'];
  const [list = '', one = '', restore = '', back = ''] = paths.map((path) => `/api/articles/{id}${path}`);
  const ask = (method: string, path: string, status: number, revision = '1', more: object = {}) => {
    const at = path.replace('{id}', String(article)).replace('{revision}', revision);
    return collection.ask({ service, method, path, at, status, headers, ...more });
  };
  await collection.read(service, list, `/api/articles/${article}/revisions`, headers);
  await collection.read(service, one, `/api/articles/${article}/revisions/1`, headers);
  await ask('GET', list, 401, '1', { headers: {} });
  await ask('GET', one, 404, '999');
  await ask('POST', restore, 200);
  await ask('POST', restore, 422, '1', { json: { title: '' } });
  await ask('POST', restore, 412, '1', { headers: { ...headers, 'if-match': '"other"' } });
  const copy = '/api/articles/{id}/working-copy';
  const json = { title: 'Examined twice' };
  await ask('GET', copy, 404);
  for (let n = 0; n < 2; n += 1) {
    await ask('PUT', copy, 200, '1', { json });
    await collection.read(service, copy, `/api/articles/${article}/working-copy`, headers);
    if (n === 0) await ask('DELETE', copy, 200);
  }
  await ask('PUT', copy, 422, '1', { json: {} });
  await ask('PUT', copy, 412, '1', { json, headers: { ...headers, 'if-match': '"other"' } });
  await ask('POST', `${copy}/publish`, 200);
  await ask('DELETE', '/api/articles/{id}', 200);
  for (const read of ['/api/trash', '/api/schedule', '/api/audit'])
    await collection.read(service, read, read, headers);
  await ask('POST', back, 422, '1', { json: { is_published: true } });
  await ask('POST', back, 200);
  for (const status of [200, 404]) {
    if (status === 200) await ask('DELETE', '/api/articles/{id}', status);
    await ask('DELETE', '/api/trash/{id}', status);
  }
  await ask('DELETE', '/api/trash', 401, '1', { headers: {} });
  await ask('DELETE', '/api/trash', 200);
}

/** Reads a published resource by its slug and by one that it had before. */
async function collectSlugs(collection: Collection, resource: string, id: number, key: string) {
  const service = 'content';
  const path = `/api/${resource}/by-slug/{slug}`;
  const ask = (method: string, path: string, status: number, at: string, json?: object) =>
    collection.ask({ service, method, path, at, status, headers: { 'x-api-key': key }, json });
  for (const slug of ['before', 'after']) {
    await ask('PATCH', `/api/${resource}/{id}`, 200, `/api/${resource}/${id}`, { slug });
  }
  await collection.read(service, path, `/api/${resource}/by-slug/after`);
  await ask('GET', path, 308, `/api/${resource}/by-slug/before`);
  await ask('GET', path, 404, `/api/${resource}/by-slug/nothing`);
}

/** A resource of the content service, and a key that may change it. */
interface Changed {
  path: string;
  id: number;
  key: string;
  /** Body for a PUT of it; of an article, {@link EMPTY_ARTICLE}. */
  json: object;
}

async function collectChanges(collection: Collection, { path, id, key, json }: Changed): Promise<void> {
  const ask = (method: string, status: number, more: object = {}) =>
    collection.ask({
      service: 'content',
      method,
      path: `${path}/{id}`,
      at: `${path}/${id}`,
      status,
      headers: { 'x-api-key': key },
      ...more,
    });
  const name = path === '/api/articles' ? { title: 'Examined again' } : { name: 'Examined again' };
  const full =
    path === '/api/articles' ? { ...EMPTY_ARTICLE, ...name } : { ...json, ...name, slug: 'examined' };
  await ask('PATCH', 200, { json: name });
  await ask('PATCH', 412, { json: name, headers: { 'x-api-key': key, 'if-match': '"other"' } });
  await ask('PATCH', 403, { json: name, headers: { 'x-api-key': 'pk_wrong' } });
  const before = await ask('GET', 200);
  const etag = headerOf(before, 'etag');
  await ask('PUT', 200, { json: full, headers: { 'x-api-key': key, ...(etag && { 'if-match': etag }) } });
}

const EMPTY_ARTICLE = {
  content: TEXT,
  excerpt: null,
  category_id: null,
  featured_image: null,
  alt_text: null,
  meta_title: null,
  meta_description: null,
  canonical_url: null,
  is_published: true,
};
