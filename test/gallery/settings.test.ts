import { randomBytes } from 'node:crypto';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { openDatabase } from '@pressroom/common/database/database';
import { resealMail } from '@pressroom/gallery-admin/settings';
import type { GalleryTables } from '@pressroom/gallery-admin/tables';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type GalleryFixture,
  galleryFixture,
  login,
  type RunningGallery,
  startGallery,
} from '../support/gallery.ts';
import { type JsonBody, send } from '../support/http.ts';
import { TestMailServer } from '../support/mail-server.ts';
import { until } from '../support/until.ts';

const PATH = '/api/settings';

const server = new TestMailServer();
let gallery: GalleryFixture;
let replica: RunningGallery;
let address: string;
beforeAll(async () => {
  address = `smtp://${(await server.start()).host}`;
  gallery = await galleryFixture({ MEDIA_PUBLIC: 'public/' });
  replica = await startGallery(gallery.settings);
  for (const Key of ['public/a.txt', 'press/a.txt'])
    await gallery.s3.send(new PutObjectCommand({ Bucket: gallery.bucket, Key, Body: 'text' }));
});
afterAll(async () => {
  await replica.close();
  await gallery.close();
  await server.stop();
});
beforeEach(() => set({ publicFolders: null, mail: null }));

const patch = (json: object, headers: Record<string, string> = {}, on: { url: string } = gallery) =>
  send(on.url + PATH, { method: 'PATCH', json, headers: { cookie: gallery.cookie, ...headers } });

async function set(json: object): Promise<JsonBody> {
  const { status, text, body } = await patch(json);
  expect([status, text]).toEqual([200, text]);
  return body.data;
}

const faultsOf = ({ status, body }: { status: number; body: JsonBody }) => [
  status,
  body.errors?.map(({ field, code }: JsonBody) => `${field} ${code}`),
];

test('a folder is public at once on every replica, and private again at its permanent address too', async () => {
  const seen = (path: string, on: { url: string } = replica) =>
    send(on.url + path).then(({ status }) => status);
  expect(await Promise.all(['/media/public/a.txt', '/media/press/a.txt'].map((path) => seen(path)))).toEqual([
    200, 404,
  ]);
  expect((await set({ publicFolders: ['press'] })).publicFolders).toEqual({
    ...{ value: ['press/'], made: ['press/'], environment: ['public/'] },
    ...{ variable: 'MEDIA_PUBLIC', isFixed: false },
  });
  expect([await seen('/media/press/a.txt', gallery), await seen('/media/public/a.txt', gallery)]).toEqual([
    200, 404,
  ]);
  await until('the replica follows', async () => (await seen('/media/press/a.txt')) === 200);
  expect(await seen('/media/public/a.txt')).toBe(404);
  const { body } = await gallery.ask('/api/gallery?json=1&path=press/');
  const { publicPath } = body.data.files[0];
  expect(await seen(publicPath)).toBe(200);
  expect((await gallery.ask('/api/desk')).body.data.media.publicPrefixes).toEqual(['press/']);

  await set({ publicFolders: [] });
  expect([await seen('/media/press/a.txt', gallery), await seen(publicPath, gallery)]).toEqual([404, 404]);
  await until('the replica follows', async () => (await seen(publicPath)) === 404);
  expect(
    (await gallery.ask('/api/gallery?json=1&path=press/')).body.data.files[0].publicPath,
  ).toBeUndefined();
  expect((await set({ publicFolders: null })).publicFolders.value).toEqual(['public/']);
  expect(await seen('/media/public/a.txt', gallery)).toBe(200);

  const { body: trail } = await gallery.ask('/api/trail?action=settings_changed&limit=1');
  expect(trail.data.entries[0]).toMatchObject({
    person: 'editor',
    object: { publicFolders: { before: [], after: ['public/'] } },
  });
});

test('invitations go by the mail server of the desk, whose password nobody reads', async () => {
  const mail = { server: address, user: 'desk', password: 'p@ss', from: 'desk@paper.example' };
  const { text, body } = await patch({ mail });
  expect(body.data.mail.value).toEqual({
    ...{ server: address, user: 'desk', from: 'desk@paper.example', hasPassword: true },
  });
  await set({ mail: { ...mail, password: undefined, from: '离岛日报 <Paper@paper.example>' } });
  const { body: person } = await gallery.post('/api/people', {
    ...{ name: 'Ann', email: 'ann@example.org', role: 'reader' },
  });
  expect([person.data.invitation.mailed, server.received.map(({ from }) => from)]).toEqual([
    true,
    ['paper@paper.example'],
  ]);

  const { rows } = await gallery.database.pool.query(
    "select value::text from gallery.setting where key = 'desk-settings'",
  );
  const trail = (await gallery.ask('/api/trail?action=settings_changed')).text;
  const log = JSON.stringify(gallery.log.events());
  for (const shown of [text, (await gallery.ask(PATH)).text, rows[0].value, trail, log])
    expect(shown).not.toContain('p@ss');
  expect(trail).toContain('mailPassword');
  // It is not sent to a server that it was not given for.
  for (const other of [{ server: 'smtp://other.example' }, { user: 'else' }])
    expect(faultsOf(await patch({ mail: { ...mail, password: undefined, ...other } }))).toEqual([
      400,
      ['mail.password required'],
    ]);
});

