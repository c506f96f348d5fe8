import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { Failure } from '@pressroom/common/failures/failure';
import { editItem } from '@pressroom/news-feed/editing/items';
import { RulesAssigner } from '@pressroom/news-feed/judging/story-assigner';
import { StorySearch } from '@pressroom/news-feed/judging/story-index';
import { readLexicon } from '@pressroom/news-feed/judging/terms';
import type { Page } from '@pressroom/news-feed/reading/page';
import { Reader } from '@pressroom/news-feed/reading/reader';
import { droppedEntries, editSource, resumeSource } from '@pressroom/news-feed/reading/sources';
import { editEntries } from '@pressroom/news-feed/work/edit-entries';
import { WebPageReader } from '@pressroom/news-feed/work/page-reader';
import { pollSource } from '@pressroom/news-feed/work/poll-source';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { FeedHost, type RssEntry, rss } from '../../support/feed-host.ts';
import { sourceEditor } from '../../support/plain-newsroom.ts';
import { type Desk, openDesk } from '../../support/polling.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterEach(() => desk.clear());
afterAll(() => desk.close());

const HOUR_MS = 3_600_000;

/** How long after `now` a source is polled next, in seconds. */
async function waitOf(id: number): Promise<number> {
  const { next_poll_at } = await desk.source(id);
  return (next_poll_at.getTime() - desk.now.value.getTime()) / 1000;
}

/** A page on which nothing was found. */
const NO_PAGE: Page = {
  title: null,
  text: null,
  summary: null,
  canonicalUrl: undefined,
  image: undefined,
  language: undefined,
};

const IMAGE = { url: 'https://source.example/page.jpg', alt: 'A page' };

test('entries become items: in plain text, of three sentences, at the time that the feed gives', async () => {
  desk.host.set('/feed', {
    body: rss(
      [
        {
          guid: 'a',
          title: '<b>Bold</b> & brave',
          description: '<p>One. Two!</p><script>x()</script><p>Three? Four.</p>',
          pubDate: 'Thu, 19 Nov 2026 22:00:00 GMT',
        },
        { guid: 'b', title: '没有日期', description: '第一句。第二句。第三句。第四句。' },
        { guid: 'c', title: 'From the future', pubDate: 'Fri, 20 Nov 2027 22:00:00 GMT' },
        { guid: 'd', title: 'No such day', pubDate: 'sometime' },
      ],
      { title: 'The feed' },
    ),
  });
  const id = await desk.add('/feed', { category: 'product', directions: ['overseas'], firstParty: true });
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 4 });
  const discovered = desk.now.value;
  const items = await desk.items();
  expect(items.map(({ title, summary, published_at }) => [title, summary, published_at])).toEqual([
    ['Bold & brave', 'One. Two! Three?', new Date('2026-11-19T22:00:00Z')],
    ['From the future', null, discovered],
    ['No such day', null, discovered],
    ['没有日期', '第一句。第二句。第三句。', discovered],
  ]);
  expect(items[0]).toMatchObject({ source_name: 'The feed', category: 'product', directions: ['overseas'] });
});

test('an entry without a title is named after its first sentence; one without any text is counted', async () => {
  const words = 'word '.repeat(100);
  desk.host.set('/feed', {
    body: rss([
      { guid: 'a', title: '', description: '<p>The lantern is lit. Come and see!</p>' },
      { guid: 'b', title: '', description: '灯塔亮了。大家都来看。' },
      { guid: 'c', title: '', description: `<p>${words}</p>` },
      { guid: 'd', title: '', description: '<img src="x.png">' },
      { guid: 'e', title: 'Without an address', link: '' },
    ]),
  });
  const id = await desk.add('/feed');
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 3 });
  expect((await desk.items()).map(({ title, summary }) => [title, summary])).toEqual([
    ['The lantern is lit.', 'The lantern is lit. Come and see!'],
    [`${'word '.repeat(59)}word…`, words.trim()],
    ['灯塔亮了。', '灯塔亮了。大家都来看。'],
  ]);
  expect(await desk.source(id)).toMatchObject({ unusable_entries: 2, unread_entries: 0 });
});

test('what a feed has beyond its first 1000 entries is counted, until the feed is shorter', async () => {
  const entries = Array.from({ length: 1003 }, (_, index) => ({ guid: `${index}` }));
  desk.host.set('/feed', { body: rss(entries) });
  const id = await desk.add('/feed');
  await desk.poll(id);
  // An answer that has not changed says nothing new.
  expect(await desk.poll(id)).toEqual({ kind: 'unchanged' });
  expect(await desk.source(id)).toMatchObject({ unusable_entries: 0, unread_entries: 3 });
  desk.host.set('/feed', { body: rss(entries.slice(0, 2)) });
  await desk.poll(id);
  expect(await desk.source(id)).toMatchObject({ unread_entries: 0 });
});

