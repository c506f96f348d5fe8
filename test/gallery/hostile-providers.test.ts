import {
  exportJWK,
  exportSPKI,
  generateKeyPair,
  importJWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type GalleryFixture, galleryFixture, startGallery } from '../support/gallery.ts';
import { type Answer, send } from '../support/http.ts';
import { answer, HostileProvider } from '../support/oidc.ts';

let hostile: HostileProvider;
let honest: HostileProvider;
let gallery: GalleryFixture;
const started: HostileProvider[] = [];
beforeAll(async () => {
  hostile = await provider('hostile');
  honest = await provider('honest');
  gallery = await galleryFixture({
    TRUST_PROXY: '1',
    OIDC_PROVIDERS: JSON.stringify([hostile.client, honest.client]),
  });
  await gallery.post('/api/people', { name: 'Ann', email: 'ann@example.org', role: 'editor' });
});
afterAll(async () => {
  await gallery?.close();
  for (const one of started) await one.close();
});
beforeEach(() => {
  hostile.intercept = () => false;
});

async function provider(id: string): Promise<HostileProvider> {
  const one = await new HostileProvider(id).start();
  started.push(one);
  return one;
}

let addresses = 0;
function newAddress(): Record<string, string> {
  addresses += 1;
  return { 'x-forwarded-for': `198.51.100.${addresses}` };
}

function cookieOf({ headers }: Answer, name: string): string {
  return (
    headers
      .getSetCookie()
      .find((line) => line.startsWith(`${name}=`))
      ?.split(';')[0] ?? ''
  );
}

interface Begun {
  cookie: string;
  state: string;
  nonce: string;
}

async function begin(id = 'hostile', url = gallery.url): Promise<Begun> {
  const begun = await send(`${url}/api/oidc/${id}/login`, { headers: newAddress() });
  const { searchParams } = new URL(begun.headers.get('location') ?? '', url);
  return {
    cookie: cookieOf(begun, 'gallery_login'),
    state: searchParams.get('state') ?? '',
    nonce: searchParams.get('nonce') ?? '',
  };
}

function comeBack(query: Record<string, string>, cookie: string, id = 'hostile', url = gallery.url) {
  const at = `${url}/api/oidc/${id}/callback?${new URLSearchParams(query)}`;
  return send(at, { headers: { cookie, ...newAddress() } });
}

/** Why somebody was not let in; undefined if they were. */
function refusal(answer: Answer): string | undefined {
  expect(answer.status, answer.text).toBe(303);
  const url = new URL(answer.headers.get('location') ?? '', `${gallery.url}/api/oidc/hostile/callback`);
  expect(url.pathname).toBe('/desk/');
  const reason = url.searchParams.get('sign_in') ?? undefined;
  expect(cookieOf(answer, 'gallery_session') !== '').toBe(reason === undefined);
  return reason;
}

const ANN = { email: 'ann@example.org', email_verified: true };

/** The outcome of a login with an ID token that is made from its nonce. */
async function outcome(make: (nonce: string) => Promise<string> | string, more: object = {}) {
  const { cookie, state, nonce } = await begin();
  hostile.gives(await make(nonce), more);
  return refusal(await comeBack({ code: 'a', state }, cookie));
}

function claiming(claims: JWTPayload, header: object = {}) {
  return outcome((nonce) => hostile.idToken(nonce, { ...ANN, ...claims }, header));
}

const now = () => Math.floor(Date.now() / 1000);

