import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SoftwarePasskey } from '../support/authenticator.ts';
import { type GalleryFixture, galleryFixture, startGallery } from '../support/gallery.ts';
import { type Answer, type Sending, send } from '../support/http.ts';
import { type Client, type RealProvider, signInAt, startProvider } from '../support/oidc.ts';

let real: RealProvider;
let grading: RealProvider;
let gallery: GalleryFixture;
beforeAll(async () => {
  real = await startProvider('real');
  grading = await startProvider('grading');
  gallery = await galleryFixture({
    TRUST_PROXY: '1',
    OIDC_PROVIDERS: JSON.stringify([real.client, graded(grading.client)]),
  });
});
afterAll(async () => {
  await gallery?.close();
  await real?.close();
  await grading?.close();
});
beforeEach(async () => {
  await gallery.database.pool.query('delete from gallery.person');
  real.accounts.clear();
  grading.accounts.clear();
});

/** A provider that gives roles. */
function graded(client: Client) {
  const roles = { 'desk-owners': 'owner', 'desk-editors': 'editor', 'desk-writers': 'writer' };
  return { ...client, scope: 'openid email profile groups', role_claim: 'groups', roles };
}

let addresses = 0;
function newAddress(): Record<string, string> {
  addresses += 1;
  return { 'x-forwarded-for': `198.51.100.${addresses}` };
}

function cookiesOf({ headers }: Answer): Map<string, string> {
  return new Map(
    headers.getSetCookie().map((line) => {
      const [pair = ''] = line.split(';');
      return [pair.split('=')[0] ?? '', pair] as const;
    }),
  );
}

async function invited(role: string, email = `${role}@example.org`, name = `A ${role}`) {
  const { status, body, text } = await gallery.post('/api/people', { name, email, role });
  expect(status, text).toBe(201);
  return body.data as { person: { id: string }; invitation: { token: string } };
}

interface Begun {
  location: string;
  cookie: string;
}

async function begin(provider = 'real', to = '', url = gallery.url): Promise<Begun> {
  const query = to === '' ? '' : `?to=${encodeURIComponent(to)}`;
  const begun = await send(`${url}/api/oidc/${provider}/login${query}`, { headers: newAddress() });
  expect(begun.status, begun.text).toBe(303);
  return {
    location: begun.headers.get('location') ?? '',
    cookie: cookiesOf(begun).get('gallery_login') ?? '',
  };
}

function comeBack(address: string, cookie: string): Promise<Answer> {
  return send(address, { headers: { cookie, ...newAddress() } });
}

/** Logs in at a provider, and comes back in the same browser. */
async function signOn(login: string, provider = 'real', to = ''): Promise<Answer> {
  const { location, cookie } = await begin(provider, to);
  return comeBack(await signInAt(location, login), cookie);
}

/** Why somebody was not let in; undefined if they were. */
function refusal(answer: Answer): string | undefined {
  expect(answer.status, answer.text).toBe(303);
  const url = new URL(answer.headers.get('location') ?? '', `${gallery.url}/api/oidc/real/callback`);
  expect(url.origin).toBe(gallery.url);
  const reason = url.searchParams.get('sign_in') ?? undefined;
  expect(cookiesOf(answer).has('gallery_session')).toBe(reason === undefined);
  return reason;
}

/** Sends requests with the session that a login has begun. */
function sessionOf(answer: Answer) {
  expect(refusal(answer)).toBeUndefined();
  const cookie = cookiesOf(answer).get('gallery_session') ?? '';
  const ask = (path: string, { headers, ...sending }: Sending = {}) =>
    send(`${gallery.url}${path}`, { ...sending, headers: { cookie, ...headers } });
  return { cookie, ask };
}

function memberOf(answer: Answer) {
  return sessionOf(answer).ask;
}

/** Lets the last 15 minutes pass for everybody who is logged in. */
async function growOld(): Promise<void> {
  await gallery.database.pool.query(
    "update gallery.session set created_at = created_at - interval '16 minutes', confirmed_at = null where person_id is not null",
  );
}

function outcome({ status, body }: Answer): [number, string | undefined] {
  return [status, body.code];
}

async function trail(action: string) {
  return (await gallery.ask(`/api/trail?action=${action}`)).body.data.entries;
}

