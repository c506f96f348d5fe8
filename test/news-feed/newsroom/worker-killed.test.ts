import { RulesAssigner } from '@pressroom/news-feed/grouping/story-assigner';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import { addSource } from '@pressroom/news-feed/reading/sources';
import { readLexicon } from '@pressroom/stories';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Child } from '../../support/child.ts';
import { FeedHost, rss } from '../../support/feed-host.ts';
import { Mirror } from '../../support/mirror.ts';
import { type NewsFeedFixture, newsFeedFixture } from '../../support/news-feed.ts';
import { selectedSet } from '../../support/selected-set.ts';
import { until } from '../../support/until.ts';
import { startWorker, workerSettings } from '../../support/worker.ts';

const host = await FeedHost.start();
let feed: NewsFeedFixture;

beforeAll(async () => {
  feed = await newsFeedFixture();
});
afterAll(async () => {
  await host.close();
  await feed.close();
});

const SOURCES = 6;
const ENTRIES = 40;

/** More than the longest time between two polls. */
const PAUSE_MS = 7 * 60 * 60_000;

/** The places where a worker is killed, and the times it passes them before. */
const KILLS = [
  ['fetched', 2],
  // Before a statement by which items get their stories, and before these are committed.
  ['deciding', 3],
  ['deciding', 8],
  ['deciding', 12],
  ['assigned', 1],
  ['assigning', 20],
  ['judging', 40],
  ['keeping', 7],
  ['ranking', 1],
  ['daily', 1],
] as const;

/** Publishes an edition of every feed: an article is in two feeds, and half are edited each time. */
function publish(edition: number): void {
  for (let source = 0; source < SOURCES; source += 1) {
    const entries = Array.from({ length: ENTRIES }, (_, index) => {
      const article = Math.floor(source / 2) * ENTRIES + index;
      return {
        guid: `${source}-${index}`,
        title: `Article ${article}, edition ${index % 2 === 0 ? edition : 0} of ${source}`,
        link: `https://source.example/${article}`,
      };
    });
    host.set(`/${source}`, { body: rss(entries) });
  }
}

async function counted(what: string): Promise<number> {
  const { rows } = await feed.database.pool.query(`select count(*)::int as count from ${what}`);
  return rows[0].count;
}

test('workers killed at any step lose nothing and double nothing, and a mirror follows them exactly', async () => {
  publish(0);
  for (let source = 0; source < SOURCES; source += 1) {
    await addSource(feed.db, host.at(`/${source}`), { select: 'all' }, new Date());
  }
  const mirror = new Mirror({
    server: () => feed.url,
    fields: 'default',
    snapshotLimit: () => 50,
    changesLimit: () => 50,
  });
  let ahead = 0;
  for (const [step, times] of KILLS) {
    const child = Child.run('test/news-feed/newsroom/programs/killed-worker.ts', {
      ...workerSettings(feed.database.url),
      KILL_AT: step,
      KILL_AFTER: String(times),
      CLOCK_AHEAD_MS: String(ahead),
    });
    expect(await child.exited, `${step}: ${child.err}`).toBe(null);
    await mirror.catchUp();
    // Its leases end; from the first daily on, another day begins for each.
    for (const table of ['source', 'schedule']) {
      await feed.database.pool.query(
        `update news.${table} set lease_until = now() where lease_until > now()`,
      );
    }
    await feed.database.pool.query("update news.source_entry set retry_at = now() where state = 'pending'");
    ahead += step === 'ranking' || step === 'daily' ? 25 * 60 * 60_000 : PAUSE_MS;
    publish(KILLS.findIndex(([name, after]) => name === step && after === times) + 1);
  }
  const worker = await startWorker(feed.database.url, {
    clock: () => new Date(Date.now() + ahead),
    stories: new RulesAssigner(new StorySearch(readLexicon())),
  });
  await until('everything is written', async () => {
    const polled = await counted(
      `news.source where last_success_at > now() + interval '${ahead - PAUSE_MS} ms'`,
    );
    return polled === SOURCES && (await counted("news.source_entry where state <> 'done'")) === 0;
  });
  await worker.stop();
  expect(await counted('news.source_entry')).toBe(SOURCES * ENTRIES);
  expect(await counted('news.item')).toBe((SOURCES / 2) * ENTRIES);
  // Each item is as the latest edition of the source that brought it has it.
  expect(
    await counted(`news.source_entry as entry join news.item on item.id = entry.item_id
      where entry.owns_item and item.title <> entry.entry->>'title'`),
  ).toBe(0);
  expect(await counted('news.source_entry where owns_item')).toBe((SOURCES / 2) * ENTRIES);
  // Each item is in one story that stands, and once in the index; no story was left half made.
  expect(await counted('news.item where story is null')).toBe(0);
  expect(
    await counted(`news.item join news.story on story.public_id = item.story
      where story.merged_into is not null`),
  ).toBe(0);
  expect(
    await counted(`news.story where merged_into is null
      and not exists (select from news.item where item.story = story.public_id)`),
  ).toBe(0);
  expect(await counted('news.report_terms')).toBe((SOURCES / 2) * ENTRIES);
  expect(
    await counted(`(select distinct unnest(terms), number from news.report_terms
      except select term, number from news.term_report) as missing`),
  ).toBe(0);
  await mirror.catchUp();
  expect(sorted(mirror.disk.copy)).toEqual(sorted(await selectedSet(feed.database.pool, 'default')));
  expect(mirror.snapshots).toBe(1);
});

function sorted<T>(items: Map<string, T>): [string, T][] {
  return [...items].sort(([a], [b]) => (a < b ? -1 : 1));
}
