import { editSource, resumeSource } from '@pressroom/news-feed/reading/sources';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { rss } from '../../support/feed-host.ts';
import { type Desk, openDesk } from '../../support/polling.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterEach(() => desk.clear());
afterAll(() => desk.close());

/** Seconds from `now` to the next poll of a source. */
async function waitOf(id: number): Promise<number> {
  const { next_poll_at } = await desk.source(id);
  return (next_poll_at.getTime() - desk.now.value.getTime()) / 1000;
}

test('a permanent redirect moves the source, a temporary one does not, 410 ends it', async () => {
  desk.host.set('/new', { body: rss([{ guid: 'a' }]) });
  desk.host.set('/moved', { status: 301, headers: { location: '/moved-on' } });
  desk.host.set('/moved-on', { status: 308, headers: { location: '/new' } });
  desk.host.set('/elsewhere', { status: 302, headers: { location: '/new' } });
  desk.host.set('/gone', { status: 410 });
  const [elsewhere, moved, again, gone] = [
    await desk.add('/elsewhere'),
    await desk.add('/moved'),
    await desk.add('/moved-on'),
    await desk.add('/gone'),
  ];
  for (const id of [elsewhere, moved, again, gone]) await desk.poll(id);
  expect((await desk.source(elsewhere)).url).toBe(desk.host.at('/elsewhere'));
  expect((await desk.source(moved)).url).toBe(desk.host.at('/new'));
  expect(await desk.source(again)).toMatchObject({
    url: desk.host.at('/moved-on'),
    last_error: expect.stringContaining(`already source ${moved}`),
    last_error_code: 'source_known',
  });
  expect(await desk.source(gone)).toMatchObject({
    state: 'gone',
    last_error: expect.stringContaining('410'),
    last_error_code: 'source_gone',
  });
  expect(await desk.poll(gone)).toEqual({ kind: 'skipped' });
  await resumeSource(desk.db, gone, desk.now.value);
  expect(await desk.poll(gone)).toMatchObject({ kind: 'failed' });
});

test('a source does not move to an address that cannot be kept, and what it says is read', async () => {
  const long = `/new?${'x'.repeat(3000)}`;
  desk.host.set('/moved', { status: 301, headers: { location: long } });
  desk.host.set(long, { body: rss([{ guid: 'a' }], { channel: '<ttl>99999999999</ttl>' }) });
  const id = await desk.add('/moved');
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 1 });
  expect(await desk.source(id)).toMatchObject({
    url: desk.host.at('/moved'),
    failures: 0,
    last_error: 'it has moved to an address that is longer than 2048 bytes; its old one is still used',
    last_error_code: 'source_address_too_long',
  });
  expect(await waitOf(id)).toBe(86_400);
  expect(await desk.items()).toMatchObject([{ title: 'Title of a' }]);
});

test('a page whose feed has an address that cannot be kept fails, and is asked less often', async () => {
  const feed = `/feed?${'x'.repeat(3000)}`;
  const link = `<link rel="alternate" type="application/rss+xml" href="${feed}">`;
  desk.host.set('/', {
    headers: { 'content-type': 'text/html' },
    body: `<!doctype html><html><head>${link}</head><body></body></html>`,
  });
  const id = await desk.add('/');
  const reason = 'the address of its feed is longer than 2048 bytes';
  expect(await desk.poll(id)).toEqual({ kind: 'failed', reason });
  expect(await desk.source(id)).toMatchObject({ state: 'active', failures: 1, last_error: reason });
  expect(await waitOf(id)).toBe(900);
});

test('a page leads to the feed that it names', async () => {
  desk.host.set('/', {
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!doctype html><html><head><link rel="alternate" type="application/rss+xml" href="feeds/all.xml"></head><body></body></html>',
  });
  desk.host.set('/feeds/all.xml', { body: rss([{ guid: 'a' }], { title: 'Found' }) });
  const id = await desk.add('/');
  expect(await desk.poll(id)).toEqual({ kind: 'discovered', url: desk.host.at('/feeds/all.xml') });
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 1 });
  expect(await desk.items()).toMatchObject([{ source_name: 'Found' }]);
});

const HTML = { 'content-type': 'text/html; charset=utf-8' };

function pageNaming(feed: string): string {
  return `<!doctype html><html><head><link rel="alternate" type="application/rss+xml" href="${feed}"></head><body></body></html>`;
}

