import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { readGalleryConfig } from '@pressroom/gallery-admin/config';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type GalleryFixture, galleryFixture, startGallery } from '../support/gallery.ts';
import { type Answer, type Sending, send } from '../support/http.ts';

const HEADER = 'X-Forwarded-Email';

let gallery: GalleryFixture;
beforeAll(async () => {
  gallery = await galleryFixture({ TRUST_PROXY: '127.0.0.1', LOGIN_PROXY_HEADER: HEADER });
});
afterAll(() => gallery?.close());
beforeEach(async () => {
  await gallery.database.pool.query('delete from gallery.person');
  await gallery.post('/api/people', { name: 'Ann', email: 'ann@example.org', role: 'editor' });
});

function logIn(headers: Record<string, string>, url = gallery.url): Promise<Answer> {
  return send(`${url}/api/login/proxy`, { method: 'POST', headers });
}

async function methods(headers: Record<string, string>, url = gallery.url) {
  const { body, headers: answered } = await send(`${url}/api/login/methods`, { headers });
  expect(answered.get('cache-control')).toBe('private, no-store');
  return body.data;
}

test('somebody whom a trusted proxy names begins a session', async () => {
  const from = { [HEADER]: 'Ann@Example.org', 'x-forwarded-for': '198.51.100.7' };
  expect(await methods(from)).toEqual({ passwords: true, providers: [], proxy: 'ann@example.org' });
  const { status, headers, text } = await logIn(from);
  expect(status, text).toBe(200);
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const ask = (path: string) => send(`${gallery.url}${path}`, { headers: { cookie } });
  expect((await ask('/api/me')).body.data).toMatchObject({ name: 'Ann', role: 'editor' });
  expect((await ask('/api/me/sessions')).body.data.sessions).toMatchObject([
    { way: 'proxy', address: '198.51.100.7' },
  ]);
  const [entry] = (await gallery.ask('/api/trail?action=login_succeeded&limit=1')).body.data.entries;
  expect(entry).toMatchObject({ person: 'Ann', object: { way: 'proxy' } });
  const [{ id }] = (await gallery.ask('/api/people')).body.data.people;
  await gallery.ask(`/api/people/${id}`, { method: 'DELETE' });
  expect((await ask('/api/me')).status).toBe(401);
  expect((await logIn(from)).body.code).toBe('unknown_person');
});

