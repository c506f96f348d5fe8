import { readLexicon } from '@pressroom/news-feed/newsroom/stories/lexicon';
import { RulesAssigner } from '@pressroom/news-feed/newsroom/stories/rules-assigner';
import { StorySearch } from '@pressroom/news-feed/newsroom/stories/story-search';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { type Kysely, sql } from 'kysely';
import { type LabelledReport, readLabelledSet } from './labelled-set.ts';

/** How well stories match events, over all pairs of reports. */
export interface StoryQuality {
  half: 'tuning' | 'unread';
  order: 'by time' | 'batch';
  reports: number;
  /** Of the pairs in one story, the share that is on one event. */
  precision: number;
  /** Of the pairs on one event, the share that is in one story. */
  recall: number;
  /** The pairs that are wrong, as titles, for whoever tunes. */
  wrong: string[];
}

/**
 * Assigns one half of the labelled set and compares stories with events. `by time` assigns each report as it
 * is published; `batch` takes them all at once in an order that says nothing, as an import does.
 */
export async function measureQuality(
  db: Kysely<NewsTables>,
  half: StoryQuality['half'],
  order: StoryQuality['order'],
): Promise<StoryQuality> {
  await db.deleteFrom('news.item').execute();
  await db.deleteFrom('news.story').execute();
  return measureQualityAmong(db, half, order);
}

/** The same among the reports that are stored already. */
async function measureQualityAmong(
  db: Kysely<NewsTables>,
  half: StoryQuality['half'],
  order: StoryQuality['order'],
): Promise<StoryQuality> {
  const reports = readLabelledSet(half);
  const assigner = new RulesAssigner(new StorySearch(readLexicon()));
  const last = reports.at(-1)?.publishedAt ?? new Date();
  for (const report of order === 'batch' ? shuffled(reports) : reports) {
    await assignReport(db, assigner, report, order === 'batch' ? last : report.publishedAt);
  }
  const ids = reports.map(({ id }) => id);
  const rows = await db.selectFrom('news.item').select(['id', 'story']).where('id', 'in', ids).execute();
  const stories = new Map(rows.map(({ id, story }) => [id, story ?? id]));
  return { half, order, reports: reports.length, ...compare(reports, stories) };
}

/** Stores an item and its story, as the worker does. */
export async function assignReport(
  db: Kysely<NewsTables>,
  assigner: RulesAssigner,
  report: LabelledReport,
  now: Date,
): Promise<void> {
  const url = `https://source.example/${report.id}`;
  await db.transaction().execute(async (tx) => {
    await sql`select news.commit_later()`.execute(tx);
    await tx
      .insertInto('news.item')
      .values({
        id: report.id,
        title: report.title,
        summary: report.summary,
        source_name: report.sourceName,
        original_url: url,
        canonical_url: url,
        published_at: report.publishedAt,
        discovered_at: now,
      })
      .execute();
    await assigner.assign(tx, [report], now);
  });
}

/** An order that is the same in every run and has nothing to do with time. */
function shuffled(reports: readonly LabelledReport[]): LabelledReport[] {
  return reports
    .map((report, index) => ({ report, key: (index * 7919 + 104_729) % 10_007 }))
    .sort((a, b) => a.key - b.key)
    .map(({ report }) => report);
}

function compare(reports: readonly LabelledReport[], stories: ReadonlyMap<string, string>) {
  let right = 0;
  let together = 0;
  let expected = 0;
  const wrong: string[] = [];
  for (const [index, a] of reports.entries()) {
    for (const b of reports.slice(index + 1)) {
      const isTogether = stories.get(a.id) === stories.get(b.id);
      const isExpected = a.event === b.event;
      together += Number(isTogether);
      expected += Number(isExpected);
      right += Number(isTogether && isExpected);
      if (isTogether !== isExpected)
        wrong.push(`${isTogether ? 'one story' : 'two stories'}: ${a.title} / ${b.title}`);
    }
  }
  return { precision: right / Math.max(1, together), recall: right / Math.max(1, expected), wrong };
}
