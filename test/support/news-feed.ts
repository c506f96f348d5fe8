import { openNewsFeed } from '@pressroom/news-feed/api/open';
import type { Clock } from '@pressroom/news-feed/calendar';
import { readNewsFeedConfig } from '@pressroom/news-feed/config';
import type { InsertItems } from '@pressroom/news-feed/grouping/story-assigner';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { type Insertable, Kysely, PostgresDialect, type Transaction } from 'kysely';
import { createTestDatabase, PATIENT, type TestDatabase } from './database.ts';
import { memoryLog, type TestLog } from './log.ts';

/** A news feed on its own port. */
export interface RunningNewsFeed {
  /** Its address, without a path. */
  url: string;
  log: TestLog;
  close: () => Promise<void>;
}

/** The publishing site that tests are set to. */
export const SITE_URL = 'https://news.example';

/** Starts the news feed on a free port, by the test's clock where there is one. */
export async function startNewsFeed(
  databaseUrl: string,
  settings: Record<string, string> = {},
  clock?: Clock,
): Promise<RunningNewsFeed> {
  const log = memoryLog('news-feed');
  const config = readNewsFeedConfig({
    // No test reaches these unless it means to.
    NEWS_RATE_LIMIT: '1000000',
    ...PATIENT,
    SITE_URL,
    DATABASE_URL: databaseUrl,
    NEWS_FEED_PORT: '0',
    ...settings,
  });
  const { app, release } = await openNewsFeed(config, log.log, clock);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  const close = async () => {
    await app.close();
    await release();
  };
  return { url, log, close };
}

/** The news feed with a database of a test file's own. */
export interface NewsFeedFixture extends RunningNewsFeed {
  database: TestDatabase;
  /** The same database, for preparing rows. */
  db: Kysely<NewsTables>;
}

/** Starts the news feed on its own database. */
export async function newsFeedFixture(
  settings: Record<string, string> = {},
  clock?: Clock,
): Promise<NewsFeedFixture> {
  const database = await createTestDatabase();
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: database.pool }) });
  const service = await startNewsFeed(database.url, settings, clock);
  const close = async () => {
    await service.close();
    await database.drop();
  };
  return { ...service, database, db, close };
}

/**
 * A row of `news.item` with what `values` says; everything else is made up from `name`, which is to be
 * unique.
 */
export function itemRow(
  name: string,
  values: Partial<Insertable<NewsTables['news.item']>> = {},
): Insertable<NewsTables['news.item']> {
  const url = `https://source.example/${encodeURIComponent(name)}`;
  return {
    title: `Title of ${name}`,
    source_name: 'Source',
    original_url: url,
    canonical_url: url,
    published_at: new Date(),
    ...values,
  };
}

/** Inserts items with their stories, as the worker does once it knows these. */
export function insertRows(
  tx: Transaction<NewsTables>,
  rows: readonly Insertable<NewsTables['news.item']>[],
): InsertItems {
  return async (storyOf) => {
    const stored = rows.map((row) => ({ ...row, story: storyOf(row.id ?? '') }));
    await tx.insertInto('news.item').values(stored).execute();
  };
}
