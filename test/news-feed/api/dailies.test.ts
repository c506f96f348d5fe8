import { readVocabulary } from '@pressroom/news-feed/config';
import { publishReport } from '@pressroom/news-feed/work/report';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JsonValue, send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../../support/news-feed.ts';
import { importLines, itemLine } from '../../support/newsroom.ts';

/** 10:00 of 20 November in Shanghai. */
const NOW = new Date('2026-11-20T02:00:00.000Z');
const VOCABULARY = readVocabulary({ NEWS_CATEGORIES: 'technology=科技,research,policy-standard' });

let now = NOW;
let feed: NewsFeedFixture;

/** A selected item that was published and received at `time`. */
function item(id: string, time: string, members: object = {}) {
  return itemLine(id, {
    publishedAt: time,
    discoveredAt: time,
    selected: true,
    summary: `About ${id}.`,
    category: 'technology',
    score: 50,
    ...members,
  });
}

function publish(date: string) {
  return feed.db
    .transaction()
    .execute((tx) => publishReport(tx, { period: 'daily', date, vocabulary: VOCABULARY, now: NOW }));
}

function get(path: string) {
  return send(`${feed.url}/api/v1/dailies${path}`);
}

beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0' }, () => now);
  expect((await get('')).body).toEqual({ schemaVersion: 1, count: 0, items: [] });
  expect((await get('/latest')).status).toBe(404);
  await importLines(feed.db, [
    item('lead', '2026-11-19T12:00:00Z', { score: 90, category: 'policy-standard' }),
    item('first-moment', '2026-11-19T00:00:00.000Z'),
    item('last-moment', '2026-11-19T23:59:59.999Z', { summary: null }),
    item('next-day', '2026-11-20T00:00:00.000Z'),
    item('not-selected', '2026-11-19T12:00:00Z', { selected: false }),
    item('day-before', '2026-11-18T23:59:59.999Z', { score: 70 }),
  ]);
  expect(await publish('2026-11-20')).toBe('published');
  expect(await publish('2026-11-19')).toBe('published');
});

afterAll(() => feed.close());

test('a report covers the selected items of the 24 hours to 08:00 in Shanghai', async () => {
  const quote = (id: string, publishedAt: string) => ({
    title: `Title of ${id}`,
    source: { name: 'Source' },
    links: { site: `https://news.example/items/${id}`, original: `https://source.example/${id}` },
    publishedAt,
    attribution: { name: 'Pressroom', url: 'https://news.example' },
  });
  const { body } = await get('/2026-11-20');
  expect(body).toEqual({
    schemaVersion: 1,
    report: {
      date: '2026-11-20',
      generatedAt: NOW.toISOString(),
      windowStart: '2026-11-19T00:00:00.000Z',
      windowEnd: '2026-11-20T00:00:00.000Z',
      links: { site: 'https://news.example/dailies/2026-11-20' },
      attribution: { name: 'Pressroom', url: 'https://news.example' },
      lead: { title: 'Title of lead', leadParagraph: 'About lead.' },
      sections: [
        {
          label: '科技',
          items: [{ ...quote('first-moment', '2026-11-19T00:00:00.000Z'), summary: 'About first-moment.' }],
        },
        {
          label: 'Policy standard',
          items: [{ ...quote('lead', '2026-11-19T12:00:00.000Z'), summary: 'About lead.' }],
        },
      ],
      flashes: [quote('last-moment', '2026-11-19T23:59:59.999Z')],
    },
  });
});

test('the index has the newest first, and latest is its first', async () => {
  const { body } = await get('');
  expect(body.count).toBe(2);
  expect(body.items[0]).toEqual({
    date: '2026-11-20',
    generatedAt: NOW.toISOString(),
    leadTitle: 'Title of lead',
    leadParagraph: 'About lead.',
    links: { site: 'https://news.example/dailies/2026-11-20' },
    attribution: { name: 'Pressroom', url: 'https://news.example' },
  });
  expect(body.items[1].date).toBe('2026-11-19');
  expect((await get('?limit=1')).body.items.map(({ date }: JsonValue) => date)).toEqual(['2026-11-20']);
  expect((await get('/latest')).body).toEqual((await get('/2026-11-20')).body);
});