test('an unchanged feed is asked conditionally, and less and less often', async () => {
  desk.host.set('/feed', (request, response) => {
    if (request.headers['if-none-match'] === '"1"') return void response.writeHead(304).end();
    response.writeHead(200, { etag: '"1"', 'last-modified': 'Fri, 20 Nov 2026 00:00:00 GMT' });
    response.end(rss([{ guid: 'a' }]));
  });
  const id = await desk.add('/feed');
  await desk.poll(id);
  const waits = [await waitOf(id)];
  for (let round = 0; round < 3; round += 1) {
    expect(await desk.poll(id)).toEqual({ kind: 'unchanged' });
    waits.push(await waitOf(id));
  }
  expect(waits).toEqual([450, 675, 1013, 1520]);
  expect(desk.host.to('/feed')[1]?.headers).toMatchObject({
    'if-none-match': '"1"',
    'if-modified-since': 'Fri, 20 Nov 2026 00:00:00 GMT',
  });
});

test('what the source says about its pace is honoured', async () => {
  const updates = '<sy:updatePeriod>daily</sy:updatePeriod><sy:updateFrequency>4</sy:updateFrequency>';
  desk.host.set('/period', { body: rss([{ guid: 'a' }], { channel: updates }) });
  desk.host.set('/ttl', { body: rss([{ guid: 'b' }], { channel: '<ttl>90</ttl>' }) });
  desk.host.set('/cache', {
    headers: { 'cache-control': 'public, max-age=7200', age: '1200' },
    body: rss([{ guid: 'c' }]),
  });
  desk.host.set('/limited', { status: 429, headers: { 'retry-after': '86400' } });
  const later = new Date(desk.now.value.getTime() + 5 * HOUR_MS).toUTCString();
  desk.host.set('/away', { status: 503, headers: { 'retry-after': later } });
  const waits: Record<string, number> = {};
  for (const path of ['/period', '/ttl', '/cache', '/limited', '/away']) {
    const id = await desk.add(path);
    await desk.poll(id);
    waits[path] = await waitOf(id);
  }
  expect(waits).toEqual({
    '/period': 21_600,
    '/ttl': 5400,
    '/cache': 6000,
    '/limited': 86_400,
    '/away': 5 * 3600,
  });
});

test('an edit at the source changes the item, but not what an editor has changed since', async () => {
  desk.host.set('/feed', { body: rss([{ guid: 'a', title: 'First', description: 'Old.' }]) });
  const id = await desk.add('/feed', { select: 'all' });
  await desk.poll(id);
  const [item] = await desk.items();
  await desk.db
    .transaction()
    .execute((tx) => editItem(tx, item?.id ?? '', { title: 'By hand', selected: false }));
  desk.host.set('/feed', { body: rss([{ guid: 'a', title: 'Second', description: 'New.' }]) });
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 1 });
  expect(await desk.items()).toMatchObject([
    { id: item?.id, title: 'By hand', summary: 'New.', selected: false },
  ]);
});

test('a link that the source corrects is the item’s, and other sources with it bring the same item', async () => {
  const feed = (link: string) => rss([{ guid: 'a', title: 'A', link }], { title: 'First' });
  desk.host.set('/feed', { body: feed('https://source.example/wrong') });
  const id = await desk.add('/feed');
  await desk.poll(id);
  const [item] = await desk.items();
  desk.host.set('/feed', { body: feed('https://source.example/right') });
  await desk.poll(id);
  desk.host.set('/other', {
    body: rss([{ guid: 'x', title: 'X', link: 'https://m.source.example/right' }]),
  });
  await desk.poll(await desk.add('/other'));
  const corrected = { ...item, original_url: 'https://source.example/right' };
  expect(await desk.items()).toEqual([corrected]);
  // What only says where a reader came from is no other article.
  desk.host.set('/feed', { body: feed('https://source.example/right?utm_source=feed') });
  await desk.poll(id);
  expect(await desk.items()).toEqual([corrected]);
});

test('a link that becomes that of another item stays, and so does one that an editor has imported', async () => {
  const feed = (a: string, b: string) =>
    rss([
      { guid: 'a', title: 'A', link: `https://source.example/${a}` },
      { guid: 'b', title: 'B', link: `https://source.example/${b}` },
    ]);
  const links = async () => (await desk.items()).map(({ original_url }) => new URL(original_url).pathname);
  desk.host.set('/feed', { body: feed('1', '2') });
  const id = await desk.add('/feed');
  await desk.poll(id);
  desk.host.set('/feed', { body: feed('2/amp', '2') });
  await desk.poll(id);
  expect(await links()).toEqual(['/1', '/2']);
  desk.host.set('/feed', { body: feed('3', '2') });
  await desk.poll(id);
  expect(await links()).toEqual(['/3', '/2']);
  const [item] = await desk.items();
  const byHand = { links: { original: 'https://source.example/by-hand' } };
  await desk.db.transaction().execute((tx) => editItem(tx, item?.id ?? '', byHand));
  for (const link of ['4', '5']) {
    desk.host.set('/feed', { body: feed(link, '2') });
    await desk.poll(id);
  }
  expect(await links()).toEqual(['/by-hand', '/2']);
});

