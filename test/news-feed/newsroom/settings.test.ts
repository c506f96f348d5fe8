import { readVocabulary, vocabularyOf } from '@pressroom/news-feed/config';
import { buildDesk } from '@pressroom/news-feed/desk-app';
import { openJudge } from '@pressroom/news-feed/grouping/judging';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import { openWorker } from '@pressroom/news-feed/work/open-worker';
import { newsroomSchedules, runSchedule } from '@pressroom/news-feed/work/schedules';
import { readWorkerConfig } from '@pressroom/news-feed/work/worker-config';
import { readLexicon } from '@pressroom/stories';
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

/** An own category, and those of the environment. */
const OWN = { name: 'trams', label: 'Trams', words: ['tram', 'Tr.m', '有轨电车'] };
const NINE = [...readVocabulary({}).labels.category].map(([name, label]) => ({ name, label, words: [] }));

const tooManyWords = Array.from({ length: 11 }, (_, index) => {
  return { ...OWN, name: `own-${index}`, words: Array(95).fill('a') };
});

const signal = new AbortController().signal;

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
    packs: {
      ...{ ...own, value: ['technology'], environment: ['technology'] },
      variable: 'NEWS_PACKS',
    },
    categories: {
      ...{ ...own, value: NINE, environment: NINE },
      variable: 'NEWS_CATEGORIES',
    },
    formerCategories: [],
  };
  const first = await read();
  expect(first.body).toEqual(environment);
  const changed = await patch({ reportHour: 6, reportZone: 'America/New_York' });
  expect(changed.body).toMatchObject({
    reportZone: { value: 'America/New_York', made: 'America/New_York' },
    reportHour: { value: 6, made: 6, environment: 8 },
    changed: {
      reportZone: { before: 'Europe/Berlin', after: 'America/New_York' },
      reportHour: { before: 8, after: 6 },
    },
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
    [{ categories: [] }, 'categories', 'too_short'],
    [{ categories: [{ ...OWN, name: 'Trams' }] }, 'categories.0.name', 'invalid_format'],
    [{ categories: [{ ...OWN, label: 'T\u202eT' }] }, 'categories.0.label', 'invalid_characters'],
    [{ categories: [{ ...OWN, label: 'T\0' }] }, 'categories.0.label', 'invalid_characters'],
    [{ categories: [OWN, OWN] }, 'categories', 'invalid_value'],
    [{ categories: [{ ...OWN, words: ['(a+)*'] }] }, 'categories.0.words.0', 'invalid_format'],
    [{ categories: [{ ...OWN, words: ['a, b'] }] }, 'categories.0.words.0', 'invalid_format'],
    [{ categories: [{ ...OWN, words: Array(101).fill('a') }] }, 'categories.0.words', 'too_long'],
    [{ categories: tooManyWords }, 'categories', 'too_long'],
    [{ packs: [] }, 'packs', 'too_short'],
    [{ packs: ['sport', 'sport'] }, 'packs', 'invalid_value'],
    [{ packs: ['../lisboa.yaml'] }, 'packs.0', 'invalid_value'],
  ] as const) {
    const { status, body } = await patch(json);
    expect([json, status, body.errors]).toMatchObject([json, 422, [{ field, code }]]);
  }
  const { status, body } = await patch({ reportZone: 'Europe/Lisbon', reportHour: 5 }, {}, fixedUrl);
  expect([status, body.errors]).toMatchObject([422, [{ field: 'reportZone', code: 'not_allowed' }]]);
  expect((await read()).body).toEqual(environment);
});