test('a person who was invited logs in by a provider that vouches for the e-mail address', async () => {
  const { person } = await invited('editor', 'ann@example.org', 'Ann');
  real.accounts.set('a1', { email: 'Ann@Example.org', email_verified: true, name: 'Ann at the provider' });
  const answer = await signOn('a1', 'real', 'articles/12?tab=history');
  expect(answer.headers.get('location')).toBe('../../../desk/articles/12?tab=history');
  expect(answer.headers.get('cache-control')).toBe('private, no-store');
  const [session] = answer.headers.getSetCookie().filter((line) => line.startsWith('gallery_session'));
  expect(session).toMatch(/; HttpOnly; SameSite=Strict$/);
  const ask = memberOf(answer);
  expect((await ask('/api/me')).body.data).toMatchObject({ id: person.id, name: 'Ann', role: 'editor' });
  expect((await ask('/api/me/sessions')).body.data.sessions).toMatchObject([{ current: true, way: 'real' }]);
  const [listed] = (await gallery.ask('/api/people')).body.data.people;
  expect(listed).toMatchObject({ hasPassword: false, isLinked: true });
  expect((await trail('login_succeeded'))[0]).toMatchObject({ person: 'Ann', object: { way: 'real' } });
  expect(await trail('account_linked')).toMatchObject([{ person: 'Ann', object: { provider: 'real' } }]);

  // From then on it is the account, whatever its address is.
  real.accounts.set('a1', { email: 'elsewhere@example.org', email_verified: false });
  expect((await memberOf(await signOn('a1'))('/api/me')).body.data.id).toBe(person.id);
  expect(await trail('account_linked')).toHaveLength(1);
  // And another account that has the address now is not Ann.
  real.accounts.set('a2', { email: 'ann@example.org', email_verified: true });
  expect(refusal(await signOn('a2'))).toBe('other_account');

  await gallery.ask(`/api/people/${person.id}`, { method: 'DELETE' });
  expect((await ask('/api/me')).status).toBe(401);
  expect(refusal(await signOn('a1'))).toBe('unverified_email');
  real.accounts.set('a1', { email: 'ann@example.org', email_verified: true });
  expect(refusal(await signOn('a1'))).toBe('unknown_person');
});

test.each<[string, object, string]>([
  ['an address that nobody has', { email: 'nobody@example.org', email_verified: true }, 'unknown_person'],
  ['one that the provider does not vouch for', { email: 'ann@example.org' }, 'unverified_email'],
  [
    'one that it says is not verified',
    { email: 'ann@example.org', email_verified: false },
    'unverified_email',
  ],
  ['one verified by a word', { email: 'ann@example.org', email_verified: 'true' }, 'unverified_email'],
  ['none', {}, 'unverified_email'],
  ['one like another', { email: 'ann@example.org ', email_verified: true }, 'unknown_person'],
  // The Kelvin sign becomes a k in lower case.
  [
    'one with a sign that looks alike',
    { email: 'mi\u212Ae@example.org', email_verified: true },
    'unknown_person',
  ],
  ['one of many', { email: ['ann@example.org'], email_verified: true }, 'unverified_email'],
])('nobody is let in by %s', async (_, claims, reason) => {
  await invited('editor', 'ann@example.org', 'Ann');
  await invited('writer', 'mike@example.org', 'Mike');
  real.accounts.set('x', { ...claims });
  expect(refusal(await signOn('x'))).toBe(reason);
  expect((await trail('login_failed'))[0].object).toEqual({ way: 'real', reason });
});

test('who was switched off stays out', async () => {
  const { person } = await invited('editor', 'ann@example.org', 'Ann');
  real.accounts.set('a', { email: 'ann@example.org', email_verified: true });
  const ask = memberOf(await signOn('a'));
  await gallery.ask(`/api/people/${person.id}`, { method: 'PATCH', json: { active: false } });
  expect((await ask('/api/me')).status).toBe(401);
  expect(refusal(await signOn('a'))).toBe('switched_off');
  real.accounts.set('b', { email: 'ann@example.org', email_verified: true });
  expect(refusal(await signOn('b'))).toBe('switched_off');
});

