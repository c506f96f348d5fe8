import type { Period } from '@pressroom/news-feed/calendar';
import { readVocabulary } from '@pressroom/news-feed/config';
import { publishReport } from '@pressroom/news-feed/work/report';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { importLines, itemLine, newsroom } from '../../support/newsroom.ts';

/** Noon of Wednesday, 1 March 2028, in Shanghai; February had 29 days. */
const NOW = new Date('2028-03-01T04:00:00.000Z');

let feed: NewsFeedFixture;

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

function publish(period: Period, date: string, now = NOW) {
  return feed.db
    .transaction()
    .execute((tx) => publishReport(tx, { period, date, vocabulary: readVocabulary({}), now }));
}

function get(path: string) {
  return send(`${feed.url}/api/v1/${path}`);
}

beforeAll(async () => {
  feed = await newsFeedFixture({}, () => NOW);
  const many = Array.from({ length: 90 }, (_, index) =>
    item(`many-${index}`, '2028-02-15T00:00:00.000Z', { score: 10 }),
  );
  await importLines(
    feed.db,
    [
      item('first-of-month', '2028-02-01T00:00:00.000Z', { score: 80 }),
      item('before-month', '2028-01-31T23:59:59.999Z', { score: 99 }),
      item('first-of-week', '2028-02-21T00:00:00.000Z'),
      item('last-of-week', '2028-02-27T23:59:59.999Z', { score: 60 }),
      item('leap-day', '2028-02-29T23:59:59.999Z', { score: 90 }),
      ...many,
    ],
    NOW,
  );
});

afterAll(() => feed?.close());

test('a weekly report has the selected items of the seven days to Monday, in the form of the daily', async () => {
  expect((await get('weeklies/latest')).status).toBe(404);
  expect(await publish('weekly', '2028-02-28')).toBe('published');
  expect(await publish('weekly', '2028-02-28')).toBe('unchanged');
  const { body } = await get('weeklies/2028-02-28');
  expect(body.report).toMatchObject({
    date: '2028-02-28',
    periodStart: '2028-02-21',
    periodEnd: '2028-02-27',
    windowStart: '2028-02-21T00:00:00.000Z',
    windowEnd: '2028-02-28T00:00:00.000Z',
    links: { site: 'https://news.example/weeklies/2028-02-28' },
    lead: { title: 'Title of last-of-week', leadParagraph: 'About last-of-week.' },
    flashes: [],
  });
  expect(body.report.sections).toHaveLength(1);
  expect(body.report.sections[0].items.map(({ title }: { title: string }) => title)).toEqual([
    'Title of last-of-week',
    'Title of first-of-week',
  ]);
  expect((await get('weeklies/latest')).body).toEqual(body);
  expect((await get('weeklies/2028-W08')).body).toEqual(body);
  expect((await get('weeklies')).body.items).toMatchObject([
    { date: '2028-02-28', periodEnd: '2028-02-27', leadTitle: 'Title of last-of-week' },
  ]);
});

test('a monthly report has a choice of the best of its month, the leap day included', async () => {
  expect(await publish('monthly', '2028-03-01')).toBe('published');
  const { body } = await get('monthlies/latest');
  expect(body.report).toMatchObject({
    date: '2028-03-01',
    windowStart: '2028-02-01T00:00:00.000Z',
    windowEnd: '2028-03-01T00:00:00.000Z',
    lead: { title: 'Title of leap-day' },
  });
  expect(body.report.sections[0].items).toHaveLength(20);
  expect(body.report.flashes).toHaveLength(60);
  expect(JSON.stringify(body)).not.toContain('before-month');
  expect(JSON.stringify(body)).toContain('first-of-month');
});

test('a date on which a period has no report is refused, as is one whose time is not over', async () => {
  await expect(publish('weekly', '2028-02-29')).rejects.toThrow('the Monday on which its week ends');
  await expect(publish('monthly', '2028-02-28')).rejects.toThrow('the first day after its month');
  await expect(publish('weekly', '2028-03-06')).rejects.toThrow('can be published from 2028-03-06T00:00:00');
  expect((await get('weeklies/2028-02-29')).status).toBe(404);
  expect((await get('monthlies/2028-02-30')).status).toBe(400);
});

test('a report of a past day cannot be changed, in any of the tables', async () => {
  const { pool } = feed.database;
  await pool.query(
    `insert into news.weekly select date '2024-01-01', generated_at, window_start, window_end, report, item_ids from news.weekly limit 1`,
  );
  for (const statement of ['delete from news.weekly', 'truncate news.weekly']) {
    await expect(pool.query(statement)).rejects.toMatchObject({ constraint: 'weekly_past_is_fixed' });
  }
});

test('the command publishes the latest report that is over', async () => {
  const { url } = feed.database;
  const weekly = await newsroom(url, ['weekly', '--date', '2020-01-07']);
  expect(weekly).toMatchObject({ code: 1 });
  expect(weekly.stderr).toContain('a weekly report has the date of the Monday');
  const monthly = await newsroom(url, ['monthly', '--date', '2020-01-01']);
  expect(monthly).toMatchObject({
    code: 0,
    stdout: '2020-01-01: no selected item in its time; nothing was published\n',
  });
});

test('a site elsewhere has its own days, hour and dates', async () => {
  const settings = { NEWS_REPORT_TIMEZONE: 'Europe/Lisbon', NEWS_REPORT_HOUR: '7' };
  const vocabulary = readVocabulary(settings);
  // Half past seven in Lisbon, on the Monday after the clocks have gone on.
  const now = new Date('2028-03-27T06:30:00.000Z');
  const lisbon = await newsFeedFixture(settings, () => now);
  try {
    const lines = [
      item('sunday-night', '2028-03-27T05:59:59.999Z'),
      item('monday', '2028-03-27T06:00:00.000Z'),
      item('saturday', '2028-03-26T06:00:00.000Z'),
      item('before', '2028-03-26T05:59:59.999Z'),
    ];
    await importLines(lisbon.db, lines, now);
    const date = vocabulary.calendar.latestReportDate('daily', now);
    await lisbon.db
      .transaction()
      .execute((tx) => publishReport(tx, { period: 'daily', date, vocabulary, now }));
    const { body } = await send(`${lisbon.url}/api/v1/dailies/2028-03-27`);
    expect(body.report).toMatchObject({
      windowStart: '2028-03-26T06:00:00.000Z',
      windowEnd: '2028-03-27T06:00:00.000Z',
    });
    const text = JSON.stringify(body);
    const quoted = ['sunday-night', 'monday', 'saturday', 'before'].filter((id) =>
      text.includes(`Title of ${id}"`),
    );
    expect(quoted).toEqual(['sunday-night', 'saturday']);
    const day = await send(`${lisbon.url}/api/v1/archive?from=2028-03-26&to=2028-03-26`);
    expect(day.body.items.map(({ id }: { id: string }) => id)).toEqual(['saturday', 'before']);
  } finally {
    await lisbon.close();
  }
});
