import { PutObjectCommand } from '@aws-sdk/client-s3';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADMIN, type GalleryFixture, galleryFixture } from '../support/gallery.ts';
import { send } from '../support/http.ts';

let gallery: GalleryFixture;
beforeAll(async () => {
  gallery = await galleryFixture({ TRUST_PROXY: '1' });
});
afterAll(() => gallery.close());

interface Entry {
  id: number;
  person: string | null;
  action: string;
  object: Record<string, unknown>;
  address: string;
  requestId: string;
}

async function entries(query = ''): Promise<Entry[]> {
  const { status, body, text } = await gallery.ask(`/api/trail${query}`);
  expect(status, text).toBe(200);
  return body.data.entries;
}

test('who logged in, who failed, and what was done, with address and request', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.7', 'x-request-id': 'asked-once' };
  const tryLogin = (password: string) =>
    send(`${gallery.url}/api/login`, { method: 'POST', json: { ...ADMIN, password }, headers });
  await tryLogin(ADMIN.password);
  await tryLogin('hunter2 that nobody should read');
  await gallery.post('/api/gallery/folder', { path: 'seen' });
  const [folder, failed, succeeded] = await entries();
  expect(folder).toMatchObject({
    action: 'folder_created',
    person: ADMIN.username,
    object: { path: 'seen/' },
  });
  expect(failed).toMatchObject({ action: 'login_failed', person: null, address: '203.0.113.7' });
  expect(succeeded).toMatchObject({
    action: 'login_succeeded',
    person: ADMIN.username,
    requestId: 'asked-once',
  });
  expect(JSON.stringify(await entries())).not.toContain('hunter2');
});

test('a person is found by name, actions by their beginning, older entries by number', async () => {
  const person = { name: 'Wanda Pen', email: 'wanda@example.org', role: 'editor' };
  const { body } = await gallery.post('/api/people', person);
  const { headers } = await send(`${gallery.url}/api/invitation/accept`, {
    method: 'POST',
    json: { token: body.data.invitation.token, password: 'a password that nobody guesses' },
  });
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const made = await send(`${gallery.url}/api/gallery/folder`, {
    method: 'POST',
    json: { path: 'hers' },
    headers: { cookie },
  });
  expect(made.status).toBe(200);
  expect((await entries('?person=wanda')).map(({ action }) => action)).toEqual([
    'folder_created',
    'invitation_accepted',
  ]);
  const [first, second] = await entries();
  expect((await entries(`?before=${first?.id}&limit=1`)).map(({ id }) => id)).toEqual([second?.id]);
  expect((await entries('?action=person_')).map(({ person: who }) => who)).toEqual([ADMIN.username]);
  expect((await gallery.ask('/api/trail?action=No%20such')).status).toBe(400);
  expect(JSON.stringify(await entries())).not.toContain(body.data.invitation.token);
  // Her entries keep her name.
  await gallery.ask(`/api/people/${body.data.person.id}`, { method: 'DELETE' });
  expect(await entries('?person=wanda%20pen')).toHaveLength(2);
});

test('as CSV that no spreadsheet runs', async () => {
  await gallery.post('/api/people', { name: '=cmd()', email: 'formula@example.org', role: 'owner' });
  await gallery.database.pool.query(
    "insert into gallery.trail (person, action, object) values ('=cmd()', 'tried', '{\"a\": \"b, c\"}')",
  );
  const { headers, text } = await gallery.ask('/api/trail.csv?limit=1');
  expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect(text.split('\r\n').slice(0, 2)).toEqual([
    'time,person,action,object,address,request',
    expect.stringMatching(/^[^,]+,'=cmd\(\),tried,"\{""a"": ?""b, c""\}",,$/),
  ]);
});

test('what somebody takes along is in it', async () => {
  await gallery.s3.send(
    new PutObjectCommand({ Bucket: gallery.bucket, Key: 'taken/pier.jpg', Body: 'pier' }),
  );
  const { body } = await gallery.post('/api/gallery/archives', { paths: ['taken/'] });
  const download = `/api/gallery/archives/${body.data.id}`;
  await gallery.ask(download, { method: 'HEAD' });
  await gallery.ask(download);
  await gallery.ask('/api/trail.csv?action=archive');
  const [trail, archive, before] = await entries();
  expect(trail).toMatchObject({ action: 'trail_downloaded', object: { of: 'desk', entries: 1 } });
  expect(archive).toMatchObject({
    action: 'archive_downloaded',
    person: ADMIN.username,
    object: { name: 'taken.zip', paths: ['taken/'], files: 1 },
  });
  expect(before?.action).not.toBe('archive_downloaded');
});

test('entries of the last 30 days stay, older ones go by the function alone', async () => {
  const { pool } = gallery.database;
  await pool.query(
    "insert into gallery.trail (at, action, object) values (now() - interval '40 days', 'old', '{}')",
  );
  await expect(pool.query('select gallery.prune_trail(29, 10)')).rejects.toMatchObject({ code: '23514' });
  const { rows } = await pool.query('select gallery.prune_trail(30, 10) as removed');
  expect(rows).toEqual([{ removed: 1 }]);
  expect(await entries('?action=old')).toEqual([]);
  expect((await entries()).length).toBeGreaterThan(0);
});

test('what was done is answered and logged when the trail cannot be written', async () => {
  const client = new pg.Client({ connectionString: gallery.database.url });
  await client.connect();
  await client.query('alter table gallery.trail rename to away');
  expect((await gallery.post('/api/gallery/folder', { path: 'unseen' })).status).toBe(200);
  await client.query('alter table gallery.away rename to trail');
  await client.end();
  expect(gallery.log.events().find(({ msg }) => msg === 'trail_not_written')).toMatchObject({
    done: [{ action: 'folder_created', object: { path: 'unseen/' } }],
  });
});