test('a date that the source corrects is the item’s, unless it would move the item in the timeline', async () => {
  const entry = (pubDate?: string) => rss([{ guid: 'a', ...(pubDate && { pubDate }) }]);
  desk.host.set('/feed', { body: entry('Thu, 19 Nov 2026 22:00:00 GMT') });
  const id = await desk.add('/feed');
  await desk.poll(id);
  const dateAfter = async (pubDate?: string) => {
    desk.host.set('/feed', { body: entry(pubDate) });
    await desk.poll(id);
    return (await desk.items())[0]?.published_at.toISOString();
  };
  const corrected = '2026-11-18T09:00:00.000Z';
  expect(await dateAfter('Wed, 18 Nov 2026 09:00:00 GMT')).toBe(corrected);
  // Long before it came, after it came, in the future, and none.
  desk.now.value = new Date('2026-11-25T00:00:00Z');
  expect(await dateAfter('Mon, 16 Nov 2026 09:00:00 GMT')).toBe(corrected);
  expect(await dateAfter('Tue, 24 Nov 2026 09:00:00 GMT')).toBe(corrected);
  expect(await dateAfter('Fri, 20 Nov 2099 09:00:00 GMT')).toBe(corrected);
  expect(await dateAfter()).toBe(corrected);
  expect(await dateAfter('Thu, 19 Nov 2026 09:00:00 GMT')).toBe('2026-11-19T09:00:00.000Z');
});

test('a back-filled item keeps its date', async () => {
  const entry = (pubDate: string) => rss([{ guid: 'a', pubDate }]);
  desk.host.set('/feed', { body: entry('Sun, 01 Nov 2026 00:00:00 GMT') });
  const id = await desk.add('/feed');
  await desk.poll(id);
  desk.host.set('/feed', { body: entry('Thu, 19 Nov 2026 00:00:00 GMT') });
  await desk.poll(id);
  expect(await desk.items()).toMatchObject([{ published_at: new Date('2026-11-01T00:00:00Z') }]);
});

test('an item that an editor has given another link stays as it is when a second source brings the first one', async () => {
  for (const path of ['/one', '/two']) {
    desk.host.set(path, {
      body: rss([{ guid: 'a', title: `From ${path}`, link: 'https://paper.example/a' }]),
    });
  }
  await desk.poll(await desk.add('/one'));
  const moved = { original_url: 'https://paper.example/b', canonical_url: 'paper.example/b' };
  await desk.db.updateTable('news.item').set(moved).execute();
  // At the same moment, so it would have the same id.
  await desk.poll(await desk.add('/two'));
  expect(await desk.items()).toMatchObject([{ title: 'From /one', original_url: moved.original_url }]);
});

/** The same desk with stories. */
function deskWithStories(): Desk {
  return desk.with({ stories: new RulesAssigner(new StorySearch(readLexicon())) });
}

test('a number that the source corrects is corrected in the title and the digest of the story', async () => {
  const telling = deskWithStories();
  const feed = (guid: string, dead: number) =>
    rss([
      {
        guid,
        title: `Floods near Valencia leave ${dead} dead`,
        description: `Floods near Valencia in Spain left ${dead} dead.`,
        pubDate: 'Thu, 19 Nov 2026 22:00:00 GMT',
      },
    ]);
  desk.host.set('/one', { body: feed('a', 11) });
  desk.host.set('/two', { body: feed('b', 3).replace('22:00', '23:00') });
  const [one, two] = [await desk.add('/one', { name: 'One' }), await desk.add('/two', { name: 'Two' })];
  for (const id of [one, two]) await telling.poll(id);
  // Each was written once, with its story.
  const { rows } = await sql<{ ctid: string }>`select ctid from news.item order by ctid`.execute(desk.db);
  expect(rows.map(({ ctid }) => ctid)).toEqual(['(0,1)', '(0,2)']);
  const story = () => desk.db.selectFrom('news.story').select(['title', 'digest']).executeTakeFirstOrThrow();
  expect((await story()).digest).toContain('Two has “3 dead”, One had “11 dead”');
  desk.host.set('/one', { body: feed('a', 3) });
  await telling.poll(one);
  expect(await story()).toEqual({
    title: 'Floods near Valencia leave 3 dead',
    digest: 'Floods near Valencia in Spain left 3 dead.',
  });
  // What the reports do not say otherwise leaves the digest as it is.
  const updated = () => desk.db.selectFrom('news.story').select('digest_updated_at').execute();
  const before = await updated();
  desk.host.set('/one', { body: feed('a', 3).replace('leave 3 dead', 'leave 3 dead.') });
  await telling.poll(one);
  expect(await updated()).toEqual(before);
});

test('a report that the source rewrites is found by what it says then, and not by what it said', async () => {
  const telling = deskWithStories();
  const quake = 'Magnitude 6.4 earthquake strikes off Arica, Chile';
  const deal = 'Northwind raises $420 million from Halberd Capital';
  desk.host.set('/one', { body: rss([{ guid: 'a', title: quake }]) });
  const one = await desk.add('/one', { name: 'One' });
  await telling.poll(one);
  desk.host.set('/one', { body: rss([{ guid: 'a', title: deal }]) });
  await telling.poll(one);
  desk.host.set('/two', {
    body: rss([
      { guid: 'x', title: `${quake} ` },
      { guid: 'y', title: `${deal} again` },
    ]),
  });
  await telling.poll(await desk.add('/two', { name: 'Two' }));
  const items = await desk.items();
  const storyOf = (title: string) => items.find((item) => item.title === title)?.story;
  expect(storyOf(`${deal} again`)).toBe(storyOf(deal));
  expect(storyOf(quake)).not.toBe(storyOf(deal));
});

