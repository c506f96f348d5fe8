import { editItem } from '@pressroom/news-feed/editing/items';
import { Reader } from '@pressroom/news-feed/reading/reader';
import { addSource, removeSource, restoreSource } from '@pressroom/news-feed/reading/sources';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { rss } from '../../support/feed-host.ts';
import { type Desk, openDesk } from '../../support/polling.ts';
import { until } from '../../support/until.ts';

let desk: Desk;
beforeAll(async () => {
  const opened = await openDesk();
  const { fetch } = opened.parts;
  // The local host plays all hosts.
  desk = opened.with({
    fetch: (url, headers, signal) => {
      const local = opened.host.at(new URL(url).pathname);
      return fetch(local, headers, signal, local);
    },
  });
});
afterEach(() => desk.clear());
afterAll(() => desk.close());

/** A JSON Feed, in which any string can be written. */
function jsonFeed(items: readonly object[]): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify({ version: 'https://jsonfeed.org/version/1.1', title: 'A feed', items });
  return { body, headers: { 'content-type': 'application/feed+json' } };
}

test('a title that is too long is cut between characters, wherever that is', async () => {
  const title = `${'x'.repeat(299)}😀 and more`;
  const channel = `${'y'.repeat(199)}😀`;
  desk.host.set('/feed', { body: rss([{ guid: 'a', title }], { title: channel }) });
  const id = await desk.add('/feed');
  await desk.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'x'.repeat(299) }]);
  expect((await desk.source(id)).name).toBe('y'.repeat(199));
});

test('ids and texts that PostgreSQL cannot store do not stop a feed', async () => {
  desk.host.set(
    '/feed',
    jsonFeed([
      { id: '\u0000', url: 'https://source.example/1', title: 'Of a NUL' },
      {
        id: 'half \ud83d',
        url: 'https://source.example/2',
        title: 'Half a \ud83d',
        content_text: 'A \udc00.',
      },
      { id: '3', url: 'https://source.example/\ud83d', title: 'An address with half a character' },
    ]),
  );
  await desk.poll(await desk.add('/feed'));
  const items = await desk.items();
  expect(items.map(({ title }) => title)).toEqual(['An address with half a character', 'Half a', 'Of a NUL']);
});

test('characters that turn text around or hide in it are dropped, those that scripts need stay', async () => {
  desk.host.set(
    '/feed',
    jsonFeed([
      {
        id: 'a',
        url: 'https://source.example/a',
        title: 'Bank\u202egnp.\u202c \u2066safe\u2069 \u200bza\u00adro \u{e0041}👩\u200d🚀 می\u200cخواهم',
        content_text: '\ufeffIgnore\u2060d \u206anothing\ufffe.',
      },
    ]),
  );
  await desk.poll(await desk.add('/feed', { name: 'Source' }));
  expect(await desk.items()).toMatchObject([
    { title: 'Bankgnp. safe zaro 👩\u200d🚀 می\u200cخواهم', summary: 'Ignored nothing.' },
  ]);
});

test('links that run scripts are refused, and credentials in links are not shown', async () => {
  const links = [
    'javascript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'JaVaScRiPt:alert(1)',
    'https://bank.example:pin@source.example/a',
  ];
  desk.host.set('/feed', {
    body: rss(links.map((link, index) => ({ guid: `${index}`, title: `Link ${index}`, link }))),
  });
  await desk.poll(await desk.add('/feed'));
  expect(await desk.items()).toMatchObject([{ original_url: 'https://source.example/a' }]);
});

test('markup that is never closed, or nested without end, costs one feed no more than its text', async () => {
  const texts = {
    Open: '<a'.repeat(2_000_000),
    Deep: '<div>'.repeat(100_000),
    Escaped: '&amp;'.repeat(100_000),
    Plain: 'It is plain.',
  };
  desk.host.set(
    '/feed',
    jsonFeed(
      Object.entries(texts).map(([title, content_html]) => ({
        id: title,
        title,
        url: `https://source.example/${title}`,
        content_html,
      })),
    ),
  );
  const id = await desk.add('/feed');
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 4 });
  expect((await desk.items()).map(({ title }) => title)).toEqual(['Deep', 'Escaped', 'Open', 'Plain']);
});