test('a test says what to mend, before anything is saved', async () => {
  const ask = async (mail: object | undefined) => {
    const { body } = await gallery.post(`${PATH}/mail/test`, { to: 'ann@example.org', mail });
    return [body.success, body.code];
  };
  expect(await ask(undefined)).toEqual([false, 'not_set']);
  const mail = { server: address, user: 'desk', password: 'p@ss', from: 'desk@paper.example' };
  expect(await ask(mail)).toEqual([true, null]);
  expect(await ask({ ...mail, password: 'wrong' })).toEqual([false, 'login_refused']);
  expect(await ask({ ...mail, server: 'smtp://127.0.0.1:1' })).toEqual([false, 'unreachable']);
  expect((await gallery.ask(PATH)).body.data.mail.made).toBeNull();
});

test('the mail server stays when SETTINGS_KEY is replaced, once it is resealed', async () => {
  await set({ mail: { server: address, user: 'desk', password: 'p@ss', from: 'desk@paper.example' } });
  const key = randomBytes(32);
  const test = async () => {
    const there = await startGallery({ ...gallery.settings, SETTINGS_KEY: key.toString('base64') });
    const headers = { cookie: await login(there.url) };
    const json = { to: 'ann@example.org' };
    const { body } = await send(`${there.url}${PATH}/mail/test`, { method: 'POST', json, headers });
    await there.close();
    return body.code;
  };
  expect(await test()).toBe('not_set');
  const db = openDatabase<GalleryTables>({ DATABASE_URL: gallery.database.url }, 'test');
  expect(await resealMail(db, randomBytes(32), key)).toBe(false);
  const former = Buffer.from(gallery.settings.SETTINGS_KEY ?? '', 'base64');
  expect(await resealMail(db, key, former)).toBe(true);
  await db.destroy();
  expect(await test()).toBeNull();
});

test('the password of the environment holds at the desk for the same server, and only there', async () => {
  const settings = { SMTP_URL: `smtp://desk:p%40ss@${server.host}`, SMTP_FROM: 'desk@paper.example' };
  const other = await startGallery({ ...gallery.settings, ...settings });
  const mail = { server: address, user: 'desk', from: 'paper@paper.example' };
  expect((await patch({ mail }, {}, other)).body.data.mail.value.hasPassword).toBe(true);
  const json = { to: 'ann@example.org' };
  const { body } = await send(`${other.url}${PATH}/mail/test`, {
    ...{ method: 'POST', json, headers: { cookie: gallery.cookie } },
  });
  expect([body.code, server.received.at(-1)?.from]).toEqual([null, 'paper@paper.example']);
  expect((await patch({ mail: { ...mail, user: 'else' } }, {}, other)).status).toBe(400);
  await other.close();
});

test('who was slower is told, and what the environment fixes stays', async () => {
  const { headers } = await gallery.ask(PATH);
  expect(headers.get('cache-control')).toBe('private, no-store');
  const match = { 'if-match': headers.get('etag') ?? '' };
  const answers = await Promise.all(['a', 'b'].map((folder) => patch({ publicFolders: [folder] }, match)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 412]);

  const fixed = await startGallery({ ...gallery.settings, GALLERY_FIXED: 'MEDIA_PUBLIC' });
  expect(faultsOf(await patch({ publicFolders: [], mail: null }, {}, fixed))).toEqual([
    400,
    ['publicFolders not_allowed'],
  ]);
  const { body } = await send(fixed.url + PATH, { headers: { cookie: gallery.cookie } });
  expect(body.data.publicFolders).toMatchObject({ value: ['public/'], isFixed: true });
  await fixed.close();
});

test.each([
  [{}, ''],
  [{ publicFolders: [''] }, 'publicFolders.0'],
  [{ publicFolders: ['../secret'] }, 'publicFolders.0'],
  [{ publicFolders: ['.pressroom-trash/'] }, 'publicFolders.0'],
  [{ publicFolders: Array(101).fill('a') }, 'publicFolders'],
  [{ mail: { server: 'http://mail.example', user: null, from: 'a@b.example' } }, 'mail.server'],
  [{ mail: { server: 'smtp://u:p@mail.example', user: null, from: 'a@b.example' } }, 'mail.server'],
  [{ mail: { server: 'smtp://mail.example', user: null, from: 'nobody' } }, 'mail.from'],
  [{ mail: { server: 'smtp://mail.example', user: null, from: '离岛日报 ‹a@b.example›' } }, 'mail.from'],
  [{ nothing: true }, 'nothing'],
])('%j is refused', async (json, field) => {
  const { status, body } = await patch(json);
  expect([status, body.errors?.[0].field ?? '']).toEqual([400, field]);
});