describe('an ID token', () => {
  test('that is as it has to be lets somebody in, and the code was asked for with the verifier', async () => {
    expect(await claiming({})).toBeUndefined();
    const [asked] = hostile.asked.slice(-1);
    expect(asked?.get('code_verifier')).toMatch(/^[\w-]{43,}$/);
    expect(asked?.get('redirect_uri')).toBe(`${gallery.url}/api/oidc/hostile/callback`);
  });

  test.each<[string, () => JWTPayload]>([
    ['of another issuer', () => ({ iss: 'https://elsewhere.example' })],
    ['of the honest provider', () => ({ iss: honest.issuer })],
    ['without an issuer', () => ({ iss: undefined as never })],
    ['for another audience', () => ({ aud: 'another' })],
    ['for others too, and made for one of them', () => ({ aud: ['desk', 'another'], azp: 'another' })],
    ['that has ended', () => ({ iat: now() - 900, exp: now() - 600 })],
    ['without an end', () => ({ exp: undefined as never })],
    ['from the future', () => ({ iat: now() + 3600, exp: now() + 7200 })],
    ['that is not valid yet', () => ({ nbf: now() + 3600 })],
    ['without the time of its making', () => ({ iat: undefined as never })],
    ['with another nonce', () => ({ nonce: 'another' })],
    ['without a nonce', () => ({ nonce: undefined })],
    ['without a subject', () => ({ sub: undefined as never })],
    ['with a number as its subject', () => ({ sub: 7 as never })],
  ])('%s is refused', async (_, claims) => {
    expect(await claiming(claims())).toBe('answer_refused');
  });

  test('that is not signed is refused', async () => {
    hostile.metadata = { id_token_signing_alg_values_supported: ['RS256', 'none', 'HS256'] };
    const payload = (nonce: string) => ({ iss: hostile.issuer, aud: 'desk', sub: 'one', nonce, ...ANN });
    const unsecured = (nonce: string) =>
      new UnsecuredJWT(payload(nonce)).setIssuedAt().setExpirationTime('5m').encode();
    expect(await outcome(unsecured)).toBe('answer_refused');
    const other = await replica();
    try {
      const { cookie, state, nonce } = await begin('hostile', other.url);
      hostile.gives(unsecured(nonce));
      expect(refusal(await comeBack({ code: 'a', state }, cookie, 'hostile', other.url))).toBe(
        'answer_refused',
      );
      // Nor by what anybody knows, or the desk's own secret.
      for (const secret of [await exportSPKI(await publicKey()), 'hidden', JSON.stringify(hostile.keys[0])]) {
        const again = await begin('hostile', other.url);
        const key = new TextEncoder().encode(secret.padEnd(32));
        const token = new SignJWT(payload(again.nonce)).setIssuedAt().setExpirationTime('5m');
        hostile.gives(await token.setProtectedHeader({ alg: 'HS256' }).sign(key));
        const back = await comeBack({ code: 'a', state: again.state }, again.cookie, 'hostile', other.url);
        expect(refusal(back)).toBe('answer_refused');
      }
    } finally {
      hostile.metadata = {};
      await other.close();
    }
  });

  test('signed with another key is refused', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    const own = hostile.key;
    hostile.key = privateKey;
    expect(await claiming({})).toBe('answer_refused');
    hostile.key = own;
    // Nor does a key count that comes with the token.
    const strange = await generateKeyPair('RS256', { extractable: true });
    hostile.key = strange.privateKey;
    expect(await claiming({}, { jwk: await exportJWK(strange.publicKey) })).toBe('answer_refused');
    hostile.key = own;
    expect(await claiming({}, { kid: 'unknown' })).toBe('answer_refused');
    expect(await claiming({}, { crit: ['anything'], anything: 1 }).catch(() => 'answer_refused')).toBe(
      'answer_refused',
    );
    const [head, body, signature = ''] = (await hostile.idToken('x')).split('.');
    expect(await outcome(() => `${head}.${body}.${signature.slice(0, -4)}AAAA`)).toBe('answer_refused');
  });

  test('comes from the token endpoint alone', async () => {
    const { cookie, state, nonce } = await begin();
    const id_token = await hostile.idToken(nonce, ANN);
    expect(refusal(await comeBack({ code: 'a', state, id_token }, cookie))).toBe('answer_refused');
    expect(await outcome(() => 'not a token')).toBe('answer_refused');
    const second = await begin();
    hostile.token = (response) => answer(response, { access_token: 'access', token_type: 'Bearer' });
    expect(refusal(await comeBack({ code: 'a', state: second.state }, second.cookie))).toBe('answer_refused');
  });

  async function publicKey() {
    return (await importJWK(hostile.keys[0] ?? {}, 'RS256', { extractable: true })) as CryptoKey;
  }
});

