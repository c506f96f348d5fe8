import { readVocabulary } from '@pressroom/news-feed/config';
import { keepJudgements } from '@pressroom/news-feed/grouping/judging';
import { editEntries } from '@pressroom/news-feed/work/edit-entries';
import { pollSource } from '@pressroom/news-feed/work/poll-source';
import { publishReport } from '@pressroom/news-feed/work/report';
import { newsroomSchedules, runSchedule } from '@pressroom/news-feed/work/schedules';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { rss } from '../../support/feed-host.ts';
import { importLines, itemLine } from '../../support/newsroom.ts';
import { sourceJudge } from '../../support/plain-newsroom.ts';
import { type Desk, openDesk } from '../../support/polling.ts';

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.clear();
  await desk.db.deleteFrom('news.ranking').execute();
});

const SCHEDULES = newsroomSchedules({ vocabulary: readVocabulary({}), keepDays: 90 });

/** Runs the schedules that are due at a time, and returns their names. */
async function at(time: string): Promise<string[]> {
  const names: string[] = [];
  for (const schedule of SCHEDULES) {
    if (await desk.db.transaction().execute((tx) => runSchedule(tx, schedule, new Date(time))))
      names.push(schedule.name);
  }
  return names;
}

async function dailies(): Promise<string[]> {
  const { rows } = await desk.database.pool.query(
    "select to_char(date, 'YYYY-MM-DD') as date from news.daily order by 1",
  );
  return rows.map(({ date }) => date);
}

/** A selected item that was discovered at a time, in a year when no report can be in the past. */
function selectedAt(id: string, time: string): Promise<void> {
  return importLines(desk.db, [
    itemLine(id, { selected: true, summary: 'A summary.', publishedAt: time, discoveredAt: time }),
  ]);
}

// In the future, because the reports of past days cannot be cleared away afterwards.
test('the daily is published at 08:00 in Shanghai, over month ends and the leap day, once', async () => {
  await selectedAt('leap', '2048-02-28T12:00:00Z');
  await selectedAt('march', '2048-02-29T12:00:00Z');
  await selectedAt('year', '2048-12-31T12:00:00Z');
  await at('2048-02-28T23:59:59.999Z');
  expect(await dailies()).toEqual([]);
  expect(await at('2048-02-29T00:00:00Z')).toContain('daily');
  expect(await dailies()).toEqual(['2048-02-29']);
  expect(await at('2048-02-29T23:59:59Z')).not.toContain('daily');
  expect(await at('2048-03-01T00:00:00Z')).toContain('daily');
  expect(await at('2049-01-01T00:00:00Z')).toContain('daily');
  expect(await dailies()).toEqual(['2048-02-29', '2048-03-01', '2049-01-01']);
});

test('after a pause the latest daily is made good once', async () => {
  await selectedAt('one', '2050-05-01T12:00:00Z');
  await selectedAt('two', '2050-05-03T12:00:00Z');
  await at('2050-05-01T00:00:00Z');
  expect(await at('2050-05-04T09:30:00Z')).toContain('daily');
  expect(await at('2050-05-04T09:30:01Z')).toEqual([]);
  expect((await dailies()).filter((date) => date.startsWith('2050'))).toEqual(['2050-05-04']);
});

/** The titles that the reports of a date quote, of each period that has one. */
async function quotedIn(date: string): Promise<Record<string, string[]>> {
  const { rows } = await desk.database.pool.query(
    `select period, array(select title from news.item where id = any(item_ids) order by title) as titles
     from (select 'daily' as period, * from news.daily union all select 'weekly', * from news.weekly
       union all select 'monthly', * from news.monthly) as report
     where date = $1`,
    [date],
  );
  return Object.fromEntries(rows.map(({ period, titles }) => [period, titles]));
}

/** Lets a source bring an entry at a time; what is returned makes its item at another. */
async function found(guid: string, time: string): Promise<(written: string) => Promise<void>> {
  const path = `/${encodeURIComponent(guid)}`;
  desk.now.value = new Date(time);
  const sourceId = await desk.add(path, { select: 'all' });
  const { signal } = new AbortController();
  const { parts } = desk.with({ judge: { ...sourceJudge, keep: keepJudgements } });
  desk.host.set(path, { body: rss([{ guid }]) });
  expect(await pollSource(parts, sourceId, signal)).toEqual({ kind: 'read', pending: 1 });
  return async (written) => {
    desk.now.value = new Date(written);
    expect(await editEntries(parts, sourceId, signal)).toEqual({ written: 1, failed: 0 });
  };
}