describe('a provider that gives roles', () => {
  test('adds people, and changes their roles at each login', async () => {
    const account = { email: 'Eve@example.org', email_verified: true, name: 'Eve' };
    grading.accounts.set('e', { ...account, groups: ['others', 'desk-writers', 'desk-editors'] });
    const ask = memberOf(await signOn('e', 'grading'));
    expect((await ask('/api/me')).body.data).toMatchObject({
      name: 'Eve',
      email: 'eve@example.org',
      role: 'editor',
    });
    grading.accounts.set('e', { ...account, groups: 'desk-writers' });
    const asWriter = memberOf(await signOn('e', 'grading'));
    expect((await asWriter('/api/me')).body.data.role).toBe('writer');
    expect((await ask('/api/me')).status).toBe(401);
    expect((await trail('person_changed'))[0].object).toMatchObject({ role: 'writer', by: 'grading' });
    for (const groups of [[], undefined, ['constructor'], ['DESK-WRITERS'], [['desk-writers']]]) {
      grading.accounts.set('e', { ...account, groups });
      expect(refusal(await signOn('e', 'grading'))).toBe('no_role');
    }
    // Whoever has no vouched-for address is not added.
    grading.accounts.set('f', {
      ...account,
      email: 'f@example.org',
      email_verified: false,
      groups: 'desk-owners',
    });
    expect(refusal(await signOn('f', 'grading'))).toBe('unverified_email');
    // Nor whoever was removed.
    const [{ id }] = (await gallery.ask('/api/people')).body.data.people;
    await gallery.ask(`/api/people/${id}`, { method: 'DELETE' });
    grading.accounts.set('e', { ...account, groups: 'desk-writers' });
    grading.accounts.set('again', { ...account, groups: 'desk-writers' });
    expect(refusal(await signOn('e', 'grading'))).toBe('unknown_person');
    expect(refusal(await signOn('again', 'grading'))).toBe('unknown_person');
    // An owner lets them in again.
    await invited('reader', 'eve@example.org', 'Eve');
    expect((await memberOf(await signOn('e', 'grading'))('/api/me')).body.data.role).toBe('writer');
  });

  test.each([false, true])(
    'gives another name to whom is called like somebody (removed: %s)',
    async (removed) => {
      const { person } = await invited('editor', 'eve@example.org', 'Eve');
      if (removed) await gallery.ask(`/api/people/${person.id}`, { method: 'DELETE' });
      grading.accounts.set('e', {
        email: 'e@example.org',
        email_verified: true,
        name: 'Eve',
        groups: 'desk-writers',
      });
      expect((await memberOf(await signOn('e', 'grading'))('/api/me')).body.data.name).toBe(
        'Eve (e@example.org)',
      );
      grading.accounts.set('n', { email: 'n@example.org', email_verified: true, groups: 'desk-writers' });
      expect((await memberOf(await signOn('n', 'grading'))('/api/me')).body.data.name).toBe('n');
    },
  );

  test('leaves the last owner, who needs no password', async () => {
    const { ADMIN_USERNAME: _name, ADMIN_PASSWORD_HASH: _hash, ...settings } = gallery.settings;
    const other = await startGallery(settings);
    try {
      const account = { email: 'o@example.org', email_verified: true, name: 'O' };
      grading.accounts.set('o', { ...account, groups: ['desk-owners'] });
      const first = await begin('grading', '', other.url);
      const ask = memberOf(await comeBack(await signInAt(first.location, 'o'), first.cookie));
      grading.accounts.set('o', { ...account, groups: ['desk-writers'] });
      const again = await begin('grading', '', other.url);
      const answer = await comeBack(await signInAt(again.location, 'o'), again.cookie);
      expect((await memberOf(answer)('/api/me')).body.data.role).toBe('owner');
      expect((await ask('/api/me')).body.data.role).toBe('owner');
    } finally {
      await other.close();
    }
  });
});

test.each(['cross-site', 'same-site'])('a page of another site (%s) begins no login', async (site) => {
  const { status, headers } = await send(`${gallery.url}/api/oidc/real/login?to=articles`, {
    headers: { 'sec-fetch-site': site, ...newAddress() },
  });
  expect([status, headers.get('location')]).toEqual([303, '../../../desk/articles']);
  expect(headers.getSetCookie()).toEqual([]);
});