test('a page that cannot be read when its entry changes does not take its address from the item', async () => {
  const canonicalUrl = 'https://source.example/article';
  let page: Page | undefined = { ...NO_PAGE, canonicalUrl, image: IMAGE };
  const reading = desk.with({ pages: { read: async () => page } });
  const link = 'https://source.example/go?to=1';
  desk.host.set('/feed', { body: rss([{ guid: 'a', title: 'First', link }]) });
  const id = await desk.add('/feed', { readPages: true });
  await reading.poll(id);
  page = undefined;
  desk.host.set('/feed', { body: rss([{ guid: 'a', title: 'Second', link }]) });
  await reading.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'Second', original_url: canonicalUrl, image: IMAGE }]);
});

test('an item has the picture and the language of its entry, else of its page, as the source changes them', async () => {
  const text = 'Der Bundestag stimmt heute über die Reform der gesetzlichen Krankenkassen ab.';
  const feed = (picture: string) => `<rss version="2.0" xmlns:media="http://search.yahoo.com/mrss/"><channel>
    <title>Kyst</title><link>https://source.example/</link><language>en-us</language>
    <item><guid>a</guid><title>A</title><link>https://source.example/a</link><description>${text}</description></item>
    <item><guid>b</guid><title>B</title><link>https://source.example/b</link>
      <media:content url="${picture}" medium="image" width="640"/></item>
    <item><guid>c</guid><title>C</title><link>https://source.example/c</link></item>
  </channel></rss>`;
  const read = async (url: string) =>
    url.endsWith('/c') ? { ...NO_PAGE, image: IMAGE, language: 'de' } : undefined;
  const reading = desk.with({ pages: { read } });
  const image = (name: string) => ({ url: `https://img.source.example/${name}`, width: 640 });
  desk.host.set('/feed', { body: feed(image('1.jpg').url) });
  const id = await desk.add('/feed', { readPages: true });
  await reading.poll(id);
  expect(await desk.items()).toMatchObject([
    // Its text is surely in another language than the feed's program declares.
    { title: 'A', image: null, language: 'de' },
    { title: 'B', image: image('1.jpg'), language: 'en-US' },
    { title: 'C', image: IMAGE, language: 'en-US' },
  ]);
  const images = async () => (await desk.items()).map((item) => item.image);
  desk.host.set('/feed', { body: feed(image('2.jpg').url) });
  await reading.poll(id);
  expect(await images()).toEqual([null, image('2.jpg'), IMAGE]);
  const chosen = { url: 'https://img.source.example/chosen.jpg' };
  await desk.db
    .updateTable('news.item')
    .set({ image: JSON.stringify(chosen) })
    .where('title', '=', 'B')
    .execute();
  desk.host.set('/feed', { body: feed(image('3.jpg').url) });
  await reading.poll(id);
  expect(await images()).toEqual([null, chosen, IMAGE]);
  await editSource(desk.db, id, { images: false }, desk.now.value);
  expect(await images()).toEqual([null, chosen, null]);
  desk.host.set('/feed', {
    body: feed(image('4.jpg').url).replaceAll('guid>', 'guid >').replace('>c<', '>d<'),
  });
  await reading.poll(id);
  expect(await images()).toEqual([null, chosen, null]);
});

test('the rules of a source drop, categorise and score, and other rules may keep what was dropped', async () => {
  const drop = 'drop if title ~ /sponsored/i';
  const judged: (number | undefined)[] = [];
  const judge: typeof sourceEditor.judge = (submission, signal) => {
    judged.push(submission.source.points);
    return sourceEditor.judge(submission, signal);
  };
  const ruled = desk.with({ editor: { ...sourceEditor, judge } });
  const entries = [
    { guid: 'a', title: 'SPONSORED: a car' },
    { guid: 'b', title: 'The final' },
  ];
  desk.host.set('/feed', { body: rss(entries) });
  const rules = [drop, 'set category product if title ~ /final/', 'score +10 if any ~ /final/'];
  const id = await desk.add('/feed', { rules });
  await ruled.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'The final', category: 'product' }]);
  expect(judged).toEqual([10]);
  expect(await droppedEntries(desk.db, id)).toMatchObject([{ title: 'SPONSORED: a car', rule: drop }]);
  // What is an item stays one, whatever its source makes of it.
  desk.host.set('/feed', { body: rss([...entries.slice(0, 1), { guid: 'b', title: 'Sponsored final' }]) });
  await ruled.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'The final' }]);
  await editSource(desk.db, id, { rules: [] }, desk.now.value);
  desk.host.set('/feed', { body: rss([]) });
  for (const reads of [1, 2, 3]) {
    await ruled.poll(id);
    expect(await desk.source(id)).toMatchObject({ empty_reads: reads });
  }
  expect((await desk.items()).map(({ title }) => title)).toEqual(['SPONSORED: a car', 'Sponsored final']);
});

test('an article that several sources carry is one item, and the first source alone changes it', async () => {
  const link = 'https://source.example/story';
  desk.host.set('/one', { body: rss([{ guid: '1', title: 'One', link }], { title: 'First' }) });
  desk.host.set('/two', { body: rss([{ guid: '2', title: 'Two', link: `${link}/?utm_source=x#top` }]) });
  const [one, two] = [await desk.add('/one'), await desk.add('/two')];
  await desk.poll(one);
  await desk.poll(two);
  desk.host.set('/two', { body: rss([{ guid: '2', title: 'Two again', link }]) });
  await desk.poll(two);
  desk.host.set('/three', {
    body: rss([{ guid: '3', title: 'Three', link: 'https://m.source.example/story/amp' }]),
  });
  await desk.poll(await desk.add('/three'));
  expect(await desk.items()).toMatchObject([{ title: 'One', source_name: 'First' }]);
});

