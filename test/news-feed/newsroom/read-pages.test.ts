import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { Failure } from '@pressroom/common/failures/failure';
import { addSource, editSource } from '@pressroom/news-feed/reading/sources';
import { FETCH_LIMITS, WebFetcher, WebPageReader } from '@pressroom/news-feed/reading/web-fetcher';
import { editEntries } from '@pressroom/news-feed/work/edit-entries';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { ConnectProxy } from '../../support/connect-proxy.ts';
import { FeedHost, rss } from '../../support/feed-host.ts';
import { type Desk, openDesk } from '../../support/polling.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterEach(() => desk.clear());
afterAll(() => desk.close());

test('an entry whose page cannot be read because the worker stops has not failed', async () => {
  const closed = new Failure('unavailable', 'the reader is closed');
  const stopping = desk.with({ pages: { read: () => Promise.reject(closed) } });
  desk.host.set('/feed', { body: rss([{ guid: 'a' }]) });
  const id = await desk.add('/feed', { readPages: true });
  await expect(stopping.poll(id)).rejects.toBe(closed);
  const entries = await desk.db.selectFrom('news.source_entry').select(['attempts', 'reason']).execute();
  expect(entries).toEqual([{ attempts: 0, reason: null }]);
  await editEntries(desk.parts, id, new AbortController().signal);
  expect(await desk.items()).toHaveLength(1);
});

test('pages are read where the source asks for it, as robots.txt allows', async () => {
  const paragraph =
    '<p>The lantern of the harbour was lit again after forty years of darkness. Nobody knew why.</p>';
  const page = `<html><head><title>T</title><link rel="canonical" href="/article"></head><body><nav>Menu</nav><article><h1>T</h1>${paragraph.repeat(8)}</article></body></html>`;
  desk.host.set('/robots.txt', {
    headers: { 'content-type': 'text/plain' },
    body: 'User-agent: *\nDisallow: /secret',
  });
  desk.host.set('/article?from=feed', { headers: { 'content-type': 'text/html' }, body: page });
  desk.host.set('/secret', { headers: { 'content-type': 'text/html' }, body: page });
  desk.host.set('/feed', {
    body: rss([
      { guid: 'a', link: desk.host.at('/article?from=feed') },
      { guid: 's', link: desk.host.at('/secret') },
    ]),
  });
  await desk.poll(await desk.add('/feed', { readPages: true }));
  expect(await desk.items()).toMatchObject([
    { original_url: desk.host.at('/article'), summary: expect.stringMatching(/^The lantern of the harbour/) },
    { original_url: desk.host.at('/secret'), summary: null },
  ]);
  expect(desk.host.to('/secret')).toEqual([]);
  expect(desk.host.to('/robots.txt')).toHaveLength(1);
});

test('the text is where an editor says, wherever that is on the page, and the source says that it is not', async () => {
  const other = '<p>Seven readers have written to us about the ferry and its timetable this week.</p>'.repeat(
    9,
  );
  const text = '<p>The lantern is lit.</p><div class="text"><p>It burns again.</p></div>';
  const html = (body: string) => ({ headers: { 'content-type': 'text/html' }, body: `<html><body>${body}` });
  desk.host.set('/a', html(`<article>${other}</article><div class="text">${text}</div>`));
  const paths = ['/b', '/c'];
  for (const path of paths) desk.host.set(path, html(`<article>${other}</article>`));
  const links = (paths: readonly string[]) =>
    desk.host.set('/feed', { body: rss(paths.map((path) => ({ guid: path, link: desk.host.at(path) }))) });
  links(['/a']);
  const id = await desk.add('/feed', { readPages: true, textSelector: 'div.text' });
  await desk.poll(id);
  expect(await desk.items()).toMatchObject([{ summary: 'The lantern is lit. It burns again.' }]);
  expect(await desk.source(id)).toMatchObject({ unmatched_pages: 0 });
  links(['/a', ...paths]);
  await desk.poll(id);
  expect((await desk.items()).slice(1)).toMatchObject([{ summary: null }, { summary: null }]);
  expect(await desk.source(id)).toMatchObject({ unmatched_pages: 2, failures: 0 });
  desk.host.set('/d', html(`<article>${other}</article><div class="text">${text}</div>`));
  links(['/a', ...paths, '/d']);
  await desk.poll(id);
  expect(await desk.source(id)).toMatchObject({ unmatched_pages: 0 });
});