/** Texts that take libraries minutes, each in many entries. */
const SLOW = ['<svg>', '<ul><li>', '<ol><li>', '<b><i>', '<math>'].map((tags) =>
  tags.repeat(200_000 / tags.length),
);

test('many texts that are nested without end keep none of the entries beside them away', async () => {
  const texts = [...SLOW, ...SLOW, ...SLOW, 'It is plain.'];
  const entries = texts.map((description, index) => ({ guid: `${index}`, description }));
  desk.host.set('/feed', { body: rss(entries) });
  expect(await desk.poll(await desk.add('/feed'))).toEqual({ kind: 'read', pending: texts.length });
  expect(await desk.items()).toContainEqual(expect.objectContaining({ summary: 'It is plain.' }));
});

/** The answer of a source that takes some seconds to read. */
const LONG = rss(
  Array.from({ length: 700 }, (_, index) => ({ guid: `${index}`, description: '<p>x</b>'.repeat(900) })),
);

test('a source that takes too long to read fails, and delays no other', async () => {
  const reader = new Reader({ cpuMs: 300 });
  onTestFinished(() => reader.close());
  const slow = desk.with({ reader });
  desk.host.set('/hostile', { body: LONG });
  desk.host.set('/honest', { body: rss([{ guid: 'a' }]) });
  const [hostile, honest] = [await slow.add('/hostile'), await slow.add('/honest')];
  const ended: string[] = [];
  const polled = slow.poll(hostile).finally(() => ended.push('hostile'));
  expect(await slow.poll(honest)).toEqual({ kind: 'read', pending: 1 });
  ended.push('honest');
  expect(await polled).toEqual({ kind: 'failed', reason: 'it cannot be read within 0.3 s of computing' });
  expect(ended).toEqual(['honest', 'hostile']);
});

test('a source that takes too much memory fails, and nothing else', async () => {
  const reader = new Reader({ memoryMiB: 64 });
  onTestFinished(() => reader.close());
  desk.host.set('/feed', { body: `<rss><channel>${'<item/>'.repeat(1_200_000)}</channel></rss>` });
  expect(await desk.with({ reader }).poll(await desk.add('/feed'))).toEqual({
    kind: 'failed',
    reason: 'it cannot be read with 64 MiB of memory',
  });
});

test('a worker that stops leaves what it reads to the next one, without blaming the source', async () => {
  const reader = new Reader({ cpuMs: 600_000 });
  const stopping = desk.with({ reader });
  desk.host.set('/feed', { body: LONG });
  const id = await stopping.add('/feed');
  const before = await stopping.source(id);
  const polled = stopping.poll(id);
  polled.catch(() => undefined);
  await until('the request', async () => desk.host.to('/feed').length === 1);
  await reader.close();
  await expect(polled).rejects.toMatchObject({ kind: 'unavailable' });
  expect(await stopping.source(id)).toEqual(before);
});

test('a robots.txt of wildcards without end forbids what it says, and is read at once', async () => {
  const page = { headers: { 'content-type': 'text/html' }, body: '<p>A page.</p>' };
  const rules = ['User-agent: *', 'Disallow: /secret', `Disallow: /${'*a'.repeat(2_000_000)}`];
  desk.host.set('/robots.txt', { headers: { 'content-type': 'text/plain' }, body: rules.join('\n') });
  const links = ['/secret', '/open', `/${'a'.repeat(2000)}`];
  for (const link of links) desk.host.set(link, page);
  desk.host.set('/feed', { body: rss(links.map((path) => ({ guid: path, link: desk.host.at(path) }))) });
  await desk.poll(await desk.add('/feed', { readPages: true }));
  expect(links.map((path) => desk.host.to(path).length)).toEqual([0, 1, 1]);
});