test.each([
  ['https://www.source.example/story', 'https://m.source.example/story'],
  ['https://source.example/story', 'https://www.source.example/story'],
  ['https://m.source.example/story/amp', 'https://source.example/story'],
  ['https://source-example.cdn.ampproject.org/c/s/source.example/story', 'https://source.example/story'],
  ['https://en.wikipedia.org/wiki/A', 'https://en.m.wikipedia.org/wiki/A'],
])('an article is one item, with the address that came first: %s and %s', async (...links) => {
  for (const order of [links, links.toReversed()]) {
    for (const [index, link] of order.entries()) {
      desk.host.set(`/${index}`, { body: rss([{ guid: `${index}`, link }]) });
      await desk.poll(await desk.add(`/${index}`));
    }
    expect(await desk.items()).toMatchObject([{ original_url: order[0] }]);
    await desk.clear();
  }
});

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
  });
  expect(await desk.source(gone)).toMatchObject({
    state: 'gone',
    last_error: expect.stringContaining('410'),
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

test('what the database does not take is a failure of its source, an outage is not', async () => {
  desk.host.set('/feed', { body: rss([{ guid: 'a' }]) });
  const id = await desk.add('/feed');
  const failsWith = async (code: string) => {
    await sql`
      create or replace function news.fail() returns trigger language plpgsql as
        ${sql.lit(`begin raise exception 'no place for it' using errcode = '${code}'; end`)}
    `.execute(desk.db);
    await sql`create or replace trigger fail before insert on news.source_entry execute function news.fail()`.execute(
      desk.db,
    );
  };
  try {
    await failsWith('57P03');
    await expect(desk.poll(id)).rejects.toThrow('no place for it');
    expect(await desk.source(id)).toMatchObject({ failures: 0, last_error: null });
    await failsWith('22003');
    const reason = 'what it sent cannot be stored: no place for it';
    expect(await desk.poll(id)).toEqual({ kind: 'failed', reason });
    expect(await desk.source(id)).toMatchObject({ failures: 1, last_error: reason });
    expect(await waitOf(id)).toBe(900);
  } finally {
    await sql`drop trigger fail on news.source_entry`.execute(desk.db);
    await sql`drop function news.fail()`.execute(desk.db);
  }
  expect(await desk.poll(id)).toEqual({ kind: 'read', pending: 1 });
});

test('every content coding is undone, and every charset read', async () => {
  const latin1 = Buffer.from(
    rss([{ guid: 'latin', title: 'Größe' }]).replace('UTF-8', 'ISO-8859-1'),
    'latin1',
  );
  const gbk = Buffer.concat([
    Buffer.from('<?xml version="1.0" encoding="gb2312"?><rss version="2.0"><channel><title>x</title>'),
    Buffer.from('<item><link>https://source.example/gbk</link><title>'),
    Buffer.from([0xd0, 0xc2, 0xce, 0xc5]),
    Buffer.from('</title></item></channel></rss>'),
  ]);
  const utf16 = Buffer.from(
    `\ufeff${rss([{ guid: 'wide', title: '宽' }]).replace('UTF-8', 'UTF-16')}`,
    'utf16le',
  );
  // ISO-2022-JP: ASCII with sequences that begin with ESC, and so valid UTF-8, too.
  const japanese = (guid: string, encoding: string) =>
    Buffer.from(rss([{ guid, title: '\x1b$BF|K\\\x1b(B' }]).replace('UTF-8', encoding), 'latin1');
  const jis = { 'content-type': 'text/xml; charset=iso-2022-jp' };
  const wrong = { 'content-type': 'text/xml; charset=iso-8859-1' };
  const body = (guid: string) => Buffer.from(rss([{ guid, title: `Title ${guid} ü` }]));
  desk.host.set('/gzip', { headers: { 'content-encoding': 'gzip' }, body: gzipSync(body('gzip')) });
  desk.host.set('/br', { headers: { 'content-encoding': 'br' }, body: brotliCompressSync(body('br')) });
  desk.host.set('/zstd', { headers: { 'content-encoding': 'zstd' }, body: zstdCompressSync(body('zstd')) });
  desk.host.set('/latin', { body: latin1 });
  desk.host.set('/gbk', { body: gbk });
  desk.host.set('/utf16', { body: utf16 });
  desk.host.set('/jis', { headers: jis, body: japanese('jis', 'UTF-8') });
  desk.host.set('/jis-xml', { body: japanese('jis-xml', 'ISO-2022-JP') });
  desk.host.set('/jis-wrong', { headers: jis, body: body('jis-wrong') });
  desk.host.set('/wrong', { headers: wrong, body: body('wrong') });
  const paths = ['/gzip', '/br', '/zstd', '/latin', '/gbk', '/utf16', '/wrong'];
  for (const path of [...paths, '/jis', '/jis-xml', '/jis-wrong']) {
    expect(await desk.poll(await desk.add(path)), path).toEqual({ kind: 'read', pending: 1 });
  }
  expect((await desk.items()).map(({ title }) => title).sort()).toEqual(
    [
      ...['Größe', '宽', '新闻', '日本', '日本'],
      ...['br', 'gzip', 'jis-wrong', 'wrong', 'zstd'].map((name) => `Title ${name} ü`),
    ].sort(),
  );
});

test('hostile and broken answers fail with their reason, and cost nothing else', async () => {
  const strict = desk.with({}, { maxBytes: 2 ** 20, totalMs: 1000 });
  const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20));
  const entities = `<?xml version="1.0"?><!DOCTYPE rss [<!ENTITY a "aaaaaaaaaa">${Array.from(
    { length: 20 },
    (_, level) => `<!ENTITY a${level + 1} "${`&a${level || ''};`.repeat(10)}">`,
  ).join('')}]><rss version="2.0"><channel><title>&a20;</title></channel></rss>`;
  desk.host.set('/truncated', { body: rss([{ guid: 'a' }]).slice(0, 260) });
  desk.host.set('/empty', { body: '' });
  desk.host.set('/page', { headers: { 'content-type': 'text/html' }, body: '<p>Not a feed</p>' });
  desk.host.set('/bomb', { headers: { 'content-encoding': 'gzip' }, body: bomb });
  desk.host.set('/coding', { headers: { 'content-encoding': 'gzip' }, body: 'not gzip' });
  desk.host.set('/huge', (_request, response) => {
    response.writeHead(200);
    const more = () => {
      while (response.write(Buffer.alloc(65_536, ' '))) if (response.destroyed) return;
    };
    response.on('drain', more);
    more();
  });
  desk.host.set('/slow', (_request, response) => {
    response.writeHead(200).write('<');
    const timer = setInterval(() => response.write('r'), 100);
    response.on('close', () => clearInterval(timer));
  });
  desk.host.set('/private', { status: 302, headers: { location: 'http://10.0.0.1/feed' } });
  desk.host.set('/metadata', { status: 302, headers: { location: 'http://[::ffff:169.254.169.254]/' } });
  desk.host.set('/file', { status: 302, headers: { location: 'file:///etc/passwd' } });
  desk.host.set('/circle', { status: 302, headers: { location: '/circle' } });
  desk.host.set('/hangs-up', (request) => void request.socket.destroy());
  desk.host.set('/missing', { status: 404 });
  const expected: Record<string, RegExp> = {
    '/empty': /not a feed/,
    '/page': /not a feed/,
    '/bomb': /larger than 1 MiB/,
    '/coding': /not valid gzip/,
    '/huge': /larger than 1 MiB/,
    '/slow': /within 1 s/,
    '/private': /10\.0\.0\.1 is not public/,
    '/metadata': /is not public/,
    '/file': /file: is not http/,
    '/circle': /more than 5 times/,
    '/hangs-up': /connection broke/,
    '/missing': /status 404/,
  };
  for (const [path, reason] of Object.entries(expected)) {
    const id = await desk.add(path);
    expect(await strict.poll(id), path).toEqual({ kind: 'failed', reason: expect.stringMatching(reason) });
    expect((await desk.source(id)).last_error).toMatch(reason);
  }
  // Whatever the parser makes of these, it answers at once and the worker goes on.
  desk.host.set('/entities', { body: entities });
  for (const path of ['/truncated', '/entities']) {
    expect(['failed', 'read']).toContain((await strict.poll(await desk.add(path))).kind);
  }
  expect((await desk.items()).every(({ title }) => title.length < 1000)).toBe(true);
});