describe('a login there', () => {
  /** Logs in by a provider that says this, and returns what asks with the session. */
  async function member(claims: JWTPayload) {
    const { cookie, state, nonce } = await begin();
    hostile.gives(await hostile.idToken(nonce, { ...ANN, ...claims }));
    const back = await comeBack({ code: 'a', state }, cookie);
    expect(refusal(back)).toBeUndefined();
    const headers = { cookie: cookieOf(back, 'gallery_session') };
    return (path: string, json?: unknown) =>
      send(`${gallery.url}${path}`, { headers, ...(json !== undefined && { method: 'POST', json }) });
  }

  async function isConfirmed(ask: Awaited<ReturnType<typeof member>>): Promise<boolean> {
    return (await ask('/api/me/factors')).body.data.confirmed;
  }

  test.each<[string, () => number | undefined, boolean]>([
    ['of just now is one here', now, true],
    ['whose time is not said confirms nothing', () => undefined, false],
    ['of an hour ago confirms nothing', () => now() - 3600, false],
  ])('%s', async (_, time, expected) => {
    expect(await isConfirmed(await member({ auth_time: time() }))).toBe(expected);
  });

  test('of a time to come is one of now', async () => {
    const ask = await member({ auth_time: now() + 3600 });
    expect(await isConfirmed(ask)).toBe(true);
    await gallery.database.pool.query(
      "update gallery.session set confirmed_at = confirmed_at - interval '16 minutes'",
    );
    expect(await isConfirmed(ask)).toBe(false);
  });

  test('confirms if it was made anew, with an account of the person', async () => {
    const ask = await member({ auth_time: now() - 3600 });
    const confirm = async (claims: JWTPayload) => {
      const begun = await ask('/api/me/confirm/account', { provider: 'hostile' });
      const { searchParams } = new URL(begun.body.data.location);
      expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '0']);
      hostile.gives(await hostile.idToken(searchParams.get('nonce') ?? '', { ...ANN, ...claims }));
      const query = { code: 'a', state: searchParams.get('state') ?? '' };
      const back = await comeBack(query, cookieOf(begun, 'gallery_login'));
      expect(cookieOf(back, 'gallery_session')).toBe('');
      const said = new URL(back.headers.get('location') ?? '', gallery.url).searchParams.get('sign_in');
      return [said, await isConfirmed(ask)];
    };
    expect(await confirm({ auth_time: now() - 3600 })).toEqual(['not_asked_again', false]);
    expect(await confirm({})).toEqual(['not_asked_again', false]);
    expect(await confirm({ auth_time: 'now' })).toEqual(['answer_refused', false]);
    expect(await confirm({ auth_time: now(), sub: 'another' })).toEqual(['other_account', false]);
    expect(await confirm({ auth_time: now() })).toEqual(['confirmed', true]);
    const { entries } = (await gallery.ask('/api/trail?action=confirmation_failed&limit=1')).body.data;
    expect(entries).toMatchObject([{ object: { by: 'hostile', reason: 'other_account' } }]);
  });
});

function replica() {
  return startGallery(gallery.settings);
}

test('a provider that issues for every organisation lets in those of its issuer alone', async () => {
  const everybody = 'https://login.microsoftonline.com/common/v2.0';
  const ofOne = (tenant: string) => `https://login.microsoftonline.com/${tenant}/v2.0`;
  const real = fetch;
  const spied = vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => {
    const asked = String(url).replace(`${everybody}/`, `${hostile.issuer}/`);
    return real(asked, init);
  });
  hostile.metadata = {
    issuer: ofOne('{tenantid}'),
    ...{ token_endpoint: `${everybody}/token`, jwks_uri: `${everybody}/keys` },
    authorization_endpoint: `${everybody}/authorize`,
  };
  const client = { ...hostile.client, issuer: everybody };
  const other = await startGallery({ ...gallery.settings, OIDC_PROVIDERS: JSON.stringify([client]) });
  try {
    const { cookie, state, nonce } = await begin('hostile', other.url);
    expect(state).not.toBe('');
    hostile.gives(await hostile.idToken(nonce, { ...ANN, iss: ofOne('evil'), tid: 'evil' }));
    const back = await comeBack({ code: 'a', state }, cookie, 'hostile', other.url);
    expect(refusal(back)).toBe('answer_refused');
  } finally {
    spied.mockRestore();
    hostile.metadata = {};
    await other.close();
  }
});

