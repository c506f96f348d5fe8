import { publishRanking } from '@pressroom/news-feed/work/rank';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type JsonValue, send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../../support/news-feed.ts';
import { importLines, itemLine } from '../../support/newsroom.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const HOUR = 3_600_000;
const DIRECTIONS = ['domestic', 'overseas'];

let feed: NewsFeedFixture;

beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0' });
});

afterAll(() => feed.close());

beforeEach(async () => {
  await feed.db.deleteFrom('news.ranking').execute();
  await feed.db.deleteFrom('news.item').execute();
  await feed.db.deleteFrom('news.story').execute();
});

function get(query = '') {
  return send(`${feed.url}/api/v1/hot-topics${query}`);
}

async function topics(query?: string): Promise<string> {
  const { body } = await get(query);
  return body.items.map(({ rank, id }: JsonValue) => `${rank} ${id}`).join(', ');
}

/** A line of an item that is some hours old. */
function report(id: string, hoursAgo: number, members: object = {}) {
  const time = new Date(NOW.getTime() - hoursAgo * HOUR).toISOString();
  return itemLine(id, { publishedAt: time, discoveredAt: time, ...members });
}

function rank() {
  return feed.db.transaction().execute((tx) => publishRanking(tx, DIRECTIONS, NOW));
}

test('without a ranking the list is empty', async () => {
  const { status, body, headers } = await get();
  expect([status, body]).toEqual([200, { schemaVersion: 1, count: 0, items: [] }]);
  expect(headers.get('cache-control')).toBe('public, max-age=60, s-maxage=60, stale-while-revalidate=60');
});

describe('a ranking', () => {
  const storyLines = [
    { type: 'story', publicId: 'big', title: 'Big' },
    report('big-press', 2, { story: 'big', source: { name: 'Press' }, directions: ['overseas'] }),
    report('big-own', 3, {
      summary: 'It is big.',
      image: { url: 'https://img.source.example/big.jpg', width: 640, height: 480 },
      category: 'event',
      story: 'big',
      source: { name: 'Maker', firstParty: true },
      directions: ['domestic'],
    }),
    report('big-again', 1, { story: 'big', source: { name: 'Press' }, directions: ['overseas'] }),
  ];

  test('shows every member, and the story that the API knows', async () => {
    await importLines(feed.db, storyLines);
    await rank();
    expect((await get()).body.items).toEqual([
      {
        rank: 1,
        id: 'big-own',
        title: 'Title of big-own',
        summary: 'It is big.',
        image: { url: 'https://img.source.example/big.jpg', width: 640, height: 480 },
        source: { name: 'Maker' },
        links: {
          site: 'https://news.example/items/big-own',
          original: 'https://source.example/big-own',
          story: 'https://news.example/stories/big',
        },
        sourceCount: 2,
        signalCount: 3,
        sourceNames: ['Maker', 'Press'],
        latestAt: '2026-11-20T11:00:00.000Z',
        publicId: 'big',
      },
    ]);
    const { status } = await send(`${feed.url}/api/v1/stories/big`);
    expect(status).toBe(200);
  });

  test('links to no story where stories are off', async () => {
    await importLines(feed.db, storyLines);
    await rank();
    const other = await startNewsFeed(feed.database.url, { NEWS_STORIES: 'off' });
    const { body } = await send(`${other.url}/api/v1/hot-topics`);
    await other.close();
    expect(body.items[0].links).not.toHaveProperty('story');
    expect(body.items[0]).not.toHaveProperty('publicId');
  });

  test('puts more sources first, then the newer', async () => {
    await importLines(feed.db, [...storyLines, report('new', 1), report('old', 20), report('ancient', 73)]);
    expect(await rank()).toBe(3);
    expect(await topics()).toBe('1 big-own, 2 new, 3 old');
  });

  test('of a direction has the topics of that direction, ranked from 1', async () => {
    await importLines(feed.db, [
      ...storyLines,
      report('both', 2, { directions: DIRECTIONS }),
      report('domestic', 3, { directions: ['domestic'] }),
      report('none', 1),
    ]);
    await rank();
    expect(await topics('?direction=domestic')).toBe('1 big-own, 2 both, 3 domestic');
    expect(await topics('?direction=overseas')).toBe('1 big-press, 2 both');
    expect((await get('?direction=up')).status).toBe(400);
  });

  test('of a category has its topics, ranked from 1, and is as long as is asked for', async () => {
    await importLines(feed.db, [
      ...storyLines,
      ...Array.from({ length: 60 }, (_, index) =>
        report(`r${String(index).padStart(2, '0')}`, 1, { category: 'research', directions: ['domestic'] }),
      ),
      report('cold', 60, { category: 'event', directions: ['overseas'] }),
    ]);
    await rank();
    expect(await topics('?category=event')).toBe('1 big-own, 2 cold');
    expect(await topics('?category=event&direction=overseas')).toBe('1 cold');
    expect(await topics('?category=event&limit=1')).toBe('1 big-own');
    expect(await topics('?category=patent')).toBe('');
    for (const [query, count] of [
      ['?limit=3', 3],
      ['?limit=50', 50],
      ['?category=research', 10],
    ] as const) {
      expect((await get(query)).body.count, query).toBe(count);
    }
    await importLines(feed.db, [{ type: 'withdraw', id: 'big-own' }]);
    expect((await get('?limit=50')).body.items.map(({ id }: JsonValue) => id)).not.toContain('cold');
    for (const refused of ['?category=none', '?limit=0', '?limit=51', '?q=abc']) {
      expect((await get(refused)).status, refused).toBe(400);
    }
  });

  test('is a top ten, and the next move up when an item is withdrawn', async () => {
    await importLines(
      feed.db,
      Array.from({ length: 12 }, (_, index) => report(`i${String(index).padStart(2, '0')}`, index + 1)),
    );
    await rank();
    expect((await get()).body.count).toBe(10);
    await importLines(feed.db, [{ type: 'withdraw', id: 'i00' }]);
    await feed.db.deleteFrom('news.item').where('id', '=', 'i02').execute();
    expect(await topics()).toBe('1 i01, 2 i03, 3 i04, 4 i05, 5 i06, 6 i07, 7 i08, 8 i09, 9 i10, 10 i11');
  });

  test('that fails half-way is never seen, and the next one is seen whole', async () => {
    await importLines(feed.db, [report('first', 2)]);
    await rank();
    await importLines(feed.db, [report('second', 1)]);
    const failing = feed.db.transaction().execute(async (tx) => {
      await publishRanking(tx, DIRECTIONS, NOW);
      expect(await topics()).toBe('1 first');
      throw new Error('half-way');
    });
    await expect(failing).rejects.toThrow('half-way');
    expect(await topics()).toBe('1 first');
    await rank();
    expect(await topics()).toBe('1 second, 2 first');
  });

  test('counts nothing that is withdrawn, or dated into the future', async () => {
    await importLines(feed.db, [
      report('a', 1),
      report('b', 2),
      report('c', -1),
      { type: 'withdraw', id: 'a' },
    ]);
    await rank();
    expect(await topics()).toBe('1 b');
  });
});