test('a source that keeps failing is named and slowed down, and recovers at once', async () => {
  const id = await desk.add('/feed');
  const waits: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    await desk.poll(id);
    waits.push(await waitOf(id));
  }
  expect(waits).toEqual([900, 1800, 3600, 7200, 14_400, 28_800, 57_600, 86_400, 86_400]);
  expect(await desk.source(id)).toMatchObject({
    failures: 9,
    failing_since: new Date('2026-11-20T00:00:00Z'),
    last_error: 'it answered with status 404',
  });
  desk.host.set('/feed', { body: rss([{ guid: 'a' }]) });
  await desk.poll(id);
  expect(await desk.source(id)).toMatchObject({ failures: 0, failing_since: null, last_error: null });
  expect(await waitOf(id)).toBe(450);
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

test('a poll that was overtaken by an edit of the source keeps nothing', async () => {
  desk.host.set('/new', { body: rss([{ guid: 'new' }]) });
  const id = await desk.add('/old');
  desk.host.set('/old', (_request, response) => {
    editSource(desk.db, id, { url: desk.host.at('/new') }, desk.now.value).then(() =>
      response.writeHead(200).end(rss([{ guid: 'old' }])),
    );
  });
  expect(await desk.poll(id)).toEqual({ kind: 'skipped' });
  await desk.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'Title of new' }]);
});

