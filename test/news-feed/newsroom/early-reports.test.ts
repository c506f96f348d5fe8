import { readVocabulary } from '@pressroom/news-feed/config';
import { inEdit } from '@pressroom/news-feed/editing/edits';
import { transactWithRetries } from '@pressroom/news-feed/transactions';
import {
  correctReport,
  previewReport,
  publishReport,
  type ReportOutcome,
} from '@pressroom/news-feed/work/report';
import { newsroomSchedules, runSchedule } from '@pressroom/news-feed/work/schedules';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { importLines, itemLine, newsroom } from '../../support/newsroom.ts';
import { until } from '../../support/until.ts';

/** The database's clock decides, so this is the real time: about half of the day's window is over. */
const NOW = new Date();
const SETTINGS = {
  NEWS_REPORT_TIMEZONE: 'Etc/UTC',
  NEWS_REPORT_HOUR: String((NOW.getUTCHours() + 12) % 24),
};
const vocabulary = readVocabulary(SETTINGS);
const { calendar } = vocabulary;
const date = calendar.nextReportDate('daily', NOW);
const { from, through } = calendar.reportWindow('daily', date);
const following = calendar.nextReportDate('daily', through);

let feed: NewsFeedFixture;
beforeAll(async () => {
  feed = await newsFeedFixture({ CACHE_BYTES: '0', ...SETTINGS });
});
afterAll(() => feed.close());
beforeEach(async () => {
  await feed.database.pool.query('truncate news.item, news.edit, news.schedule cascade');
  await feed.database.pool.query('delete from news.daily');
});

/** Adds a selected item that came at a time. */
function came(id: string, at: Date): Promise<void> {
  const time = at.toISOString();
  const members = { publishedAt: time, discoveredAt: time, selected: true, category: 'product' };
  return importLines(feed.db, [itemLine(id, { ...members, summary: `About ${id}.` })], NOW);
}

const minutes = (count: number, time = NOW) => new Date(time.getTime() + count * 60_000);

function publish(members: Partial<Parameters<typeof publishReport>[1]> = {}): Promise<ReportOutcome> {
  const publication = { period: 'daily', date, vocabulary, now: NOW, early: true, ...members } as const;
  return transactWithRetries(feed.db, (tx) => publishReport(tx, publication));
}

/** Does the worker's work at the report's hour. */
function atTheHour(): Promise<boolean> {
  const daily = newsroomSchedules({ vocabulary, keepDays: 90 }).find(({ name }) => name === 'daily');
  if (daily === undefined) throw new Error('there is no such schedule');
  return transactWithRetries(feed.db, (tx) => runSchedule(tx, daily, through));
}

const correct = (now = NOW) =>
  inEdit(feed.db, { actor: 'ana', action: 'report correct' }, (tx) =>
    correctReport(tx, { period: 'daily', date, vocabulary, now }),
  );

/** The ids that the reports quote, by date. */
async function quoted(): Promise<Record<string, string>> {
  const { rows } = await feed.database.pool.query(
    `select to_char(date, 'YYYY-MM-DD') as date, array_to_string(array(select unnest(item_ids) order by 1), '') as ids
     from news.daily`,
  );
  return Object.fromEntries(rows.map(({ date, ids }) => [date, ids]));
}

/** The ids that a report would quote now. */
async function wouldQuote(day: string): Promise<string> {
  const { report } = await previewReport(feed.db, { period: 'daily', date: day, vocabulary });
  const ids = (report?.sections ?? []).flatMap(({ items }) => items.map(({ itemId }) => itemId));
  return ids.sort().join('');
}

test('a report that is published early is one like any other, and readers see that it is early', async () => {
  await came('a', minutes(-60));
  await expect(publish({ early: false })).rejects.toMatchObject({ kind: 'conflict' });
  const path = `${feed.url}/api/v1/dailies`;
  const before = await send(`${path}/latest`);
  expect(before.status).toBe(404);
  expect(await publish()).toBe('published');
  const latest = await send(`${path}/latest`);
  expect(latest.body.report).toMatchObject({
    ...{ date, lead: { title: 'Title of a' } },
    ...{ windowStart: from.toISOString(), windowEnd: through.toISOString() },
  });
  expect(latest.body.report.generatedAt < through.toISOString()).toBe(true);
  expect(latest.body.report).not.toHaveProperty('correctedAt');
  expect((await send(path)).body.items).toMatchObject([{ date, leadTitle: 'Title of a' }]);
  expect((await send(`${feed.url}/dailies/feed.json`)).body.items).toHaveLength(1);
  const { status, headers } = await send(`${path}/${date}`);
  expect([status, headers.get('cache-control')]).toEqual([200, expect.not.stringContaining('immutable')]);
});

