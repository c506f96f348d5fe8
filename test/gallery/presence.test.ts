import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type GalleryFixture,
  galleryFixture,
  type RunningGallery,
  startGallery,
} from '../support/gallery.ts';
import { type Answer, type JsonBody, send } from '../support/http.ts';
import { until } from '../support/until.ts';

const PASSWORD = 'a password that nobody guesses';

let gallery: GalleryFixture;
let replica: RunningGallery;
let people = 0;
const streams: AbortController[] = [];
beforeAll(async () => {
  gallery = await galleryFixture();
  replica = await startGallery(gallery.settings);
});
afterAll(async () => {
  for (const stream of streams) stream.abort();
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

/** What a page hears: all of it so far, and whether the stream has ended. */
async function follow({ cookie, url, tab }: Window) {
  const stopping = new AbortController();
  streams.push(stopping);
  const response = await fetch(`${url}/api/presence/events?tab=${tab}`, {
    headers: { cookie },
    signal: stopping.signal,
  });
  const heard = { response, text: '', hasEnded: false };
  const read = async () => {
    for await (const chunk of response.body ?? []) heard.text += Buffer.from(chunk).toString();
    heard.hasEnded = true;
  };
  read().catch(() => undefined);
  return heard;
}

function latest({ text }: { text: string }): JsonBody[] {
  const data = text.split('\n').filter((line) => line.startsWith('data: '));
  return JSON.parse(data.at(-1)?.slice('data: '.length) ?? '{"entries":[]}').entries;
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

test('a removed person hears nothing more, and is seen no more', async () => {
  const wanda = await pageOf('Wanda Pen', 'writer', replica.url);
  const edgar = await pageOf('Edgar Blue', 'editor');
  const heard = await follow(wanda);
  await opens(wanda, 7);
  await until('it is heard', () => latest(heard).length === 1);
  await gallery.ask(`/api/people/${wanda.id}`, { method: 'DELETE' });
  await until('the stream has ended', () => heard.hasEnded);
  expect(await seen(edgar)).toEqual([]);
  const { cookie, url, tab } = wanda;
  expect((await send(`${url}/api/presence/events?tab=${tab}`, { headers: { cookie } })).status).toBe(401);
});

test('a stream keeps its page there, and is no use of the session', async () => {
  const wanda = await pageOf('Wanda Pen', 'writer');
  await opens(wanda, 7);
  const { pool } = gallery.database;
  const used = 'select max(last_used_at) as at from gallery.session where person_id = $1';
  await pool.query("update gallery.presence set seen_at = seen_at - interval '15 seconds'");
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
  for (let at = 0; at < 50; at += 1)
    expect((await opens({ ...editor, tab: randomUUID() }, 7)).status).toBe(200);
  const refused = await opens(editor, 7);
  expect([refused.status, refused.body.code]).toEqual([429, 'too_many_pages']);
});

test('streams end when a replica stops, which does not wait for them', async () => {
  const third = await startGallery(gallery.settings);
  const heard = await follow(await pageOf('Wanda Pen', 'writer', third.url));
  await third.close();
  await until('the stream has ended', () => heard.hasEnded);
});