// 1 April 2052 is a Monday, as is 1 July.
test('what was found before 08:00 and written after the reports is in the next ones, once', async () => {
  await (await found('in time', '2052-03-31T23:59:40Z'))('2052-03-31T23:59:45Z');
  const writeLate = await found('late', '2052-03-31T23:59:50Z');
  await at('2052-04-01T00:00:01Z');
  await writeLate('2052-04-01T00:00:10Z');
  const inTime = ['Title of in time'];
  expect(await quotedIn('2052-04-01')).toEqual({ daily: inTime, weekly: inTime, monthly: inTime });
  await (await found('next day', '2052-04-01T12:00:00Z'))('2052-04-01T12:00:05Z');
  const next = ['Title of late', 'Title of next day'];
  for (const date of ['2052-04-02', '2052-04-08', '2052-05-01']) await at(`${date}T00:00:01Z`);
  expect(await quotedIn('2052-04-02')).toEqual({ daily: next });
  expect(await quotedIn('2052-04-08')).toEqual({ weekly: next });
  expect(await quotedIn('2052-05-01')).toEqual({ monthly: next });
});

test('what was written too late for a day without another item is in the next daily, not in both', async () => {
  const writeLate = await found('alone', '2052-07-01T23:59:50Z');
  await at('2052-07-02T00:00:01Z');
  await writeLate('2052-07-02T09:00:00Z');
  await at('2052-07-03T00:00:01Z');
  expect(await quotedIn('2052-07-03')).toEqual({ daily: ['Title of alone'] });
  // By hand, for the day that had none.
  const byHand = {
    period: 'daily',
    date: '2052-07-02',
    vocabulary: readVocabulary({}),
    now: new Date('2052-07-03T01:00:00Z'),
  } as const;
  expect(await desk.db.transaction().execute((tx) => publishReport(tx, byHand))).toBe('empty');
  expect(
    await desk.db.transaction().execute((tx) => publishReport(tx, { ...byHand, date: '2052-07-03' })),
  ).toBe('unchanged');
});

test('an old article that a new source brings is not a late item of the days before', async () => {
  const before = new Date('2052-08-01T20:00:00Z');
  desk.now.value = new Date('2052-08-05T20:00:00Z');
  desk.host.set('/old', { body: rss([{ guid: 'old', pubDate: before.toUTCString() }, { guid: 'new' }]) });
  const { poll } = desk.with({ judge: { ...sourceJudge, keep: keepJudgements } });
  await poll(await desk.add('/old', { select: 'all' }));
  await at('2052-08-06T00:00:01Z');
  expect(await quotedIn('2052-08-06')).toEqual({ daily: ['Title of new'] });
});

test('the ranking is made every five minutes', async () => {
  const times = ['00:00:00', '00:04:59', '00:05:00', '00:09:59', '01:00:00'];
  const ran = [];
  for (const time of times) ran.push((await at(`2050-06-01T${time}Z`)).includes('ranking'));
  expect(ran).toEqual([true, false, true, false, true]);
  const { rows } = await desk.database.pool.query('select count(*)::int as rankings from news.ranking');
  expect(rows).toEqual([{ rankings: 3 }]);
});

test('at midnight in Shanghai old items go, but not selected ones or those that a report quotes', async () => {
  await selectedAt('kept', '2050-01-01T12:00:00Z');
  await selectedAt('quoted', '2050-01-02T12:00:00Z');
  const old = { publishedAt: '2050-01-01T12:00:00Z', discoveredAt: '2050-01-01T12:00:00Z' };
  await importLines(desk.db, [itemLine('old', old)]);
  await importLines(desk.db, [
    itemLine('new', { ...old, discoveredAt: '2050-03-31T00:00:00Z', publishedAt: '2050-03-31T00:00:00Z' }),
  ]);
  await at('2050-01-03T00:00:00Z');
  await importLines(desk.db, [itemLine('quoted', { selected: false })]);
  await at('2050-04-01T15:59:59Z');
  const ids = async () => (await desk.items()).map(({ id }) => id).sort();
  expect(await ids()).toEqual(['kept', 'new', 'quoted']);
  expect(await at('2050-04-01T16:00:00Z')).toContain('pruning');
});

test('what was pruned does not come back while its feed lists it', async () => {
  desk.host.set('/feed', { body: rss([{ guid: 'a', pubDate: 'Fri, 01 Nov 2024 00:00:00 GMT' }]) });
  const id = await desk.add('/feed');
  await desk.poll(id);
  expect(await desk.items()).toHaveLength(1);
  await at('2026-11-21T00:00:00Z');
  expect(await desk.items()).toHaveLength(0);
  desk.host.set('/feed', {
    body: rss([{ guid: 'a', title: 'Edited', pubDate: 'Fri, 01 Nov 2024 00:00:00 GMT' }, { guid: 'b' }]),
  });
  await desk.poll(id);
  expect(await desk.items()).toMatchObject([{ title: 'Title of b' }]);
});