test('counts as a confirmation of those alone who have no way to confirm here', async () => {
  const from = { [HEADER]: 'ann@example.org' };
  const isConfirmed = async () => {
    const cookie = (await logIn(from)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const ask = (path: string, sending: Sending = {}) =>
      send(`${gallery.url}${path}`, { ...sending, headers: { cookie } });
    return { ask, confirmed: (await ask('/api/me/factors')).body.data.confirmed };
  };
  expect((await isConfirmed()).confirmed).toBe(true);
  const [{ id }] = (await gallery.ask('/api/people')).body.data.people;
  const link = await gallery.ask(`/api/people/${id}/invitation`, { method: 'POST' });
  const { token } = link.body.data.invitation;
  const password = 'nobody types this twice';
  const json = { token, password };
  expect((await send(`${gallery.url}/api/invitation/accept`, { method: 'POST', json })).status).toBe(200);
  const { ask, confirmed } = await isConfirmed();
  expect(confirmed).toBe(false);
  const setUp = () => ask('/api/me/totp', { method: 'POST' });
  expect((await setUp()).body.code).toBe('confirmation_required');
  expect((await ask('/api/me/confirm', { method: 'POST', json: { password } })).status).toBe(200);
  expect((await setUp()).status).toBe(200);
});

test('a password that the settings no longer take is no way to confirm, and who comes by the proxy is an owner', async () => {
  await gallery.database.pool.query("update gallery.person set password_hash = 'any', role = 'owner'");
  const { ADMIN_USERNAME: _name, ADMIN_PASSWORD_HASH: _hash, ...settings } = gallery.settings;
  const other = await startGallery({ ...settings, LOGIN_PASSWORDS: 'off' });
  try {
    const { headers } = await logIn({ [HEADER]: 'ann@example.org' }, other.url);
    const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const ask = (path: string, sending: Sending = {}) =>
      send(`${other.url}${path}`, { ...sending, headers: { cookie } });
    expect((await ask('/api/me/factors')).body.data.confirmed).toBe(true);
    const json = { name: 'Bob', email: 'bob@example.org', role: 'reader' };
    const { body } = await ask('/api/people', { method: 'POST', json });
    const bob = `/api/people/${body.data.person.id}`;
    expect((await ask(bob, { method: 'PATCH', json: { role: 'writer' } })).status).toBe(200);
  } finally {
    await other.close();
  }
});

test.each(['nobody@example.org', 'editor', 'ann@example.org, bob@example.org', 'mi\u00ebke@example.org', ''])(
  'the word %j lets nobody in',
  async (value) => {
    const { status, headers } = await logIn({ [HEADER]: value });
    expect(status).toBe(403);
    expect(headers.getSetCookie()).toEqual([]);
  },
);

test('a header that comes twice is as good as none', async () => {
  const request = httpRequest(`${gallery.url}/api/login/proxy`, { method: 'POST' });
  request.setHeader(HEADER, ['ann@example.org', 'ann@example.org']);
  request.end();
  const status = await new Promise((resolve) => {
    request.on('response', async (response) => {
      await text(response);
      resolve(response.statusCode);
    });
  });
  expect(status).toBe(403);
});

describe('a forged header is as good as none', () => {
  test.each<[string, Record<string, string>, Record<string, string>]>([
    ['of a client that is no trusted proxy', { TRUST_PROXY: '10.0.0.0/8' }, {}],
    ['even if it claims to come from one', { TRUST_PROXY: '10.0.0.0/8' }, { 'x-forwarded-for': '10.0.0.1' }],
    ['where none is named', { LOGIN_PROXY_HEADER: '' }, {}],
    ['where another one is named', { LOGIN_PROXY_HEADER: 'X-Other' }, {}],
  ])('%s', async (_, settings, more) => {
    const other = await startGallery({ ...gallery.settings, ...settings });
    try {
      const from = { [HEADER]: 'ann@example.org', ...more };
      expect((await methods(from, other.url)).proxy).toBeNull();
      const { status, body, headers } = await logIn(from, other.url);
      expect([status, body.code]).toEqual([403, 'no_proxy_login']);
      expect(headers.getSetCookie()).toEqual([]);
    } finally {
      await other.close();
    }
  });

  test('and with the session of nobody it opens nothing', async () => {
    const { status } = await send(`${gallery.url}/api/me`, { headers: { [HEADER]: 'ann@example.org' } });
    expect(status).toBe(401);
    const foreign = await logIn({ [HEADER]: 'ann@example.org', origin: 'https://evil.example' });
    expect(foreign.status).toBe(403);
  });
});

describe('the settings', () => {
  const given = (more: Record<string, string>) => () => {
    const { TRUST_PROXY: _proxy, LOGIN_PROXY_HEADER: _header, ...settings } = gallery.settings;
    return readGalleryConfig({ ...settings, ...more });
  };
  const provider = {
    id: 'a',
    name: 'A',
    issuer: 'https://id.example',
    client_id: 'desk',
    client_secret: 'hush',
  };
  const providers = (...list: object[]) => given({ OIDC_PROVIDERS: JSON.stringify(list) });

  test('a header takes TRUST_PROXY', () => {
    expect(given({ LOGIN_PROXY_HEADER: HEADER })).toThrow(/LOGIN_PROXY_HEADER is set, expected TRUST_PROXY/);
    expect(given({ LOGIN_PROXY_HEADER: 'a b', TRUST_PROXY: '1' })).toThrow(/the name of a header/);
  });

  test('providers: what is wrong is said, without the secret', () => {
    const wrong: [() => unknown, RegExp][] = [
      [given({ OIDC_PROVIDERS: '{"hush":' }), /OIDC_PROVIDERS is \(hidden\), expected a JSON list/],
      [providers({ ...provider, issuer: 'http://id.example' }), /0\.issuer must be an https URL/],
      [providers({ ...provider, issuer: 'http://127.0.0.1.evil.example' }), /0\.issuer/],
      [providers({ ...provider, issuer: 'https://user:hush@id.example' }), /0\.issuer/],
      [providers({ ...provider, id: 'A B' }), /0\.id must be of/],
      [providers({ ...provider, id: 'proxy' }), /0\.id must not be proxy/],
      [providers(provider, provider), /each id must occur once/],
      [providers({ ...provider, roles: { a: 'owner' } }), /role_claim and roles go together/],
      [providers({ ...provider, role_claim: 'g', roles: { a: 'king' } }), /0\.roles/],
      [providers({ ...provider, scope: 'email' }), /must name openid/],
      [providers({ ...provider, secret: 'hush' }), /Unrecognized key/],
      [providers({ ...provider, redirect_uri: 'https://desk.example/' }), /must end with/],
      [providers(), /at least one/],
    ];
    for (const [read, message] of wrong) {
      expect(read).toThrow(message);
      expect(read).not.toThrow(/hush/);
    }
    for (const issuer of [
      'http://127.0.0.1:4000',
      'http://[::1]:4000/realm',
      'http://localhost',
      'https://a.example/b',
    ]) {
      expect(providers({ ...provider, issuer })().OIDC_PROVIDERS[0]).toMatchObject({ issuer });
    }
  });
});