test('a failing editor delays its entry alone, and the reason is kept', async () => {
  const faults = new Set(['Title of bad']);
  const doubtful = desk.with({
    editor: {
      ...sourceEditor,
      judge: async (submission, signal) => {
        if (faults.has(submission.title)) throw new Error('no opinion');
        return sourceEditor.judge(submission, signal);
      },
    },
  });
  desk.host.set('/feed', { body: rss([{ guid: 'good' }, { guid: 'bad' }]) });
  const id = await desk.add('/feed');
  await doubtful.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'Title of good' }]);
  const pending = await desk.db
    .selectFrom('news.source_entry')
    .select(['key', 'reason', 'state'])
    .where('state', '=', 'pending')
    .execute();
  expect(pending).toEqual([{ key: 'bad', reason: 'no opinion', state: 'pending' }]);
  faults.clear();
  await desk.db
    .updateTable('news.source_entry')
    .set({ retry_at: new Date(0) })
    .execute();
  await desk.poll(id);
  expect(await desk.items()).toHaveLength(2);
});

test('an entry that is corrected while its former version fails is tried at once', async () => {
  const { signal } = new AbortController();
  const correcting = desk.with({
    editor: {
      ...sourceEditor,
      judge: async (submission) => {
        if (submission.title !== 'Wrong') return sourceEditor.judge(submission, signal);
        desk.host.set('/feed', { body: rss([{ guid: 'a', title: 'Right' }]) });
        desk.now.value = (await desk.source(id)).next_poll_at;
        expect(await pollSource(desk.parts, id, signal)).toEqual({ kind: 'read', pending: 1 });
        throw new Error('no opinion');
      },
    },
  });
  desk.host.set('/feed', { body: rss([{ guid: 'a', title: 'Wrong' }]) });
  const id = await desk.add('/feed');
  await correcting.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'Right' }]);
});

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

