import { readVocabulary } from '@pressroom/news-feed/config';
import { buildDesk } from '@pressroom/news-feed/desk-app';
import { openWorker } from '@pressroom/news-feed/work/open-worker';
import { pruneNews } from '@pressroom/news-feed/work/prune';
import { readWorkerConfig } from '@pressroom/news-feed/work/worker-config';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { ConnectProxy } from '../../support/connect-proxy.ts';
import { FeedHost, rss } from '../../support/feed-host.ts';
import { type Answer, type JsonBody, type Sending, send } from '../../support/http.ts';
import { memoryLog, type TestLog } from '../../support/log.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { importLines, itemLine } from '../../support/newsroom.ts';
import { workerSettings } from '../../support/worker.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

/** 20:00 in Shanghai: the time of the report of this day is over. */
const NOW = new Date('2026-11-20T12:00:00.000Z');

let now = NOW;
let feed: NewsFeedFixture;
let host: FeedHost;
let proxy: ConnectProxy;
let log: TestLog;
let url: string;
let description: JsonBody;
let close: () => Promise<void>;

beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0' });
  host = await FeedHost.start();
  proxy = await ConnectProxy.start();
  log = memoryLog('newsroom');
  const config = readWorkerConfig({
    ...workerSettings(feed.database.url),
    DESK_KEY,
    NEWS_PROXIES: `lisbon=${proxy.address('ada:sesame')}, other=http://proxy.invalid:1`,
    NEWS_SOURCES_KEY: Buffer.alloc(32, 1).toString('base64'),
  });
  const opened = openWorker(config, log.log, { clock: () => now });
  const app = await buildDesk({ ...opened.desk, keys: config, host: '127.0.0.1', log: log.log });
  url = await app.listen({ host: '127.0.0.1', port: 0 });
  description = (await send(`${url}/openapi.json`)).body;
  close = async () => {
    await app.close();
    await opened.close(60_000);
  };
});
afterAll(async () => {
  await close?.();
  await host?.close();
  await proxy?.close();
  await feed?.close();
});
beforeEach(async () => {
  now = NOW;
  await feed.database.pool.query('truncate news.item, news.story, news.edit, news.source cascade');
});

function ask(path: string, { headers, ...sending }: Sending = {}): Promise<Answer> {
  const desk = { 'x-api-key': DESK_KEY, 'x-desk-person': 'Zo%C3%AB' };
  return send(`${url}/api${path}`, { ...sending, headers: { ...desk, ...headers } });
}
const post = (path: string, json?: unknown, headers = {}) =>
  ask(path, { method: 'POST', headers, ...(json !== undefined && { json }) });
const patch = (path: string, json: unknown, headers = {}) => ask(path, { method: 'PATCH', json, headers });

const titles = ({ body }: Answer) => body.items.map(({ title }: JsonBody) => title);

/** Every operation of the description, with a path that leads somewhere. */
function operations(): [method: string, path: string][] {
  return Object.entries<JsonBody>(description.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method): [string, string] => [
      method.toUpperCase(),
      path.replace('{period}', 'daily').replaceAll(/\{\w+\}/g, '1'),
    ]),
  );
}

test('every operation takes the key of the desk, before it looks at anything else', async () => {
  const found = operations().filter(([, path]) => path.startsWith('/api/'));
  expect(found).toHaveLength(49);
  for (const [method, path] of found) {
    const raw =
      method === 'GET' || method === 'DELETE'
        ? {}
        : { raw: '{', headers: { 'content-type': 'application/json' } };
    const anonymous = await send(url + path, { method, ...raw });
    expect([method, path, anonymous.status, anonymous.body.code]).toEqual([
      method,
      path,
      401,
      'unauthorized',
    ]);
    const headers = { ...raw.headers, 'x-api-key': `${DESK_KEY}x` };
    const other = await send(url + path, { method, ...raw, headers });
    expect([method, path, other.status, other.body.code]).toEqual([method, path, 403, 'forbidden']);
  }
  const nobody = await send(`${url}/api/status`, {
    headers: { 'x-api-key': DESK_KEY, 'x-desk-person': '%0A' },
  });
  expect(nobody.status).toBe(400);
  expect(log.text()).not.toContain(DESK_KEY);
});

