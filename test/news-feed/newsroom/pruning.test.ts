import { SHANGHAI } from '@pressroom/news-feed/calendar';
import { readVocabulary } from '@pressroom/news-feed/config';
import { mergeStories } from '@pressroom/news-feed/editing/stories';
import { BudgetStore, takeSlot } from '@pressroom/news-feed/grouping/judging';
import { transactWithRetries } from '@pressroom/news-feed/transactions';
import { newsroomSchedules, runSchedule } from '@pressroom/news-feed/work/schedules';
import { readLexicon } from '@pressroom/stories';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { send } from '../../support/http.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { importLines, itemLine } from '../../support/newsroom.ts';
import { until } from '../../support/until.ts';

const OLD = '2050-01-01T12:00:00Z';
const MIDNIGHT = new Date('2050-05-01T16:00:00Z');

let feed: NewsFeedFixture;
beforeAll(async () => {
  feed = await newsFeedFixture({}, () => MIDNIGHT);
});
afterAll(() => feed.close());
beforeEach(async () => {
  await feed.database.pool.query(
    'truncate news.item, news.story, news.editorial_slot, news.editorial_budget, news.editorial_share, news.schedule cascade',
  );
});

/** An item of January 2050 in a story. */
function oldItem(id: string, story: string, members: object = {}): object {
  return itemLine(id, { publishedAt: OLD, discoveredAt: OLD, story, ...members });
}

/** Runs the pruning that is due at a time. */
async function prune(now: Date): Promise<void> {
  const schedules = newsroomSchedules({ vocabulary: readVocabulary({}), keepDays: 90 });
  const pruning = schedules.find(({ name }) => name === 'pruning');
  if (pruning === undefined) throw new Error('nothing prunes');
  await transactWithRetries(feed.db, (tx) => runSchedule(tx, pruning, now));
}

async function stories(): Promise<string[]> {
  const rows = await feed.db.selectFrom('news.story').select('public_id').orderBy('public_id').execute();
  return rows.map(({ public_id }) => public_id);
}

const address = (publicId: string) => `${feed.url}/api/v1/stories/${publicId}`;

const statusOf = async (publicId: string) => (await send(address(publicId))).status;

test('a story that is left without items goes, with what redirects to it, and is not found', async () => {
  await importLines(feed.db, [
    { type: 'story', publicId: 'left', title: 'Left' },
    { type: 'story', publicId: 'merged', title: 'Merged' },
    { type: 'story', publicId: 'earlier', title: 'Merged before' },
    oldItem('a', 'left'),
    oldItem('b', 'merged'),
  ]);
  const renewal = { lexicon: readLexicon(), now: new Date(OLD) };
  await transactWithRetries(feed.db, async (tx) => {
    await mergeStories(tx, 'earlier', 'merged', renewal);
    await mergeStories(tx, 'merged', 'left', renewal);
  });
  await until('readers see it', async () => (await statusOf('left')) === 200);
  await prune(MIDNIGHT);
  expect(await stories()).toEqual([]);
  for (const publicId of ['left', 'merged', 'earlier']) {
    await until(`${publicId} is not found`, async () => (await statusOf(publicId)) === 404);
  }
});

