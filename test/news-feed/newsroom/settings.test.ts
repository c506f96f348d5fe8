import { readVocabulary } from '@pressroom/news-feed/config';
import { buildDesk } from '@pressroom/news-feed/desk-app';
import { openWorker } from '@pressroom/news-feed/work/open-worker';
import { newsroomSchedules, runSchedule } from '@pressroom/news-feed/work/schedules';
import { readWorkerConfig } from '@pressroom/news-feed/work/worker-config';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type JsonBody, send } from '../../support/http.ts';
import { memoryLog } from '../../support/log.ts';
import {
  type NewsFeedFixture,
  newsFeedFixture,
  type RunningNewsFeed,
  startNewsFeed,
} from '../../support/news-feed.ts';
import { importLines, itemLine } from '../../support/newsroom.ts';
import { until } from '../../support/until.ts';
import { workerSettings } from '../../support/worker.ts';

const DESK_KEY = 'a-key-of-the-desk-that-nobody-guesses';

const SETTINGS = { NEWS_REPORT_TIMEZONE: 'Europe/Berlin' };

let now: Date;
let feed: NewsFeedFixture;
let replica: RunningNewsFeed;
let worker: ReturnType<typeof openWorker>;
/** The newsroom's API, and that of one whose environment fixes the zone. */
let [url, fixedUrl] = ['', ''];
const closings: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  feed = await newsFeedFixture(SETTINGS);
  replica = await startNewsFeed(feed.database.url, SETTINGS);
  closings.push(replica.close, feed.close);
  const { log } = memoryLog('newsroom');
  for (const more of [{ NEWS_FIXED: 'NEWS_REPORT_TIMEZONE' }, {}]) {
    const config = readWorkerConfig({ ...workerSettings(feed.database.url), ...SETTINGS, DESK_KEY, ...more });
    worker = openWorker(config, log, { clock: () => now });
    const { desk, close } = worker;
    const app = await buildDesk({ ...desk, keys: config, host: '127.0.0.1', log });
    [fixedUrl, url] = [url, await app.listen({ host: '127.0.0.1', port: 0 })];
    closings.unshift(
      () => app.close(),
      () => close(60_000),
    );
  }
});
afterAll(async () => {
  for (const close of closings) await close();
});
beforeEach(async () => {
  now = new Date();
  await feed.database.pool.query(
    'truncate news.item, news.schedule, news.settings cascade; delete from news.daily',
  );
});

const HEADERS = { 'x-api-key': DESK_KEY, 'x-desk-person': 'Ada' };

const read = (on = url) => send(`${on}/api/settings`, { headers: HEADERS });
const patch = (json: object, headers = {}, on = url) =>
  send(`${on}/api/settings`, { method: 'PATCH', json, headers: { ...HEADERS, ...headers } });

async function set(json: object, on = url): Promise<void> {
  const { status, text } = await patch(json, {}, on);
  expect([status, text]).toEqual([200, text]);
}

/** Adds selected items that came at these times. */
function came(times: readonly Date[]): Promise<void> {
  const lines = times.map((time) => {
    const at = time.toISOString();
    const members = { publishedAt: at, discoveredAt: at, selected: true, category: 'product' };
    return itemLine(`at-${time.getTime()}`, { ...members, summary: 'A summary.' });
  });
  return importLines(feed.db, lines, times.at(-1));
}

async function reports(): Promise<{ date: string; ids: string[]; row: unknown }[]> {
  const { rows } = await feed.database.pool.query(
    `select to_char(date, 'YYYY-MM-DD') as date, item_ids as ids, to_jsonb(daily) as row from news.daily order by 1`,
  );
  return rows;
}

