import { readVocabulary } from '@pressroom/news-feed/config';
import { publishReport } from '@pressroom/news-feed/work/report';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../../support/news-feed.ts';
import { importLines, itemLine } from '../../support/newsroom.ts';

const NOW = new Date('2026-12-02T02:00:00.000Z');
const TIME = '2026-11-19T12:00:00.000Z';

let feed: NewsFeedFixture;

function item(id: string, members: object = {}) {
  return itemLine(id, { publishedAt: TIME, discoveredAt: TIME, selected: true, summary: 'S.', ...members });
}

function get(id: string, headers: Record<string, string> = {}) {
  return send(`${feed.url}/api/v1/items/${id}`, { headers });
}

const KNOWN = {
  image: { url: 'https://img.source.example/a.jpg', width: 640, height: 480, alt: 'A shore' },
  language: 'pt-BR',
  authors: ['Ada Lovelace', '林徽因'],
  tags: ['Space', 'R&D'],
  enclosures: [{ url: 'https://pod.example/1.mp3?a=1', type: 'audio/mpeg', length: 1234, duration: 62 }],
};

beforeAll(async () => {
  feed = await newsFeedFixture({}, () => NOW);
  await importLines(feed.db, [
    { type: 'story', publicId: 'before', title: 'Before' },
    { type: 'story', publicId: 'after', title: 'After' },
    item('told', {
      ...KNOWN,
      story: 'before',
      category: 'research',
      score: 60,
      directions: ['domestic'],
      reason: 'R',
    }),
    item('alone', { summary: null, selected: false }),
    item('odd%3F', { selected: false }),
    item('gone'),
    { type: 'merge', from: 'before', into: 'after' },
  ]);
  const vocabulary = readVocabulary({});
  for (const [period, date] of [
    ['daily', '2026-11-20'],
    ['weekly', '2026-11-23'],
    ['monthly', '2026-12-01'],
  ] as const) {
    await feed.db.transaction().execute((tx) => publishReport(tx, { period, date, vocabulary, now: NOW }));
  }
});

afterAll(() => feed.close());

test('an item is read by its id, however old, with its story and the reports that quote it', async () => {
  const { status, body, headers } = await get('told');
  expect(status).toBe(200);
  expect(body).toEqual({
    schemaVersion: 1,
    item: {
      id: 'told',
      title: 'Title of told',
      originalTitle: null,
      summary: 'S.',
      source: { name: 'Source' },
      links: { site: 'https://news.example/items/told', original: 'https://source.example/told' },
      publishedAt: TIME,
      discoveredAt: TIME,
      category: 'research',
      score: 60,
      selected: true,
      directions: ['domestic'],
      attribution: { name: 'Pressroom', url: 'https://news.example' },
      ...KNOWN,
      reason: 'R',
      story: { publicId: 'after', title: 'After', links: { site: 'https://news.example/stories/after' } },
      reports: [
        { period: 'daily', date: '2026-11-20', links: { site: 'https://news.example/dailies/2026-11-20' } },
        { period: 'weekly', date: '2026-11-23', links: { site: 'https://news.example/weeklies/2026-11-23' } },
        {
          period: 'monthly',
          date: '2026-12-01',
          links: { site: 'https://news.example/monthlies/2026-12-01' },
        },
      ],
    },
  });
  expect(headers.get('cache-control')).toBe('public, max-age=60, s-maxage=60, stale-while-revalidate=60');
  const again = await get('told', { 'if-none-match': headers.get('etag') ?? '' });
  expect([again.status, again.text]).toEqual([304, '']);
});

test('what has no story and is in no report says so', async () => {
  const { body } = await get('alone');
  expect(body.item).toMatchObject({ id: 'alone', story: null, reports: [] });
  for (const name of Object.keys(KNOWN)) expect(body.item, name).not.toHaveProperty(name);
  expect((await get('odd%253F')).body.item.id).toBe('odd%3F');
});

test('a withdrawn item is 410 from then on', async () => {
  expect((await get('gone')).status).toBe(200);
  await importLines(feed.db, [{ type: 'withdraw', id: 'gone' }]);
  await expect.poll(async () => (await get('gone')).status).toBe(410);
  const { body, headers } = await get('gone');
  expect(body).toMatchObject({ status: 410, code: 'gone' });
  expect(headers.get('cache-control')).toContain('no-store');
});

test.each(['nothing', 'a%00b', '%20', 'caf%C3%A9', '%2e%2e%2f'])('%s is 404', async (id) => {
  const { status, body } = await get(id);
  expect([status, body.code]).toEqual([404, 'not_found']);
});

test('an id that is too long is 400', async () => {
  expect((await get('x'.repeat(128))).status).toBe(404);
  expect((await get('x'.repeat(129))).status).toBe(400);
});

test('without public stories, an item has none', async () => {
  const silent = await startNewsFeed(feed.database.url, { NEWS_STORIES: 'off' });
  const { body } = await send(`${silent.url}/api/v1/items/told`).finally(silent.close);
  expect(body.item.story).toBeNull();
});