test('bad input gets a problem that says which member, and never a 5xx', async () => {
  const wrong: [string, string, unknown][] = [
    ['POST', '/items', {}],
    ['PATCH', '/items/a', { score: 101 }],
    ['PATCH', '/items/a', {}],
    ['PATCH', '/items/a', { surprise: 1 }],
    ['POST', '/items/a/select', { reason: 1 }],
    ['POST', '/stories/a/merge', {}],
    ['POST', '/stories/a/split', { items: [] }],
    ['PUT', '/stories/a/digest', { digest: 1 }],
    ['POST', '/sources', {}],
    ['POST', '/sources', { url: 'ftp://x', weight: 11 }],
    ['POST', '/sources', { url: 'https://x.example/', rules: ['drop if'], category: 'none-such' }],
    ['POST', '/sources/try', { url: 'nonsense' }],
    ['PATCH', '/sources/1', { select: 'perhaps' }],
    ['POST', '/sources/1/rules/try', { rules: ['x'] }],
    ['POST', '/opml', { opml: 1 }],
    ['POST', '/reports/daily/publish', { date: '2026-13-01' }],
    ['PATCH', '/settings', { reportHour: 24 }],
    ['POST', '/import', { lines: 1 }],
  ];
  for (const [method, path, json] of wrong) {
    const { status, body } = await ask(path, { method, json });
    expect([method, path, json, status, body.code]).toEqual([method, path, json, 422, 'validation_failed']);
    expect(body.errors?.length).toBeGreaterThan(0);
  }
  const { body } = await post('/sources', {
    url: 'https://x.example/',
    rules: ['keep if url ~ /a/', 'x'],
    weight: 11,
  });
  expect(body.errors.map(({ field }: JsonBody) => field)).toEqual(['rules.1', 'weight']);
  const slow = { rules: ['keep if url ~ /a/', 'drop if any ~ /(?:(?:a|b|ab| ){0,30}){0,30}x0/'] };
  const refused = (await post('/sources', { url: 'https://x.example/', ...slow })).body;
  expect(refused.errors).toMatchObject([
    { field: 'rules.1', message: expect.stringContaining('takes too long: repeat less often') },
  ]);
  for (const [path, status] of [
    ['/items?limit=0', 400],
    ['/items?from=yesterday', 400],
    ['/items?cursor=x', 400],
    ['/items/none', 404],
    ['/items/none/history', 404],
    ['/items/none/explanation', 404],
    ['/stories/none', 404],
    ['/sources/999999999999', 404],
    ['/sources/x', 400],
    ['/reports/yearly/preview', 400],
    ['/reports/weekly/preview?date=2026-11-20', 400],
    ['/ranking?direction=none', 400],
    ['/notices?cursor=x', 400],
  ] as const) {
    expect([path, (await ask(path)).status]).toEqual([path, status]);
  }
  for (const path of [
    '/items/none/select',
    '/items/none/withdraw',
    '/edits/999/undo',
    '/sources/1/pause',
    '/sources/1/restore',
  ]) {
    expect([path, (await post(path)).status]).toEqual([path, 404]);
  }
  const nul = await post('/import', { lines: '{"type":"item"}\nnot JSON\n' });
  expect([nul.status, nul.body.refused.map(({ number }: JsonBody) => number)]).toEqual([200, [1, 2]]);
});

test('an item is added, listed, edited, selected, withdrawn and all of it undone, by name', async () => {
  const { type: _, ...line } = itemLine('a') as JsonBody;
  const added = await post('/items', line);
  expect([added.status, added.headers.get('location')]).toEqual([201, '/api/items/a']);
  expect((await post('/items', line)).status).toBe(409);
  expect((await ask('/items')).body).toMatchObject({
    items: [
      { id: 'a', title: 'Title of a', sourceName: 'Source', firstParty: false, story: null, selected: false },
    ],
    nextCursor: null,
  });
  const read = await ask('/items/a');
  const etag = read.headers.get('etag') ?? '';
  expect((await ask('/items/a', { headers: { 'if-none-match': etag } })).status).toBe(304);

  const edited = await patch('/items/a', { title: 'Another', score: 70 }, { 'if-match': etag });
  expect(edited.body.item).toMatchObject({ title: 'Another', score: 70 });
  const late = await patch('/items/a', { title: 'Mine' }, { 'if-match': etag });
  expect([late.status, late.body.code]).toEqual([412, 'precondition_failed']);
  const again = await patch('/items/a', { score: 71 }, { 'if-match': edited.headers.get('etag') ?? '' });
  expect(again.status).toBe(200);
  expect((await patch('/items/a', { score: 71 })).body.edit).toBe(null);

  const selected = await post('/items/a/select', { reason: 'Because' });
  expect(selected.body.item).toMatchObject({ selected: true, reason: 'Because' });
  expect((await post('/items/a/deselect')).body.item.selected).toBe(false);
  expect((await post('/items/a/select')).body.item.selected).toBe(true);
  const withdrawn = await post('/items/a/withdraw');
  expect(withdrawn.body.item.withdrawnAt).not.toBe(null);
  expect(titles(await ask('/items'))).toEqual([]);
  expect(titles(await ask('/withdrawn-items'))).toEqual(['Another']);
  expect((await post(`/edits/${withdrawn.body.edit}/undo`)).body.edit).toEqual(expect.any(Number));
  expect(titles(await ask('/items?selected=true&q=another'))).toEqual(['Another']);
  const stale = await post(`/edits/${edited.body.edit}/undo`);
  expect([stale.status, stale.body.code]).toEqual([409, 'conflict']);
  await post('/items/a/withdraw');
  expect((await post('/items/a/restore')).body.item.withdrawnAt).toBe(null);

  const { edits } = (await ask('/items/a/history')).body;
  expect(new Set(edits.map(({ actor }: JsonBody) => actor))).toEqual(new Set(['Zoë']));
  expect(edits.map(({ action }: JsonBody) => action).slice(-2)).toEqual(['item edit', 'item edit']);
  expect(edits.at(-1).changes).toContainEqual({ member: 'title', before: 'Title of a', after: 'Another' });
  expect((await ask('/items/a/explanation')).body).toMatchObject({ id: 'a', terms: null, judgedAt: null });
});