describe('categories and packs', () => {
  const SITES = () => [feed.url, replica.url];

  /** The titles of the feeds of categories, and the refusal of those that are none. */
  async function shown(names: readonly string[]): Promise<(string | undefined)[]> {
    const titles = SITES().flatMap((at) =>
      names.map(async (name) => {
        const { status, text } = await send(`${at}/feed.xml?category=${name}`);
        return status === 200 ? /<title>(.*?)<\/title>/.exec(text)?.[1] : `${status}`;
      }),
    );
    return Promise.all(titles);
  }

  const untilShown = (names: readonly string[], titles: readonly string[]) =>
    until(`the feeds of ${names.join()} are ${titles.join()}`, async () => {
      return JSON.stringify(await shown(names)) === JSON.stringify([...titles, ...titles]);
    });

  const offered = async () =>
    (await send(`${url}/api/vocabulary`, { headers: HEADERS })).body.categories.map(
      ({ name, label, packLabels, isFormer }: JsonBody) =>
        [`${name}=${label}`, packLabels?.zh, isFormer && '(former)'].filter(Boolean).join(' '),
    );

  async function addItem(category: string): Promise<number> {
    const json = {
      ...{ title: `Of ${category}`, source: { name: 'Source' }, category, selected: true },
      ...{ summary: 'A summary.', publishedAt: now.toISOString() },
      links: { original: `https://source.example/${category}` },
    };
    return (await send(`${url}/api/items`, { method: 'POST', json, headers: HEADERS })).status;
  }

  test('an own one has its label, place and words everywhere at once, and is refused by name before', async () => {
    await untilShown(['trams', 'product'], ['400', 'Pressroom: Product']);
    const unknown = await send(`${feed.url}/api/v1/archive?category=trams`);
    expect([unknown.status, unknown.body.detail]).toEqual([
      400,
      expect.stringContaining('must be one of technology, research, patent,'),
    ]);
    expect(await addItem('trams')).toBe(422);
    const config = readWorkerConfig({ ...workerSettings(feed.database.url), ...SETTINGS });
    const vocabulary = vocabularyOf(config);
    const search = new StorySearch(readLexicon());
    const judge = openJudge(config, { db: feed.db, vocabulary, clock: () => now, search });
    const judged = async (title: string) => {
      await vocabulary.settings.follow(feed.db);
      const source = {
        ...{ id: 1, name: 'Source', firstParty: false, weight: 1, category: null },
        ...{ directions: [], select: 'none' as const },
      };
      const times = { publishedAt: now, discoveredAt: now };
      const submission = { title, summary: null, text: null, language: 'de', url: 'https://s.example/' };
      return (await judge.judge({ ...submission, ...times, source }, signal)).category;
    };
    expect(await judged('Die Tram 10 fährt wieder')).toBeNull();

    await set({ categories: [OWN, { name: 'product', label: 'New things' }] });
    await untilShown(['trams'], ['Pressroom: Trams']);
    await untilShown(['product'], ['Pressroom: New things']);
    expect((await offered()).slice(0, 3)).toEqual([
      'trams=Trams',
      'product=New things',
      'technology=Technology 技术 (former)',
    ]);
    expect(await judged('Die Tram 10 fährt wieder')).toBe('trams');
    // Words are no patterns, and count beside those of the pack.
    expect(await judged('Die Trxm steht')).toBeNull();
    expect(await judged('Ein Update für das Smartphone')).toBe('product');
    expect((await send(`${replica.url}/llms.txt`)).text).toContain('Categories: trams, product.');
    expect(await addItem('product')).toBe(201);
    expect(await addItem('trams')).toBe(201);
    const preview = await send(`${url}/api/reports/daily/preview`, { headers: HEADERS });
    expect(preview.body.report.sections.map(({ label }: JsonBody) => label)).toEqual(['Trams', 'New things']);
  });

  test('one that is left out stays for readers while something has it, and then is forgotten', async () => {
    await set({ categories: [OWN, { ...OWN, name: 'trains', label: 'Trains' }, ...NINE] });
    expect(await addItem('trams')).toBe(201);
    await set({ categories: NINE });
    const former = async () => (await read()).body.formerCategories.map(({ name }: JsonBody) => name);
    // Both: a worker may just be writing an item.
    expect(await former()).toEqual(['trams', 'trains']);
    await set({ categories: null });
    expect(await former()).toEqual(['trams']);
    await untilShown(['trams', 'trains'], ['Pressroom: Trams', '400']);
    expect((await offered()).slice(8)).toEqual(['insight=Insight 观点', 'trams=Trams (former)']);
    const { body } = await send(`${feed.url}/api/v1/items?category=trams`);
    expect(body.items).toMatchObject([{ category: 'trams' }]);
    const preview = await send(`${url}/api/reports/daily/preview`, { headers: HEADERS });
    expect(preview.body.report.sections).toMatchObject([{ label: 'Trams' }]);

    await set({ categories: [...NINE, { ...OWN, label: 'Tramways' }] });
    expect(await former()).toEqual([]);
    await untilShown(['trams'], ['Pressroom: Tramways']);
  });

  test('packs bring their categories and words, and those of before stay for readers', async () => {
    expect(await addItem('patent')).toBe(201);
    const { body } = await patch({ packs: ['sport'] });
    expect(body.packs).toMatchObject({ value: ['sport'], made: ['sport'], environment: ['technology'] });
    expect(body.categories.made).toBeNull();
    expect(body.categories.value).toEqual(body.categories.environment);
    await untilShown(['football', 'patent'], ['Pressroom: Football', 'Pressroom: Patent']);
    expect(body.formerCategories).toContainEqual({ name: 'patent', label: 'Patent' });
    await set({ reportHour: 9 });
    // One of the contract, which nothing has.
    await untilShown(['insight'], ['Pressroom: Insight']);
    await set({ packs: null });
    await untilShown(['football', 'patent'], ['Pressroom: Football', 'Pressroom: Patent']);
    await set({ reportHour: 7 });
    await untilShown(['football', 'patent'], ['400', 'Pressroom: Patent']);
  });
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