describe('a way back', () => {
  test('is taken once, in the browser that began, for the provider that it began at', async () => {
    const first = await begin();
    hostile.gives(await hostile.idToken(first.nonce, ANN));
    honest.gives(await honest.idToken(first.nonce, ANN));
    const query = { code: 'a', state: first.state };
    for (const cookie of ['', (await begin()).cookie, 'gallery_login=nothing']) {
      expect(refusal(await comeBack(query, cookie))).toBe('begin_again');
    }
    expect(refusal(await comeBack(query, first.cookie))).toBeUndefined();
    expect(refusal(await comeBack(query, first.cookie))).toBe('begin_again');
    // The answer of one provider at the other's address.
    const mixed = await begin();
    const asked = honest.asked.length;
    const back = await comeBack({ code: 'a', state: mixed.state }, mixed.cookie, 'honest');
    expect(refusal(back)).toBe('begin_again');
    expect(honest.asked.length).toBe(asked);
    // A state is used up by that.
    expect(refusal(await comeBack({ code: 'a', state: mixed.state }, mixed.cookie))).toBe('begin_again');
    const twice = await begin();
    const both = `code=a&state=${twice.state}&state=other`;
    const at = `${gallery.url}/api/oidc/hostile/callback?${both}`;
    expect(refusal(await send(at, { headers: { cookie: twice.cookie, ...newAddress() } }))).toBe(
      'answer_refused',
    );
  });

  test('at once from two windows lets one in', async () => {
    const { cookie, state, nonce } = await begin();
    hostile.gives(await hostile.idToken(nonce, ANN));
    const answers = await Promise.all([1, 2, 3].map(() => comeBack({ code: 'a', state }, cookie)));
    expect(answers.map(refusal).sort()).toEqual(['begin_again', 'begin_again', undefined]);
  });

  test('two tabs of a browser each have their own', async () => {
    const first = await begin();
    const second = await send(`${gallery.url}/api/oidc/hostile/login`, {
      headers: { cookie: first.cookie, ...newAddress() },
    });
    expect(cookieOf(second, 'gallery_login')).toBe(first.cookie);
    hostile.gives(await hostile.idToken(first.nonce, ANN));
    expect(refusal(await comeBack({ code: 'a', state: first.state }, first.cookie))).toBeUndefined();
  });

  test('ends after ten minutes', async () => {
    const { cookie, state, nonce } = await begin();
    hostile.gives(await hostile.idToken(nonce, ANN));
    await gallery.database.pool.query(
      "update gallery.begun_login set begun_at = begun_at - interval '10 minutes'",
    );
    expect(refusal(await comeBack({ code: 'a', state }, cookie))).toBe('begin_again');
  });

  test('names the issuer where the provider says so, and no other anywhere', async () => {
    const wrong = await begin();
    hostile.gives(await hostile.idToken(wrong.nonce, ANN));
    const query = { code: 'a', state: wrong.state, iss: honest.issuer };
    const asked = hostile.asked.length;
    expect(refusal(await comeBack(query, wrong.cookie))).toBe('answer_refused');
    hostile.metadata = { authorization_response_iss_parameter_supported: true };
    const other = await replica();
    try {
      const without = await begin('hostile', other.url);
      hostile.gives(await hostile.idToken(without.nonce, ANN));
      const missing = { code: 'a', state: without.state };
      expect(refusal(await comeBack(missing, without.cookie, 'hostile', other.url))).toBe('answer_refused');
      expect(hostile.asked.length).toBe(asked);
      const right = await begin('hostile', other.url);
      hostile.gives(await hostile.idToken(right.nonce, ANN));
      const whole = { code: 'a', state: right.state, iss: hostile.issuer };
      expect(refusal(await comeBack(whole, right.cookie, 'hostile', other.url))).toBeUndefined();
    } finally {
      hostile.metadata = {};
      await other.close();
    }
  });

  test.each([
    ['access_denied', 'cancelled'],
    ['login_required', 'answer_refused'],
    ['temporarily_unavailable', 'provider_unavailable'],
  ])('with the error %s says why', async (error, reason) => {
    const { cookie, state } = await begin();
    const error_description = '<script>alert(1)</script>';
    const back = await comeBack({ error, error_description, state }, cookie);
    expect(refusal(back)).toBe(reason);
    expect(back.text).toBe('');
  });

  test.each([
    '//evil.example',
    'https://evil.example/desk/articles',
    '/\\evil.example',
    '\\\\evil.example/desk/articles',
    '../api/logout',
    'media/../../api/gallery',
    '/desk//evil.example',
    'javascript:alert(1)',
    'x'.repeat(1990),
  ])('leads into the desk, not to %s', async (to) => {
    const begun = await send(`${gallery.url}/api/oidc/hostile/login?to=${encodeURIComponent(to)}`, {
      headers: newAddress(),
    });
    const { searchParams } = new URL(begun.headers.get('location') ?? '');
    hostile.gives(await hostile.idToken(searchParams.get('nonce') ?? '', ANN));
    const query = { code: 'a', state: searchParams.get('state') ?? '' };
    const back = await comeBack(query, cookieOf(begun, 'gallery_login'));
    const { origin, pathname } = new URL(
      back.headers.get('location') ?? '',
      `${gallery.url}/api/oidc/hostile/callback`,
    );
    expect(origin).toBe(gallery.url);
    expect(pathname).toBe(to.startsWith('x') ? `/desk/${to}` : '/desk/');
  });
});