test('an invitation is accepted by single sign-on, whatever the address there is', async () => {
  const { person, invitation } = await invited('editor', 'ann@example.org', 'Ann');
  real.accounts.set('a', { email: 'private@example.net', email_verified: false });
  const accept = (token: string) =>
    send(`${gallery.url}/api/oidc/real/login`, {
      method: 'POST',
      json: { invitation: token },
      headers: newAddress(),
    });
  const begun = await accept(invitation.token);
  expect(begun.status, begun.text).toBe(200);
  const cookie = cookiesOf(begun).get('gallery_login') ?? '';
  const ask = memberOf(await comeBack(await signInAt(begun.body.data.location, 'a'), cookie));
  expect((await ask('/api/me')).body.data.id).toBe(person.id);
  const again = await accept(invitation.token);
  expect([again.status, again.body.code]).toEqual([404, 'invitation_not_found']);
  // An account is one person's.
  const other = await invited('writer');
  const second = await accept(other.invitation.token);
  const back = await signInAt(second.body.data.location, 'a');
  expect(refusal(await comeBack(back, cookiesOf(second).get('gallery_login') ?? ''))).toBe(
    'linked_elsewhere',
  );
  // The invitation is still there for whoever it was meant for.
  expect((await accept(other.invitation.token)).status).toBe(200);
});

test('one links accounts oneself, which ends the other sessions, and keeps a way in', async () => {
  const { invitation } = await invited('editor', 'ann@example.org', 'Ann');
  const password = 'nobody types this twice';
  const accepted = await send(`${gallery.url}/api/invitation/accept`, {
    method: 'POST',
    json: { token: invitation.token, password },
    headers: newAddress(),
  });
  const cookie = cookiesOf(accepted).get('gallery_session') ?? '';
  const ask = (path: string, sending: Sending = {}) =>
    send(`${gallery.url}${path}`, { ...sending, headers: { cookie } });
  const logIn = () =>
    send(`${gallery.url}/api/login`, {
      method: 'POST',
      json: { username: 'ann@example.org', password },
      headers: newAddress(),
    });
  const elsewhere = { headers: { cookie: cookiesOf(await logIn()).get('gallery_session') ?? '' } };
  const begun = await ask('/api/me/accounts', { method: 'POST', json: { provider: 'real' } });
  const back = await signInAt(begun.body.data.location, 'whatever');
  const answer = await comeBack(back, cookiesOf(begun).get('gallery_login') ?? '');
  expect(answer.headers.get('location')).toBe('../../../desk/account?sign_in=linked');
  expect((await send(`${gallery.url}/api/me`, elsewhere)).status).toBe(401);
  const { accounts } = (await ask('/api/me/factors')).body.data;
  expect(accounts).toMatchObject([
    { provider: 'real', name: 'The Real One', issuer: `${real.client.issuer}/` },
  ]);
  expect((await memberOf(await signOn('whatever'))('/api/me')).body.data.name).toBe('Ann');
  expect((await trail('account_linked'))[0]).toMatchObject({ person: 'Ann', object: { provider: 'real' } });

  // A session links nothing whose provider was taken out meanwhile, and none that has ended.
  const closed = await ask('/api/me/accounts', { method: 'POST', json: { provider: 'real' } });
  const closedBack = await signInAt(closed.body.data.location, 'third');
  const comeFrom = (way: string | null) =>
    gallery.database.pool.query('update gallery.session set way = $1 where person_id is not null', [way]);
  await comeFrom('taken-out');
  const shut = await comeBack(closedBack, cookiesOf(closed).get('gallery_login') ?? '');
  expect(refusal(shut)).toBe('begin_again');
  await comeFrom(null);
  const late = await ask('/api/me/accounts', { method: 'POST', json: { provider: 'real' } });
  const lateBack = await signInAt(late.body.data.location, 'other');
  const at = `/api/me/accounts/${accounts[0].id}`;
  await gallery.database.pool.query('update gallery.person set password_hash = null');
  const only = await ask(at, { method: 'DELETE' });
  expect([only.status, only.body.code]).toEqual([409, 'last_way_in']);
  await gallery.database.pool.query("update gallery.person set password_hash = 'any'");
  expect((await ask(at, { method: 'DELETE' })).status).toBe(200);
  expect((await ask(at, { method: 'DELETE' })).status).toBe(404);
  await ask('/api/logout', { method: 'POST' });
  const refused = await comeBack(lateBack, cookiesOf(late).get('gallery_login') ?? '');
  expect(refusal(refused)).toBe('begin_again');
  const own = await gallery.post('/api/me/accounts', { provider: 'real' });
  expect([own.status, own.body.code]).toEqual([409, 'account_of_environment']);
});