test('a report of a past day may be cached for long, that of the current day in Shanghai may not', async () => {
  const past = 'public, max-age=31536000, s-maxage=31536000, immutable';
  const current = 'public, max-age=300, s-maxage=300, stale-while-revalidate=3600';
  const index = 'public, max-age=60, s-maxage=60, stale-while-revalidate=300';
  const cached = await startNewsFeed(feed.database.url, {}, () => now);
  const cacheControl = async (path: string) => {
    const answers = [await get(path), await send(`${cached.url}/api/v1/dailies${path}`)];
    const [control, other] = answers.map(({ headers }) => headers.get('cache-control'));
    expect(other).toBe(control);
    return control;
  };
  expect(await cacheControl('')).toBe(index);
  expect(await cacheControl('/latest')).toBe(index);
  expect(await cacheControl('/2026-11-19')).toBe(past);
  expect(await cacheControl('/2026-11-20')).toBe(current);
  now = new Date('2026-11-20T15:59:59.999Z');
  expect(await cacheControl('/2026-11-20')).toBe(current);
  now = new Date('2026-11-20T16:00:00.000Z');
  expect(await cacheControl('/2026-11-20')).toBe(past);
  await cached.close();
  now = NOW;
});

test('publishing again changes nothing, even if items have changed', async () => {
  const { text } = await get('/2026-11-20');
  await importLines(feed.db, [
    item('lead', '2026-11-19T12:00:00Z', { title: 'Edited since' }),
    item('late', '2026-11-19T13:00:00Z', { score: 100 }),
  ]);
  expect(await publish('2026-11-20')).toBe('unchanged');
  expect((await get('/2026-11-20')).text).toBe(text);
});

test('a withdrawn item is no longer quoted, even in a past report', async () => {
  await importLines(feed.db, [
    item('keep', '2026-11-16T12:00:00Z'),
    item('best', '2026-11-16T13:00:00Z', { score: 99, category: 'research' }),
    item('flash', '2026-11-16T14:00:00Z', { summary: null }),
  ]);
  await publish('2026-11-17');
  await importLines(feed.db, [
    { type: 'withdraw', id: 'best' },
    { type: 'withdraw', id: 'flash' },
  ]);
  const { report } = (await get('/2026-11-17')).body;
  expect(report.lead).toBeNull();
  expect(report.sections.map(({ label }: JsonValue) => label)).toEqual(['科技']);
  expect(report.flashes).toEqual([]);
  const entry = (await get('')).body.items.find(({ date }: JsonValue) => date === '2026-11-17');
  expect(entry).toMatchObject({ leadTitle: null, leadParagraph: null });
});

test('the database refuses to change a past report', async () => {
  const change = feed.db
    .updateTable('news.daily')
    .set({ generated_at: NOW })
    .where((where) => where.lit(true))
    .execute();
  await expect(change).rejects.toMatchObject({ constraint: 'daily_past_is_fixed' });
});

describe('dates', () => {
  test.each(['2026-02-29', '2026-1-1', '20261120', '2026-11-20T00:00:00Z', 'today', '%00', '0000-01-01'])(
    '%s is 400',
    async (date) => {
      const { status, body } = await get(`/${date}`);
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    },
  );

  test.each(['2026-11-18', '2026-11-21', '0001-01-01', '9999-12-31'])('%s has no report', async (date) => {
    const { status, headers } = await get(`/${date}`);
    expect([status, headers.get('cache-control')]).toEqual([404, 'public, max-age=60']);
  });

  test.each(['0', '181', 'x', '1.0'])('the index refuses limit=%s', async (limit) => {
    expect((await get(`?limit=${limit}`)).status).toBe(400);
  });

  test('the index takes limit=180', async () => {
    expect((await get('?limit=180')).status).toBe(200);
  });
});
