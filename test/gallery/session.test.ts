import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN, type GalleryFixture, galleryFixture, login, startGallery } from '../support/gallery.ts';
import { type Sending, send } from '../support/http.ts';

let gallery: GalleryFixture;
beforeAll(async () => {
  gallery = await galleryFixture({ TRUST_PROXY: '1' });
});
afterAll(() => gallery.close());

let clients = 0;

/** The header of a client address that no other test has. */
function newClient(): Record<string, string> {
  clients += 1;
  return { 'x-forwarded-for': `198.51.100.${clients}` };
}

function attributesOf(cookie: string): string[] {
  return cookie.split('; ').slice(1).sort();
}

const WRONG = { ...ADMIN, password: 'wrong' };

function tryLogin(json: unknown, headers: Record<string, string> = newClient(), url = gallery.url) {
  return send(`${url}/api/login`, { method: 'POST', json, headers });
}

function askWith(cookie: string, url = gallery.url) {
  return send(`${url}/api/settings/buckets`, { headers: { cookie } });
}

/** Moves sessions into the past, as if time had gone by. */
async function age(column: 'created_at' | 'last_used_at', cookie: string, interval: string): Promise<void> {
  const token = cookie.split('=')[1] ?? '';
  const { rowCount } = await gallery.database.pool.query(
    `update gallery.session set ${column} = ${column} - $1::interval where token_hash = $2`,
    [interval, createHash('sha256').update(token).digest()],
  );
  expect(rowCount).toBe(1);
}

