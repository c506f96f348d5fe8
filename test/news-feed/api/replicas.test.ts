import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { send } from '../../support/http.ts';
import {
  itemRow,
  type NewsFeedFixture,
  newsFeedFixture,
  type RunningNewsFeed,
  startNewsFeed,
} from '../../support/news-feed.ts';
import { startRedis } from '../../support/redis/redis-server.ts';
import { until } from '../../support/until.ts';

/** A replica may answer from before a change for this long, in ms (`docs/operations.md`, "Scale"). */
const STALE_MS = 1000;

let feed: NewsFeedFixture;
let replica: RunningNewsFeed;
beforeAll(async () => {
  feed = await newsFeedFixture();
  replica = await startNewsFeed(feed.database.url);
});
afterAll(async () => {
  await replica.close();
  await feed.close();
});

/** Waits until a second has passed since `since`: from then on no replica may answer from before it. */
function secondAfter(since: number): Promise<boolean> {
  return until('a second has passed', () => performance.now() >= since + STALE_MS);
}

test.each([
  ['/api/v1/items?mode=all', ({ items }: { items: { id: string }[] }) => items],
  ['/api/v1/selected/snapshot', ({ items }: { items: { id: string }[] }) => items],
])('a second after a change no replica answers %s from before it', async (path, itemsOf) => {
  const idsAt = async (url: string) =>
    itemsOf((await send(url + path)).body as never).map(({ id }: { id: string }) => id);
  for (const [round, url] of [feed.url, replica.url, feed.url, replica.url].entries()) {
    const id = `round-${round}-${path.length}`;
    await Promise.all([idsAt(feed.url), idsAt(replica.url)]);
    await feed.db
      .insertInto('news.item')
      .values({ id, ...itemRow(id, { selected: true }) })
      .execute();
    const committed = performance.now();
    await secondAfter(committed);
    expect(await idsAt(url)).toContain(id);
  }
});

test('replicas share the count of a client through Redis', async () => {
  const redis = await startRedis();
  onTestFinished(redis.stop);
  const settings = { NEWS_RATE_LIMIT: '4', REDIS_URL: redis.url };
  const both = [
    await startNewsFeed(feed.database.url, settings),
    await startNewsFeed(feed.database.url, settings),
  ] as const;
  onTestFinished(async () => {
    for (const one of both) await one.close();
  });
  const statuses = [];
  for (const { url } of [...both, ...both, ...both])
    statuses.push((await send(`${url}/api/v1/dailies`)).status);
  expect(statuses).toEqual([200, 200, 200, 200, 429, 429]);
});

test('without a site, a mirror goes on at a replica on another port', async () => {
  const both: RunningNewsFeed[] = [];
  for (const port of ['5001', '5002']) {
    // The default of SITE_URL.
    const settings = { NEWS_FEED_PORT: port, SITE_URL: `http://localhost:${port}` };
    both.push(await startNewsFeed(feed.database.url, settings));
  }
  onTestFinished(async () => {
    for (const one of both) await one.close();
  });
  const [first = '', second = ''] = both.map(({ url }) => `${url}/api/v1/selected`);
  const { cursor } = (await send(`${first}/snapshot`)).body;
  expect(await send(`${second}/changes?cursor=${cursor}`)).toMatchObject({ status: 200 });
});