test('everything of a source goes through its proxy, to addresses that were checked before, or not at all', async () => {
  const proxy = await ConnectProxy.start();
  const fetcher = new WebFetcher({
    ...FETCH_LIMITS,
    privateHosts: ['paper.example'],
    proxies: new Map([['lisbon', new URL(proxy.address('ada:sesame'))]]),
    resolve: async (name) => [{ address: name === 'paper.example' ? '127.0.0.1' : '10.0.0.7', family: 4 }],
  });
  onTestFinished(() => fetcher.close());
  const pages = new WebPageReader(fetcher.fetch, desk.parts.reader, async () => undefined);
  const through = desk.with({ fetch: fetcher.fetch, pages });
  const { port } = new URL(desk.host.at('/'));
  const at = (path: string) => `http://paper.example:${port}${path}`;
  desk.host.set('/feed', { status: 302, headers: { location: '/moved' } });
  desk.host.set('/moved', { body: rss([{ guid: 'a', link: at('/a') }]) });
  desk.host.set('/a', {
    headers: { 'content-type': 'text/html' },
    body: '<p class="text">The lantern is lit.',
  });
  const { id } = await addSource(
    desk.db,
    at('/feed'),
    { readPages: true, textSelector: '.text' },
    desk.now.value,
  );
  await editSource(desk.db, id, { proxy: 'lisbon' }, desk.now.value);
  expect(await through.poll(id)).toMatchObject({ kind: 'read' });
  expect(await desk.items()).toMatchObject([{ summary: 'The lantern is lit.' }]);
  const paths = desk.host.requests.map(({ path, headers }) => [
    path,
    headers.host,
    'proxy-authorization' in headers,
  ]);
  expect(paths).toEqual(
    ['/feed', '/moved', '/robots.txt', '/a'].map((path) => [path, `paper.example:${port}`, false]),
  );
  expect(new Set(proxy.asked.map((one) => JSON.stringify(one)))).toEqual(
    new Set([JSON.stringify({ to: `127.0.0.1:${port}`, login: 'ada:sesame' })]),
  );
  // The proxy may reach what the worker must not: it is never asked to.
  desk.host.set('/feed', { status: 302, headers: { location: 'http://inside.example/' } });
  proxy.asked.length = 0;
  expect(await through.poll(id)).toMatchObject({
    reason: expect.stringContaining('inside.example is not public'),
  });
  expect(proxy.asked.filter(({ to }) => !to.startsWith('127.0.0.1'))).toEqual([]);
  // TLS begins with the name, for which the certificate has to be.
  const hellos: (string | Buffer)[] = [];
  const secure = createServer((socket) => {
    socket.once('data', (hello) => hellos.push(hello) && socket.destroy());
  });
  await once(secure.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void secure.close());
  const { port: securePort } = secure.address() as AddressInfo;
  await editSource(desk.db, id, { url: `https://paper.example:${securePort}/feed` }, desk.now.value);
  expect(await through.poll(id)).toMatchObject({ kind: 'failed' });
  expect(hellos.map((hello) => hello.includes('paper.example'))).toEqual([true]);
  const requests = desk.host.requests.length;
  await proxy.close();
  await through.poll(id);
  expect(await desk.source(id)).toMatchObject({
    last_error: 'its proxy: it cannot be reached (ECONNREFUSED)',
    last_error_code: 'source_proxy_failed',
  });
  await desk.db.updateTable('news.source').set({ proxy: 'gone' }).execute();
  await through.poll(id);
  expect(await desk.source(id)).toMatchObject({
    last_error: 'NEWS_PROXIES names no proxy "gone"',
    last_error_code: 'source_proxy_failed',
  });
  expect(desk.host.requests).toHaveLength(requests);
});