describe('POST /api/login', () => {
  test('answers success and sets the cookie of a new session', async () => {
    const { status, text, headers } = await tryLogin(ADMIN);
    expect({ status, text }).toEqual({ status: 200, text: '{"success":true}' });
    const [session = '', device = ''] = headers.getSetCookie();
    expect(session).toMatch(/^gallery_session=[A-Za-z0-9_-]{43};/);
    expect(attributesOf(session)).toEqual(['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Strict']);
    expect(device).toMatch(/^gallery_device=[\w-]{22}\.\d+\.[\w-]{43};/);
    expect(attributesOf(device)).toEqual([
      'HttpOnly',
      'Max-Age=15552000',
      'Path=/api/login',
      'SameSite=Strict',
    ]);
    expect(headers.get('cache-control')).toBe('private, no-store');
  });

  test('the cookies are for https alone unless COOKIE_SECURE says otherwise', async () => {
    const { COOKIE_SECURE: _, ...settings } = gallery.settings;
    const service = await startGallery(settings);
    const { headers } = await tryLogin(ADMIN, newClient(), service.url);
    const [session = '', device = ''] = headers.getSetCookie();
    expect(session).toMatch(/^__Host-gallery_session=[A-Za-z0-9_-]{43};/);
    expect(device).toMatch(/^__Host-gallery_device=/);
    for (const cookie of [session, device]) {
      expect(attributesOf(cookie)).toEqual(expect.arrayContaining(['Path=/', 'Secure']));
      expect(cookie).not.toContain('Domain');
    }
    await service.close();
  });

  test('the cookies without a prefix are for http alone, and removed by the next login', async () => {
    const { COOKIE_SECURE: _, ...settings } = gallery.settings;
    const service = await startGallery(settings);
    const former = await login(gallery.url);
    expect(former).toMatch(/^gallery_session=/);
    // A neighbouring subdomain may plant it.
    expect((await askWith(former, service.url)).status).toBe(401);
    const now = await login(service.url);
    const planted = `gallery_session=${'A'.repeat(43)}`;
    expect((await askWith(`${planted}; ${now}`, service.url)).status).toBe(200);
    const { headers } = await tryLogin(ADMIN, { ...newClient(), cookie: former }, service.url);
    expect(headers.getSetCookie()).toContainEqual(expect.stringMatching(/^gallery_session=;.*Path=\//));
    expect((await askWith(former, service.url)).status).toBe(401);
    const out = await send(`${service.url}/api/logout`, {
      method: 'POST',
      headers: { cookie: `${planted}; ${now}` },
    });
    expect(out.headers.getSetCookie().map((line) => line.split(';')[0])).toEqual([
      'gallery_session=',
      '__Host-gallery_session=',
    ]);
    expect((await askWith(now, service.url)).headers.get('www-authenticate')).toContain(
      '"__Host-gallery_session"',
    );
    await service.close();
  });

  test('the database knows only the hash of the cookie', async () => {
    const cookie = await login(gallery.url);
    const [, token = ''] = cookie.split('=');
    const { rows } = await gallery.database.pool.query('select s::text from gallery.session s');
    const hash = createHash('sha256').update(token).digest('hex');
    expect(rows.some(({ s }) => s.includes(hash))).toBe(true);
    expect(JSON.stringify(rows)).not.toContain(token);
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
  });

  test.each([
    ['a wrong password', WRONG],
    ['an unknown username', { ...ADMIN, username: 'nobody' }],
    ['another spelling of the username', { ...ADMIN, username: ADMIN.username.toUpperCase() }],
  ])('401 for %s, after at least 500 ms', async (_what, json) => {
    const begin = performance.now();
    const { status, headers, body } = await tryLogin(json);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(500);
    expect({ status, cookie: headers.get('set-cookie') }).toEqual({ status: 401, cookie: null });
    expect(body).toMatchObject({
      success: false,
      message: 'wrong username or password',
      code: 'unauthorized',
    });
  });

  test.each([
    ['no body', {}, 400],
    ['no password', { json: { username: 'editor' } }, 400],
    ['an empty username', { json: { username: '', password: 'x' } }, 400],
    ['an empty password', { json: { username: 'x', password: '' } }, 400],
    ['an unknown member', { json: { ...ADMIN, remember: true } }, 400],
    ['a list for a password', { json: { username: 'x', password: ['x'] } }, 400],
    ['a username of 256 characters', { json: { username: 'x'.repeat(256), password: 'x' } }, 400],
    ['a password of 1025 characters', { json: { username: 'x', password: 'x'.repeat(1025) } }, 400],
    ['a body of over 32 KiB', { json: { username: 'x', password: 'x'.repeat(33_000) } }, 413],
    ['a body that is not JSON', { raw: '{', headers: { 'content-type': 'application/json' } }, 400],
    ['a form', { raw: 'username=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
  ] satisfies [string, Sending, number][])('refuses %s', async (_what, sending, expected) => {
    const { status, body } = await send(`${gallery.url}/api/login`, { method: 'POST', ...sending });
    expect({ status, ...body }).toMatchObject({
      status: expected,
      success: false,
      message: expect.any(String),
    });
    expect(JSON.stringify(body)).not.toContain('xxx');
  });

  test.each([
    ['without a username', { ADMIN_USERNAME: '' }],
    ['without a password', { ADMIN_PASSWORD_HASH: '' }],
  ])('500 on a server %s', async (_what, settings) => {
    const service = await startGallery({ ...gallery.settings, ...settings });
    const { status, body } = await tryLogin(ADMIN, newClient(), service.url);
    await service.close();
    expect({ status, ...body }).toMatchObject({ status: 500, success: false, code: 'server_misconfigured' });
    expect(body.message).toContain('ADMIN_USERNAME');
  });

  test('takes the password of ADMIN_PASSWORD, in composed or decomposed characters', async () => {
    const settings = { ...gallery.settings, ADMIN_PASSWORD_HASH: '', ADMIN_PASSWORD: 'caf\u00e9 au lait' };
    const service = await startGallery(settings);
    const right = await tryLogin({ ...ADMIN, password: 'cafe\u0301 au lait' }, newClient(), service.url);
    const wrong = await tryLogin({ ...ADMIN, password: 'cafe au lait' }, newClient(), service.url);
    await service.close();
    expect([right.status, wrong.status]).toEqual([200, 401]);
  });

  test('503 with Retry-After while the database is away', async () => {
    const service = await startGallery({ ...gallery.settings, DATABASE_URL: 'postgres://x:y@127.0.0.1:9/x' });
    const { status, headers, body } = await tryLogin(ADMIN, newClient(), service.url);
    await service.close();
    expect({ status, retry: headers.get('retry-after') }).toEqual({ status: 503, retry: '1' });
    expect(body).toMatchObject({ success: false, code: 'temporarily_unavailable' });
  });
});

/** The `Cookie` header of the device that a login has named. */
function deviceOf({ headers }: { headers: Headers }): string {
  const cookie = headers.getSetCookie().find((line) => line.startsWith('gallery_device='));
  return cookie?.split(';')[0] ?? '';
}

describe('the throttle', () => {
  const statuses = async (attempts: Promise<{ status: number }>[]) =>
    (await Promise.all(attempts)).map(({ status }) => status).sort();

  test('answers 429 after 5 failures, to the right password too, on every replica and after a restart', async () => {
    const client = newClient();
    const replica = await startGallery(gallery.settings);
    for (const url of [gallery.url, replica.url, gallery.url, replica.url, gallery.url]) {
      expect((await tryLogin(WRONG, client, url)).status).toBe(401);
    }
    await replica.close();
    const restarted = await startGallery(gallery.settings);
    for (const url of [gallery.url, restarted.url]) {
      const { status, headers, body } = await tryLogin(ADMIN, client, url);
      expect({ status, ...body }).toMatchObject({ status: 429, success: false, code: 'rate_limited' });
      const seconds = Number(headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(800);
      expect(seconds).toBeLessThanOrEqual(900);
    }
    await restarted.close();
    expect((await tryLogin({ ...WRONG, username: 'other' }, client)).status).toBe(401);
    expect((await tryLogin(ADMIN)).status).toBe(200);
  });

  test('counts attempts that come at once', async () => {
    const client = newClient();
    const replica = await startGallery(gallery.settings);
    const urls = Array.from({ length: 20 }, (_, i) => (i % 2 ? gallery.url : replica.url));
    const seen = await statuses(urls.map((url) => tryLogin(WRONG, client, url)));
    await replica.close();
    expect(seen).toEqual([...Array(5).fill(401), ...Array(15).fill(429)]);
  });

  test('treats an IPv6 /64 as one client, whichever address is used', async () => {
    const from = (host: number) => ({ 'x-forwarded-for': `2001:db8:0:1::${host}` });
    const attempts = Array.from({ length: 6 }, (_, i) => tryLogin(WRONG, from(i + 1)));
    expect(await statuses(attempts)).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('counts every spelling of a username as the one that it is compared as', async () => {
    const username = 'zo\u00eb';
    const service = await startGallery({ ...gallery.settings, ADMIN_USERNAME: username });
    const attempt = (password: string, spelling: string, client: Record<string, string>) =>
      tryLogin({ username: username.normalize(spelling), password }, client, service.url);
    const client = newClient();
    const seen: number[] = [];
    for (const spelling of ['NFC', 'NFD', 'NFC', 'NFD', 'NFD', 'NFC']) {
      seen.push((await attempt('wrong', spelling, client)).status);
    }
    const right = await attempt(ADMIN.password, 'NFD', newClient());
    await service.close();
    expect([seen, right.status]).toEqual([[401, 401, 401, 401, 401, 429], 200]);
  });

  test('answers 429 to an address after 20 failures, whatever names it tries', async () => {
    const client = newClient();
    const attempts = Array.from({ length: 22 }, (_, i) =>
      tryLogin({ ...WRONG, username: `name-${i}` }, client),
    );
    expect(await statuses(attempts)).toEqual([...Array(20).fill(401), 429, 429]);
    const { status, headers } = await tryLogin(ADMIN, client);
    expect([status, Number(headers.get('retry-after')) > 800]).toEqual([429, true]);
    expect((await tryLogin(ADMIN)).status).toBe(200);
  });

  test('counts a browser that has logged in before separately, wherever it is and whatever others do there', async () => {
    const client = newClient();
    const device = deviceOf(await tryLogin(ADMIN, client));
    await Promise.all(Array.from({ length: 5 }, () => tryLogin(WRONG, client)));
    expect((await tryLogin(ADMIN, client)).status).toBe(429);
    expect((await tryLogin(ADMIN, { ...client, cookie: device })).status).toBe(200);

    for (let i = 0; i < 5; i += 1) {
      expect((await tryLogin(WRONG, { ...newClient(), cookie: device })).status).toBe(401);
    }
    expect((await tryLogin(ADMIN, { ...newClient(), cookie: device })).status).toBe(429);
  });

  test('takes a device cookie that it has not signed for none', async () => {
    const client = newClient();
    const forged = deviceOf(await tryLogin(ADMIN)).replace(/.$/, (last) => (last === 'A' ? 'E' : 'A'));
    await Promise.all(Array.from({ length: 5 }, () => tryLogin(WRONG, client)));
    expect((await tryLogin(ADMIN, { ...client, cookie: forged })).status).toBe(429);
  });

  test('removes the windows that are over as it writes others', async () => {
    const { pool } = gallery.database;
    await pool.query(`
      insert into gallery.login_failure (source, failures, window_started_at)
      select sha256(n::text::bytea), 1, now() - interval '1 hour' from generate_series(1, 50) n
    `);
    await tryLogin(WRONG);
    const { rows } = await pool.query(
      `select count(*)::int as old from gallery.login_failure where window_started_at < now() - interval '15 minutes'`,
    );
    expect(rows).toEqual([{ old: 0 }]);
  });

  test('a successful login does not count as a failure', async () => {
    const client = newClient();
    for (let i = 0; i < 7; i += 1) expect((await tryLogin(ADMIN, client)).status).toBe(200);
    const failed = Array.from({ length: 4 }, () => tryLogin(WRONG, client));
    expect(await statuses(failed)).toEqual([401, 401, 401, 401]);
    expect((await tryLogin(ADMIN, client)).status).toBe(200);
  });

  test('starts again when the window is over, and deletes the old one', async () => {
    const client = newClient();
    await Promise.all(Array.from({ length: 6 }, () => tryLogin(WRONG, client)));
    expect((await tryLogin(ADMIN, client)).status).toBe(429);
    const { pool } = gallery.database;
    await pool.query(
      `update gallery.login_failure set window_started_at = window_started_at - interval '15 minutes'`,
    );
    expect((await tryLogin(ADMIN, client)).status).toBe(200);
    const { rows } = await pool.query(
      `select count(*)::int as old from gallery.login_failure where window_started_at < now() - interval '14 minutes'`,
    );
    expect(rows).toEqual([{ old: 0 }]);
  });

  test('does not store usernames or addresses in readable form', async () => {
    await tryLogin({ username: 'my-pa55word-by-mistake', password: 'x' });
    await tryLogin(ADMIN);
    const { rows } = await gallery.database.pool.query(
      'select f::text from gallery.login_failure f union all select a::text from gallery.known_address a',
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toMatch(/my-pa55word|198\.51\.100/);
  });
});

describe('a session', () => {
  test('is a new one at each login, never one that the request brings along', async () => {
    const planted = `gallery_session=${'A'.repeat(43)}`;
    const client = newClient();
    const { headers } = await tryLogin(ADMIN, { ...client, cookie: planted });
    const [first = ''] = (headers.get('set-cookie') ?? '').split(';');
    expect(first).not.toBe(planted);
    expect((await askWith(planted)).status).toBe(401);

    const again = await tryLogin(ADMIN, { ...client, cookie: first });
    const [second = ''] = (again.headers.get('set-cookie') ?? '').split(';');
    expect(second).not.toBe(first);
    expect((await askWith(second)).status).toBe(200);
    expect((await askWith(first)).status).toBe(401);
  });

  test('ends with the logout, on every replica, even for a copied cookie', async () => {
    const replica = await startGallery(gallery.settings);
    const cookie = await login(gallery.url);
    const other = await login(gallery.url);
    expect((await askWith(cookie, replica.url)).status).toBe(200);
    const { status, text, headers } = await send(`${gallery.url}/api/logout`, {
      method: 'POST',
      headers: { cookie },
    });
    expect({ status, text }).toEqual({ status: 200, text: '{"success":true}' });
    expect(headers.get('set-cookie')).toMatch(/^gallery_session=;.*Expires=Thu, 01 Jan 1970/);
    expect((await askWith(cookie)).status).toBe(401);
    expect((await askWith(cookie, replica.url)).status).toBe(401);
    expect((await askWith(other)).status).toBe(200);
    await replica.close();
  });

  test('outlives a restart', async () => {
    const service = await startGallery(gallery.settings);
    const cookie = await login(service.url);
    await service.close();
    expect((await askWith(cookie)).status).toBe(200);
  });

  test('ends 12 hours after its last use', async () => {
    const cookie = await login(gallery.url);
    for (let i = 0; i < 3; i += 1) {
      await age('last_used_at', cookie, '11 hours 59 minutes');
      expect((await askWith(cookie)).status).toBe(200);
    }
    await age('last_used_at', cookie, '12 hours');
    const { status, headers } = await askWith(cookie);
    expect({ status, cleared: headers.get('set-cookie')?.startsWith('gallery_session=;') }).toEqual({
      status: 401,
      cleared: true,
    });
  });

  test('ends 7 days after the login, however much it is used', async () => {
    const cookie = await login(gallery.url);
    await age('created_at', cookie, '6 days 23 hours');
    expect((await askWith(cookie)).status).toBe(200);
    await age('created_at', cookie, '1 hour');
    expect((await askWith(cookie)).status).toBe(401);
  });

  test('is removed once it has ended', async () => {
    const [idle, old] = [await login(gallery.url), await login(gallery.url)];
    await age('last_used_at', idle, '12 hours');
    await age('created_at', old, '7 days');
    const count = async () =>
      (await gallery.database.pool.query('select count(*)::int as n from gallery.session')).rows[0].n;
    const before = await count();
    await login(gallery.url);
    expect(await count()).toBe(before - 1);
  });

  test('ends when the password is another one', async () => {
    const cookie = await login(gallery.url);
    const settings = { ...gallery.settings, ADMIN_PASSWORD_HASH: '', ADMIN_PASSWORD: 'another password' };
    const service = await startGallery(settings);
    const { status } = await askWith(cookie, service.url);
    await service.close();
    expect(status).toBe(401);
  });
});

describe('the guard', () => {
  test.each([
    ['POST', '/api/logout'],
    ['POST', '/api/upload'],
    ['POST', '/api/upload/multipart'],
    ['GET', '/api/settings/buckets'],
    ['POST', '/api/settings/buckets'],
  ])('%s %s is 401 without a session, with any body', async (method, path) => {
    for (const cookie of [
      '',
      'gallery_session=',
      `gallery_session=${'A'.repeat(43)}`,
      'gallery_session=%00',
    ]) {
      const { status, headers, body } = await send(`${gallery.url}${path}`, { method, headers: { cookie } });
      expect({ status, ...body }).toMatchObject({ status: 401, success: false, code: 'unauthorized' });
      expect(body.message).toBe(body.detail);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('www-authenticate')).toContain('gallery_session');
    }
  });

  test.each(['http://evil.example', 'https://evil.example', 'null', 'http://127.0.0.1:1'])(
    '403 for a change that a page of %s sends',
    async (origin) => {
      const headers = { cookie: gallery.cookie, origin };
      for (const path of ['/api/login', '/api/logout', '/api/upload', '/api/settings/buckets']) {
        const answer = await send(`${gallery.url}${path}`, { method: 'POST', json: ADMIN, headers });
        const { status, body } = answer;
        expect(answer.headers.get('access-control-allow-origin')).toBeNull();
        expect({ path, status, ...body }).toMatchObject({
          path,
          status: 403,
          success: false,
          code: 'forbidden',
        });
      }
      expect((await askWith(gallery.cookie)).status).toBe(200);
    },
  );

  test('a change from its own origin passes, as the proxy in front names it', async () => {
    const json = { action: 'set-active', id: 'default' };
    const change = (headers: Record<string, string>) =>
      gallery.ask('/api/settings/buckets', { method: 'POST', json, headers });
    expect((await change({ origin: gallery.url })).status).toBe(200);
    const behind = { origin: 'https://admin.example', 'x-forwarded-proto': 'https' };
    for (const host of ['admin.example', 'ADMIN.example', 'admin.example:443']) {
      expect([host, (await change({ ...behind, 'x-forwarded-host': host })).status]).toEqual([host, 200]);
    }
    for (const host of ['admin.example:80', 'admin.example:8443', 'example']) {
      expect([host, (await change({ ...behind, 'x-forwarded-host': host })).status]).toEqual([host, 403]);
    }
  });

  test.each(['cross-site', 'same-site', 'junk'])(
    'a change with Sec-Fetch-Site: %s is refused',
    async (site) => {
      const headers = { cookie: gallery.cookie, 'sec-fetch-site': site };
      const { status, body } = await send(`${gallery.url}/api/upload`, { method: 'POST', headers, json: {} });
      expect([status, body.code]).toEqual([403, 'forbidden']);
      expect((await send(`${gallery.url}/api/settings/buckets`, { headers })).status).toBe(200);
    },
  );

  test.each(['same-origin', 'none'])('a change with Sec-Fetch-Site: %s is not', async (site) => {
    const headers = { cookie: gallery.cookie, 'sec-fetch-site': site };
    const { status } = await send(`${gallery.url}/api/upload`, { method: 'POST', headers, json: {} });
    expect(status).toBe(400);
  });

  test('what is behind the session can be loaded by pages of its origin alone', async () => {
    for (const cookie of [gallery.cookie, '']) {
      const { headers } = await askWith(cookie, gallery.url);
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
  });

  test('a page of the same host by another scheme is foreign', async () => {
    const { COOKIE_SECURE: _, TRUST_PROXY: __, ...settings } = gallery.settings;
    const [overHttps, direct] = [
      await startGallery({ ...settings, TRUST_PROXY: '1' }),
      await startGallery({ ...settings, COOKIE_SECURE: 'false' }),
    ];
    const cookie = `${await login(gallery.url)}; ${await login(overHttps.url)}`;
    const [https, http] = ['https://admin.example', 'http://admin.example'];
    const told = (proto: string) => ({ 'x-forwarded-host': 'admin.example', 'x-forwarded-proto': proto });
    const change = (url: string, headers: Record<string, string>) =>
      send(`${url}/api/logout`, { method: 'POST', headers: { cookie, ...headers } });
    for (const proto of ['https', 'http', 'javascript']) {
      const { status, body } = await change(overHttps.url, { origin: http, ...told(proto) });
      expect([status, body.message]).toEqual([403, expect.stringContaining(https)]);
    }
    expect((await change(gallery.url, { origin: http, ...told('https') })).status).toBe(403);
    expect((await change(gallery.url, { origin: https, ...told('http') })).status).toBe(403);
    expect((await change(gallery.url, { origin: 'null', ...told('javascript') })).status).toBe(403);
    // No proxy is configured: what the request says of its scheme is the client's own word.
    const own = direct.url.replace('http:', 'https:');
    expect((await change(direct.url, { origin: own, 'x-forwarded-proto': 'https' })).status).toBe(403);
    expect((await change(overHttps.url, { origin: https, ...told('https') })).status).toBe(200);
    await Promise.all([overHttps.close(), direct.close()]);
  });

  test('says what exists and what does not', async () => {
    expect((await gallery.ask('/api/nothing')).status).toBe(404);
    const wrong = await gallery.ask('/api/upload', { method: 'DELETE' });
    expect({ status: wrong.status, allow: wrong.headers.get('allow') }).toEqual({
      status: 405,
      allow: 'POST',
    });
    const query = await gallery.ask('/api/settings/buckets?x=1');
    expect({ status: query.status, message: query.body.message }).toEqual({
      status: 400,
      message: expect.stringContaining('"x"'),
    });
  });
});

test('a page that was opened as another account does nothing, and its session goes on', async () => {
  const ask = (account: string) =>
    send(`${gallery.url}/api/me`, { headers: { cookie: gallery.cookie, 'desk-account': account } });
  const refused = await ask('0b6c0e4e-6d1c-4a55-9a58-5e8d6b6f7a10');
  expect([refused.status, refused.body.code]).toEqual([403, 'logged_in_as_another']);
  expect((await ask('environment')).status).toBe(200);
});

test('the log names who has logged in, and in which lane, but not what a failed login was given', async () => {
  const service = await startGallery(gallery.settings);
  const client = newClient();
  const first = await tryLogin(ADMIN, client, service.url);
  await tryLogin(ADMIN, { ...client, cookie: deviceOf(first) }, service.url);
  await tryLogin(ADMIN, client, service.url);
  await tryLogin({ username: 'my-pa55word-by-mistake', password: 'x' }, newClient(), service.url);
  const logins = service.log.events().filter(({ msg }) => String(msg).startsWith('login_'));
  expect(logins.map(({ msg, username, lane }) => [msg, username, lane])).toEqual([
    ['login_succeeded', ADMIN.username, 'unknown'],
    ['login_succeeded', ADMIN.username, 'device'],
    ['login_succeeded', ADMIN.username, 'known_address'],
    ['login_failed', undefined, 'unknown'],
  ]);
  for (const { requestId } of logins.slice(0, 3)) expect(requestId).toEqual(expect.any(String));
  expect(service.log.text()).not.toContain('my-pa55word');
  await service.close();
});

test.each([
  ['a', 'at least 12 characters'],
  ['elevenchars', 'at least 12 characters'],
  ['Administrator', 'not one of the most used'],
  ['1Q2W3E4R5T6Y', 'not one of the most used'],
])('ADMIN_PASSWORD=%s is refused at the start, with its reason', async (ADMIN_PASSWORD, reason) => {
  const settings = { ...gallery.settings, ADMIN_PASSWORD_HASH: '', ADMIN_PASSWORD };
  const refusal = await startGallery(settings).catch((error: Error) => error.message);
  expect(refusal).toMatch(`ADMIN_PASSWORD is (hidden), expected a password`);
  expect(refusal).toContain(reason);
});

test('the log contains neither password nor cookie', async () => {
  const cookie = await login(gallery.url);
  await askWith(cookie);
  await tryLogin({ ...ADMIN, password: 'a wrong secret' });
  const log = gallery.log.text();
  expect(log).toContain('login_failed');
  for (const secret of [
    ADMIN.password,
    'a wrong secret',
    cookie.slice(16),
    gallery.settings.ADMIN_PASSWORD_HASH,
  ]) {
    expect(log).not.toContain(secret);
  }
});