test('of two who edit an item at once one is told', async () => {
  await importLines(feed.db, [itemLine('a')]);
  const etag = (await ask('/items/a')).headers.get('etag') ?? '';
  const answers = await Promise.all(
    ['One', 'Two', 'Three'].map((title) => patch('/items/a', { title }, { 'if-match': etag })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
});

test('lists go on where they ended', async () => {
  await importLines(
    feed.db,
    ['a', 'b', 'c'].map((name) => itemLine(name)),
  );
  const first = await ask('/items?limit=2');
  const second = await ask(`/items?limit=2&cursor=${first.body.nextCursor}`);
  expect([...titles(first), ...titles(second)].sort()).toEqual(['Title of a', 'Title of b', 'Title of c']);
  expect(second.body.nextCursor).toBe(null);
  for (const name of ['x', 'y']) await post('/sources', { url: `https://${name}.example/feed`, title: '' });
  // As a try of the feed has found it: it is no name that stays.
  await post('/sources', { url: 'https://z.example/feed', name: '', title: 'Tech Wire' });
  const page = await ask('/sources?limit=2');
  const rest = await ask(`/sources?limit=2&cursor=${page.body.nextCursor}`);
  const names = [...page.body.sources, ...rest.body.sources].map(({ name }: JsonBody) => name);
  expect([names, rest.body.nextCursor]).toEqual([['x.example', 'y.example', 'Tech Wire'], null]);
  expect(rest.body.sources[0].isNamed).toBe(false);
});

test('items are listed by score, page by page, also while they are scored anew', async () => {
  const times = (hours: number) => ({
    publishedAt: new Date(NOW.getTime() - hours * 3_600_000).toISOString(),
  });
  await importLines(feed.db, [
    itemLine('low', { title: 'Low', score: 45.1, ...times(1) }),
    itemLine('older', { title: 'Older', score: 90.25, ...times(3) }),
    itemLine('newer', { title: 'Newer', score: 90.25, ...times(2) }),
    itemLine('none', { title: 'None', ...times(0) }),
    itemLine('old', { title: 'Old', score: 100, ...times(24 * 40) }),
  ]);
  const list = '/items?order=score&from=2026-11-01';
  expect(titles(await ask(list))).toEqual(['Newer', 'Older', 'Low', 'None']);
  const { body } = await ask(`${list}&limit=2`);
  await patch('/items/older', { score: 10 });
  const rest = await ask(`${list}&limit=2&cursor=${body.nextCursor}`);
  expect([titles(rest), rest.body.nextCursor]).toEqual([['Low', 'Older'], expect.any(String)]);
  expect(titles(await ask(`${list}&cursor=${rest.body.nextCursor}`))).toEqual(['None']);
  for (const query of [
    'order=score',
    'order=score&from=2026-10-01',
    'order=size',
    `order=score&from=2026-11-02&cursor=${body.nextCursor}`,
  ]) {
    expect([query, (await ask(`/items?${query}`)).status]).toEqual([query, 400]);
  }
});

test('stories are merged, unmerged, split and told', async () => {
  const story = (publicId: string) => ({ type: 'story', publicId, title: `Story ${publicId}` });
  await importLines(feed.db, [
    story('s'),
    story('t'),
    itemLine('a', { story: 's' }),
    itemLine('b', { story: 's' }),
    itemLine('c', { story: 't' }),
  ]);
  const { stories } = (await ask('/stories')).body;
  expect(stories.map(({ publicId, reportCount }: JsonBody) => [publicId, reportCount]).sort()).toEqual([
    ['s', 2],
    ['t', 1],
  ]);
  expect((await post('/stories/t/merge', { into: 's' })).body).toEqual({
    edit: expect.any(Number),
    publicId: 's',
  });
  expect((await ask('/stories/s')).body.reports).toHaveLength(3);
  expect((await ask('/stories/t')).body.mergedInto).toBe('s');
  expect((await post('/stories/s/merge', { into: 't' })).status).toBe(409);
  expect((await post('/stories/t/unmerge')).body.edit).toEqual(expect.any(Number));
  expect((await post('/stories/t/unmerge')).status).toBe(409);
  const part = await post('/stories/s/split', { items: ['b'] });
  expect((await ask(`/stories/${part.body.publicId}`)).body.reports.map(({ id }: JsonBody) => id)).toEqual([
    'b',
  ]);

  const etag = (await ask('/stories/s')).headers.get('etag') ?? '';
  const write = (digest: string | null) =>
    ask('/stories/s/digest', { method: 'PUT', json: { digest }, headers: { 'if-match': etag } });
  expect((await write('What happened.')).status).toBe(200);
  expect((await write('Something else.')).status).toBe(412);
  expect((await ask('/stories/s')).body).toMatchObject({ digest: 'What happened.', digestBy: 'person' });
  const { edits } = (await ask('/stories/s/history')).body;
  expect(edits[0]).toMatchObject({ actor: 'Zoë', action: 'story digest' });
});

test('a story tells what its newest report says, and what its reports share', async () => {
  await importLines(feed.db, [
    { type: 'story', publicId: 'tunnel', title: 'A tunnel' },
    itemLine('first', { story: 'tunnel', title: 'Lisbon digs a harbour tunnel', summary: 'It begins.' }),
    itemLine('last', {
      ...{ story: 'tunnel', title: 'Harbour tunnel opens', summary: 'Twelve years on.' },
      publishedAt: '2026-11-20T11:00:00.000Z',
    }),
  ]);
  const told = async () => {
    const { lead, words } = (await ask('/stories/tunnel')).body;
    return { lead, words };
  };
  expect(await told()).toEqual({ lead: 'Twelve years on.', words: [] });
  // As the worker keeps what it compares.
  const terms = (...words: string[]) =>
    JSON.stringify({
      terms: Object.fromEntries(words.map((word) => [word, [4, 1]])),
      marks: {},
      chinese: false,
    });
  await feed.database.pool.query(
    `insert into news.report_terms (item_id, published_at, report, terms)
     select id, published_at, case id when 'first' then $1::jsonb else $2 end, '{}' from news.item`,
    [terms('lisbon', 'harbour', 'tunnel'), terms('harbour', 'tunnel', 'open')],
  );
  expect(await told()).toEqual({ lead: 'Twelve years on.', words: ['Harbour', 'tunnel'] });
  await post('/items/last/withdraw');
  expect((await told()).words).toEqual([]);
});

test('a correction is dated by its note, and taken back with its edit', async () => {
  await importLines(feed.db, [itemLine('wrong', { selected: true })], NOW);
  const read = async () => (await send(`${feed.url}/api/v1/items/wrong`)).body.item.correction;
  const edited = await patch('/items/wrong', { correction: 'It is two, not three.' });
  const correction = await read();
  expect(correction).toEqual({ note: 'It is two, not three.', correctedAt: expect.any(String) });
  await patch('/items/wrong', { correction: 'It is two, not three.', score: 5 });
  expect(await read()).toEqual(correction);
  expect((await patch('/items/wrong', { correction: '' })).status).toBe(422);
  expect((await post(`/edits/${edited.body.edit}/undo`)).status).toBe(200);
  expect(await read()).toBeUndefined();
});

test('two who write the note of a report do not overwrite each other', async () => {
  await feed.database.pool.query(
    `insert into news.weekly (date, generated_at, window_start, window_end, report, item_ids)
     values ('2020-11-23', now(), now() - interval '1 day', now(), '{}', '{}') on conflict do nothing`,
  );
  const path = '/reports/weekly/2020-11-23/correction';
  const etag = (await ask(path)).headers.get('etag') ?? '';
  const put = (correction: string | null, headers = {}) =>
    ask(path, { method: 'PUT', json: { correction }, headers });
  const [one, other] = await Promise.all(['One.', 'Two.'].map((text) => put(text, { 'if-match': etag })));
  expect([one?.status, other?.status].sort()).toEqual([200, 412]);
  const written = one?.status === 200 ? one : other;
  expect((await ask('/reports/weekly/2020-11-30/correction')).status).toBe(404);
  await put(null, { 'if-match': written?.headers.get('etag') ?? '' });
  expect((await ask(path)).body).toEqual({ correction: null, correctedAt: null });
});

test('what was wrong with a story is said with its time, and stays where it is merged', async () => {
  const story = (publicId: string) => ({ type: 'story', publicId, title: `Story ${publicId}` });
  await importLines(feed.db, [
    ...['s', 't', 'u'].map(story),
    itemLine('a', { story: 's', correction: 'It is b.' }),
    itemLine('b', { story: 't' }),
  ]);
  const read = async (id: string) => (await send(`${feed.url}/api/v1/stories/${id}`)).body.story;
  const etag = (await ask('/stories/t')).headers.get('etag') ?? '';
  const put = (id: string, correction: string | null, headers = {}) =>
    ask(`/stories/${id}/correction`, { method: 'PUT', json: { correction }, headers });
  const written = await put('t', 'Two, not three.', { 'if-match': etag });
  const note = { note: 'Two, not three.', correctedAt: expect.any(String) };
  expect(await read('t')).toMatchObject({ correction: note, reports: [{ id: 'b' }] });
  expect((await put('t', 'Another.', { 'if-match': etag })).status).toBe(412);
  expect((await put('t', 'Two, not three.')).body).toEqual({ edit: null });
  expect((await put('none', 'What?')).status).toBe(404);
  expect((await put('t', ' ')).status).toBe(422);
  await post('/stories/t/merge', { into: 'u' });
  await post('/stories/u/merge', { into: 's' });
  const { correction, reports } = await read('s');
  expect(correction).toEqual(note);
  expect(reports.find(({ id }: JsonBody) => id === 'a').correction).toMatchObject({ note: 'It is b.' });
  const { items } = (await send(`${feed.url}/api/v1/stories`)).body;
  expect(items).toMatchObject([{ publicId: 's', correction }]);
  expect((await ask('/stories/s')).body).toMatchObject({ correction: 'Two, not three.' });
  const taken = await put('s', null);
  expect(await read('s')).not.toHaveProperty('correction');
  expect((await post(`/edits/${taken.body.edit}/undo`)).status).toBe(200);
  expect((await read('s')).correction.note).toBe('Two, not three.');
  expect((await ask('/stories/t/history')).body.edits.at(-1)).toMatchObject({
    edit: written.body.edit,
    action: 'story note',
    changes: [{ member: 'correction', before: null, after: 'Two, not three.' }],
  });
});

test('how a source is asked is set, and its secrets are never shown, nor sent where they were not given', async () => {
  const { id } = (await post('/sources', { url: 'https://paper.example/feed' })).body;
  const change = (json: object) => patch(`/sources/${id}`, json);
  const basicAuth = { username: 'ada', password: 'open sesame' };
  const headers = [{ name: 'X-Token', value: 'swordfish' }];
  expect((await change({ identity: 'title' })).status).toBe(422);
  const set = await change({
    identity: 'link',
    basicAuth,
    headers,
    userAgent: 'R/1',
    timeoutSeconds: 60,
    timeZone: 'Asia/Seoul',
  });
  const shown = {
    ...{ userAgent: 'R/1', timeoutSeconds: 60, timeZone: 'Asia/Seoul', identity: 'link' },
    ...{ basicAuth: { username: 'ada' }, headers: [{ name: 'x-token' }] },
  };
  expect(set.body).toMatchObject(shown);
  // A value that is not given stays; the name and the other header are new.
  const more = [{ name: 'x-token' }, { name: 'cookie', value: 'a=1' }];
  expect((await change({ basicAuth: { username: 'bo' }, headers: more })).body).toMatchObject({
    basicAuth: { username: 'bo' },
    headers: [{ name: 'x-token' }, { name: 'cookie' }],
  });
  const wrong: [object, string][] = [
    [{ headers: [{ name: 'x-new' }] }, 'headers.0.value'],
    [{ headers: [{ name: '__proto__' }] }, 'headers.0.value'],
    [{ headers: [{ name: 'host', value: 'x' }] }, 'headers.0.name'],
    [{ headers: [{ name: 'a', value: 'x\r\ny: z' }] }, 'headers.0.value'],
    [{ headers: [...headers, ...headers] }, 'headers'],
    [{ basicAuth: { username: 'a:b', password: 'x' } }, 'basicAuth.username'],
    [{ timeoutSeconds: 0 }, 'timeoutSeconds'],
    [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
    [{ timeZone: '2020-01-01T00:00Z' }, 'timeZone'],
    [{ userAgent: 'a\nb' }, 'userAgent'],
    [{ url: 'https://other.example/feed', basicAuth: { username: 'ada' } }, 'basicAuth.password'],
  ];
  for (const [json, field] of wrong) {
    const { status, body } = await change(json);
    expect([json, status, body.errors?.[0]?.field]).toEqual([json, 422, field]);
  }
  expect((await change({ url: 'https://paper.example/new' })).body.basicAuth).toEqual({ username: 'bo' });
  const moved = (await change({ url: 'https://other.example/feed' })).body;
  expect(moved).toMatchObject({ userAgent: 'R/1', basicAuth: null, headers: [] });
  const { rows } = await feed.database.pool.query('select secrets from news.source where id = $1', [id]);
  expect(rows).toEqual([{ secrets: null }]);
  expect(`${set.text}${log.text()}`).not.toMatch(/sesame|swordfish/);
});

test('a source is tried, added, changed, paused, resumed and removed', async () => {
  const entry = '<item><title>Hello</title><link>https://example.com/hello</link></item>';
  host.set('/feed.xml', {
    body: `<rss version="2.0"><channel><title>My feed</title>${entry}</channel></rss>`,
  });
  const feedUrl = host.at('/feed.xml');
  expect((await post('/sources/try', { url: feedUrl })).body).toEqual({
    url: feedUrl,
    title: 'My feed',
    entries: [{ title: 'Hello', url: 'https://example.com/hello', publishedAt: null, summary: null }],
    count: 1,
    leadsTo: [],
  });
  for (const [bad, why] of [
    [host.at('/none.xml'), 'missing'],
    ['http://10.0.0.1/feed', 'not_public'],
    ['http://169.254.169.254/latest', 'not_public'],
    ['http://127.0.0.1:1/', 'unreachable'],
  ]) {
    const { status, body } = await post('/sources/try', { url: bad });
    const found = [bad, status, body.code, body.errors[0].code];
    expect(found).toEqual([bad, 422, 'source_unreadable', `source_${why}`]);
  }
  const added = await post('/sources', { url: feedUrl, select: 'all', rules: ['drop if title ~ /ad/i'] });
  const { id } = added.body;
  expect([added.status, added.headers.get('location')]).toEqual([201, `/api/sources/${id}`]);
  expect(added.body).toMatchObject({ select: 'all', state: 'active', days: new Array(14).fill(0), day: 0 });
  expect((await post('/sources', { url: feedUrl, select: 'none' })).status).toBe(200);
  const etag = (await ask(`/sources/${id}`)).headers.get('etag') ?? '';
  expect(
    (await patch(`/sources/${id}`, { weight: 2, name: 'Mine' }, { 'if-match': etag })).body,
  ).toMatchObject({
    weight: 2,
    name: 'Mine',
    select: 'all',
  });
  expect((await patch(`/sources/${id}`, { weight: 3 }, { 'if-match': etag })).status).toBe(412);
  expect((await post(`/sources/${id}/pause`)).body.state).toBe('paused');
  const inState = async (state: string) =>
    (await ask(`/sources?state=${state}`)).body.sources.map((source: JsonBody) => source.id);
  expect([await inState('paused'), await inState('active')]).toEqual([[id], []]);
  expect((await post(`/sources/${id}/resume`)).body.state).toBe('active');
  expect(await inState('failing')).toEqual([]);
  await feed.database.pool.query('update news.source set failures = 1 where id = $1', [id]);
  expect([await inState('failing'), await inState('active'), await inState('paused')]).toEqual([
    [id],
    [id],
    [],
  ]);
  expect((await ask('/sources?state=ill')).status).toBe(400);
  await feed.database.pool.query('update news.source set failures = 0 where id = $1', [id]);

  const kept = (key: string, ago: string) =>
    feed.database.pool.query(
      `insert into news.source_entry (source_id, key, hash, entry, retry_at, discovered_at, last_seen_at)
       values ($1, $2, sha256('x'), $3, now(), $4::timestamptz - $5::interval, now())`,
      [id, key, { title: `An ad ${key}`, summary: null, url: 'https://e.example/' }, NOW, ago],
    );
  await kept('1', '1 hour');
  await kept('2', '25 hours');
  await kept('3', '26 hours');
  await kept('4', '15 days');
  expect((await ask(`/sources/${id}`)).body).toMatchObject({
    day: 1,
    pending: 4,
    days: [...new Array(12).fill(0), 2, 1],
  });
  const tried = await post(`/sources/${id}/rules/try`, {
    rules: ['drop if title ~ /1/', 'score +5 if title ~ /ad/'],
  });
  expect(tried.body.entries[0]).toEqual({
    title: 'An ad 1',
    droppedBy: 'drop if title ~ /1/',
    category: null,
    points: 5,
  });
  expect((await ask(`/sources/${id}/dropped`)).body).toEqual({ entries: [] });

  const opml = await ask('/opml');
  expect(opml.headers.get('content-type')).toContain('text/x-opml');
  expect((await ask(`/sources/${id}`, { method: 'DELETE' })).status).toBe(204);
  expect((await ask('/sources')).body.sources).toEqual([]);
  expect(await ask('/opml')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  expect((await post('/opml', { opml: opml.text })).body).toEqual({ added: 1, known: 0, refused: [] });
  expect((await post('/opml', { opml: opml.text })).body).toEqual({ added: 0, known: 1, refused: [] });
  expect((await post('/opml', { opml: 'not OPML' })).status).toBe(422);
});

test('where the text of pages is, is tried, kept and taken back, and what is no CSS is told at the field', async () => {
  const story = '<i>By Zoë</i><p class="story">The lantern is lit.</p>';
  host.set('/story', { headers: { 'content-type': 'text/html' }, body: story });
  const entry = `<item><title>Hello</title><link>${host.at('/story')}</link></item>`;
  host.set('/stories.xml', { body: `<rss version="2.0"><channel><title>T</title>${entry}</channel></rss>` });
  const feedUrl = host.at('/stories.xml');
  const trying = async (textSelector: string) =>
    (await post('/sources/try', { url: feedUrl, textSelector })).body.firstPage;
  expect(await trying('.story')).toEqual({ isRead: true, text: 'The lantern is lit.' });
  expect(await trying('.other')).toEqual({ isRead: true, text: null });
  const { id } = (await post('/sources', { url: feedUrl, readPages: true, textSelector: '.story' })).body;
  const wrong = ['p[', ':has(a:has(b))', 'p'.repeat(1001)];
  for (const textSelector of wrong) {
    for (const answer of [
      await post('/sources/try', { url: feedUrl, textSelector }),
      await patch(`/sources/${id}`, { textSelector }),
    ]) {
      expect([textSelector, answer.status, answer.body.errors[0].field]).toEqual([
        textSelector,
        422,
        'textSelector',
      ]);
    }
  }
  await feed.database.pool.query('update news.source set unmatched_pages = 3');
  expect((await ask(`/sources/${id}`)).body).toMatchObject({ textSelector: '.story', unmatchedPages: 3 });
  const cleared = (await patch(`/sources/${id}`, { textSelector: '' })).body;
  expect(cleared).toMatchObject({ textSelector: null, unmatchedPages: 0, readPages: true });
});

test('a source is asked through a proxy that the settings name, whose address nobody is shown', async () => {
  host.set('/far.xml', { body: rss([{ guid: 'a' }]) });
  const feedUrl = host.at('/far.xml');
  const trying = (name: string) => post('/sources/try', { url: feedUrl, proxy: name });
  proxy.refuses = 407;
  expect((await trying('lisbon')).body.errors[0].code).toBe('source_proxy_failed');
  proxy.refuses = undefined;
  expect((await trying('lisbon')).body.count).toBe(1);
  const asked = { to: new URL(feedUrl).host, login: 'ada:sesame' };
  expect(proxy.asked).toEqual([asked, asked]);
  const { id } = (await post('/sources', { url: feedUrl })).body;
  for (const answer of [await patch(`/sources/${id}`, { proxy: 'porto' }), await trying('porto')]) {
    expect([answer.status, answer.body.errors[0].field]).toEqual([422, 'proxy']);
  }
  expect((await patch(`/sources/${id}`, { proxy: 'lisbon' })).body.proxy).toBe('lisbon');
  const shown = await ask(`/sources/${id}`);
  expect(shown.body).toMatchObject({ proxy: 'lisbon', proxies: ['lisbon', 'other'] });
  expect(`${shown.text}${log.text()}`).not.toMatch(/sesame|proxy\.invalid/);
  expect((await patch(`/sources/${id}`, { proxy: '' })).body.proxy).toBe(null);
});

test('a removed source comes back with everything, unless another one has its address by now', async () => {
  const rules = ['drop if title ~ /ad/i'];
  const given = { url: 'https://removed.example/feed', name: 'Mine', weight: 2, select: 'all', rules };
  const { id } = (await post('/sources', given)).body;
  const kept = (key: string, state: string) =>
    feed.database.pool.query(
      `insert into news.source_entry (source_id, key, hash, entry, state, retry_at, discovered_at, last_seen_at)
       values ($1, $2, sha256('x'), '{"title": "Kept"}', $3, now(), $4::timestamptz - interval '1 hour', now())`,
      [id, key, state, NOW],
    );
  await kept('done', 'done');
  await kept('waiting', 'pending');
  await importLines(feed.db, [itemLine('a')]);
  await feed.database.pool.query("update news.source_entry set item_id = 'a' where key = 'done'");
  await post(`/sources/${id}/pause`);
  const { body: before } = await ask(`/sources/${id}`);
  expect((await ask('/items/a')).body.sources).toHaveLength(1);

  expect((await ask(`/sources/${id}`, { method: 'DELETE' })).status).toBe(204);
  for (const [method, path] of [
    ['GET', ''],
    ['DELETE', ''],
    ['POST', '/pause'],
    ['POST', '/resume'],
  ]) {
    expect([method, path, (await ask(`/sources/${id}${path}`, { method })).status]).toEqual([
      method,
      path,
      404,
    ]);
  }
  expect((await ask('/sources')).body.sources).toEqual([]);
  const { rows: waiting } = await feed.database.pool.query(
    `select 1 from news.source_entry where state = 'pending'`,
  );
  expect(waiting).toEqual([]);
  expect((await ask('/status')).body.sources).toEqual({ active: 0, paused: 0, gone: 0, failing: 0 });
  expect((await ask('/items/a')).body.sources).toEqual([]);
  expect((await ask('/opml')).status).toBe(404);

  const restored = await post(`/sources/${id}/restore`);
  expect([restored.status, restored.body]).toMatchObject([
    200,
    {
      id,
      url: given.url,
      givenUrl: given.url,
      name: 'Mine',
      weight: 2,
      select: 'all',
      rules,
      state: 'paused',
      day: before.day,
    },
  ]);
  // Waiting entries wait again, and none was edited meanwhile.
  expect([before.pending, restored.body.pending]).toEqual([1, 1]);
  expect((await ask('/items/a')).body.sources).toMatchObject([{ id }]);
  const again = await post(`/sources/${id}/restore`);
  expect([again.status, again.headers.get('etag')]).toEqual([200, restored.headers.get('etag')]);

  await ask(`/sources/${id}`, { method: 'DELETE' });
  const { body: other } = await post('/sources', { url: given.url });
  await feed.database.pool.query(`update news.source set url = 'https://moved.example/' where id = $1`, [
    other.id,
  ]);
  expect([other.id === id, other.rules]).toEqual([false, []]);
  const taken = await post(`/sources/${id}/restore`);
  expect([taken.status, taken.body.detail]).toEqual([409, `source ${other.id} already has this address`]);
  await ask(`/sources/${other.id}`, { method: 'DELETE' });
  expect((await post(`/sources/${id}/restore`)).body).toMatchObject({ id, url: given.url });
  expect((await post('/sources/999999/restore')).status).toBe(404);

  await ask(`/sources/${id}`, { method: 'DELETE' });
  const calendar = readVocabulary({}).calendar;
  const prune = (at: number) =>
    feed.db.transaction().execute((tx) => pruneNews(tx, { keepDays: 90, now: new Date(at), calendar }));
  await prune(Date.now() + 89 * 86_400_000);
  expect((await post(`/sources/${id}/restore`)).status).toBe(200);
  await ask(`/sources/${id}`, { method: 'DELETE' });
  await prune(Date.now() + 91 * 86_400_000);
  expect((await post(`/sources/${id}/restore`)).status).toBe(404);
});

test('a report is previewed, and what is published or corrected is what was seen', async () => {
  const at = { publishedAt: '2026-11-19T20:00:00.000Z', discoveredAt: '2026-11-19T20:00:00.000Z' };
  const selected = { ...at, selected: true, category: 'technology', score: 80, summary: 'What it says.' };
  await importLines(feed.db, [itemLine('a', selected), itemLine('b', { ...selected, selected: false })]);
  const preview = () => ask('/reports/daily/preview?date=2026-11-20');
  const seen = await preview();
  expect(seen.body).toMatchObject({
    date: '2026-11-20',
    publishedAt: null,
    report: { sections: [{ items: [{ itemId: 'a' }] }] },
  });
  await post('/items/b/select');
  const body = { date: '2026-11-20' };
  const early = await post('/reports/daily/publish', body, { 'if-match': seen.headers.get('etag') });
  expect(early.status).toBe(412);
  const current = await preview();
  const published = await post('/reports/daily/publish', body, { 'if-match': current.headers.get('etag') });
  expect(published.body).toEqual({ period: 'daily', date: '2026-11-20', outcome: 'published' });
  expect((await post('/reports/daily/publish')).body.outcome).toBe('unchanged');
  expect((await post('/reports/daily/publish', { date: '2026-11-21' })).status).toBe(409);
  expect((await post('/reports/weekly/correct')).status).toBe(404);
  // Its day is over.
  now = new Date(NOW.getTime() + 86_400_000);
  expect((await post('/reports/daily/correct', body)).status).toBe(409);
});

test('a story is pinned in the hot list or hidden there, from the next ranking on, and that is taken back', async () => {
  const names = ['hot', 'warm', 'cold'];
  await importLines(feed.db, [
    ...names.map((publicId) => ({ type: 'story', publicId, title: `Story ${publicId}` })),
    ...names.flatMap((story, index) =>
      Array.from({ length: 3 - index }, (_, source) =>
        itemLine(`${story}-${source}`, {
          ...{ story, source: { name: `Source ${source}` }, publishedAt: '2026-11-20T10:00:00.000Z' },
        }),
      ),
    ),
  ]);
  const ranked = async () => {
    await post('/ranking');
    const { entries, hidden } = (await ask('/ranking')).body.ranking;
    const stories = entries.map(({ inputs }: JsonBody) => `${inputs.story}${inputs.pinned ? '!' : ''}`);
    return [stories.join(' '), hidden.map(({ publicId }: JsonBody) => publicId).join(' ')];
  };
  const place = (story: string, to: unknown) =>
    ask(`/stories/${story}/hot-place`, { method: 'PUT', json: { place: to } });
  expect(await ranked()).toEqual(['hot warm cold', '']);
  expect((await place('cold', 'pinned')).status).toBe(200);
  const { edit } = (await place('hot', 'hidden')).body;
  expect((await place('hot', 'hidden')).body.edit).toBe(null);
  expect(await ranked()).toEqual(['cold! warm', 'hot']);
  expect((await post(`/edits/${edit}/undo`)).status).toBe(200);
  await place('cold', null);
  expect(await ranked()).toEqual(['hot warm cold', '']);
  expect([(await place('hot', 'top')).status, (await place('none', null)).status]).toEqual([422, 404]);
});

test('the newsroom as a whole is shown, and ranked and filled anew', async () => {
  expect((await ask('/vocabulary')).body).toMatchObject({
    directions: [
      { name: 'domestic', label: 'Domestic', packLabels: { en: 'Domestic', zh: '国内' } },
      { name: 'overseas' },
    ],
    zone: 'Asia/Shanghai',
  });
  const lines = [itemLine('a', { publishedAt: '2026-11-20T10:00:00.000Z' })]
    .map((line) => JSON.stringify(line))
    .join('\n');
  expect((await post('/import', { lines, dryRun: true })).body.created).toBe(1);
  expect(titles(await ask('/items'))).toEqual([]);
  expect((await post('/import', { lines })).body).toEqual({
    created: 1,
    changed: 0,
    unchanged: 0,
    refused: [],
  });
  expect((await ask('/items/a/history')).body.edits[0]?.actor ?? 'Zoë').toBe('Zoë');
  expect((await ask('/import/schema')).body).toHaveProperty('$schema');
  expect((await post('/ranking')).body).toEqual({ topics: expect.any(Number) });
  const { ranking } = (await ask('/ranking')).body;
  expect(ranking).toMatchObject({ windowHours: 72, weights: { halfLifeHours: expect.any(Number) } });
  const { body: status } = await ask('/status');
  expect(status.queues.map(({ name }: JsonBody) => name)).toEqual(['poll', 'edit', 'websub', 'schedule']);
  expect(status.sources).toEqual({ active: 0, paused: 0, gone: 0, failing: 0 });
  expect((await ask('/jobs')).body).toEqual({ jobs: [] });
  expect((await ask('/notices')).body).toMatchObject({ nextCursor: null });
});