test('a story stays that an item, a redirect or a reader needs', async () => {
  await importLines(feed.db, [
    { type: 'story', publicId: 'selected', title: 'Of a selected item' },
    { type: 'story', publicId: 'withdrawn', title: 'Of a selected item that was withdrawn' },
    { type: 'story', publicId: 'quoted', title: 'Of an item that a daily quotes' },
    { type: 'story', publicId: 'new', title: 'Of a new item' },
    { type: 'story', publicId: 'redirect', title: 'Merged into the selected one' },
    oldItem('s', 'selected', { selected: true }),
    oldItem('w', 'withdrawn', { selected: true }),
    oldItem('q', 'quoted'),
    { ...oldItem('n', 'new'), publishedAt: '2050-05-01T00:00:00Z', discoveredAt: '2050-05-01T00:00:00Z' },
    { type: 'merge', from: 'redirect', into: 'selected' },
    { type: 'withdraw', id: 'w' },
  ]);
  await feed.database.pool.query(
    `insert into news.daily (date, generated_at, window_start, window_end, report, item_ids)
     values ('2050-01-02', now(), now(), now() + interval '1 day', '{}', '{q}')`,
  );
  await prune(MIDNIGHT);
  expect(await stories()).toEqual(['new', 'quoted', 'redirect', 'selected', 'withdrawn']);
  const moved = await send(address('redirect'));
  expect([moved.status, moved.headers.get('location')]).toEqual([308, '/api/v1/stories/selected']);
  await feed.database.pool.query("delete from news.daily where date = '2050-01-02'");
});

test('a story that waits for its first item stays for as long as items do', async () => {
  await importLines(feed.db, [{ type: 'story', publicId: 'planned', title: 'Planned' }]);
  const { created_at: created } = await feed.db
    .selectFrom('news.story')
    .select('created_at')
    .executeTakeFirstOrThrow();
  const day = 86_400_000;
  await prune(new Date(created.getTime() + 89 * day));
  expect(await stories()).toEqual(['planned']);
  await prune(new Date(created.getTime() + 91 * day));
  expect(await stories()).toEqual([]);
});

test('an item that joins while its story is being removed keeps it', async () => {
  await importLines(feed.db, [{ type: 'story', publicId: 'contested', title: 'Contested' }]);
  const writer = await feed.database.pool.connect();
  await writer.query('begin');
  await writer.query("select from news.story where public_id = 'contested' for share");
  await writer.query(
    `insert into news.item (id, title, source_name, original_url, canonical_url, published_at, story)
     values ('late', 'Late', 'Source', 'https://a.example/', 'a.example', '2050-05-01', 'contested')`,
  );
  const pruned = prune(MIDNIGHT);
  await until('the pruning waits', async () => {
    const { rows } = await feed.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length > 0;
  });
  await writer.query('commit');
  writer.release();
  await pruned;
  const item = await feed.db.selectFrom('news.item').select('story').executeTakeFirstOrThrow();
  expect(item.story).toBe('contested');
});

test('what the editor counts on a day is forgotten with the items of that day', async () => {
  for (const [article, day] of [
    ['old', OLD],
    ['new', '2050-04-30T12:00:00Z'],
  ] as const) {
    await takeSlot(feed.db, { article, sourceId: 1 }, 10, day.slice(0, 10));
    await new BudgetStore(feed.db, SHANGHAI, { requests: 1, tokens: 1 }).take('digests', 1, new Date(day));
  }
  await prune(MIDNIGHT);
  const slots = await feed.db.selectFrom('news.editorial_slot').select('article').execute();
  expect(slots).toEqual([{ article: 'new' }]);
  const { rows } = await feed.database.pool.query('select count(*)::int as days from news.editorial_budget');
  expect(rows).toEqual([{ days: 1 }]);
  const shares = await feed.db.selectFrom('news.editorial_share').select('spender').execute();
  expect(shares).toHaveLength(1);
});

test('a notice that was sent is forgotten with the items of its day, unless its source may still be dead', async () => {
  const { pool } = feed.database;
  await pool.query(
    `insert into news.notice (type, key, at, data, due_at) values
       ('report.published', 'sent', $1, '{}', null), ('report.published', 'waits', $1, '{}', $1),
       ('source.dead', 'dead', $1, '{}', null), ('report.published', 'new', '2050-04-30', '{}', null)`,
    [OLD],
  );
  await prune(MIDNIGHT);
  const { rows } = await pool.query('select key from news.notice order by key');
  expect(rows.map(({ key }) => key)).toEqual(['dead', 'new', 'waits']);
});
