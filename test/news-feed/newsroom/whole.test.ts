import { addSource } from '@pressroom/news-feed/reading/sources';
import { parseRssFeed } from 'feedsmith';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FeedHost, rss } from '../../support/feed-host.ts';
import { send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { until } from '../../support/until.ts';
import { type RunningWorker, startWholeWorker } from '../../support/worker.ts';

/** Two minutes to 08:00 on Monday, 1 February 2027, in Shanghai, when every report and a ranking are due. */
const BEFORE = new Date('2027-01-31T23:58:00.000Z');
const AFTER = new Date('2027-02-01T00:01:00.000Z');
const PUBLISHED = 'Sun, 31 Jan 2027 12:00:00 GMT';

let now = BEFORE;
let host: FeedHost;
let feed: NewsFeedFixture;
let worker: RunningWorker | undefined;

beforeAll(async () => {
  host = await FeedHost.start();
  feed = await newsFeedFixture({}, () => now);
});
afterAll(async () => {
  await worker?.stop();
  await feed?.close();
  await host?.close();
});

const get = (path: string) => send(`${feed.url}${path}`);

test('a feed becomes items, a story, a hot topic, reports and feeds, without a hand', async () => {
  const title = 'Northwind releases the Halcyon 4 language model under an open licence';
  const description = 'The Halcyon 4 model by Northwind has 70 billion parameters and an open licence.';
  for (const name of ['one', 'two']) {
    const entry = {
      guid: name,
      title: name === 'one' ? title : `${title}, Northwind says`,
      link: `https://${name}.example/halcyon-4`,
      description,
      pubDate: PUBLISHED,
    };
    host.set(`/${name}`, { body: rss([entry], { title: name }) });
    await addSource(feed.db, host.at(`/${name}`), { select: 'all', name, category: 'technology' }, BEFORE);
  }
  worker = await startWholeWorker(feed.database.url, { clock: () => now });
  const items = await until('both entries are items', async () => {
    const { body } = await get('/api/v1/items?mode=all');
    return body.items.length === 2 ? body.items : undefined;
  });
  for (const item of items) {
    expect(item).toMatchObject({ category: 'technology', selected: true });
    expect(item.score).toBeGreaterThan(0);
  }
  now = AFTER;
  const [topic] = await until('the event is a hot topic', async () => {
    const { body } = await get('/api/v1/hot-topics');
    return body.items.length === 1 ? body.items : undefined;
  });
  const story = await get(`/api/v1/stories/${topic.links.story.split('/').at(-1)}`);
  expect(story.body.story.reports).toHaveLength(2);
  for (const collection of ['dailies', 'weeklies', 'monthlies']) {
    await until(`${collection} have a report`, async () => {
      const { status, body } = await get(`/api/v1/${collection}/latest`);
      return status === 200 && body.report.date === '2027-02-01';
    });
  }
  const { items: entries = [] } = parseRssFeed((await get('/feed.xml')).text);
  expect(entries.map(({ link }) => link).toSorted()).toEqual([
    'https://one.example/halcyon-4',
    'https://two.example/halcyon-4',
  ]);
});