describe('a provider', () => {
  test('that fails, answers at length, redirects or hangs is said to be away, or its answer refused', async () => {
    const attempt = async (token: HostileProvider['token']) => {
      const { cookie, state } = await begin();
      hostile.token = token;
      return refusal(await comeBack({ code: 'a', state }, cookie));
    };
    expect(await attempt((response) => response.writeHead(503).end('<h1>down</h1>'))).toBe(
      'provider_unavailable',
    );
    expect(await attempt((response) => response.destroy())).toBe('provider_unavailable');
    expect(await attempt((response) => answer(response, { error: 'invalid_grant' }, 400))).toBe(
      'answer_refused',
    );
    expect(await attempt((response) => response.writeHead(302, { location: honest.issuer }).end())).toBe(
      'answer_refused',
    );
    expect(
      await attempt((response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const more = () => {
          while (response.write(' '.repeat(65_536)));
        };
        response.on('drain', more);
        more();
      }),
    ).toBe('answer_refused');
    expect(await attempt(() => undefined)).toBe('provider_unavailable');
    const logged = JSON.stringify(gallery.log.events());
    for (const secret of ['hidden', 'access', ANN.email]) expect(logged).not.toContain(`"${secret}"`);
    expect(gallery.log.events().filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('that is another than it says, or away, begins nothing', async () => {
    const other = await replica();
    try {
      const refused = async () => {
        const at = `${other.url}/api/oidc/hostile/login?to=articles`;
        const { status, headers } = await send(at, { headers: newAddress() });
        expect(status).toBe(303);
        return headers.get('location');
      };
      const away = '../../../desk/articles?sign_in=provider_unavailable';
      hostile.metadata = { issuer: honest.issuer };
      expect(await refused()).toBe(away);
      hostile.metadata = {};
      hostile.intercept = (_request, response) => {
        response.destroy();
        return true;
      };
      expect(await refused()).toBe(away);
      hostile.intercept = () => false;
      expect(await refused()).toMatch(hostile.issuer);
    } finally {
      hostile.metadata = {};
      await other.close();
    }
  });

  test('that nobody has configured is none', async () => {
    for (const path of ['login', 'callback']) {
      expect((await send(`${gallery.url}/api/oidc/nobody/${path}`)).status).toBe(404);
    }
  });
});

test('a flood of logins that nobody ends is bounded, and leaves the other ways in', async () => {
  const from = newAddress();
  const attempt = () => send(`${gallery.url}/api/oidc/honest/login`, { headers: from });
  const answers: Answer[] = [];
  for (let times = 0; times < 21; times += 1) answers.push(await attempt());
  expect(
    answers.slice(0, 20).every(({ headers }) => headers.get('location')?.startsWith(honest.issuer)),
  ).toBe(true);
  expect(answers[20]?.headers.get('location')).toBe('../../../desk/?sign_in=busy');
  // Those of everybody are bounded too, save from where somebody has logged in before.
  await gallery.database.pool.query(`
    insert into gallery.begun_login (state_hash, browser_hash, provider, nonce, verifier, redirect_uri, target, address)
    select sha256(n::text::bytea), sha256('b'), 'honest', '', '', '', '', sha256('c') from generate_series(1, 10000) n
  `);
  const stranger = await send(`${gallery.url}/api/oidc/honest/login`, { headers: newAddress() });
  expect(stranger.headers.get('location')).toBe('../../../desk/?sign_in=busy');
  const known = await send(`${gallery.url}/api/oidc/honest/login`);
  expect(known.headers.get('location')).toMatch(honest.issuer);
  const { status } = await send(`${gallery.url}/api/login`, {
    method: 'POST',
    json: { username: 'editor', password: 'correct horse battery staple' },
    headers: from,
  });
  expect(status).toBe(200);
  await gallery.database.pool.query('delete from gallery.begun_login');
});

test('cookies over https are of this host alone', async () => {
  const secure = await startGallery({ ...gallery.settings, COOKIE_SECURE: 'true' });
  try {
    const { headers } = await send(`${secure.url}/api/oidc/honest/login`, { headers: newAddress() });
    expect(headers.getSetCookie()[0]).toMatch(
      /^__Host-gallery_login=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect(headers.get('location')).toContain(encodeURIComponent(secure.url.replace('http:', 'https:')));
  } finally {
    await secure.close();
  }
});