test('what is not a page, or hostile to those that read it, leaves its item with what the feed says', async () => {
  const pages: Record<string, string> = {
    '/empty': '',
    '/text': 'Just text',
    '/json': '{"title": "Not a page"}',
    '/pdf': '%PDF-1.4',
    '/deep': '<div>'.repeat(15_000),
    '/deeper': '<div>'.repeat(400_000),
    '/slow': '<div>'.repeat(500) + '<p>One, two, three.</p>'.repeat(20_000),
  };
  for (const [path, body] of Object.entries(pages)) desk.host.set(path, { body });
  const paths = Object.keys(pages);
  desk.host.set('/feed', {
    body: rss(paths.map((path) => ({ guid: path, link: desk.host.at(path), description: 'As fed.' }))),
  });
  await desk.poll(await desk.add('/feed', { readPages: true }));
  const items = await desk.items();
  expect(items.map(({ original_url, summary }) => [original_url, summary]).sort()).toEqual(
    paths.map((path) => [desk.host.at(path), 'As fed.']).sort(),
  );
});

test('a page that redirects is read as each host on the way allows, in turns of each', async () => {
  const other = await FeedHost.start();
  const text = '<p>The lantern of the harbour was lit again, after forty years of darkness.</p>';
  const page = {
    headers: { 'content-type': 'text/html' },
    body: `<html><body><article>${text.repeat(8)}</article></body></html>`,
  };
  const robots = { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /secret' };
  for (const host of [desk.host, other]) {
    host.set('/robots.txt', robots);
    host.set('/secret', page);
  }
  other.set('/open', page);
  const targets = {
    '/a': '/secret',
    '/b': other.at('/secret'),
    '/c': other.at('/open'),
    '/d': 'file:///etc/hosts',
  };
  for (const [path, location] of Object.entries(targets))
    desk.host.set(path, { status: 302, headers: { location } });
  desk.host.set('/feed', {
    body: rss(Object.keys(targets).map((path) => ({ guid: path, link: desk.host.at(path) }))),
  });
  const turns: string[] = [];
  const pages = new WebPageReader(desk.parts.fetch, desk.parts.reader, async (host) => void turns.push(host));
  await desk.with({ pages }).poll(await desk.add('/feed', { readPages: true }));
  expect((await desk.items()).map(({ summary }) => summary)).toEqual([
    null,
    null,
    expect.stringMatching(/^The lantern of the harbour/),
    null,
  ]);
  expect([...desk.host.to('/secret'), ...other.to('/secret')]).toEqual([]);
  const [here, there] = [desk.host, other].map((host) => new URL(host.at('/')).host);
  expect(turns.toSorted()).toEqual([...Array(5).fill(here), ...Array(2).fill(there)].toSorted());
  await other.close();
});

/** A page of a town, with what it lists. */
function townPage(titles: readonly string[]): { headers: Record<string, string>; body: string } {
  const list = titles.map(
    (title, n) => `<li><h2><a href="/town/${n}">${title}</a></h2><i>3 de março de 2026</i></li>`,
  );
  return {
    headers: { 'content-type': 'text/html; charset=iso-8859-1' },
    body: `<html lang="pt"><title>Câmara</title><ul>${list.join('')}</ul>`,
  };
}

test('a page that lists articles is a source, as its robots.txt allows, until it lists none', async () => {
  const titles = [
    'A ponte nova abre ao trânsito',
    'Obras na rua do cais até maio',
    'Feira do livro volta à praça',
  ];
  desk.host.set('/town', townPage(titles));
  const id = await desk.add('/town', { page: 'auto' });
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 3 });
  expect((await desk.items()).map(({ title }) => title)).toEqual(titles.toSorted());
  expect((await desk.items())[0]).toMatchObject({
    ...{ source_name: 'Câmara', language: 'pt', published_at: new Date('2026-03-03') },
    original_url: desk.host.at('/town/0'),
  });
  expect(desk.host.to('/town')[0]?.headers.accept).toMatch(/^text\/html/);
  expect(await desk.poll(id)).toEqual({ kind: 'unchanged' });
  desk.host.set('/town', { headers: { 'content-type': 'text/html' }, body: '<p>We are moving.</p>' });
  for (let round = 0; round < 3; round += 1) await desk.poll(id);
  expect(await desk.source(id)).toMatchObject({ empty_reads: 3, failures: 0 });
  await editSource(desk.db, id, { page: 'li; title h2' }, desk.now.value);
  desk.host.set('/town', townPage([...titles, 'Nova creche']));
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 1 });
  // Its rules are kept for six hours.
  const { fetch, reader } = desk.parts;
  const { crawlPolicy } = new WebPageReader(fetch, reader, async () => undefined);
  desk.host.set('/robots.txt', { body: 'User-agent: *\nDisallow: /town' });
  expect(await desk.with({ crawlPolicy }).poll(id)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('robots.txt does not allow'),
  });
});