test('the hour and the zone of the desk are in its answers, and null is what the environment gives', async () => {
  const own = { made: null, isFixed: false };
  const environment = {
    reportZone: {
      ...{ ...own, value: 'Europe/Berlin', environment: 'Europe/Berlin' },
      variable: 'NEWS_REPORT_TIMEZONE',
    },
    reportHour: { ...own, value: 8, environment: 8, variable: 'NEWS_REPORT_HOUR' },
  };
  const first = await read();
  expect(first.body).toEqual(environment);
  const changed = await patch({ reportHour: 6, reportZone: 'America/New_York' });
  expect(changed.body).toMatchObject({
    reportZone: { value: 'America/New_York', made: 'America/New_York' },
    reportHour: { value: 6, made: 6, environment: 8 },
  });
  // By every other worker too.
  expect((await send(`${url}/api/vocabulary`, { headers: HEADERS })).body.zone).toBe('America/New_York');
  const { reportZone, reportHour } = (await read(fixedUrl)).body;
  expect(reportZone).toMatchObject({ value: 'Europe/Berlin', made: 'America/New_York', isFixed: true });
  expect(reportHour).toMatchObject({ value: 6, isFixed: false });
  expect((await send(`${fixedUrl}/api/vocabulary`, { headers: HEADERS })).body.zone).toBe('Europe/Berlin');

  await set({ reportHour: null, reportZone: null });
  expect((await read()).body).toEqual(environment);
  for (const [json, field, code] of [
    [{ reportHour: 24 }, 'reportHour', 'too_large'],
    [{ reportHour: 1.5 }, 'reportHour', 'invalid_type'],
    [{ reportZone: '+01:00' }, 'reportZone', 'invalid_format'],
    [{ reportZone: 'Europe/Lisboa' }, 'reportZone', 'invalid_format'],
    [{}, '', 'required'],
  ] as const) {
    const { status, body } = await patch(json);
    expect([json, status, body.errors]).toMatchObject([json, 422, [{ field, code }]]);
  }
  const { status, body } = await patch({ reportZone: 'Europe/Lisbon', reportHour: 5 }, {}, fixedUrl);
  expect([status, body.errors]).toMatchObject([422, [{ field: 'reportZone', code: 'not_allowed' }]]);
  expect((await read()).body).toEqual(environment);
});

test('of two owners with the same version the second is told', async () => {
  const first = (await read()).headers.get('etag') ?? '';
  const both = [6, 7].map((reportHour) => patch({ reportHour }, { 'if-match': first }));
  const answers = (await Promise.all(both)).map(({ status }) => status).toSorted();
  expect(answers).toEqual([200, 412]);
  const after = await read();
  let etag = after.headers.get('etag') ?? '';
  for (const reportHour of [5, 4]) {
    const { status, headers, body } = await patch({ reportHour }, { 'if-match': etag });
    expect([status, body.reportHour?.value]).toEqual([200, reportHour]);
    etag = headers.get('etag') ?? '';
  }
});

test('days of the archive follow on every replica, whatever was cached', async () => {
  // 23:30 in Berlin, and 07:30 of the next day in Tokyo.
  await came([new Date('2025-01-10T22:30:00Z')]);
  const days = async (on: RunningNewsFeed) => {
    const counts = ['2025-01-10', '2025-01-11'].map(async (day) => {
      const { body } = await send(`${on.url}/api/v1/archive?from=${day}&to=${day}`);
      return body.page.count;
    });
    return (await Promise.all(counts)).join();
  };
  for (const [json, counts] of [
    [{}, '1,0'],
    [{ reportZone: 'Asia/Tokyo' }, '0,1'],
    [{ reportZone: null }, '1,0'],
  ] as const) {
    if ('reportZone' in json) await set(json);
    for (const on of [feed, replica])
      await until(`both go by ${JSON.stringify(json)}`, async () => (await days(on)) === counts);
  }
});

