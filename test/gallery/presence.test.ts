import { randomUUID } from 'node:crypto';
import { Presence } from '@pressroom/gallery-admin/presence';
import type { GalleryTables } from '@pressroom/gallery-admin/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type GalleryFixture,
  galleryFixture,
  type RunningGallery,
  startGallery,
} from '../support/gallery.ts';
import { type Answer, type JsonBody, send } from '../support/http.ts';
import { memoryLog } from '../support/log.ts';
import { follow, latest, stopFollowing } from '../support/presence.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'a password that nobody guesses';

let gallery: GalleryFixture;
let replica: RunningGallery;
let people = 0;
beforeAll(async () => {
  gallery = await galleryFixture();
  replica = await startGallery(gallery.settings);
});
afterAll(async () => {
  stopFollowing();
  await replica?.close();
  await gallery?.close();
});
beforeEach(async () => {
  await gallery.database.pool.query('delete from gallery.presence');
  await gallery.database.pool.query('delete from gallery.person');
});

interface Window {
  readonly id: string;
  readonly cookie: string;
  readonly url: string;
  readonly tab: string;
}

/** A page of somebody new. */
async function pageOf(name: string, role: string, url = gallery.url): Promise<Window> {
  people += 1;
  const { body, text } = await gallery.post('/api/people', { name, email: `${people}@example.org`, role });
  if (body.data === undefined) throw new Error(text);
  const json = { token: body.data.invitation.token, password: PASSWORD };
  const { headers } = await send(`${url}/api/invitation/accept`, { method: 'POST', json });
  const cookie = headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { id: body.data.person.id, cookie, url, tab: randomUUID() };
}

function opens({ cookie, url, tab }: Window, article: number, more: object = {}): Promise<Answer> {
  const json = { article, mode: 'writing', ...more };
  return send(`${url}/api/presence/${tab}`, { method: 'PUT', json, headers: { cookie } });
}

async function seen({ cookie, url, tab }: Window): Promise<JsonBody[]> {
  return (await send(`${url}/api/presence?tab=${tab}`, { headers: { cookie } })).body.data.entries;
}

function change(id: string, json: object): Promise<Answer> {
  return gallery.ask(`/api/people/${id}`, { method: 'PATCH', json });
}

async function agesBy(id: string, since: 'created_at' | 'last_used_at', time: string): Promise<void> {
  const older = `update gallery.session set ${since} = ${since} - $2::interval where person_id = $1`;
  await gallery.database.pool.query(older, [id, time]);
}

test('who has an article open is heard on another replica at once, and is gone with the page', async () => {
  const wanda = await pageOf('Wanda Pen', 'writer');
  const edgar = await pageOf('Edgar Blue', 'editor', replica.url);
  const heard = await follow(edgar);
  expect(heard.response.headers.get('content-type')).toBe('text/event-stream');
  expect(heard.response.headers.get('x-accel-buffering')).toBe('no');
  expect((await opens(wanda, 7)).body.data.entries).toMatchObject([{ isThis: true, isYou: true }]);
  await until('it is heard', () => latest(heard).length === 1);
  const others = { isThis: false, isYou: false, takenBy: null };
  expect(latest(heard)).toEqual([
    { article: 7, name: 'Wanda Pen', mode: 'writing', since: expect.any(String), ...others },
  ]);
  expect(await seen(edgar)).toEqual(latest(heard));
  expect(heard.text).not.toContain(wanda.tab);

  const { cookie, url, tab } = wanda;
  await send(`${url}/api/presence/${tab}`, { method: 'DELETE', headers: { cookie } });
  await until('it is gone', () => latest(heard).length === 0);
});

test('the second waits, and whoever takes over is the one that writes', async () => {
  const wanda = await pageOf('Wanda Pen', 'writer');
  const edgar = await pageOf('Edgar Blue', 'editor', replica.url);
  await opens(wanda, 7);
  const modes = async () => (await seen(wanda)).map(({ name, mode, takenBy }) => [name, mode, takenBy]);
  await opens(edgar, 7);
  expect(await modes()).toEqual([
    ['Wanda Pen', 'writing', null],
    ['Edgar Blue', 'waiting', null],
  ]);
  await opens(edgar, 7, { takeOver: true });
  expect(await modes()).toEqual([
    ['Wanda Pen', 'looking', 'Edgar Blue'],
    ['Edgar Blue', 'writing', null],
  ]);
  await opens(edgar, 8);
  await opens(wanda, 7);
  expect((await modes()).map(([, mode]) => mode)).toEqual(['writing', 'writing']);
});

