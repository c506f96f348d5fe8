import { RulesAssigner } from '@pressroom/news-feed/grouping/story-assigner';
import { StorySearch } from '@pressroom/news-feed/grouping/story-index';
import type { NewsTables } from '@pressroom/news-feed/tables';
import type { TitleVectors } from '@pressroom/stories';
import { readLexicon } from '@pressroom/stories';
import { type Kysely, sql } from 'kysely';
import { insertRows, itemRow } from '../../test/support/news-feed.ts';
import type { LabelledReport, LabelledSet } from './labelled-set.ts';

/** Titles that are embedded at once: as many as a worker edits entries. */
const BATCH = 25;

export type Order = 'by time' | 'batch';

/**
 * Assigns a set to stories in an empty database, and returns the story of each report. `by time` assigns each
 * as it is published; `batch` takes them all at once in an order that says nothing, as an import does.
 * `titles` has them embedded.
 */
export async function assignSet(
  db: Kysely<NewsTables>,
  { reports }: LabelledSet,
  order: Order,
  titles?: TitleVectors,
): Promise<Map<string, string>> {
  await db.deleteFrom('news.item').execute();
  await db.deleteFrom('news.story').execute();
  const search = new StorySearch(readLexicon(), titles);
  const assigner = new RulesAssigner(search);
  const ordered = order === 'batch' ? shuffled(reports) : reports;
  const last = reports.at(-1)?.publishedAt ?? new Date();
  for (const [index, report] of ordered.entries()) {
    if (index % BATCH === 0) await search.prepare(ordered.slice(index, index + BATCH));
    await assignReport(db, assigner, report, order === 'batch' ? last : report.publishedAt);
  }
  const rows = await db.selectFrom('news.item').select(['id', 'story']).execute();
  return new Map(rows.map(({ id, story }) => [id, story ?? id]));
}

/** Stores an item and its story, as the worker does. */
export async function assignReport(
  db: Kysely<NewsTables>,
  assigner: RulesAssigner,
  report: LabelledReport,
  now: Date,
): Promise<void> {
  const { id, title, summary, sourceName: source_name, publishedAt: published_at } = report;
  const row = itemRow(id, { id, title, summary, source_name, published_at, discovered_at: now });
  await db.transaction().execute(async (tx) => {
    await sql`select news.commit_later()`.execute(tx);
    await assigner.assign(tx, [report], now, insertRows(tx, [row]));
  });
}

/** An order that is the same in every run and has nothing to do with time. */
export function shuffled(reports: readonly LabelledReport[]): LabelledReport[] {
  return reports
    .map((report, index) => ({ report, key: (index * 7919 + 104_729) % 10_007 }))
    .sort((a, b) => a.key - b.key)
    .map(({ report }) => report);
}
