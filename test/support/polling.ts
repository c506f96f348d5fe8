import { readVocabulary } from '@pressroom/news-feed/config';
import { itemChecker } from '@pressroom/news-feed/editing/item-members';
import { Reader } from '@pressroom/news-feed/reading/reader';
import type { SourceSettings } from '@pressroom/news-feed/reading/source-settings';
import { addSource, findSource, type Source } from '@pressroom/news-feed/reading/sources';
import { FETCH_LIMITS, WebFetcher, WebPageReader } from '@pressroom/news-feed/reading/web-fetcher';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { type EditParts, editEntries } from '@pressroom/news-feed/work/edit-entries';
import { Throttle } from '@pressroom/news-feed/work/job-slots';
import {
  type PollOutcome,
  type PollParts,
  pollBounds,
  pollSource,
} from '@pressroom/news-feed/work/poll-source';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { FeedHost } from './feed-host.ts';
import { noStories, sourceJudge } from './plain-newsroom.ts';

/** The newsroom's polling without its queues, by a clock of the test's. */
export interface Desk {
  host: FeedHost;
  database: TestDatabase;
  db: Kysely<NewsTables>;
  /** The time; a test moves it. */
  now: { value: Date };
  parts: PollParts & EditParts;
  /** Adds a source of the host and returns its id. */
  add(path: string, settings?: SourceSettings): Promise<number>;
  /** Polls a source and edits its entries, after waiting until it is due. */
  poll(id: number): Promise<PollOutcome>;
  source(id: number): Promise<Source>;
  /** Titles, summaries and so on, in the order of their titles. */
  items(): Promise<Awaited<ReturnType<typeof itemsOf>>>;
  /** The same desk with other parts, or other limits of one answer. */
  with(replaced: Partial<PollParts & EditParts>, limits?: Partial<typeof FETCH_LIMITS>): Desk;
  /** Forgets all sources, items and answers, and begins at the same time again. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

const NO_SIGNAL = new AbortController().signal;

const BEGIN = '2026-11-20T00:00:00Z';

/** Opens a desk, on its own database unless one is given. */
export async function openDesk(given?: TestDatabase): Promise<Desk> {
  const [host, database] = await Promise.all([FeedHost.start(), given ?? createTestDatabase()]);
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: database.pool }) });
  const fetchers: WebFetcher[] = [];
  const fetchWith = (limits: Partial<typeof FETCH_LIMITS>) => {
    const fetcher = new WebFetcher({ ...FETCH_LIMITS, ...limits, privateHosts: ['127.0.0.1', 'localhost'] });
    fetchers.push(fetcher);
    return fetcher.fetch;
  };
  const now = { value: new Date(BEGIN) };
  const fetch = fetchWith({});
  const reader = new Reader();
  const pages = new WebPageReader(fetch, reader, async () => undefined);
  const parts = {
    db,
    fetch,
    reader,
    clock: () => now.value,
    bounds: pollBounds(300),
    random: () => 0,
    subscribes: false,
    checkItem: itemChecker(readVocabulary({})),
    judge: sourceJudge,
    stories: noStories,
    writing: new Throttle(1),
    pages,
    crawlPolicy: pages.crawlPolicy,
  };
  const close = async () => {
    for (const fetcher of fetchers) await fetcher.close();
    await reader.close();
    await host.close();
    await database.drop();
  };
  return deskOf({ host, database, db, now, fetchWith, close }, parts);
}

type Room = Pick<Desk, 'host' | 'database' | 'db' | 'now' | 'close'> & {
  fetchWith: (limits: Partial<typeof FETCH_LIMITS>) => PollParts['fetch'];
};

function deskOf(room: Room, parts: PollParts & EditParts): Desk {
  const { db, host, now } = room;
  const source = (id: number) => findSource(db, String(id));
  return {
    ...room,
    parts,
    source,
    add: async (path, settings = {}) => (await addSource(db, host.at(path), settings, now.value)).id,
    poll: async (id) => {
      const { next_poll_at } = await source(id);
      now.value = new Date(Math.max(now.value.getTime(), next_poll_at.getTime()));
      const outcome = await pollSource(parts, id, NO_SIGNAL);
      for (;;) {
        const { written, failed } = await editEntries(parts, id, NO_SIGNAL);
        if (written + failed === 0) break;
      }
      return outcome;
    },
    items: () => itemsOf(db),
    with: (replaced, limits) =>
      deskOf(room, { ...parts, ...(limits && { fetch: room.fetchWith(limits) }), ...replaced }),
    clear: async () => {
      host.clear();
      now.value = new Date(BEGIN);
      await sql`truncate news.source, news.source_entry, news.item, news.story, news.schedule cascade`.execute(
        db,
      );
    },
  };
}

function itemsOf(db: Kysely<NewsTables>) {
  return db
    .selectFrom('news.item')
    .select(['id', 'title', 'summary', 'source_name', 'original_url', 'published_at', 'discovered_at'])
    .select([
      'category',
      'score',
      'selected',
      'directions',
      'story',
      'image',
      'language',
      'authors',
      'tags',
      'enclosures',
    ])
    .orderBy('title')
    .execute();
}
