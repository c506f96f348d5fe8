import { editItem } from '@pressroom/news-feed/editing/items';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RssEntry, rss } from '../../support/feed-host.ts';
import { type Desk, openDesk } from '../../support/polling.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterEach(() => desk.clear());
afterAll(() => desk.close());

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

test('entries of one page are items of their own when one replaces the other, too', async () => {
  const id = await desk.add('/feed');
  for (const version of ['a', 'b', 'c']) {
    // The feed's own page, and one with anchors.
    const message = { guid: `m-${version}`, title: `Message ${version}`, link: 'https://source.example/' };
    const note = {
      guid: `n-${version}`,
      title: `Note ${version}`,
      link: `https://docs.example/notes#${version}`,
    };
    desk.host.set('/feed', { body: rss([message, note]) });
    await desk.poll(id);
  }
  const titles = (await desk.items()).map(({ title }) => title);
  expect(titles).toEqual(['Message a', 'Message b', 'Message c', 'Note a', 'Note b', 'Note c']);
});

test.each([
  ['the same page', '/today', '/today'],
  ['another spelling of it', '/today', '/today/?utm_source=feed'],
])(
  'an entry with an id and a title of its own on %s is an item, though the other is gone',
  async (_, ...at) => {
    const id = await desk.add('/feed');
    const entry = (name: string, path = '') => ({
      guid: name,
      title: `News of ${name}`,
      link: `https://source.example${path}`,
    });
    const moved = { ...entry('Tuesday', at[1]), guid: 'moved' };
    const polls = [[entry('Monday', at[0])], [entry('Tuesday', at[1])], [entry('Wednesday', at[0])], [moved]];
    for (const entries of polls) {
      desk.host.set('/feed', { body: rss(entries) });
      await desk.poll(id);
    }
    const titles = (await desk.items()).map(({ title }) => title);
    expect(titles).toEqual(['News of Monday', 'News of Tuesday', 'News of Wednesday']);
  },
);

test('one id for whatever a feed has at the time loses nothing, and a correction is none of it', async () => {
  const id = await desk.add('/feed');
  const entry = (day: number) => ({
    guid: 'news',
    title: `News of day ${day}`,
    link: `https://source.example/${day}`,
    pubDate: new Date(Date.UTC(2026, 10, day)).toUTCString(),
  });
  const corrected = { ...entry(3), title: 'News of day three' };
  for (const [index, one] of [entry(1), entry(2), entry(3), corrected, entry(2)].entries()) {
    desk.host.set('/feed', { body: rss([one], { title: `Read ${index}` }) });
    await desk.poll(id);
  }
  expect((await desk.items()).map(({ title }) => title)).toEqual([
    'News of day 1',
    'News of day 2',
    'News of day three',
  ]);
});

test('pages that name one address are those of one article only if their titles say so', async () => {
  const page = (canonical: string) => ({
    headers: { 'content-type': 'text/html' },
    body: `<!doctype html><html><head><link rel="canonical" href="${canonical}"></head><body><p>Text.</p></body></html>`,
  });
  const entry = (name: string, title = `Story of ${name}`) => ({
    guid: name,
    title,
    link: desk.host.at(`/${name}`),
  });
  for (const name of ['a', 'b', 'c']) desk.host.set(`/${name}`, page('/section'));
  for (const name of ['d', 'd-again']) desk.host.set(`/${name}`, page('/story-d'));
  const id = await desk.add('/feed', { readPages: true });
  for (const entries of [
    [entry('a'), entry('b'), entry('d', 'Story of d'), entry('d-again', 'Story of d')],
    [entry('c')],
  ]) {
    desk.host.set('/feed', { body: rss(entries) });
    await desk.poll(id);
  }
  expect((await desk.items()).map(({ title }) => title)).toEqual([
    'Story of a',
    'Story of b',
    'Story of c',
    'Story of d',
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
  const repeated = { reason: 'it repeats another entry', code: 'repeated' };
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

test('what cannot be an item is named, each with its reason', async () => {
  const link = '<link>https://source.example/p/1</link>';
  const items = [
    '<item><title>Nowhere</title></item>',
    `<item>${link}</item>`,
    `<item><title>Long</title><guid>${'x'.repeat(3000)}</guid>${link}</item>`,
  ];
  desk.host.set('/feed', { body: `<rss><channel><title>Odd</title>${items.join('')}</channel></rss>` });
  const id = await desk.add('/feed');
  await desk.poll(id);
  expect((await desk.source(id)).left_out.map(({ title, code }) => [title, code])).toEqual([
    ['Nowhere', 'no_address'],
    ['https://source.example/p/1', 'no_words'],
    ['Long', 'address_too_long'],
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
  expect(new Set(left_out.map(({ code }) => code))).toEqual(new Set(['too_many']));
});