test('whoever has a linked account alone confirms by it what takes that', async () => {
  await invited('owner', 'ann@example.org', 'Ann');
  real.accounts.set('a', { email: 'ann@example.org', email_verified: true });
  const ask = memberOf(await signOn('a'));
  const post = (path: string, json: unknown) => ask(path, { method: 'POST', json });
  const { accounts } = (await ask('/api/me/factors')).body.data;
  await growOld();
  const refused = [
    await post('/api/people', { name: 'Bob', email: 'bob@example.org', role: 'reader' }),
    await post('/api/me/accounts', { provider: 'grading' }),
    await ask(`/api/me/accounts/${accounts[0].id}`, { method: 'DELETE' }),
  ];
  for (const answer of refused) expect(outcome(answer)).toEqual([403, 'confirmation_required']);
  const begun = await post('/api/me/confirm/account', { provider: 'real' });
  expect(begun.status, begun.text).toBe(200);
  const back = await signInAt(begun.body.data.location, 'a');
  const answer = await comeBack(back, cookiesOf(begun).get('gallery_login') ?? '');
  expect(answer.headers.get('location')).toBe('../../../desk/account?sign_in=confirmed');
  expect((await post('/api/me/accounts', { provider: 'grading' })).status).toBe(200);
  expect((await trail('session_confirmed'))[0]).toMatchObject({ person: 'Ann', object: { by: 'real' } });

  // Somebody who has logged out meanwhile confirms nothing.
  const late = await post('/api/me/confirm/account', { provider: 'real' });
  const lateBack = await signInAt(late.body.data.location, 'a');
  await ask('/api/logout', { method: 'POST' });
  expect(refusal(await comeBack(lateBack, cookiesOf(late).get('gallery_login') ?? ''))).toBe('begin_again');
  const own = await gallery.post('/api/me/confirm/account', { provider: 'real' });
  expect(outcome(own)).toEqual([409, 'account_of_environment']);
});

