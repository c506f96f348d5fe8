import { editItem, upsertItems } from '@pressroom/news-feed/editing/items';
import { RulesAssigner } from '@pressroom/news-feed/grouping/story-assigner';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import type { Page } from '@pressroom/news-feed/reading/page';
import { editSource } from '@pressroom/news-feed/reading/sources';
import { readLexicon } from '@pressroom/stories';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { rss } from '../../support/feed-host.ts';
import { type Desk, openDesk } from '../../support/polling.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterEach(() => desk.clear());
afterAll(() => desk.close());

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

test('an item with the canonical address of an earlier version stays the one of its article', async () => {
  const link = 'https://www.nytimes.com/a?smid=x';
  const feed = (title: string, url = link) => rss([{ guid: url, title, link: url }], { title: 'First' });
  desk.host.set('/feed', { body: feed('Old') });
  const id = await desk.add('/feed');
  await desk.poll(id);
  await sql`update news.item set canonical_url = 'www.nytimes.com/a?smid=x'`.execute(desk.db);
  const [item] = await desk.items();
  desk.host.set('/feed', { body: feed('New') });
  await desk.poll(id);
  desk.host.set('/other', { body: feed('Other', link.replace('www', 'm')) });
  await desk.poll(await desk.add('/other'));
  expect(await desk.items()).toEqual([{ ...item, title: 'New' }]);
  const input = {
    links: { original: link },
    title: 'By hand',
    source: { name: 'Hand' },
    publishedAt: new Date(0),
  };
  const outcomes = await desk.db.transaction().execute((tx) => upsertItems(tx, [input], new Date()));
  expect(outcomes).toEqual(['changed']);
  expect(await desk.items()).toMatchObject([{ id: item?.id, title: 'By hand' }]);
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
  // A parameter that only tells where a reader came from makes no other article.
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
  desk.host.set('/two', { body: feed('b', 7).replace('22:00', '23:00') });
  const [one, two] = [await desk.add('/one', { name: 'One' }), await desk.add('/two', { name: 'Two' })];
  for (const id of [one, two]) await telling.poll(id);
  // Each was written once, with its story.
  const { rows } = await sql<{ ctid: string }>`select ctid from news.item order by ctid`.execute(desk.db);
  expect(rows.map(({ ctid }) => ctid)).toEqual(['(0,1)', '(0,2)']);
  const story = () => desk.db.selectFrom('news.story').select(['title', 'digest']).executeTakeFirstOrThrow();
  expect((await story()).digest).toContain('Two has “7 dead”, One had “11 dead”');
  desk.host.set('/one', { body: feed('a', 7) });
  await telling.poll(one);
  expect(await story()).toEqual({
    title: 'Floods near Valencia leave 7 dead',
    digest: 'Floods near Valencia in Spain left 7 dead.',
  });
  // Changes that the reports do not show leave the digest as it is.
  const updated = () => desk.db.selectFrom('news.story').select('digest_updated_at').execute();
  const before = await updated();
  desk.host.set('/one', { body: feed('a', 7).replace('leave 7 dead', 'leave 7 dead.') });
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

test('an item keeps its author, tags and recording as its source changes them, and a signature is no change', async () => {
  const feed = (
    author: string,
    signature: string,
  ) => `<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <channel><title>Kyst</title><link>https://source.example/</link>
    <item><guid>a</guid><title>A</title><link>https://source.example/a</link><dc:creator>${author}</dc:creator>
      <category>Space</category><enclosure url="https://pod.example/1.mp3?s=${signature}" type="audio/mpeg" length="9"/>
    </item></channel></rss>`;
  const file = (signature: string) => [
    { url: `https://pod.example/1.mp3?s=${signature}`, type: 'audio/mpeg', length: 9 },
  ];
  desk.host.set('/feed', { body: feed('Ada', '1') });
  const id = await desk.add('/feed');
  await desk.poll(id);
  expect(await desk.items()).toMatchObject([{ authors: ['Ada'], tags: ['Space'], enclosures: file('1') }]);
  desk.host.set('/feed', { body: feed('Ada', '2') });
  await desk.poll(id);
  expect(await desk.items()).toMatchObject([{ authors: ['Ada'], enclosures: file('1') }]);
  await desk.db
    .updateTable('news.item')
    .set({ tags: ['Chosen'] })
    .execute();
  desk.host.set('/feed', { body: feed('Ada Lovelace', '3') });
  await desk.poll(id);
  const followed = { authors: ['Ada Lovelace'], tags: ['Chosen'], enclosures: file('3') };
  expect(await desk.items()).toMatchObject([followed]);
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