test('a private host that is allowed is asked for sources that an editor gave such a host alone', async () => {
  const given = 'https://public.example/feed';
  desk.host.set('/feed', { body: rss([{ guid: 'a', link: desk.host.at('/page') }]) });
  desk.host.set('/page', {
    headers: { 'content-type': 'text/html' },
    body: `<article>${'<p>Nobody outside of this machine may read this.</p>'.repeat(20)}</article>`,
  });
  const id = await desk.add('/feed', { readPages: true });
  await desk.db.updateTable('news.source').set({ given_url: given }).where('id', '=', id).execute();
  expect(await desk.poll(id)).toEqual({
    kind: 'failed',
    reason: expect.stringMatching(/127\.0\.0\.1 is not public; .*NEWS_PRIVATE_HOSTS/),
  });
  expect(desk.host.requests).toEqual([]);
  // Its feed is public, but links to this machine.
  const { fetch } = desk.parts;
  const publicly = desk.with({ fetch: (url, headers, signal) => fetch(url, headers, signal, url) });
  await publicly.poll(id);
  expect(await desk.items()).toMatchObject([{ original_url: desk.host.at('/page'), summary: null }]);
  expect(desk.host.requests.map(({ path }) => path)).toEqual(['/feed']);
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
  const { politeness } = new WebPageReader(fetch, reader, async () => undefined);
  desk.host.set('/robots.txt', { body: 'User-agent: *\nDisallow: /town' });
  expect(await desk.with({ politeness }).poll(id)).toMatchObject({
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

test('a rule that takes too long is switched off with its reason, and the others go on', async () => {
  const words = 'ab ba a b '.repeat(25);
  const body = rss([
    { guid: 'a', title: `Sponsored ${words}` },
    { guid: 'b', title: `News ${words}` },
  ]);
  desk.host.set('/feed', { body });
  const sponsored = 'drop if title ~ /sponsored/i';
  // As one that was saved before patterns had a bound.
  const slow = 'score +10 if any ~ /(?:(?:a|b|ab| ){0,30}){0,30}[xy]\\d/';
  const id = await desk.add('/feed', { rules: [slow, sponsored] });
  await desk.poll(id);
  expect((await desk.items()).map(({ title }) => title)).toEqual([`News ${words}`.trim()]);
  expect(await desk.source(id)).toMatchObject({
    rules: [slow, sponsored],
    stopped_rules: [{ rule: slow, reason: expect.stringContaining('takes too long') }],
  });

  await editSource(desk.db, id, { rules: [sponsored] }, desk.now.value);
  expect(await desk.source(id)).toMatchObject({ stopped_rules: [] });
});

test('a rule that exceeds the computing time of its thread is switched off', async () => {
  const reader = new Reader({ cpuMs: 1 });
  onTestFinished(() => reader.close());
  const entries = Array.from({ length: 25 }, (_, index) => ({
    guid: `${index}`,
    description: `${index} ${'ab ba a b '.repeat(59)}`,
  }));
  desk.host.set('/feed', { body: rss(entries) });
  const slow = 'drop if any ~ /(?:(?:a|b|ab| ){0,11}){0,11}[xy]\\d/';
  const id = await desk.add('/feed', { rules: [slow] });
  await pollSource(desk.parts, id, new AbortController().signal);
  await editEntries({ ...desk.parts, reader }, id, new AbortController().signal);
  expect(await desk.items()).toHaveLength(25);
  expect(await desk.source(id)).toMatchObject({
    stopped_rules: [{ rule: slow, reason: expect.stringContaining('of computing') }],
  });
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

test('entries of one page, by anchors or not, are items of their own, whatever comes later', async () => {
  const notes = ['c', 'b', 'a'].map((version) => ({
    guid: version,
    title: `Version ${version}`,
    link: `https://docs.example/notes#${version}`,
  }));
  const messages = ['Investigating', 'Investigating', 'Solved'].map((title, index) => ({
    guid: `status-${index}`,
    title,
    link: 'https://status.example/',
    description: `Message ${index}.`,
  }));
  desk.host.set('/feed', { body: rss([...notes.slice(2), ...messages]) });
  const id = await desk.add('/feed');
  await desk.poll(id);
  desk.host.set('/feed', { body: rss([...notes, ...messages]) });
  await desk.poll(id);
  const shown = async () =>
    (await desk.items()).map(({ title, summary, original_url }) => [title, summary, original_url]);
  expect(await shown()).toEqual([
    ['Investigating', 'Message 0.', 'https://status.example/'],
    ['Investigating', 'Message 1.', 'https://status.example/'],
    ['Solved', 'Message 2.', 'https://status.example/'],
    ['Version a', null, 'https://docs.example/notes#a'],
    ['Version b', null, 'https://docs.example/notes#b'],
    ['Version c', null, 'https://docs.example/notes#c'],
  ]);

  // They follow their source, and a person's edit leaves them where they are.
  const solved = (await desk.items()).find(({ title }) => title === 'Solved');
  await desk.db.transaction().execute((tx) => editItem(tx, solved?.id ?? '', { category: 'product' }));
  const corrected = messages.map((message) => ({ ...message, description: `${message.description} All.` }));
  desk.host.set('/feed', { body: rss([...notes, ...corrected]) });
  await desk.poll(id);
  expect((await shown()).slice(0, 3)).toEqual([
    ['Investigating', 'Message 0. All.', 'https://status.example/'],
    ['Investigating', 'Message 1. All.', 'https://status.example/'],
    ['Solved', 'Message 2. All.', 'https://status.example/'],
  ]);
});

test('one id for many entries loses none, and what says the same once more is counted and named', async () => {
  const entries = Array.from({ length: 5 }, (_, index) => ({
    guid: 'https://source.example/?p=1',
    title: `Post ${index}`,
    link: `https://source.example/p/${index}`,
  }));
  desk.host.set('/feed', { body: rss([...entries, ...entries.slice(0, 2)]) });
  const id = await desk.add('/feed');
  await desk.poll(id);
  expect((await desk.items()).map(({ title }) => title)).toEqual(entries.map(({ title }) => title));
  const repeated = { reason: 'it repeats another entry' };
  expect(await desk.source(id)).toMatchObject({
    repeated_entries: 2,
    left_out: [
      { title: 'Post 0', ...repeated },
      { title: 'Post 1', ...repeated },
    ],
  });
  // A new one comes, and one is corrected.
  const [first, ...others] = entries;
  const corrected = [{ ...first, title: 'Post 0, corrected' } as RssEntry, ...others];
  const added = { ...(first as RssEntry), title: 'Post 5', link: 'https://source.example/p/5' };
  desk.host.set('/feed', { body: rss([added, ...corrected]) });
  await desk.poll(id);
  expect((await desk.items()).map(({ title }) => title)).toEqual([
    'Post 0, corrected',
    ...['Post 1', 'Post 2', 'Post 3', 'Post 4', 'Post 5'],
  ]);
});

test('of a feed that begins with its oldest entries, the newest are read', async () => {
  const entries = Array.from({ length: 1003 }, (_, index) => ({
    guid: `${index}`,
    pubDate: new Date(Date.UTC(2020, 0, 1 + index)).toUTCString(),
  }));
  desk.host.set('/feed', { body: rss(entries) });
  const id = await desk.add('/feed');
  await desk.poll(id);
  const guids = (await desk.items()).map(({ title }) => Number(title.replace('Title of ', '')));
  expect([guids.length, Math.min(...guids), Math.max(...guids)]).toEqual([1000, 3, 1002]);
  const { left_out } = await desk.source(id);
  expect(left_out.map(({ title }) => title)).toEqual(['Title of 0', 'Title of 1', 'Title of 2']);
});

test('headers of many kilobytes are no obstacle', async () => {
  const headers = { 'content-security-policy': 'x'.repeat(40_000) };
  desk.host.set('/feed', { headers, body: rss([{ guid: 'a' }]) });
  expect(await desk.poll(await desk.add('/feed'))).toEqual({ kind: 'read', pending: 1 });
});

test('a source that says to whoever asks that nothing has changed has failed, and is asked afresh every day', async () => {
  desk.host.set('/never', { status: 304 });
  expect(await desk.poll(await desk.add('/never'))).toMatchObject({
    kind: 'failed',
    reason: expect.stringContaining('304'),
  });
  let feed = rss([{ guid: 'a' }]);
  desk.host.set('/stuck', (request, response) => {
    if ('if-none-match' in request.headers) return void response.writeHead(304).end();
    response.writeHead(200, { etag: '"stuck"' }).end(feed);
  });
  const id = await desk.add('/stuck');
  await desk.poll(id);
  feed = rss([{ guid: 'a' }, { guid: 'b' }]);
  const began = desk.now.value.getTime();
  while (desk.now.value.getTime() - began < 2 * 24 * HOUR_MS) await desk.poll(id);
  expect((await desk.items()).map(({ title }) => title)).toEqual(['Title of a', 'Title of b']);
});