describe('next to passkeys and passwords', () => {
  const password = 'nobody types this twice';

  function accept(token: string, chosen: object, url = gallery.url): Promise<Answer> {
    const json = { token, ...chosen };
    return send(`${url}/api/invitation/accept`, { method: 'POST', json, headers: newAddress() });
  }

  /** Somebody who has come by an invitation, with a passkey alone. */
  async function withPasskey() {
    const { person, invitation } = await invited('editor', 'ann@example.org', 'Ann');
    const { token } = invitation;
    const sending = { method: 'POST', json: { token }, headers: newAddress() };
    const { body } = await send(`${gallery.url}/api/invitation/passkey`, sending);
    const passkey = { name: 'Key', credential: new SoftwarePasskey(gallery.url).create(body.data.options) };
    const accepted = await accept(token, { passkey });
    expect(accepted.status, accepted.text).toBe(200);
    const cookie = cookiesOf(accepted).get('gallery_session') ?? '';
    const ask = (path: string, method = 'GET') =>
      send(`${gallery.url}${path}`, { method, headers: { cookie } });
    return { id: person.id, ask, cookie };
  }

  test('each of them is a way in, and the only one stays', async () => {
    const { id, ask } = await withPasskey();
    const [passkey] = (await ask('/api/me/factors')).body.data.passkeys;
    const at = `/api/me/passkeys/${passkey.id}`;
    expect(outcome(await ask(at, 'DELETE'))).toEqual([409, 'last_way_in']);
    real.accounts.set('a', { email: 'ann@example.org', email_verified: true });
    const linked = memberOf(await signOn('a'));
    expect((await ask(at, 'DELETE')).status).toBe(200);
    // Linking has ended the other session.
    expect((await linked('/api/me')).status).toBe(401);
    const [account] = (await ask('/api/me/factors')).body.data.accounts;
    expect(outcome(await ask(`/api/me/accounts/${account.id}`, 'DELETE'))).toEqual([409, 'last_way_in']);
    expect((await memberOf(await signOn('a'))('/api/me')).body.data.id).toBe(id);
  });

  test('what the settings no longer take is no way in', async () => {
    const { id, ask, cookie } = await withPasskey();
    const [passkey] = (await ask('/api/me/factors')).body.data.passkeys;
    real.accounts.set('a', { email: 'ann@example.org', email_verified: true });
    memberOf(await signOn('a'));
    await gallery.database.pool.query("update gallery.person set password_hash = 'any'");
    const { ADMIN_USERNAME: _name, ADMIN_PASSWORD_HASH: _hash, ...settings } = gallery.settings;
    const fewer = { OIDC_PROVIDERS: JSON.stringify([graded(grading.client)]), LOGIN_PASSWORDS: 'off' };
    const other = await startGallery({ ...settings, ...fewer });
    try {
      const there = (path: string, sending: Sending = {}) =>
        send(`${other.url}${path}`, { ...sending, headers: { cookie } });
      const remove = () => there(`/api/me/passkeys/${passkey.id}`, { method: 'DELETE' });
      expect(outcome(await remove())).toEqual([409, 'last_way_in']);
      const [account] = (await there('/api/me/factors')).body.data.accounts;
      expect(account).toMatchObject({ provider: null, issuer: `${real.client.issuer}/` });
      // The last owner who can log in there stays one.
      await gallery.database.pool.query("update gallery.person set role = 'owner'");
      const { person: second } = await invited('owner', 'o@example.org', 'O');
      await gallery.database.pool.query("update gallery.person set password_hash = 'any'");
      const demote = (one: string) =>
        there(`/api/people/${one}`, { method: 'PATCH', json: { role: 'reader' } });
      expect(outcome(await demote(id))).toEqual([409, 'last_owner']);
      const listed = (await there('/api/people')).body.data.people;
      expect(listed.map((one: { canLogIn: boolean }) => one.canLogIn)).toEqual([true, false]);
      expect((await demote(second.id)).status).toBe(200);
    } finally {
      await other.close();
    }
    expect((await gallery.ask('/api/people')).body.data.people).toMatchObject([
      { canLogIn: true },
      { canLogIn: true },
    ]);
  });

  test('an owner unlinks the accounts of somebody with their factors', async () => {
    const { id, ask } = await withPasskey();
    real.accounts.set('thief', { email: 'ann@example.org', email_verified: true });
    const thief = memberOf(await signOn('thief'));
    real.accounts.set('thief', { email: 'thief@example.org', email_verified: true });
    const removed = await gallery.ask(`/api/people/${id}/factors`, { method: 'DELETE' });
    expect(removed.status).toBe(200);
    for (const session of [ask, thief]) expect((await session('/api/me')).status).toBe(401);
    expect(refusal(await signOn('thief'))).toBe('unknown_person');
    const [listed] = (await gallery.ask('/api/people')).body.data.people;
    expect(listed).toMatchObject({ isLinked: false, canLogIn: false });
  });

  test('a link lets no account take the place of a factor', async () => {
    const { id } = await withPasskey();
    const link = await gallery.ask(`/api/people/${id}/invitation`, { method: 'POST' });
    const { token } = link.body.data.invitation;
    const begun = await send(`${gallery.url}/api/oidc/real/login`, {
      method: 'POST',
      json: { invitation: token },
      headers: newAddress(),
    });
    const back = await signInAt(begun.body.data.location, 'thief');
    expect(refusal(await comeBack(back, cookiesOf(begun).get('gallery_login') ?? ''))).toBe('factor_kept');
    expect((await accept(token, { password })).status).toBe(200);
  });

  test('LOGIN_SECOND_FACTOR=required holds up whoever came by a password, not by a provider', async () => {
    const other = await startGallery({ ...gallery.settings, LOGIN_SECOND_FACTOR: 'required' });
    try {
      const { invitation } = await invited('editor', 'ann@example.org', 'Ann');
      const accepted = await accept(invitation.token, { password }, other.url);
      const looks = (cookie = '') => send(`${other.url}/api/gallery`, { headers: { cookie } });
      const byPassword = await looks(cookiesOf(accepted).get('gallery_session'));
      expect(outcome(byPassword)).toEqual([403, 'second_factor_setup_required']);
      real.accounts.set('a', { email: 'ann@example.org', email_verified: true });
      const { location, cookie } = await begin('real', '', other.url);
      const answer = await comeBack(await signInAt(location, 'a'), cookie);
      expect((await looks(cookiesOf(answer).get('gallery_session'))).status).toBe(200);
    } finally {
      await other.close();
    }
  });

  test('LOGIN_PASSWORDS=off: the methods and the invitation say so, and an account accepts it', async () => {
    const other = await startGallery({ ...gallery.settings, LOGIN_PASSWORDS: 'off' });
    try {
      const { invitation } = await invited('editor', 'ann@example.org', 'Ann');
      const { token } = invitation;
      const { body } = await send(`${other.url}/api/login/methods`);
      expect(body.data).toMatchObject({ passwords: false, providers: [{ id: 'real' }, { id: 'grading' }] });
      const read = await send(`${other.url}/api/invitation`, { method: 'POST', json: { token } });
      expect(read.body.data.passwords).toBe(false);
      expect(outcome(await accept(token, { password }, other.url))).toEqual([403, 'passwords_off']);
      const begun = await send(`${other.url}/api/oidc/real/login`, {
        method: 'POST',
        json: { invitation: token },
        headers: newAddress(),
      });
      const back = await signInAt(begun.body.data.location, 'whoever');
      const answer = await comeBack(back, cookiesOf(begun).get('gallery_login') ?? '');
      expect(cookiesOf(answer).has('gallery_session')).toBe(true);
    } finally {
      await other.close();
    }
  });
});