/** A sitemap of paths of the host. */
function sitemap(paths: readonly string[]): { body: string } {
  return {
    body: `<urlset>${paths.map((path) => `<url><loc>${desk.host.at(path)}</loc></url>`).join('')}</urlset>`,
  };
}

test('a sitemap brings what it lists from the second read on, with the titles of the pages', async () => {
  desk.host.set('/sitemap.xml', sitemap(['/old/1', '/old/2']));
  const html = (title: string) => ({
    headers: { 'content-type': 'text/html' },
    body: `<html><head><title>x</title><meta property="og:title" content="${title}"></head><body></body></html>`,
  });
  desk.host.set('/new/the-lantern-is-lit', html('The lantern is lit at last'));
  const id = await desk.add('/sitemap.xml', { rules: ['drop if url ~ /dropped/'] });
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 0 });
  const paths = ['/old/1', '/old/2', '/new/the-lantern-is-lit', '/new/without-a-page', '/dropped'];
  desk.host.set('/sitemap.xml', sitemap(paths));
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 3 });
  expect((await desk.items()).map(({ title }) => title)).toEqual([
    'The lantern is lit at last',
    'without a page',
  ]);
  expect(desk.host.to('/dropped')).toEqual([]);
  expect(await desk.source(id)).toMatchObject({ empty_reads: 0 });
  await editSource(desk.db, id, { url: desk.host.at('/other.xml') }, desk.now.value);
  desk.host.set('/other.xml', sitemap(['/old/3']));
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 0 });
});

test('an index of sitemaps is read as one, and what cannot be read of it is read again', async () => {
  const index = (changed: string) => ({
    headers: { etag: `"${changed}"` },
    body: `<sitemapindex>${['/a.xml', '/b.xml']
      .map((path) => `<sitemap><loc>${desk.host.at(path)}</loc><lastmod>${changed}</lastmod></sitemap>`)
      .join('')}</sitemapindex>`,
  });
  desk.host.set('/index.xml', index('2026-11-20T00:00:00Z'));
  desk.host.set('/a.xml', sitemap(['/a/1']));
  desk.host.set('/b.xml', sitemap(['/b/1']));
  const id = await desk.add('/index.xml');
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 0 });
  expect(await desk.poll(id)).toEqual({ kind: 'unchanged' });
  desk.host.set('/index.xml', index('2026-11-20T00:10:00Z'));
  desk.host.set('/a.xml', sitemap(['/a/1', '/a/new']));
  desk.host.set('/b.xml', { status: 503 });
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 1 });
  expect(await desk.source(id)).toMatchObject({
    last_error: expect.stringContaining('/b.xml: it answered with status 503'),
    etag: null,
  });
  desk.host.set('/b.xml', sitemap(['/b/1', '/b/new']));
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 1 });
  expect(await desk.source(id)).toMatchObject({ last_error: null, etag: '"2026-11-20T00:10:00Z"' });
  for (const path of ['/a.xml', '/b.xml']) desk.host.set(path, index('2026-11-21T00:00:00Z'));
  desk.host.set('/index.xml', index('2026-11-21T00:00:00Z'));
  expect(await desk.poll(id)).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('it is not a sitemap'),
  });
});