test('of many who open an article at once, one writes it', async () => {
  const pages = await Promise.all(
    Array.from({ length: 8 }, (_, at) =>
      pageOf(`Person ${at}`, 'editor', at % 2 ? replica.url : gallery.url),
    ),
  );
  for (const takeOver of [false, true]) {
    await Promise.all(pages.map((page) => opens(page, 9, { takeOver })));
    const entries = await seen(pages[0] as Window);
    expect(entries).toHaveLength(8);
    expect(entries.filter(({ mode }) => mode === 'writing')).toHaveLength(1);
  }
});

test('pages that take over from each other at once never fail', async () => {
  const wanda = await pageOf('Wanda Pen', 'writer');
  const edgar = await pageOf('Edgar Blue', 'editor', replica.url);
  for (let at = 0; at < 10; at += 1) {
    const articles = at % 2 ? [8, 7] : [7, 8];
    const answers = await Promise.all(
      [wanda, edgar].map((page, one) => opens(page, articles[one] ?? 0, { takeOver: true })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  }
});

test('nobody waits for the rows of pages that are gone, or being noted', async () => {
  const wanda = await pageOf('Wanda Pen', 'writer');
  const edgar = await pageOf('Edgar Blue', 'editor');
  await opens(wanda, 7);
  await gallery.database.pool.query("update gallery.presence set seen_at = seen_at - interval '21 seconds'");
  const other = await gallery.database.pool.connect();
  try {
    await other.query('begin');
    await other.query('select from gallery.presence for update');
    expect((await opens(edgar, 8)).status).toBe(200);
    expect(await seen(wanda)).toMatchObject([{ name: 'Edgar Blue' }]);
  } finally {
    await other.query('rollback');
    other.release();
  }
});

test('a page belongs to its session, also for somebody who knows its UUID', async () => {
  const wanda = await pageOf('Wanda Pen', 'writer');
  const { cookie } = await pageOf('Edgar Blue', 'editor');
  await opens(wanda, 7);
  const { url, tab } = wanda;
  const { body } = await send(`${url}/api/presence/${tab}`, { method: 'DELETE', headers: { cookie } });
  expect(body.data.entries).toMatchObject([{ name: 'Wanda Pen', isThis: false }]);
  expect(await seen(wanda)).toMatchObject([{ isThis: true }]);
});

test('a session has 50 pages and streams, however many it opens at once', async () => {
  const editor = await pageOf('Edgar Blue', 'editor');
  const windows = Array.from({ length: 55 }, () => ({ ...editor, tab: randomUUID() }));
  const opened = await Promise.all(windows.map((page, at) => opens(page, at + 1)));
  const refused = opened.filter(({ status }) => status !== 200);
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    Array(5).fill([429, 'too_many_pages']),
  );
  expect(await seen(editor)).toHaveLength(50);
  const again = windows[opened.findIndex(({ status }) => status === 200)] ?? editor;
  expect((await opens(again, 99)).status).toBe(200);

  const heard = await Promise.all(windows.map(follow));
  const statuses = heard.map(({ response }) => response.status);
  expect(statuses.toSorted()).toEqual([...Array(50).fill(200), ...Array(5).fill(429)]);
});

test('a replica has 2,000 streams, and place again once one has ended', () => {
  const { pool } = gallery.database;
  const db = new Kysely<GalleryTables>({ dialect: new PostgresDialect({ pool }) });
  const presence = new Presence(db, async (ids) => new Set(ids), memoryLog('gallery-admin').log);
  const begin = () => presence.follow(randomUUID(), randomUUID());
  try {
    const [first] = Array.from({ length: 2000 }, begin);
    expect(begin).toThrow('ask GET /api/presence instead');
    if (first !== undefined) presence.leave(first);
    expect(begin).not.toThrow();
  } finally {
    presence.stop();
  }
});

test('who leaves before the stream begins takes no place', async () => {
  const editor = await pageOf('Edgar Blue', 'editor', replica.url);
  const other = await gallery.database.pool.connect();
  try {
    await other.query('begin');
    await other.query('lock table gallery.person in access exclusive mode');
    const stopping = new AbortController();
    const { cookie, url } = editor;
    const begun = Array.from({ length: 50 }, () =>
      fetch(`${url}/api/presence/events?tab=${randomUUID()}`, {
        headers: { cookie },
        signal: stopping.signal,
      }),
    );
    await until('they wait', async () => {
      const { rows } = await gallery.database.pool.query(
        "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      );
      return rows.length > 0;
    });
    stopping.abort();
    await Promise.allSettled(begun);
  } finally {
    await other.query('rollback');
    other.release();
  }
  let places = 0;
  await until('all places are free', async () => {
    if ((await follow(editor)).response.status === 200) places += 1;
    return places === 50;
  });
});

test.each([
  ['removed', ({ id }: Window) => gallery.ask(`/api/people/${id}`, { method: 'DELETE' })],
  ['switched off', ({ id }: Window) => change(id, { active: false })],
  ['given another role', ({ id }: Window) => change(id, { role: 'reader' })],
  ['idle for 12 hours', ({ id }: Window) => agesBy(id, 'last_used_at', '12 hours')],
  ['logged in for 7 days', ({ id }: Window) => agesBy(id, 'created_at', '7 days')],
])('whoever is %s hears nothing more', async (_, end) => {
  const wanda = await pageOf('Wanda Pen', 'writer', replica.url);
  const heard = await follow(wanda);
  await opens(wanda, 7);
  await until('it is heard', () => latest(heard).length === 1);
  await end(wanda);
  await until('the stream has ended', () => heard.hasEnded);
  const { cookie, url, tab } = wanda;
  expect((await send(`${url}/api/presence/events?tab=${tab}`, { headers: { cookie } })).status).toBe(401);
});

test('a removed person is seen no more', async () => {
  const wanda = await pageOf('Wanda Pen', 'writer', replica.url);
  await opens(wanda, 7);
  await gallery.ask(`/api/people/${wanda.id}`, { method: 'DELETE' });
  expect(await seen(await pageOf('Edgar Blue', 'editor'))).toEqual([]);
});

test('a stream keeps its page there, and is no use of the session', async () => {
  const wanda = await pageOf('Wanda Pen', 'writer');
  await opens(wanda, 7);
  const { pool } = gallery.database;
  const used = 'select max(last_used_at) as at from gallery.session where person_id = $1';
  await pool.query("update gallery.presence set seen_at = seen_at - interval '15 seconds'");
  expect(await seen({ ...wanda, tab: randomUUID() })).toHaveLength(1);
  await follow(wanda);
  const before = (await pool.query(used, [wanda.id])).rows;
  await until('the page is noted', async () => {
    const { rows } = await pool.query(
      "select from gallery.presence where seen_at > clock_timestamp() - interval '10 seconds'",
    );
    return rows.length === 1;
  });
  expect((await pool.query(used, [wanda.id])).rows).toEqual(before);
  await pool.query("update gallery.presence set seen_at = seen_at - interval '21 seconds'");
  const edgar = await pageOf('Edgar Blue', 'editor');
  expect((await opens(edgar, 7)).body.data.entries).toMatchObject([{ name: 'Edgar Blue', mode: 'writing' }]);
});

test('readers and photographers only look, and bad input is told what to change', async () => {
  for (const role of ['reader', 'photographer']) {
    const page = await pageOf(`A ${role}`, role);
    const refused = await opens(page, 7, { takeOver: true });
    expect([refused.status, refused.body.code]).toEqual([403, 'role_forbids']);
    expect((await opens(page, 7, { mode: 'looking' })).status).toBe(200);
  }
  const editor = await pageOf('Edgar Blue', 'editor');
  const bad = [
    opens({ ...editor, tab: 'nothing' }, 7),
    opens(editor, 0),
    opens(editor, 2 ** 31),
    opens(editor, 7, { mode: 'waiting' }),
    gallery.ask('/api/presence'),
    gallery.ask('/api/presence/events?tab=a'),
  ];
  for (const { status, text } of await Promise.all(bad)) expect(status, text).toBe(400);
});

test('streams end when a replica stops, which does not wait for them', async () => {
  const third = await startGallery(gallery.settings);
  const heard = await follow(await pageOf('Wanda Pen', 'writer', third.url));
  await third.close();
  await until('the stream has ended', () => heard.hasEnded);
});
