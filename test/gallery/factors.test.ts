import { randomBytes } from 'node:crypto';
import { openDatabase } from '@pressroom/common/database/database';
import { resealCodes } from '@pressroom/gallery-admin/session/codes';
import type { GalleryTables } from '@pressroom/gallery-admin/tables';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { appCode, SoftwarePasskey } from '../support/authenticator.ts';
import { ADMIN, type GalleryFixture, galleryFixture, startGallery } from '../support/gallery.ts';
import { type Answer, type JsonBody, type Sending, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'nobody types this twice';

const STEP_MS = 30_000;

/** The clock of the service: codes are of its time. */
let now = Date.UTC(2026, 10, 28, 12);

let gallery: GalleryFixture;
beforeAll(async () => {
  gallery = await galleryFixture({ TRUST_PROXY: '1' }, { now: () => now });
});
afterAll(() => gallery.close());
beforeEach(async () => {
  await gallery.database.pool.query('delete from gallery.person');
});

let addresses = 0;
function newAddress(): Record<string, string> {
  addresses += 1;
  return { 'x-forwarded-for': `198.51.100.${addresses}` };
}

type Post = (path: string, json?: unknown, headers?: Record<string, string>) => Promise<Answer>;

interface Member {
  id: string;
  email: string;
  ask: (path: string, sending?: Sending) => Promise<Answer>;
  post: Post;
}

const anybody: Post = (path, json, headers = newAddress()) =>
  send(`${gallery.url}${path}`, { method: 'POST', json, headers });

function memberOf(id: string, email: string, answer: Answer): Member {
  expect(answer.status, answer.text).toBe(200);
  const [cookie = ''] = (answer.headers.getSetCookie()[0] ?? '').split(';');
  const ask = (path: string, { headers, ...sending }: Sending = {}) =>
    send(`${gallery.url}${path}`, { ...sending, headers: { cookie, ...headers } });
  return { id, email, ask, post: (path, json, headers = {}) => ask(path, { method: 'POST', json, headers }) };
}

async function invited(name: string, role = 'editor') {
  const email = `${name}@example.org`;
  const { status, text, body } = await gallery.post('/api/people', { name, email, role });
  expect(status, text).toBe(201);
  return { id: String(body.data.person.id), email, token: String(body.data.invitation.token) };
}

/** Somebody with a password. */
async function joined(name: string, role?: string): Promise<Member> {
  const { id, email, token } = await invited(name, role);
  return memberOf(id, email, await anybody('/api/invitation/accept', { token, password: PASSWORD }));
}

async function optionsOf(
  post: Post,
  path: string,
  json?: unknown,
): Promise<JsonBody & { challenge: string }> {
  const { status, text, body } = await post(path, json);
  expect(status, text).toBe(200);
  return body.data.options;
}

/** Makes a passkey for a person. */
async function withPasskey({ post }: Member, name = 'Laptop', counter = 0): Promise<SoftwarePasskey> {
  const passkey = new SoftwarePasskey(gallery.url, counter);
  const credential = passkey.create(await optionsOf(post, '/api/me/passkey-options'));
  const { status, text } = await post('/api/me/passkeys', { name, credential });
  expect(status, text).toBe(201);
  return passkey;
}

async function passkeyLogin(passkey: SoftwarePasskey, deceit = {}): Promise<Answer> {
  const options = await optionsOf(anybody, '/api/login/passkey/options');
  return anybody('/api/login/passkey', { credential: passkey.get(options, deceit) });
}

function codeOf(secret: string, at = now): string {
  return appCode(secret, at);
}

/** Sets up an app for a person, and goes on to the next code. */
async function withApp({ post }: Member): Promise<{ secret: string; recoveryCodes: string[] }> {
  const { secret } = (await post('/api/me/totp')).body.data;
  const { status, text, body } = await post('/api/me/totp/confirm', { code: codeOf(secret) });
  expect(status, text).toBe(200);
  now += STEP_MS;
  return { secret, recoveryCodes: body.data.recoveryCodes };
}

function logIn(
  { email }: { email: string },
  code?: string,
  headers?: Record<string, string>,
): Promise<Answer> {
  return anybody('/api/login', { username: email, password: PASSWORD, ...(code && { code }) }, headers);
}

function outcome({ status, body }: Answer): [number, string | undefined] {
  return [status, body.code];
}

async function trail(action?: string): Promise<JsonBody[]> {
  const path = action === undefined ? '/api/trail' : `/api/trail?action=${action}`;
  return (await gallery.ask(path)).body.data.entries;
}

/** Lets the last 15 minutes pass for everybody who is logged in. */
async function growOld(): Promise<void> {
  await gallery.database.pool.query(
    "update gallery.session set created_at = created_at - interval '16 minutes', confirmed_at = confirmed_at - interval '16 minutes' where person_id is not null",
  );
}

describe('a passkey', () => {
  test('logs its person in without a name, and is listed with its last use', async () => {
    const person = await joined('ada');
    const passkey = await withPasskey(person, 'Phone', 1);
    const answer = await passkeyLogin(passkey);
    const again = memberOf(person.id, person.email, answer);
    expect((await again.ask('/api/me')).body.data.email).toBe('ada@example.org');
    const { passkeys } = (await again.ask('/api/me/factors')).body.data;
    expect(passkeys).toMatchObject([{ name: 'Phone', lastUsedAt: expect.any(String) }]);
    expect((await trail('login_succeeded'))[0]).toMatchObject({ person: 'ada', object: { by: 'passkey' } });
    expect((await trail('passkey_added'))[0]).toMatchObject({ person: 'ada', object: { name: 'Phone' } });
    const [listed] = (await gallery.ask('/api/people')).body.data.people;
    expect(listed).toMatchObject({ passkeys: 1, hasTotp: false });
  });

  test('is asked to keep who it is for, and to check who uses it', async () => {
    const person = await joined('ada');
    const options = await optionsOf(person.post, '/api/me/passkey-options');
    expect(options).toMatchObject({
      rp: { id: '127.0.0.1' },
      user: { name: 'ada@example.org' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    const asked = await optionsOf(anybody, '/api/login/passkey/options');
    expect(asked).toMatchObject({ rpId: '127.0.0.1', userVerification: 'required', allowCredentials: [] });
    expect(asked.challenge).not.toBe((await optionsOf(anybody, '/api/login/passkey/options')).challenge);
  });

  test('what it has signed is taken once, of two at once too', async () => {
    const passkey = await withPasskey(await joined('ada'));
    const options = await optionsOf(anybody, '/api/login/passkey/options');
    const credential = passkey.get(options);
    const answers = await Promise.all([1, 2].map(() => anybody('/api/login/passkey', { credential })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(outcome(await anybody('/api/login/passkey', { credential }))).toEqual([401, 'unauthorized']);
  });

  test.each([
    ['a page of another origin', { origin: 'https://evil.example' }],
    ['another host', { rpId: 'evil.example' }],
    ['a challenge of its own', { challenge: Buffer.alloc(32, 7).toString('base64url') }],
    ['somebody else, who it says it is for', { userHandle: 'bm9ib2R5' }],
    ['nobody, whom it has not checked', { flags: 1 }],
    ['nobody, who is not even there', { flags: 0 }],
  ])('signed for %s is refused', async (_, deceit) => {
    const passkey = await withPasskey(await joined('ada'));
    expect(outcome(await passkeyLogin(passkey, deceit))).toEqual([401, 'unauthorized']);
    expect((await passkeyLogin(passkey)).status).toBe(200);
  });

  test('a counter that does not grow is refused: somebody has a copy', async () => {
    const passkey = await withPasskey(await joined('ada'), 'Key', 5);
    expect((await passkeyLogin(passkey)).status).toBe(200);
    passkey.counter = 4;
    expect((await passkeyLogin(passkey)).status).toBe(401);
  });

  test('of two that show the same counter at once, on two replicas, one is refused', async () => {
    const passkey = await withPasskey(await joined('ada'), 'Key', 5);
    const other = await startGallery(gallery.settings, { now: () => now });
    const { pool } = gallery.database;
    const holder = await pool.connect();
    await holder.query('begin');
    await holder.query('select from gallery.passkey for update');
    const answers = [gallery.url, other.url].map(async (replica) => {
      const options = await optionsOf(anybody, '/api/login/passkey/options');
      passkey.counter = 6;
      const headers = { ...newAddress(), 'x-forwarded-host': new URL(gallery.url).host };
      const json = { credential: passkey.get(options) };
      return send(`${replica}/api/login/passkey`, { method: 'POST', json, headers });
    });
    await until('both have read the counter', async () => {
      const { rows } = await pool.query(
        'select from pg_stat_activity where wait_event_type = \'Lock\' and query ilike \'update "gallery"."passkey"%\'',
      );
      return rows.length === 2;
    });
    await holder.query('commit');
    holder.release();
    expect((await Promise.all(answers)).map(({ status }) => status).sort()).toEqual([200, 401]);
    await other.close();
  });

  test('the twentieth of a person is the last', async () => {
    const person = await joined('ada');
    await gallery.database.pool.query(
      `insert into gallery.passkey (person_id, credential_id, public_key, counter, transports, name)
       select $1, decode(md5(n::text), 'hex'), '', 0, '{}', 'One of many' from generate_series(1, 19) as n`,
      [person.id],
    );
    await withPasskey(person);
    const options = await optionsOf(person.post, '/api/me/passkey-options');
    const credential = new SoftwarePasskey(gallery.url).create(options);
    const refused = await person.post('/api/me/passkeys', { name: 'One more', credential });
    expect(outcome(refused)).toEqual([409, 'too_many_passkeys']);
  });

  test('a challenge is for one purpose and one person', async () => {
    const [ada, bob] = [await joined('ada'), await joined('bob')];
    const passkey = await withPasskey(ada);
    const confirming = await optionsOf(ada.post, '/api/me/confirm/options');
    expect((await anybody('/api/login/passkey', { credential: passkey.get(confirming) })).status).toBe(401);
    const login = await optionsOf(anybody, '/api/login/passkey/options');
    const confirmed = await ada.post('/api/me/confirm', { credential: passkey.get(login) });
    expect(outcome(confirmed)).toEqual([403, 'passkey_refused']);

    const ofBob = await optionsOf(bob.post, '/api/me/passkey-options');
    const credential = new SoftwarePasskey(gallery.url).create(ofBob);
    const added = await ada.post('/api/me/passkeys', { name: 'Mine', credential });
    expect(outcome(added)).toEqual([400, 'passkey_refused']);
    const { invitation } = (await gallery.post(`/api/people/${ada.id}/invitation`, {})).body.data;
    const ofLink = await optionsOf(anybody, '/api/invitation/passkey', { token: invitation.token });
    const invitedTo = new SoftwarePasskey(gallery.url).create(ofLink);
    const elsewhere = await ada.post('/api/me/passkeys', { name: 'Mine', credential: invitedTo });
    expect(outcome(elsewhere)).toEqual([400, 'passkey_refused']);
    const foreign = await optionsOf(bob.post, '/api/me/confirm/options');
    const asBob = await bob.post('/api/me/confirm', { credential: passkey.get(foreign) });
    expect(outcome(asBob)).toEqual([403, 'passkey_refused']);
    // An authenticator need not say whose it is.
    const { response, ...rest } = passkey.get(await optionsOf(bob.post, '/api/me/confirm/options'));
    const { userHandle: _, ...silent } = response;
    const unnamed = await bob.post('/api/me/confirm', { credential: { ...rest, response: silent } });
    expect(outcome(unnamed)).toEqual([403, 'passkey_refused']);
  });

  test('a challenge ends after five minutes', async () => {
    const passkey = await withPasskey(await joined('ada'));
    const options = await optionsOf(anybody, '/api/login/passkey/options');
    await gallery.database.pool.query(
      "update gallery.challenge set expires_at = expires_at - interval '5 minutes'",
    );
    expect((await anybody('/api/login/passkey', { credential: passkey.get(options) })).status).toBe(401);
    const { rows } = await gallery.database.pool.query('select from gallery.challenge');
    await optionsOf(anybody, '/api/login/passkey/options');
    const { rows: left } = await gallery.database.pool.query('select from gallery.challenge');
    expect([rows.length > 0, left.length]).toEqual([true, 1]);
  });

  test('one client holds a hundred challenges at most', async () => {
    const headers = newAddress();
    for (let times = 0; times < 105; times += 1) {
      await anybody('/api/login/passkey/options', undefined, headers);
    }
    const { rows } = await gallery.database.pool.query(
      'select count(*) as open from gallery.challenge group by source order by 1 desc limit 1',
    );
    expect(Number(rows[0].open)).toBe(100);
  });

  test('belongs to one person, and no page of another origin makes one', async () => {
    const [ada, bob] = [await joined('ada'), await joined('bob')];
    const passkey = await withPasskey(ada);
    const taken = passkey.create(await optionsOf(bob.post, '/api/me/passkey-options'));
    const again = await bob.post('/api/me/passkeys', { name: 'Hers', credential: taken });
    expect(outcome(again)).toEqual([409, 'passkey_taken']);
    for (const deceit of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }, { flags: 1 }]) {
      const options = await optionsOf(bob.post, '/api/me/passkey-options');
      const credential = new SoftwarePasskey(gallery.url).create(options, deceit);
      const answer = await bob.post('/api/me/passkeys', { name: 'Evil', credential });
      expect(outcome(answer), JSON.stringify(deceit)).toEqual([400, 'passkey_refused']);
    }
  });

  test('gets another name from its person alone, who has just shown who they are', async () => {
    const [ada, bob] = [await joined('ada'), await joined('bob')];
    await withPasskey(ada, 'Phone');
    const elsewhere = memberOf(ada.id, ada.email, await passkeyLogin(await withPasskey(ada, 'Key')));
    const [{ id }] = (await ada.ask('/api/me/factors')).body.data.passkeys;
    const rename = (member: Member, name: string, headers = {}) =>
      member.ask(`/api/me/passkeys/${id}`, { method: 'PATCH', json: { name }, headers });
    expect(outcome(await rename(bob, 'Mine'))).toEqual([404, 'not_found']);
    expect((await rename(ada, 'Evil', { origin: 'https://evil.example' })).status).toBe(403);
    expect((await rename(ada, 'two\nlines')).status).toBe(400);
    // Composed, each is two characters.
    expect((await rename(ada, '\u0958'.repeat(51))).status).toBe(400);
    expect((await rename(ada, ' The old phone ')).status).toBe(200);
    const { passkeys } = (await ada.ask('/api/me/factors')).body.data;
    expect(passkeys).toMatchObject([{ id, name: 'The old phone' }, { name: 'Key' }]);
    expect((await elsewhere.ask('/api/me')).status, 'other sessions go on').toBe(200);
    expect((await trail('passkey_renamed'))[0]).toMatchObject({
      person: 'ada',
      object: { passkey: id, name: 'The old phone' },
    });
    await growOld();
    expect(outcome(await rename(ada, 'Another'))).toEqual([403, 'confirmation_required']);
  });

  test('guesses count as failed logins do, and leave other clients alone', async () => {
    const passkey = await withPasskey(await joined('ada'));
    const guesser = newAddress();
    const guess = async () => {
      const options = await optionsOf(anybody, '/api/login/passkey/options');
      const credential = passkey.get(options, { origin: 'https://evil.example' });
      return anybody('/api/login/passkey', { credential }, guesser);
    };
    for (let times = 0; times < 5; times += 1) expect((await guess()).status).toBe(401);
    const refused = await guess();
    expect(outcome(refused)).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await passkeyLogin(passkey)).status).toBe(200);
  });

  test('an unknown one is refused, after at least 500 ms', async () => {
    const begun = performance.now();
    expect(outcome(await passkeyLogin(new SoftwarePasskey(gallery.url)))).toEqual([401, 'unauthorized']);
    expect(performance.now() - begun).toBeGreaterThan(499);
  });

  test('of somebody who is switched off or removed opens nothing', async () => {
    const ada = await joined('ada');
    const passkey = await withPasskey(ada);
    await gallery.ask(`/api/people/${ada.id}`, { method: 'PATCH', json: { active: false } });
    expect((await passkeyLogin(passkey)).status).toBe(401);
    await gallery.ask(`/api/people/${ada.id}`, { method: 'PATCH', json: { active: true } });
    expect((await passkeyLogin(passkey)).status).toBe(200);
    await gallery.ask(`/api/people/${ada.id}`, { method: 'DELETE' });
    expect((await passkeyLogin(passkey)).status).toBe(401);
    const { rows } = await gallery.database.pool.query('select from gallery.passkey');
    expect(rows).toHaveLength(0);
  });

  test('accepts an invitation in place of a password, once', async () => {
    const { id, email, token } = await invited('ada');
    const passkey = new SoftwarePasskey(gallery.url);
    const options = await optionsOf(anybody, '/api/invitation/passkey', { token });
    const json = { token, passkey: { name: 'Phone', credential: passkey.create(options) } };
    const both = await anybody('/api/invitation/accept', { ...json, password: PASSWORD });
    expect(both.status).toBe(400);
    const accepted = await anybody('/api/invitation/accept', json);
    const ada = memberOf(id, email, accepted);
    expect((await ada.ask('/api/me/factors')).body.data).toMatchObject({ hasPassword: false });
    expect((await anybody('/api/invitation/accept', json)).status).toBe(404);
    expect((await passkeyLogin(passkey)).status).toBe(200);
    const [{ id: only }] = (await ada.ask('/api/me/factors')).body.data.passkeys;
    const removed = await ada.ask(`/api/me/passkeys/${only}`, { method: 'DELETE' });
    expect(outcome(removed)).toEqual([409, 'last_way_in']);
  });

  test('a link does not take the place of one that is there', async () => {
    const ada = await joined('ada');
    await withPasskey(ada);
    const link = await gallery.ask(`/api/people/${ada.id}/invitation`, { method: 'POST' });
    const { token } = link.body.data.invitation;
    const options = await optionsOf(anybody, '/api/invitation/passkey', { token });
    const credential = new SoftwarePasskey(gallery.url).create(options);
    const second = await anybody('/api/invitation/accept', { token, passkey: { name: 'X', credential } });
    expect(outcome(second)).toEqual([409, 'factor_kept']);
    const password = await anybody('/api/invitation/accept', { token, password: 'another good password' });
    expect([password.status, password.headers.getSetCookie()]).toEqual([200, []]);
    const answer = await anybody('/api/login', { username: ada.email, password: 'another good password' });
    expect(outcome(answer)).toEqual([401, 'second_factor_required']);
  });
});

describe('codes of an app', () => {
  test('are asked for after the password, which alone is not enough any longer', async () => {
    const ada = await joined('ada');
    expect((await logIn(ada)).status).toBe(200);
    const { secret } = await withApp(ada);
    expect(outcome(await logIn(ada))).toEqual([401, 'second_factor_required']);
    expect((await logIn(ada, codeOf(secret))).status).toBe(200);
    const wrong = await anybody('/api/login', { username: ada.email, password: 'a guess', code: '123456' });
    expect(outcome(wrong)).toEqual([401, 'unauthorized']);
    const [listed] = (await gallery.ask('/api/people')).body.data.people;
    expect(listed).toMatchObject({ passkeys: 0, hasTotp: true });
  });

  test('each is taken once, of two at once too, and none that is older than the last', async () => {
    const ada = await joined('ada');
    const { secret } = await withApp(ada);
    const code = codeOf(secret);
    const answers = await Promise.all([logIn(ada, code), logIn(ada, code)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    expect(outcome(await logIn(ada, code))).toEqual([401, 'second_factor_wrong']);
    expect((await logIn(ada, codeOf(secret, now - STEP_MS))).status).toBe(401);
    expect((await logIn(ada, codeOf(secret, now + STEP_MS))).status).toBe(200);
    expect(await trail('second_factor_failed')).not.toHaveLength(0);
  });

  test('a clock may be half a minute off, not more', async () => {
    const ada = await joined('ada');
    const { secret } = await withApp(ada);
    now += 4 * STEP_MS;
    expect((await logIn(ada, codeOf(secret, now - 2 * STEP_MS))).status).toBe(401);
    expect((await logIn(ada, codeOf(secret, now + 2 * STEP_MS))).status).toBe(401);
    expect((await logIn(ada, codeOf(secret, now - STEP_MS))).status).toBe(200);
    expect((await logIn(ada, codeOf(secret, now + STEP_MS))).status).toBe(200);
  });

  test('the first has to be shown: before, the secret holds nothing', async () => {
    const ada = await joined('ada');
    expect(outcome(await ada.post('/api/me/totp/confirm', { code: '123456' }))).toEqual([409, 'no_secret']);
    const { secret, uri } = (await ada.post('/api/me/totp')).body.data;
    expect(uri).toContain('otpauth://totp/Pressroom:ada%40example.org?');
    const wrong = codeOf(secret) === '000000' ? '000001' : '000000';
    expect(outcome(await ada.post('/api/me/totp/confirm', { code: wrong }))).toEqual([403, 'wrong_code']);
    expect((await logIn(ada)).status).toBe(200);
    const { rows } = await gallery.database.pool.query('select t::text as row from gallery.totp t');
    expect(rows[0].row).not.toContain(secret);
  });

  test('wrong ones are counted: of one client, and of one person over all clients', async () => {
    const ada = await joined('ada');
    const { secret } = await withApp(ada);
    const guesser = newAddress();
    for (let times = 0; times < 5; times += 1) expect((await logIn(ada, '000000', guesser)).status).toBe(401);
    expect((await logIn(ada, codeOf(secret), guesser)).status).toBe(429);
    for (let times = 0; times < 5; times += 1) await logIn(ada, '000000');
    expect(outcome(await logIn(ada, codeOf(secret)))).toEqual([429, 'rate_limited']);
  });

  test('strangers who do not know the password keep nobody out', async () => {
    const ada = await joined('ada');
    const { secret } = await withApp(ada);
    const guess = { username: ada.email, password: 'a guess', code: '000000' };
    for (let times = 0; times < 12; times += 1) await anybody('/api/login', guess);
    expect((await logIn(ada, codeOf(secret))).status).toBe(200);
  });

  test('recovery codes work once each, and new ones end those before', async () => {
    const ada = await joined('ada');
    const { recoveryCodes } = await withApp(ada);
    const [first = '', second = '', third = ''] = recoveryCodes;
    expect(new Set(recoveryCodes).size).toBe(10);
    const both = await Promise.all([logIn(ada, first), logIn(ada, first)]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
    const again = memberOf(ada.id, ada.email, await logIn(ada, second.toLowerCase().replaceAll('-', ' ')));
    expect((await again.ask('/api/me/factors')).body.data.recoveryCodes).toBe(8);
    expect(await trail('recovery_code_used')).toMatchObject([{ person: 'ada' }, { person: 'ada' }]);
    const renewed = await again.post('/api/me/recovery-codes');
    expect(renewed.body.data.recoveryCodes).toHaveLength(10);
    expect((await logIn(ada, third)).status).toBe(401);
    const dump = await gallery.database.pool.query('select r::text as row from gallery.recovery_code r');
    const stored = JSON.stringify([dump.rows, await trail(), gallery.log.events()].flat());
    for (const code of [...recoveryCodes, ...renewed.body.data.recoveryCodes]) {
      expect(stored).not.toContain(code);
      expect(stored).not.toContain(code.replaceAll('-', ''));
    }
  });

  test('outlive another SETTINGS_KEY, once they are resealed', async () => {
    const ada = await joined('ada');
    const { secret } = await withApp(ada);
    const { SETTINGS_KEY: former = '' } = gallery.settings;
    const key = randomBytes(32);
    const settings = { ...gallery.settings, SETTINGS_KEY: key.toString('base64') };
    const logInThere = async (more: Record<string, string>) => {
      const service = await startGallery({ ...settings, ...more }, { now: () => now });
      const json = { username: ada.email, password: PASSWORD, code: codeOf(secret) };
      now += STEP_MS;
      const { status } = await send(`${service.url}/api/login`, { method: 'POST', json });
      await service.close();
      return status;
    };
    expect(await logInThere({})).toBe(500);
    expect(await logInThere({ SETTINGS_KEY_PREVIOUS: former })).toBe(200);
    const db = openDatabase<GalleryTables>({ DATABASE_URL: gallery.database.url }, 'test');
    expect(await resealCodes(db, key, Buffer.from(former, 'base64'))).toMatchObject({ resealed: 1 });
    await db.destroy();
    expect(await logInThere({})).toBe(200);
  });

  test('are removed by their person, with the recovery codes', async () => {
    const ada = await joined('ada');
    await withApp(ada);
    expect((await ada.ask('/api/me/totp', { method: 'DELETE' })).status).toBe(200);
    expect((await ada.ask('/api/me/factors')).body.data).toMatchObject({ totpSince: null, recoveryCodes: 0 });
    expect((await logIn(ada)).status).toBe(200);
  });

  test('an owner removes the factors of who has lost them', async () => {
    const ada = await joined('ada');
    await withApp(ada);
    await withPasskey(ada);
    const path = `/api/people/${ada.id}/factors`;
    expect((await ada.ask(path, { method: 'DELETE' })).status).toBe(403);
    expect((await gallery.ask(path, { method: 'DELETE' })).status).toBe(200);
    expect((await ada.ask('/api/me')).status).toBe(401);
    expect((await logIn(ada)).status).toBe(200);
    expect((await trail('factors_removed'))[0]).toMatchObject({ object: { person: ada.id } });
  });
});

test.each([
  ['a passkey that is made', (ada: Member) => withPasskey(ada)],
  ['an app that is set up', (ada: Member) => withApp(ada)],
] as const)('%s ends all other sessions, and that of its own goes on', async (_, change) => {
  const ada = await joined('ada');
  const other = memberOf(ada.id, ada.email, await logIn(ada));
  expect((await other.ask('/api/me')).status).toBe(200);
  await change(ada);
  expect((await other.ask('/api/me')).status).toBe(401);
  expect((await ada.ask('/api/me')).status).toBe(200);
});

describe('what takes a confirmation', () => {
  test('people, factors, buckets, keys, hooks and final deletion, 15 minutes after the login', async () => {
    const owner = await joined('ada', 'owner');
    const passkey = await withPasskey(owner);
    const ask = (method: string, path: string, json?: unknown) =>
      owner.ask(path, { method, ...(json !== undefined && { json }) });
    const asked = async () => {
      const bob = { name: 'bob', email: 'bob@example.org', role: 'reader' };
      return [
        await ask('POST', '/api/people', bob),
        await ask('DELETE', `/api/people/${crypto.randomUUID()}`),
        await ask('POST', `/api/people/${crypto.randomUUID()}/invitation`),
        await ask('DELETE', `/api/people/${crypto.randomUUID()}/factors`),
        await ask('POST', '/api/me/totp'),
        await ask('POST', '/api/me/passkey-options'),
        await ask('POST', '/api/settings/buckets', { action: 'set-active', id: 'nothing' }),
        await ask('POST', '/api/desk/content/keys', { name: 'Mine', scope: 'full' }),
        await ask('DELETE', '/api/desk/content/keys/AAAAAAAA'),
        await ask('POST', '/api/desk/content/hooks/1/secret'),
        await ask('DELETE', '/api/desk/content/trash'),
        await ask('DELETE', '/api/desk/content/trash/1'),
        await ask('DELETE', '/api/desk/content/%74rash%2F1'),
        await ask('POST', '/api/gallery/delete', { type: 'image', path: 'nothing' }),
        await ask('POST', '/api/gallery/batch', { action: 'delete', paths: ['nothing'] }),
      ];
    };
    await growOld();
    for (const answer of await asked()) expect(outcome(answer)).toEqual([403, 'confirmation_required']);
    expect((await ask('GET', '/api/people')).status).toBe(200);
    expect((await ask('GET', '/api/desk/content/keys')).body.code).toBe('not_configured');
    expect((await ask('DELETE', '/api/desk/content/articles/1')).body.code).toBe('not_configured');
    const trashed = await ask('POST', '/api/gallery/delete', { type: 'image', path: 'x', trash: true });
    expect(outcome(trashed)[1]).not.toBe('confirmation_required');

    expect(outcome(await owner.post('/api/me/confirm', { password: 'a guess' }))).toEqual([
      403,
      'wrong_password',
    ]);
    expect((await owner.post('/api/me/confirm', {})).status).toBe(400);
    const options = await optionsOf(owner.post, '/api/me/confirm/options');
    const credential = passkey.get(options);
    expect((await owner.post('/api/me/confirm', { credential })).status).toBe(200);
    expect(outcome(await owner.post('/api/me/confirm', { credential }))).toEqual([403, 'passkey_refused']);
    for (const answer of await asked()) expect(answer.body.code).not.toBe('confirmation_required');
    await growOld();
    expect((await owner.post('/api/me/confirm', { password: PASSWORD })).status).toBe(200);
    expect((await ask('POST', '/api/me/totp')).status).toBe(200);
    expect((await trail('session_confirmed')).slice(0, 2)).toMatchObject([
      { object: { by: 'password' } },
      { object: { by: 'credential' } },
    ]);
    expect((await trail('confirmation_failed')).slice(0, 2)).toMatchObject([
      { person: 'ada', object: { by: 'credential' } },
      { person: 'ada', object: { by: 'password' } },
    ]);
  });

  test('a code of the app confirms, once', async () => {
    const ada = await joined('ada');
    const { secret } = await withApp(ada);
    await growOld();
    const code = codeOf(secret);
    expect((await ada.post('/api/me/confirm', { code })).status).toBe(200);
    expect(outcome(await ada.post('/api/me/confirm', { code }))).toEqual([403, 'wrong_code']);
    expect((await ada.post('/api/me/passkey-options')).status).toBe(200);
  });

  test('a client of the contract, with the account of the environment, goes on as before', async () => {
    await gallery.database.pool.query(
      "update gallery.session set created_at = created_at - interval '16 minutes' where person_id is null",
    );
    const settings = await gallery.post('/api/settings/buckets', { action: 'set-active', id: 'default' });
    expect(settings.status, settings.text).toBe(200);
    const deleted = await gallery.post('/api/gallery/delete', { type: 'folder', path: 'nothing' });
    expect(deleted.status, deleted.text).toBe(200);
    const json = { name: 'bob', email: 'bob@example.org', role: 'reader' };
    expect(outcome(await gallery.post('/api/people', json))).toEqual([403, 'confirmation_required']);
    const { password } = ADMIN;
    expect((await gallery.post('/api/me/confirm', { password })).status).toBe(200);
    expect((await gallery.post('/api/people', json)).status).toBe(201);
    expect((await gallery.post('/api/me/confirm', { code: '123456' })).status).toBe(409);
  });
});

test('LOGIN_SECOND_FACTOR=required: whoever has none can only set one up', async () => {
  const service = await startGallery({ ...gallery.settings, LOGIN_SECOND_FACTOR: 'required' });
  const ada = await joined('ada');
  const cookie = (await logIn(ada)).headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const ask = (path: string, method = 'GET', json?: unknown) =>
    send(`${service.url}${path}`, { method, headers: { cookie }, ...(json !== undefined && { json }) });
  for (const path of ['/api/gallery', '/api/desk', '/api/desk/content/articles']) {
    expect(outcome(await ask(path))).toEqual([403, 'second_factor_setup_required']);
  }
  expect((await ask('/api/me')).status).toBe(200);
  const passkey = new SoftwarePasskey(service.url);
  const { options } = (await ask('/api/me/passkey-options', 'POST')).body.data;
  const credential = passkey.create(options);
  expect((await ask('/api/me/passkeys', 'POST', { name: 'Key', credential })).status).toBe(201);
  expect((await ask('/api/gallery')).status).toBe(200);
  // The account of the environment has none, and stays as it is.
  const account = { cookie: gallery.cookie };
  expect((await send(`${service.url}/api/gallery`, { headers: account })).status).toBe(200);
  await service.close();
});

test('LOGIN_PASSWORDS=off: a password lets in nobody but the account of the environment', async () => {
  const service = await startGallery({ ...gallery.settings, LOGIN_PASSWORDS: 'off' });
  const post = (path: string, json: unknown, headers = newAddress()) =>
    send(`${service.url}${path}`, { method: 'POST', json, headers });
  const ada = await joined('ada');
  const person = await post('/api/login', { username: ada.email, password: PASSWORD });
  const wrong = await post('/api/login', { username: ADMIN.username, password: 'a guess' });
  expect(outcome(person)).toEqual([401, 'unauthorized']);
  expect(person.body.detail).toBe(wrong.body.detail);
  expect((await post('/api/login', ADMIN)).status).toBe(200);
  const { token } = await invited('bob');
  expect((await post('/api/invitation', { token })).body.data.passwords).toBe(false);
  const accepted = await post('/api/invitation/accept', { token, password: PASSWORD });
  expect(outcome(accepted)).toEqual([403, 'passwords_off']);
  const passkey = new SoftwarePasskey(service.url);
  const { options } = (await post('/api/invitation/passkey', { token })).body.data;
  const json = { token, passkey: { name: 'Key', credential: passkey.create(options) } };
  const bob = await post('/api/invitation/accept', json);
  expect(bob.status).toBe(200);
  const [cookie = ''] = (bob.headers.getSetCookie()[0] ?? '').split(';');
  const change = { current: PASSWORD, password: 'a password that opens nothing' };
  const changed = await post('/api/me/password', change, { cookie, ...newAddress() });
  expect(outcome(changed)).toEqual([403, 'passwords_off']);
  await service.close();
});

test('without its prefix, the cookie is not read where it is for https alone', async () => {
  const service = await startGallery({ ...gallery.settings, COOKIE_SECURE: 'true' });
  const token = gallery.cookie.split('=')[1];
  const ask = (cookie: string) => send(`${service.url}/api/me`, { headers: { cookie } });
  expect((await ask(`gallery_session=${token}`)).status).toBe(401);
  expect((await ask(`__Host-gallery_session=${token}`)).status).toBe(200);
  await service.close();
});