test('a logout ends at the provider', async () => {
  await invited('editor', 'ann@example.org', 'Ann');
  real.accounts.set('a', { email: 'ann@example.org', email_verified: true });
  const ask = memberOf(await signOn('a'));
  const { body } = await ask('/api/logout', { method: 'POST' });
  const url = new URL(body.data.logoutUrl);
  expect(url.origin).toBe(real.client.issuer);
  expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${gallery.url}/desk/`);
  expect(url.searchParams.get('id_token_hint')?.split('.')).toHaveLength(3);
  expect((await ask('/api/me')).status).toBe(401);
  const { rows } = await gallery.database.pool.query('select id_token from gallery.session');
  expect(JSON.stringify(rows)).not.toContain('eyJ');
  const byPassword = await gallery.post('/api/login', {
    username: 'editor',
    password: 'correct horse battery staple',
  });
  const cookie = cookiesOf(byPassword).get('gallery_session') ?? '';
  const out = await send(`${gallery.url}/api/logout`, { method: 'POST', headers: { cookie } });
  expect(out.body).toEqual({ success: true });
  gallery.cookie = '';
});

test('a session ends with the role that the provider gave, or with the provider', async () => {
  const groups = (...given: string[]) =>
    grading.accounts.set('g1', { email: 'gil@example.org', email_verified: true, groups: given });
  groups('desk-editors');
  const ask = memberOf(await signOn('g1', 'grading'));
  groups('desk-writers');
  const asWriter = memberOf(await signOn('g1', 'grading'));
  expect([(await ask('/api/me')).status, (await asWriter('/api/me')).status]).toEqual([401, 200]);
  groups();
  expect(refusal(await signOn('g1', 'grading'))).toBe('no_role');
  expect((await asWriter('/api/me')).status).toBe(401);

  groups('desk-editors');
  const { cookie, ...again } = sessionOf(await signOn('g1', 'grading'));
  const { issuer } = real.client;
  for (const [providers, status] of [
    [[real.client, graded(grading.client)], 200],
    [[real.client], 401],
    [[{ ...graded(grading.client), issuer }], 401],
  ] as const) {
    const service = await startGallery({ ...gallery.settings, OIDC_PROVIDERS: JSON.stringify(providers) });
    expect((await send(`${service.url}/api/me`, { headers: { cookie } })).status).toBe(status);
    await service.close();
  }
  expect((await again.ask('/api/me')).status, 'where the provider is still there').toBe(200);
});