test('dates before the web, without a year, in the future or out of range become the time of discovery', async () => {
  const dates = [
    '0001-01-01T00:00:00Z',
    '31 Dec 1969 23:59:59 GMT',
    '9999-12-31T23:59:59Z',
    '+275760-09-13',
    '11-20 10:30',
    'Nov 20',
    'Day 3',
  ];
  desk.host.set('/feed', {
    body: rss(dates.map((pubDate, index) => ({ guid: `${index}`, pubDate }))),
  });
  await desk.poll(await desk.add('/feed'));
  const items = await desk.items();
  expect(items).toHaveLength(dates.length);
  for (const { published_at } of items) expect(published_at).toEqual(desk.now.value);
});

test('a source that floods is held back, polled less often and named, and is read again the next day', async () => {
  const page = (edition: number) =>
    Array.from({ length: 1000 }, (_, index) => ({
      guid: `${edition}-${index}`,
      title: `${edition} ${index}`,
    }));
  const id = await desk.add('/feed');
  const count = async () => (await desk.items()).length;
  const waits = [];
  for (const edition of [1, 2, 3]) {
    desk.host.set('/feed', { headers: { etag: `"${edition}"` }, body: rss(page(edition)) });
    await desk.poll(id);
    waits.push((await desk.source(id)).interval_seconds);
  }
  expect(await count()).toBe(2000);
  expect(waits[2]).toBeGreaterThan(waits[1] ?? 0);
  expect((await desk.source(id)).last_error).toContain('more than 2000 new entries within 24 hours');
  // The next day the same answer is read again, unconditionally.
  desk.now.value = new Date(desk.now.value.getTime() + 86_400_000);
  await desk.poll(id);
  expect(await count()).toBe(3000);
  expect(desk.host.to('/feed').at(-1)?.headers).not.toHaveProperty('if-none-match');
  expect((await desk.source(id)).last_error).toBe(null);
});

test('a source that rewrites its entries at each poll is held back as well', async () => {
  const id = await desk.add('/feed');
  const waits = [];
  for (const edition of [1, 2, 3, 4]) {
    const entries = Array.from({ length: 1000 }, (_, index) => ({
      guid: `${index}`,
      title: `Edition ${edition}`,
    }));
    desk.host.set('/feed', { body: rss(entries) });
    await desk.poll(id);
    waits.push((await desk.source(id)).interval_seconds);
  }
  const titles = new Set((await desk.items()).map(({ title }) => title));
  expect([...titles]).toEqual(['Edition 3']);
  expect(waits[3]).toBeGreaterThan(waits[2] ?? 0);
  expect((await desk.source(id)).last_error).toContain('more than 2000 changed entries within 24 hours');
});

test('entries that change at each poll leave room for new ones, which come soon', async () => {
  const id = await desk.add('/feed');
  const old = (points: number) =>
    Array.from({ length: 990 }, (_, index) => ({ guid: `${index}`, description: `Points: ${points}` }));
  const waits = [];
  for (const edition of [1, 2, 3, 4, 5]) {
    // The new entry is the last, as in a feed that is sorted by its counters.
    desk.host.set('/feed', { body: rss([...old(edition), { guid: `new ${edition}` }]) });
    await desk.poll(id);
    waits.push((await desk.source(id)).interval_seconds);
  }
  const titles = (await desk.items()).map(({ title }) => title).filter((title) => title.includes('new'));
  expect(titles).toEqual([1, 2, 3, 4, 5].map((edition) => `Title of new ${edition}`));
  expect(waits[4]).toBe(waits[2]);
});

const ARTICLE = 'https://harbour.example/lantern';