test.each([
  ['a page in its place', { headers: HTML, body: pageNaming('/parked.xml') }, '/feed'],
  ['a temporary redirect to a page', { status: 302, headers: { location: '/parked' } }, '/feed'],
  ['a permanent move to a page', { status: 301, headers: { location: '/parked' } }, '/feed'],
  ['a permanent move to the home page', { status: 308, headers: { location: '/' } }, '/feed'],
])(
  'a source that was read stays where it is: %s is a fault, and the feed that it names an offer',
  async (_, answer, path) => {
    for (const page of ['/', '/parked']) {
      desk.host.set(page, { headers: HTML, body: pageNaming('/parked.xml') });
    }
    desk.host.set('/parked.xml', { body: rss([{ guid: 'c', title: 'Cheap casino bonus' }]) });
    desk.host.set(path, { body: rss([{ guid: 'a' }]) });
    const id = await desk.add(path);
    await desk.poll(id);
    desk.host.set(path, answer);
    const offered = desk.host.at('/parked.xml');
    expect(await desk.poll(id)).toEqual({ kind: 'failed', reason: expect.stringContaining(offered) });
    expect(await desk.source(id)).toMatchObject({
      url: desk.host.at(path),
      failures: 1,
      offered_url: offered,
    });
    await desk.poll(id);
    expect((await desk.items()).map(({ title }) => title)).toEqual(['Title of a']);

    await editSource(desk.db, id, { url: offered }, desk.now.value);
    expect(await desk.poll(id)).toMatchObject({ kind: 'read' });
    expect(await desk.source(id)).toMatchObject({ url: offered, offered_url: null, last_error: null });
  },
);

test.each([301, 302])(
  'a redirect (%i) to the feed of another site is a fault and an offer, unless it has what the source had',
  async (status) => {
    const other = (path: string) => desk.host.at(path).replace('127.0.0.1', 'localhost');
    desk.host.set('/feed', { body: rss([{ guid: 'a' }]) });
    desk.host.set('/parked.xml', { body: rss([{ guid: 'c', title: 'Cheap casino bonus' }]) });
    desk.host.set('/relaunched.xml', { body: rss([{ guid: 'b' }, { guid: 'new', title: 'Title of a' }]) });
    const id = await desk.add('/feed');
    await desk.poll(id);
    desk.host.set('/feed', { status, headers: { location: other('/parked.xml') } });
    const offered = other('/parked.xml');
    expect(await desk.poll(id)).toEqual({ kind: 'failed', reason: expect.stringContaining(offered) });
    expect(await desk.source(id)).toMatchObject({ url: desk.host.at('/feed'), offered_url: offered });
    expect(await desk.items()).toHaveLength(1);

    desk.host.set('/feed', { status, headers: { location: other('/relaunched.xml') } });
    expect(await desk.poll(id)).toMatchObject({ kind: 'read' });
    // From now on, that site answers for it, whatever it has.
    desk.host.set('/relaunched.xml', { body: rss([{ guid: 'd' }]) });
    expect(await desk.poll(id)).toMatchObject({ kind: 'read', pending: 1 });
    const url = status === 301 ? other('/relaunched.xml') : desk.host.at('/feed');
    expect(await desk.source(id)).toMatchObject({ url, offered_url: null });
  },
);

test('what is gone where a temporary redirect leads does not end the source', async () => {
  desk.host.set('/feed', { status: 302, headers: { location: '/gone' } });
  desk.host.set('/gone', { status: 410 });
  const id = await desk.add('/feed');
  expect(await desk.poll(id)).toMatchObject({ kind: 'failed' });
  expect(await desk.source(id)).toMatchObject({ state: 'active' });
  desk.host.set('/feed', { status: 308, headers: { location: '/gone' } });
  await desk.poll(id);
  expect(await desk.source(id)).toMatchObject({ state: 'gone' });
});

test('a feed that a page has led to is not left for another one', async () => {
  desk.host.set('/', { headers: HTML, body: pageNaming('/feed.xml') });
  desk.host.set('/feed.xml', { body: rss([{ guid: 'a' }]) });
  const id = await desk.add('/');
  await desk.poll(id);
  await desk.poll(id);
  desk.host.set('/feed.xml', { headers: HTML, body: pageNaming('/other.xml') });
  await desk.poll(id);
  expect(await desk.source(id)).toMatchObject({
    url: desk.host.at('/feed.xml'),
    offered_url: desk.host.at('/other.xml'),
  });
  // A page that names the feed itself has nothing to offer.
  desk.host.set('/feed.xml', { headers: HTML, body: pageNaming('/feed.xml') });
  await desk.poll(id);
  expect(await desk.source(id)).toMatchObject({ url: desk.host.at('/feed.xml'), offered_url: null });
});

test('a source moves to no home page, and only to where its feed was read', async () => {
  const feed = rss([{ guid: 'a' }]);
  desk.host.set('/', { body: feed });
  desk.host.set('/home', { status: 301, headers: { location: '/' } });
  desk.host.set('/silent', { status: 301, headers: { location: '/never' } });
  desk.host.set('/never', { status: 304 });
  const [home, silent] = [await desk.add('/home'), await desk.add('/silent')];
  for (const id of [home, silent]) await desk.poll(id);
  expect((await desk.source(home)).url).toBe(desk.host.at('/home'));
  expect((await desk.source(silent)).url).toBe(desk.host.at('/silent'));
  expect(await desk.items()).toHaveLength(1);
});
