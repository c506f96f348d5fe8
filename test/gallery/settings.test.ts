import type { AddressInfo } from 'node:net';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type GalleryFixture,
  galleryFixture,
  type RunningGallery,
  startGallery,
} from '../support/gallery.ts';
import { type JsonBody, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const PATH = '/api/settings';

const logins: string[] = [];
let mails = 0;
let server: SMTPServer;
let gallery: GalleryFixture;
let replica: RunningGallery;
let address: string;
beforeAll(async () => {
  server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, callback) => {
      logins.push(`${username} ${password}`);
      return password === 'p@ss' ? callback(null, { user: username }) : callback(new Error('no'));
    },
    onData: (stream, _session, callback) => {
      stream.on('end', () => {
        mails += 1;
        callback();
      });
      stream.resume();
    },
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  address = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  gallery = await galleryFixture({ MEDIA_PUBLIC: 'public/' });
  replica = await startGallery(gallery.settings);
  for (const Key of ['public/a.txt', 'press/a.txt'])
    await gallery.s3.send(new PutObjectCommand({ Bucket: gallery.bucket, Key, Body: 'text' }));
});
afterAll(async () => {
  await replica.close();
  await gallery.close();
  await new Promise<void>((resolve) => server.close(resolve));
});
beforeEach(() => gallery.database.pool.query("delete from gallery.setting where key = 'desk-settings'"));

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
  await set({ mail: { ...mail, password: undefined, from: 'paper@paper.example' } });
  const { body: person } = await gallery.post('/api/people', {
    ...{ name: 'Ann', email: 'ann@example.org', role: 'reader' },
  });
  expect([person.data.invitation.mailed, logins.at(-1), mails]).toEqual([true, 'desk p@ss', 1]);

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
  expect(await ask(undefined)).toEqual([false, 'mail_not_set']);
  const mail = { server: address, user: 'desk', password: 'p@ss', from: 'desk@paper.example' };
  expect(await ask(mail)).toEqual([true, null]);
  expect(await ask({ ...mail, password: 'wrong' })).toEqual([false, 'mail_login_refused']);
  expect(await ask({ ...mail, server: 'smtp://127.0.0.1:1' })).toEqual([false, 'mail_unreachable']);
  expect((await gallery.ask(PATH)).body.data.mail.made).toBeNull();
});

test('who was slower is told, and what the environment fixes stays', async () => {
  const match = { 'if-match': (await gallery.ask(PATH)).headers.get('etag') ?? '' };
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
  [{ nothing: true }, 'nothing'],
])('%j is refused', async (json, field) => {
  const { status, body } = await patch(json);
  expect([status, body.errors?.[0].field ?? '']).toEqual([400, field]);
});