describe('a change of the hour neither loses nor repeats an item, and leaves published reports as they are', () => {
  /** In the morning of this day the clocks of Berlin go from 2 to 3. */
  const DAY = '2053-03-30';

  const hours = (from: string, through: string, step: number) => {
    const [first, last] = [from, through].map((time) => new Date(time).getTime());
    const count = Math.floor(((last ?? 0) - (first ?? 0)) / (step * 3_600_000)) + 1;
    return Array.from({ length: count }, (_, index) => new Date((first ?? 0) + index * step * 3_600_000));
  };

  // Times in Berlin, where the summer has begun: 8:00 is 6:00Z.
  test.each([
    ['before its hour, to an earlier one', '05:00', { reportHour: 6 }],
    ['before its hour, to a later one', '05:00', { reportHour: 10 }],
    ['at its hour, to a later one', '06:00', { reportHour: 9 }],
    ['at its hour, to an earlier one', '06:00', { reportHour: 0 }],
    ['after its hour, to an earlier one', '07:00', { reportHour: 6 }],
    ['after its hour, to a later one', '07:00', { reportHour: 23 }],
    ['to the hour that the clocks leave out', '00:30', { reportHour: 2 }],
    ['to a zone in the west', '07:00', { reportZone: 'America/Los_Angeles' }],
    ['to a zone in the east', '07:00', { reportZone: 'Pacific/Auckland' }],
  ])('%s', async (_, time, json) => {
    const vocabulary = readVocabulary(SETTINGS);
    const daily = newsroomSchedules({ vocabulary, keepDays: 90 }).find(({ name }) => name === 'daily');
    if (daily === undefined) throw new Error('there is no such schedule');
    const items = hours('2053-03-28T07:30:00Z', '2053-04-01T23:30:00Z', 2);
    await came(items);
    const changed = new Date(`${DAY}T${time}:00Z`);
    let before: Awaited<ReturnType<typeof reports>> = [];
    let isChanged = false;
    for (const moment of hours('2053-03-28T07:00:00Z', '2053-04-03T12:00:00Z', 1)) {
      if (!isChanged && moment >= changed) {
        before = await reports();
        await set(json);
        isChanged = true;
      }
      await feed.db.transaction().execute(async (tx) => {
        await vocabulary.settings.follow(tx);
        await runSchedule(tx, daily, moment);
      });
    }
    const after = await reports();
    expect(after.slice(0, before.length)).toEqual(before);
    const days = hours('2053-03-29T00:00:00Z', '2053-04-03T00:00:00Z', 24).slice(
      0,
      Math.max(5, after.length),
    );
    expect(after.map(({ date }) => date)).toEqual(days.map((day) => day.toISOString().slice(0, 10)));
    const quoted = after.flatMap(({ ids }) => ids).toSorted();
    expect(quoted).toEqual(items.map((one) => `at-${one.getTime()}`).toSorted());
  });
});

test('a worker that runs publishes at the new hour, and a correction keeps to the time of its report', async () => {
  await came([new Date('2053-05-01T20:00:00Z')]);
  const tick = async (time: string) => {
    now = new Date(time);
    await worker.worker.tick();
    await until('its schedules are done', async () => {
      const { rows } = await feed.database.pool.query(
        'select from news.schedule where lease_until is not null',
      );
      return rows.length === 0;
    });
    return (await reports()).map(({ date }) => date);
  };
  expect(await tick('2053-05-02T03:00:00Z')).toEqual([]);
  // By the desk of another worker.
  await set({ reportHour: 5 }, fixedUrl);
  expect(await tick('2053-05-02T03:00:01Z')).toEqual(['2053-05-02']);
  await set({ reportHour: 12 }, fixedUrl);
  expect(await tick('2053-05-02T10:00:00Z')).toEqual(['2053-05-02']);
  await came([new Date('2053-05-02T08:00:00Z')]);
  const preview = (date: string): Promise<{ body: JsonBody }> =>
    send(`${url}/api/reports/daily/preview?date=${date}`, { headers: HEADERS });
  expect((await preview('2053-05-02')).body).toMatchObject({ windowEnd: '2053-05-02T03:00:00.000Z' });
  expect((await preview('2053-05-03')).body).toMatchObject({
    windowStart: '2053-05-02T03:00:00.000Z',
    windowEnd: '2053-05-03T10:00:00.000Z',
    report: { sections: [{ items: [{ itemId: `at-${Date.UTC(2053, 4, 2, 8)}` }] }] },
  });
});
