import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { openDatabase } from '@pressroom/common/database/database';
import { PeopleStore } from '@pressroom/gallery-admin/people/people-store';
import type { GalleryTables } from '@pressroom/gallery-admin/tables';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ContentFixture, contentFixture } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { ADMIN, type GalleryFixture, galleryFixture, login, startGallery } from '../support/gallery.ts';
import { type Answer, type Sending, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';
const PASSWORD = 'nobody types this twice';

let content: ContentFixture;
let gallery: GalleryFixture;
beforeAll(async () => {
  content = await contentFixture({ DESK_KEY, CONTENT_REVIEW_OWN: 'refused' });
  gallery = await galleryFixture({ TRUST_PROXY: '1', CONTENT_URL: content.url, DESK_KEY });
});
afterAll(async () => {
  await gallery?.close();
  await content?.close();
});
beforeEach(async () => {
  await gallery.database.pool.query('delete from gallery.person');
});

/** A client address of its own, whose failures count for nobody else. */
let addresses = 0;
function newAddress(): Record<string, string> {
  addresses += 1;
  return { 'x-forwarded-for': `203.0.113.${addresses}` };
}

interface Member {
  id: string;
  cookie: string;
  ask: (path: string, sending?: Sending) => Promise<Answer>;
}

async function invited(role: string, name = `A ${role}`, email = `${role}@example.org`) {
  const { status, body, text } = await gallery.post('/api/people', { name, email, role });
  expect(status, text).toBe(201);
  return body.data as { person: { id: string }; invitation: { token: string; expiresAt: string } };
}

function accept(token: string, password = PASSWORD, url = gallery.url): Promise<Answer> {
  return send(`${url}/api/invitation/accept`, {
    method: 'POST',
    json: { token, password },
    headers: newAddress(),
  });
}

/** The answer to somebody who has accepted the invitation. */
async function joinedAnswer(role: string, name?: string, email?: string) {
  const { person, invitation } = await invited(role, name, email);
  const { status, headers, text } = await accept(invitation.token);
  expect(status, text).toBe(200);
  return { id: person.id, headers };
}

/** Somebody who has accepted the invitation. */
async function joined(role: string, name?: string, email?: string): Promise<Member> {
  const { id, headers } = await joinedAnswer(role, name, email);
  const [cookie = ''] = (headers.getSetCookie()[0] ?? '').split(';');
  return memberOf(id, cookie);
}

function memberOf(id: string, cookie: string): Member {
  const ask = (path: string, { headers, ...sending }: Sending = {}) =>
    send(`${gallery.url}${path}`, { ...sending, headers: { cookie, ...headers } });
  return { id, cookie, ask };
}

function logIn(username: string, password: string, headers = newAddress()): Promise<Answer> {
  return send(`${gallery.url}/api/login`, { method: 'POST', json: { username, password }, headers });
}

describe('an invitation', () => {
  test('lets a person choose a password, once, and log in with the e-mail address', async () => {
    const { person, invitation } = await invited('editor', 'Åsa Öberg', 'Asa@Example.org');
    const read = await send(`${gallery.url}/api/invitation`, {
      method: 'POST',
      json: { token: invitation.token },
    });
    expect(read.body.data).toMatchObject({ name: 'Åsa Öberg', email: 'asa@example.org' });
    expect(Date.parse(invitation.expiresAt) - Date.now()).toBeGreaterThan(71 * 3_600_000);

    const weak = await accept(invitation.token, 'short');
    expect([weak.status, weak.body.errors[0].field]).toEqual([400, 'password']);
    expect((await accept(invitation.token)).status).toBe(200);
    const again = await accept(invitation.token);
    expect([again.status, again.body.code]).toEqual([404, 'invitation_not_found']);

    const [listed] = (await gallery.ask('/api/people')).body.data.people;
    expect(listed).toMatchObject({ id: person.id, role: 'editor', hasPassword: true, invitedUntil: null });
    for (const username of ['asa@example.org', 'ASA@example.ORG']) {
      expect((await logIn(username, PASSWORD)).status).toBe(200);
    }
    expect((await logIn('asa@example.org', 'something else')).status).toBe(401);
    expect((await logIn('nobody@example.org', PASSWORD)).status).toBe(401);
  });

  test('two who accept it at once: one password holds', async () => {
    const { invitation } = await invited('editor');
    const passwords = ['the first of two passwords', 'the second of two passwords'];
    const answers = await Promise.all(passwords.map((password) => accept(invitation.token, password)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    const winner = passwords[answers.findIndex(({ status }) => status === 200)] ?? '';
    expect((await logIn('editor@example.org', winner)).status).toBe(200);
  });

  test('ends with a new one, after 72 hours, and with the person', async () => {
    const { person, invitation } = await invited('editor');
    const renewed = await gallery.ask(`/api/people/${person.id}/invitation`, { method: 'POST' });
    expect((await accept(invitation.token)).status).toBe(404);
    const { token } = renewed.body.data.invitation;
    await gallery.database.pool.query(
      "update gallery.invitation set expires_at = expires_at - interval '72 hours'",
    );
    expect((await accept(token)).status).toBe(404);
    const last = await gallery.ask(`/api/people/${person.id}/invitation`, { method: 'POST' });
    expect((await gallery.ask(`/api/people/${person.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await accept(last.body.data.invitation.token)).status).toBe(404);
  });

  test('the database has neither its token nor a password', async () => {
    const { invitation } = await invited('editor');
    await accept(invitation.token);
    const { invitation: open } = await invited('writer');
    const { rows } = await gallery.database.pool.query(
      'select p::text, i::text as invitation from gallery.person p left join gallery.invitation i on true',
    );
    const stored = JSON.stringify(rows);
    expect(stored).toContain('$argon2id$');
    for (const secret of [PASSWORD, open.token]) expect(stored).not.toContain(secret);
    expect(JSON.stringify(gallery.log.events())).not.toContain(open.token);
  });

  test('an address belongs to one person', async () => {
    await invited('editor');
    const again = await gallery.post('/api/people', {
      name: 'Another',
      email: 'EDITOR@example.org',
      role: 'reader',
    });
    expect([again.status, again.body.code]).toEqual([409, 'email_taken']);
  });
});

describe('a removed person', () => {
  test('can do nothing more, on any replica, at once; the address is free again', async () => {
    const writer = await joined('writer');
    const replica = await startGallery(gallery.settings);
    const askReplica = () => send(`${replica.url}/api/me`, { headers: { cookie: writer.cookie } });
    expect((await askReplica()).status).toBe(200);
    await gallery.ask(`/api/people/${writer.id}`, { method: 'DELETE' });
    expect((await askReplica()).status).toBe(401);
    expect((await writer.ask('/api/me')).status).toBe(401);
    expect((await logIn('writer@example.org', PASSWORD)).status).toBe(401);
    await invited('writer');
    await replica.close();
  });

  test('what they wrote keeps their name', async () => {
    const editor = await joined('editor', 'Mara Quill');
    const made = await editor.ask('/api/desk/content/articles', { method: 'POST', json: articleBody() });
    expect(made.status).toBe(201);
    await gallery.ask(`/api/people/${editor.id}`, { method: 'DELETE' });
    const { body } = await gallery.ask(`/api/desk/content/articles/${made.body.data.id}/revisions`);
    expect(body.data[0].key).toEqual({ prefix: 'desk', name: 'Mara Quill' });
  });
});

test('another role, or being switched off, ends the sessions; another name does not', async () => {
  const person = await joined('editor');
  const change = (json: unknown) => gallery.ask(`/api/people/${person.id}`, { method: 'PATCH', json });
  expect((await change({ name: 'Another Name' })).status).toBe(200);
  expect((await person.ask('/api/me')).body.data.name).toBe('Another Name');
  expect((await change({ role: 'reader' })).status).toBe(200);
  expect((await person.ask('/api/me')).status).toBe(401);
  const later = await login(gallery.url, { username: 'editor@example.org', password: PASSWORD });
  expect((await memberOf(person.id, later).ask('/api/me')).body.data.role).toBe('reader');
  await change({ active: false });
  expect((await memberOf(person.id, later).ask('/api/me')).status).toBe(401);
  expect((await logIn('editor@example.org', PASSWORD)).status).toBe(401);
});

test('a password is more than the names and addresses that everybody knows', async () => {
  const { person, invitation } = await invited('editor', 'Zoë Marchetti', 'zmarchetti@times.example');
  const personal = ['ZoeMarchetti2026', 'marchetti@times1!', 'times.example-zoë', 'Zoe.Zoe.Zoe.Zoe'];
  for (const password of personal) {
    const refused = await accept(invitation.token, password);
    expect([refused.status, refused.body.errors?.[0]?.code], password).toEqual([400, 'too_personal']);
  }
  expect((await accept(invitation.token, 'zoe drives seven tractors')).status).toBe(200);
  const cookie = await login(gallery.url, {
    username: 'zmarchetti@times.example',
    password: 'zoe drives seven tractors',
  });
  const changed = await memberOf(person.id, cookie).ask('/api/me/password', {
    method: 'POST',
    json: { current: 'zoe drives seven tractors', password: personal[0] },
  });
  expect(changed.body.errors).toMatchObject([{ field: 'password', code: 'too_personal' }]);
});

test('a password is changed by who knows it, and ends all other sessions', async () => {
  const person = await joined('writer');
  const other = memberOf(
    person.id,
    await login(gallery.url, { username: 'writer@example.org', password: PASSWORD }),
  );
  const change = (current: string, headers = newAddress()) =>
    person.ask('/api/me/password', {
      method: 'POST',
      json: { current, password: 'a new password for the writer' },
      headers,
    });
  const wrong = await change('not that one at all');
  expect([wrong.status, wrong.body.code]).toEqual([403, 'wrong_password']);
  expect((await other.ask('/api/me')).status).toBe(200);
  expect((await change(PASSWORD)).status).toBe(200);
  expect((await other.ask('/api/me')).status).toBe(401);
  expect((await person.ask('/api/me')).status).toBe(200);
  expect((await person.ask('/api/me/sessions')).body.data.sessions).toHaveLength(1);
  expect((await logIn('writer@example.org', 'a new password for the writer')).status).toBe(200);

  const guesser = newAddress();
  for (let times = 0; times < 5; times += 1) await change('guess', guesser);
  expect((await change('guess', guesser)).status).toBe(429);
});

test('sessions are listed with address and device, and ended one by one or all', async () => {
  const person = await joined('writer');
  const cookies = await Promise.all(
    [1, 2].map(() => login(gallery.url, { username: 'writer@example.org', password: PASSWORD })),
  );
  const { sessions } = (await person.ask('/api/me/sessions')).body.data;
  expect(sessions).toHaveLength(3);
  expect(sessions.filter((one: { current: boolean }) => one.current)).toHaveLength(1);
  expect(sessions[0]).toMatchObject({ address: expect.any(String), device: expect.any(String) });
  const [other] = sessions.filter((one: { current: boolean }) => !one.current);
  const stranger = await joined('reader');
  await stranger.ask(`/api/me/sessions/${other.id}`, { method: 'DELETE' });
  expect((await person.ask('/api/me/sessions')).body.data.sessions).toHaveLength(3);
  await person.ask(`/api/me/sessions/${other.id}`, { method: 'DELETE' });
  expect((await person.ask('/api/me/sessions')).body.data.sessions).toHaveLength(2);
  await person.ask('/api/me/sessions', { method: 'DELETE' });
  for (const cookie of cookies) expect((await memberOf('', cookie).ask('/api/me')).status).toBe(401);
  expect((await person.ask('/api/me')).status).toBe(200);
});

test('the account of the environment is an owner whom no request changes', async () => {
  expect((await gallery.ask('/api/me')).body.data).toMatchObject({
    id: null,
    name: ADMIN.username,
    role: 'owner',
  });
  const change = await gallery.ask('/api/me', { method: 'PATCH', json: { name: 'X' } });
  expect([change.status, change.body.code]).toEqual([409, 'account_of_environment']);
});

test('without that account, the last owner stays', async () => {
  const owner = await joined('owner', 'Ann', 'ann@example.org');
  const second = await joined('owner', 'Bo', 'bo@example.org');
  const { ADMIN_USERNAME: _, ADMIN_PASSWORD_HASH: __, ...settings } = gallery.settings;
  const service = await startGallery(settings);
  const json = { username: 'ann@example.org', password: PASSWORD };
  expect((await send(`${service.url}/api/login`, { method: 'POST', json })).status).toBe(200);
  const as = ({ cookie }: Member, path: string, sending: Sending) =>
    send(`${service.url}${path}`, { ...sending, headers: { cookie } });
  const answers = await Promise.all([
    as(owner, `/api/people/${second.id}`, { method: 'DELETE' }),
    as(second, `/api/people/${owner.id}`, { method: 'PATCH', json: { role: 'editor' } }),
  ]);
  // Whoever comes second is no owner any longer, or would leave none.
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  const left = await gallery.ask('/api/people');
  const owners = left.body.data.people.filter((one: { role: string }) => one.role === 'owner');
  expect(owners).toHaveLength(1);
  await service.close();
});

describe('a writer', () => {
  test('writes drafts of their own, and neither publishes nor touches those of others', async () => {
    const writer = await joined('writer', 'Wanda Pen', 'wanda@example.org');
    const path = '/api/desk/content/articles';
    const made = await writer.ask(path, { method: 'POST', json: articleBody() });
    expect(made.status, made.text).toBe(201);
    const own = `${path}/${made.body.data.id}`;
    const read = await writer.ask(`${own}?include=authors`);
    expect(read.body.data).toMatchObject({ author: 'Wanda Pen', authors: [{ name: 'Wanda Pen' }] });
    const patch = (at: string, json: unknown) => writer.ask(at, { method: 'PATCH', json });
    expect((await patch(own, { excerpt: 'Mine' })).status).toBe(200);

    const publishing = await patch(own, { is_published: true });
    expect([publishing.status, publishing.body.code]).toEqual([403, 'insufficient_scope']);
    const planned = await patch(own, { publish_at: '2999-01-01T00:00:00Z' });
    expect(planned.status).toBe(403);
    expect((await writer.ask(own, { method: 'DELETE' })).status).toBe(403);

    const others = await gallery.ask(path, { method: 'POST', json: articleBody() });
    const theirs = `${path}/${others.body.data.id}`;
    expect((await writer.ask(theirs)).status).toBe(200);
    for (const sending of [
      { method: 'PATCH', json: { excerpt: 'Mine now' } },
      { method: 'PATCH', json: { authors: ['wanda-pen'] } },
    ]) {
      expect((await writer.ask(theirs, sending)).status).toBe(403);
    }
    expect((await writer.ask(`${theirs}/previews`, { method: 'POST', json: {} })).status).toBe(403);

    // An editor publishes it: the writer may no longer change what readers see.
    expect((await gallery.ask(own, { method: 'PATCH', json: { is_published: true } })).status).toBe(200);
    expect((await patch(own, { excerpt: 'Later' })).status).toBe(403);
    const copy = await writer.ask(`${own}/working-copy`, { method: 'PUT', json: { excerpt: 'Later' } });
    expect(copy.status).toBe(403);
    expect((await writer.ask(`${own}/working-copy/publish`, { method: 'POST' })).status).toBe(403);
    const published = { is_published: true };
    const foreign = await content.client.patch(`/api/articles/${others.body.data.id}`, published);
    expect(foreign.status).toBe(200);
    const onOthers = await writer.ask(`${theirs}/working-copy`, { method: 'PUT', json: { excerpt: 'X' } });
    expect(onOthers.status).toBe(403);
  });
});

test('the browser of one person is no known browser of another', async () => {
  const { headers } = await joinedAnswer('reader');
  const cookie = headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
  const guess = (username: string) =>
    send(`${gallery.url}/api/login`, {
      method: 'POST',
      json: { username, password: 'a guess' },
      headers: { 'x-forwarded-for': '203.0.113.250', cookie },
    });
  for (let times = 0; times < 5; times += 1) expect((await guess(ADMIN.username)).status).toBe(401);
  expect((await guess(ADMIN.username)).status).toBe(429);
  // Another cookie of the same person counts nothing anew.
  const again = await logIn('reader@example.org', PASSWORD);
  const [fresh = ''] = again.headers.getSetCookie().filter((line) => line.startsWith('gallery_device'));
  const more = await send(`${gallery.url}/api/login`, {
    method: 'POST',
    json: { username: ADMIN.username, password: 'a guess' },
    headers: { 'x-forwarded-for': '203.0.113.250', cookie: fresh.split(';')[0] ?? '' },
  });
  expect(more.status).toBe(429);
  const lanes = gallery.log.events().filter(({ msg }) => msg === 'login_failed');
  expect(new Set(lanes.slice(-5).map(({ lane }) => lane))).not.toContain('device');
});

test('spellings of an e-mail address are counted together', async () => {
  await joined('reader');
  const headers = newAddress();
  for (const spelling of ['reader', 'Reader', 'READER', 'rEADER', 'reAder']) {
    expect((await logIn(`${spelling}@example.org`, 'a guess', headers)).status).toBe(401);
  }
  expect((await logIn('readeR@example.org', 'a guess', headers)).status).toBe(429);
});

describe('a link ends', () => {
  test.each([
    ['gets another role', { method: 'PATCH', json: { role: 'reader' } }],
    ['is removed', { method: 'DELETE' }],
  ])('with the owner who may have kept it, and %s', async (_, sending) => {
    const owner = await joined('owner', 'Ann', 'ann@example.org');
    const editor = await joined('editor');
    const asked = await owner.ask(`/api/people/${editor.id}/invitation`, { method: 'POST' });
    const { token } = asked.body.data.invitation;
    expect((await gallery.ask(`/api/people/${owner.id}`, sending)).status).toBe(200);
    expect((await accept(token)).status).toBe(404);
  });

  test('with another address, and with a password that was changed', async () => {
    const { person, invitation } = await invited('editor');
    await gallery.ask(`/api/people/${person.id}`, { method: 'PATCH', json: { email: 'right@example.org' } });
    expect((await accept(invitation.token)).status).toBe(404);
    const writer = await joined('writer');
    const asked = await gallery.ask(`/api/people/${writer.id}/invitation`, { method: 'POST' });
    const changed = await writer.ask('/api/me/password', {
      method: 'POST',
      json: { current: PASSWORD, password: 'a new password for the writer' },
    });
    expect(changed.status).toBe(200);
    expect((await accept(asked.body.data.invitation.token)).status).toBe(404);
  });
});

test('nobody takes the name of another, nor of the account of the environment', async () => {
  const writer = await joined('writer', 'Wanda Pen', 'wanda@example.org');
  await joined('editor', 'Mara Quill', 'mara@example.org');
  for (const name of ['mara quill', ' Mara  Quill', ADMIN.username.toUpperCase(), `${ADMIN.username} `]) {
    const taken = await writer.ask('/api/me', { method: 'PATCH', json: { name } });
    expect([taken.status, taken.body.code], name).toEqual([409, 'name_taken']);
  }
  const added = await gallery.post('/api/people', {
    name: 'Wanda Pen',
    email: 'x@example.org',
    role: 'reader',
  });
  expect([added.status, added.body.code]).toEqual([409, 'name_taken']);
});

test('nobody names themselves what another was called, whose comments they would change', async () => {
  const wanda = await joined('writer', 'Wanda Pen', 'wanda@example.org');
  const edgar = await joined('editor', 'Edgar Quill', 'edgar@example.org');
  const otto = await joined('editor', 'Otto Ink', 'otto@example.org');
  const rename = ({ ask }: Member, name: string) => ask('/api/me', { method: 'PATCH', json: { name } });
  expect((await rename(edgar, 'Edgar Pencil')).status).toBe(200);
  const byOwner = { method: 'PATCH', json: { name: 'Otto Pencil' } };
  expect((await gallery.ask(`/api/people/${otto.id}`, byOwner)).status).toBe(200);
  expect((await gallery.ask(`/api/people/${otto.id}`, { method: 'DELETE' })).status).toBe(200);
  for (const name of ['edgar quill', 'Otto Ink', 'Otto Pencil']) {
    const taken = await rename(wanda, name);
    expect([taken.status, taken.body.code], name).toEqual([409, 'name_taken']);
  }
  expect((await wanda.ask('/api/me')).body.data.name).toBe('Wanda Pen');
  // Their own again; and owners know who comes back.
  expect((await rename(edgar, 'Edgar Quill')).status).toBe(200);
  await joined('editor', 'Otto Ink', 'otto@example.org');
});

test('whoever takes another name approves and publishes their own no more than before', async () => {
  const una = await joined('editor', 'Una Ink', 'una@example.org');
  const path = '/api/desk/content/articles';
  const { id } = (await una.ask(path, { method: 'POST', json: articleBody() })).body.data;
  const step = ({ ask }: Member, state: string) =>
    ask(`${path}/${id}/review`, { method: 'PUT', json: { state } });
  const publish = ({ ask }: Member) =>
    ask(`${path}/${id}`, { method: 'PATCH', json: { is_published: true } });
  expect((await step(una, 'submitted')).status).toBe(200);
  await una.ask('/api/me', { method: 'PATCH', json: { name: 'Una Pencil' } });
  for (const { status, body } of [await step(una, 'approved'), await publish(una)])
    expect([status, body.code]).toEqual([403, 'own_article']);

  // An owner gives the name of before to somebody else, who is not taken for her.
  const heir = await joined('editor', 'Una Ink', 'other@example.org');
  expect((await step(heir, 'approved')).status).toBe(200);
  expect((await publish(heir)).status).toBe(200);
});

test('everybody who may write is an author, so that articles can be assigned to them', async () => {
  const authorNamed = async (name: string) => {
    const { body } = await gallery.ask(`/api/desk/content/authors?q=${encodeURIComponent(name)}`);
    return body.data.find((one: { name: string }) => one.name === name)?.id as number | undefined;
  };
  const photographer = await joined('photographer', 'Phil Lens', 'phil@example.org');
  expect(await authorNamed('Phil Lens')).toBeUndefined();
  const json = { role: 'writer' };
  expect((await gallery.ask(`/api/people/${photographer.id}`, { method: 'PATCH', json })).status).toBe(200);
  const author_id = await authorNamed('Phil Lens');
  const made = await gallery.ask('/api/desk/content/articles', { method: 'POST', json: articleBody() });
  const assignee = `/api/desk/content/articles/${made.body.data.id}/assignee`;
  const assigned = await gallery.ask(assignee, { method: 'PUT', json: { author_id } });
  expect(assigned.body.data.assignee).toMatchObject({ id: author_id, name: 'Phil Lens' });

  // Content was away when this editor was added.
  const editor = await joined('editor', 'Eve Blue', 'eve@example.org');
  await gallery.database.pool.query('update gallery.person set author_id = null where id = $1', [editor.id]);
  expect((await editor.ask('/api/desk/content/articles?status=all')).status).toBe(200);
  const eve = await authorNamed('Eve Blue');
  expect((await editor.ask('/api/me')).body.data.authorId).toBe(eve);

  // Offered are those who may write, no guests; and nobody who may not any longer.
  await gallery.ask('/api/desk/content/authors', { method: 'POST', json: { name: 'A Guest' } });
  await joined('reader', 'Rita Book', 'rita@example.org');
  const offered = async () => (await editor.ask('/api/desk/writers')).body.data.writers;
  expect(await offered()).toEqual([
    { name: 'Eve Blue', authorId: eve },
    { name: 'Phil Lens', authorId: author_id },
  ]);
  const off = { method: 'PATCH', json: { active: false } };
  expect((await gallery.ask(`/api/people/${photographer.id}`, off)).status).toBe(200);
  expect(await offered()).toEqual([{ name: 'Eve Blue', authorId: eve }]);
});

test('who is not linked yet is no other author by taking the name of one', async () => {
  await gallery.ask('/api/desk/content/authors', { method: 'POST', json: { name: 'Famous Columnist' } });
  const writer = await joined('writer', 'Nora Ink', 'nora@example.org');
  await gallery.database.pool.query('update gallery.person set author_id = null where id = $1', [writer.id]);
  await writer.ask('/api/me', { method: 'PATCH', json: { name: 'Famous Columnist' } });
  expect((await writer.ask('/api/desk/content/articles?status=all')).status).toBe(200);
  const { author_id } = (
    await gallery.database.pool.query('select author_id from gallery.person where id = $1', [writer.id])
  ).rows[0];
  const { body } = await gallery.ask(`/api/desk/content/authors/${author_id}`);
  expect(body.data.name).toBe('Nora Ink');
});

test('who is not linked yet is one author, whatever is asked at once on several replicas', async () => {
  const writer = await joined('writer', 'Ida Blot', 'ida@example.org');
  const { pool } = gallery.database;
  const authors = '/api/desk/content/authors';
  const { rows } = await pool.query(
    'with linked as (select id, author_id from gallery.person where id = $1)\n' +
      'update gallery.person set author_id = null from linked where person.id = linked.id returning linked.author_id',
    [writer.id],
  );
  await gallery.ask(`${authors}/${rows[0].author_id}`, { method: 'DELETE' });
  const replica = await startGallery(gallery.settings);
  const create = (url: string) =>
    send(`${url}/api/desk/content/articles`, {
      method: 'POST',
      json: articleBody(),
      headers: { cookie: writer.cookie },
    });
  const urls = [gallery.url, replica.url, gallery.url, replica.url, gallery.url, replica.url];
  const made = await Promise.all(urls.map(create));
  await replica.close();
  expect(made.map(({ status }) => status)).toEqual(urls.map(() => 201));
  for (const { body } of made) {
    const at = `/api/desk/content/articles/${body.data.id}`;
    expect((await writer.ask(at, { method: 'PATCH', json: { excerpt: 'Mine' } })).status).toBe(200);
  }
  // Each replica makes one at most.
  expect((await gallery.ask(`${authors}?q=Ida%20Blot`)).body.data.length).toBeLessThanOrEqual(2);
});

test('who is an author stays that one, whoever was later to link another', async () => {
  const { person } = await invited('reader');
  const db = openDatabase<GalleryTables>({ DATABASE_URL: gallery.database.url }, 'test');
  const people = new PeopleStore(db, true, { passwords: true, issuers: [], proxy: false });
  expect(await people.linkAuthor(person.id, 7001)).toBe(true);
  expect(await people.linkAuthor(person.id, 7002)).toBe(false);
  expect(await people.authorOf(person.id)).toBe(7001);
  const { person: other } = await invited('photographer');
  expect(await people.linkAuthor(other.id, 7001)).toBe(false);
  await db.destroy();
});

test('a name that people write is one for content, too', async () => {
  const editor = await joined('editor', 'می\u200cنویسد 👩\u200d🚀', 'ziba@example.org');
  const made = await editor.ask('/api/desk/content/articles', { method: 'POST', json: articleBody() });
  expect(made.status, made.text).toBe(201);
});

test('a writer replaces a file only so that it can be brought back', async () => {
  const writer = await joined('writer');
  const file = { filename: 'a.png', path: '', contentType: 'image/png' };
  const sign = (json: object) => writer.ask('/api/upload', { method: 'POST', json });
  const refused = await sign(file);
  expect([refused.status, refused.body.code]).toEqual([403, 'role_forbids']);
  expect((await sign({ ...file, trash: true })).status).toBe(200);
  const whole = { method: 'PUT', key: 'a.png', contentType: 'image/png' };
  const request = (json: object) => writer.ask('/api/upload/sign', { method: 'POST', json });
  expect((await request(whole)).status).toBe(403);
  expect((await request({ ...whole, trash: true })).status).toBe(200);
  const complete = { action: 'complete', uploadId: 'x', key: 'a.png', parts: [{ partNumber: 1, etag: 'x' }] };
  expect((await writer.ask('/api/upload/multipart', { method: 'POST', json: complete })).status).toBe(403);
});

test('who is removed while the body of a request is on its way does nothing', async () => {
  const owner = await joined('owner', 'Ann', 'ann@example.org');
  const { pool } = gallery.database;
  await pool.query(
    "update gallery.session set last_used_at = now() - interval '1 hour' where person_id = $1",
    [owner.id],
  );
  const body = JSON.stringify({ name: 'A Friend', email: 'friend@example.org', role: 'owner' });
  const request = httpRequest(`${gallery.url}/api/people`, {
    method: 'POST',
    headers: { cookie: owner.cookie, 'content-type': 'application/json', 'content-length': body.length },
  });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>;
  request.write(body.slice(0, 10));
  await until('the session was found', async () => {
    const { rowCount } = await pool.query(
      "select from gallery.session where person_id = $1 and last_used_at > now() - interval '30 minutes'",
      [owner.id],
    );
    return rowCount === 1;
  });
  await gallery.ask(`/api/people/${owner.id}`, { method: 'DELETE' });
  request.end(body.slice(10));
  const [response] = await answered;
  response.resume();
  expect(response.statusCode).toBe(401);
  expect((await gallery.ask('/api/people')).body.data.people).toEqual([]);
});

describe('saved filters', () => {
  const path = (number: number) =>
    `/api/me/filters/00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  const save = (member: Member, number: number, json: object) =>
    member.ask(path(number), { method: 'PUT', json: { name: 'Sea', query: 'tag=sea', ...json } });
  const seen = async (member: Member) =>
    (await member.ask('/api/me/filters')).body.data.filters.map(
      ({ name, shared, own }: { name: string; shared: boolean; own: boolean }) => [name, shared, own],
    );

  test('are of one person, on every machine, but for those that an editor shares', async () => {
    const writer = await joined('writer', 'Wanda', 'wanda@example.org');
    const editor = await joined('editor', 'Edgar', 'edgar@example.org');
    expect((await save(writer, 1, {})).status).toBe(200);
    // The answer was lost.
    expect((await save(writer, 1, { name: 'The sea' })).status).toBe(200);
    expect((await save(editor, 2, { name: 'For all', shared: true })).status).toBe(200);
    expect(await seen(writer)).toEqual([
      ['The sea', false, true],
      ['For all', true, false],
    ]);
    expect(await seen(editor)).toEqual([['For all', true, true]]);
    const refused = await save(writer, 3, { shared: true });
    expect([refused.status, refused.body.code]).toEqual([403, 'role_forbids']);
    expect((await save(editor, 1, {})).status).toBe(404);
    expect((await save(editor, 4, { query: '' })).status).toBe(400);
    // Nobody takes away what is another's.
    for (const number of [1, 2]) await writer.ask(path(number), { method: 'DELETE' });
    expect(await seen(writer)).toEqual([['For all', true, false]]);
  });

  test('are fifty at most, also when two windows save at once', async () => {
    const reader = await joined('reader');
    await gallery.database.pool.query(
      `insert into gallery.saved_filter (id, person_id, name, query, shared)
       select gen_random_uuid(), $1, 'n', 'mine=1', false from generate_series(1, 49)`,
      [reader.id],
    );
    // Both have counted before either may write.
    const held = await gallery.database.pool.connect();
    await held.query('begin; lock table gallery.saved_filter in share mode');
    const saving = Promise.all([save(reader, 11, {}), save(reader, 12, {})]);
    const waiting = `select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    await expect.poll(async () => (await gallery.database.pool.query(waiting)).rowCount).toBe(2);
    await held.query('commit');
    held.release();
    expect((await saving).map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await seen(reader)).toHaveLength(50);
  });
});