test('asked again, it changes nothing, even where the answer was lost and items have come since', async () => {
  await came('a', minutes(-60));
  const seen = (report: unknown) => {
    if (JSON.stringify(report).includes('Title of b')) throw new Error('another report than was seen');
  };
  expect(await publish({ precondition: seen })).toBe('published');
  await came('b', minutes(-30));
  expect(await publish({ precondition: seen })).toBe('unchanged');
  expect(await quoted()).toEqual({ [date]: 'a' });
});

test('at its hour the worker leaves it as it is; what came since is in the next one, and only there', async () => {
  await came('a', minutes(-60));
  await publish();
  await came('b', minutes(30));
  await came('c', minutes(1, through));
  const shown = await send(`${feed.url}/api/v1/dailies/${date}`);
  expect(await atTheHour()).toBe(true);
  expect(await atTheHour()).toBe(false);
  const after = await send(`${feed.url}/api/v1/dailies/${date}`);
  expect([after.text, after.headers.get('etag')]).toEqual([shown.text, shown.headers.get('etag')]);
  expect(await wouldQuote(following)).toBe('bc');
  expect(await publish({ date: following, early: false, now: minutes(24 * 60, through) })).toBe('published');
  expect(await quoted()).toEqual({ [date]: 'a', [following]: 'bc' });
});

test('a correction before the hour takes in what has come, which is then not in the next one', async () => {
  await came('a', minutes(-60));
  await publish();
  await came('b', minutes(30));
  const { edit } = await correct();
  expect(edit).not.toBe(null);
  expect(await quoted()).toEqual({ [date]: 'ab' });
  await came('c', minutes(60));
  expect(await wouldQuote(following)).toBe('c');
});

test('of a correction and the next report at once, the second one knows what the first one quotes', async () => {
  await came('a', minutes(-60));
  await publish();
  await came('b', minutes(30));
  await came('c', minutes(1, through));
  const trx = await feed.db.startTransaction().execute();
  expect(await correctReport(trx, { period: 'daily', date, vocabulary, now: NOW })).toBe(true);
  const waiting = publish({ date: following, early: false, now: minutes(24 * 60, through) });
  await until('the next one waits', async () => {
    const { rowCount } = await feed.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rowCount === 1;
  });
  await trx.commit().execute();
  expect(await waiting).toBe('published');
  expect(await quoted()).toEqual({ [date]: 'ab', [following]: 'c' });
});

test('a report that was published at its hour leaves to the next one what it always has', async () => {
  await came('a', minutes(-60));
  await atTheHour();
  // Selected by hand afterwards: it was not waiting to be written at the hour.
  await came('b', minutes(-5, through));
  await came('c', minutes(5, through));
  expect(await wouldQuote(following)).toBe('c');
});

test.each(['the worker', 'the editor'])(
  'of both at the hour, %s being first, one publishes',
  async (first) => {
    await came('a', minutes(-60));
    const early = (tx: Parameters<typeof publishReport>[0]) =>
      publishReport(tx, { period: 'daily', date, vocabulary, now: through, early: true });
    const due = (tx: Parameters<typeof publishReport>[0]) =>
      publishReport(tx, { period: 'daily', date, vocabulary, now: through });
    const [ahead, behind] = first === 'the worker' ? [due, early] : [early, due];
    const trx = await feed.db.startTransaction().execute();
    expect(await ahead(trx)).toBe('published');
    const waiting = transactWithRetries(feed.db, behind);
    await until('the other one waits', async () => {
      const { rowCount } = await feed.database.pool.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rowCount === 1;
    });
    await trx.commit().execute();
    expect(await waiting).toBe('unchanged');
    expect(await quoted()).toEqual({ [date]: 'a' });
  },
);

test('whether its time has begun is up to the clock of the database, however wrong the worker’s is', async () => {
  await came('a', minutes(-60));
  await came('b', minutes(30, through));
  const ahead = { date: following, now: minutes(24 * 60) };
  await expect(publish(ahead)).rejects.toThrow(`the report's time begins at ${through.toISOString()}`);
  const behind = { now: minutes(-24 * 60) };
  expect(await publish(behind)).toBe('published');
  const { rows } = await feed.database.pool.query('select generated_at from news.daily');
  expect(rows[0].generated_at.getTime()).toBeGreaterThanOrEqual(NOW.getTime() - 60_000);
});

test('the command publishes the next one early', async () => {
  await came('a', new Date());
  const next = readVocabulary({}).calendar.nextReportDate('daily', new Date());
  const { stdout } = await newsroom(feed.database.url, ['daily', '--early', '--json']);
  expect(JSON.parse(stdout)).toEqual({ period: 'daily', date: next, outcome: 'published' });
});