/** Two feeds that list one article: the harbour's own, and one of a third party with another title. */
async function addOwnAndThirdParty(): Promise<{ own: number; thirdParty: number }> {
  const entry = { guid: 'a', link: ARTICLE };
  desk.host.set('/own', { body: rss([{ ...entry, title: 'The lantern is lit' }], { title: 'Harbour' }) });
  desk.host.set('/third-party', { body: rss([{ ...entry, title: 'The lantern is a fraud' }]) });
  const { id: own } = await addSource(
    desk.db,
    'https://feeds.harbour.example/own',
    { select: 'all' },
    desk.now.value,
  );
  const { id: thirdParty } = await addSource(
    desk.db,
    'https://third-party.example/third-party',
    {},
    desk.now.value,
  );
  return { own, thirdParty };
}

test('an article belongs to the source of its own site, even if a third party was first', async () => {
  const { own, thirdParty } = await addOwnAndThirdParty();
  await desk.poll(thirdParty);
  const [claimed] = await desk.items();
  expect(claimed).toMatchObject({ title: 'The lantern is a fraud', selected: false });
  await desk.poll(own);
  const [item] = await desk.items();
  expect(item).toMatchObject({
    id: claimed?.id,
    title: 'The lantern is lit',
    source_name: 'Harbour',
    selected: true,
  });
  // The third party does not get it back.
  desk.host.set('/third-party', { body: rss([{ guid: 'a', link: ARTICLE, title: 'Still a fraud' }]) });
  await desk.poll(thirdParty);
  desk.host.set('/third-party', {
    body: rss([{ guid: 'b', link: `${ARTICLE}?utm_source=x`, title: 'New guid' }]),
  });
  await desk.poll(thirdParty);
  expect(await desk.items()).toEqual([item]);
});

test('a removed source keeps its articles from another feed of its site, and follows them when it is back', async () => {
  const { own } = await addOwnAndThirdParty();
  const second = 'https://feeds.harbour.example/second';
  const { id: other } = await addSource(desk.db, second, { select: 'all' }, desk.now.value);
  desk.host.set('/second', { body: rss([{ guid: 'x', link: ARTICLE, title: 'The same in short' }]) });
  await desk.poll(own);
  await removeSource(desk.db, own);
  await desk.poll(other);
  const [item] = await desk.items();
  expect(item).toMatchObject({ title: 'The lantern is lit', source_name: 'Harbour' });
  await restoreSource(desk.db, own, desk.now.value);
  desk.host.set('/own', { body: rss([{ guid: 'a', link: ARTICLE, title: 'The lantern is out' }]) });
  await desk.poll(own);
  expect(await desk.items()).toMatchObject([{ title: 'The lantern is out' }]);
});

test('a source whose address another one takes at this moment is refused', async () => {
  const address = 'https://feeds.harbour.example/feed';
  const { id } = await addSource(desk.db, address, {}, desk.now.value);
  await removeSource(desk.db, id);
  const trx = await desk.db.startTransaction().execute();
  await addSource(trx, address, {}, desk.now.value);
  const restored = restoreSource(desk.db, id, desk.now.value).then(
    () => 'restored',
    (error: Error) => error.message,
  );
  await until('the restore waits', async () => {
    const { rowCount } = await desk.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rowCount === 1;
  });
  await trx.commit().execute();
  expect(await restored).toMatch(/^source \d+ already has this address$/);
});

test('a third party that lists an article of another site neither changes it nor makes it again', async () => {
  const { own, thirdParty } = await addOwnAndThirdParty();
  await desk.poll(own);
  const before = await desk.items();
  await desk.poll(thirdParty);
  expect(await desk.items()).toEqual(before);
});

test('what an editor has changed of a third party’s item stays when it goes to its own source', async () => {
  const { own, thirdParty } = await addOwnAndThirdParty();
  await desk.poll(thirdParty);
  const [claimed] = await desk.items();
  await desk.db.transaction().execute((tx) => editItem(tx, claimed?.id ?? '', { title: 'By hand' }));
  await desk.poll(own);
  expect(await desk.items()).toMatchObject([{ title: 'By hand', source_name: 'Harbour' }]);
});
