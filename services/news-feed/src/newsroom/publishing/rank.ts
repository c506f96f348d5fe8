import { type Kysely, sql, type Transaction } from 'kysely';
import { forgetLeftItems } from '../../items/recent.ts';
import type { NewsTables } from '../../tables.ts';
import { type Heat, RANKING_WEIGHTS, type Report, rankTopics } from './ranking.ts';

/** How far back reports count, in hours: six half-lives, after which a report weighs less than a fiftieth. */
const WINDOW_HOURS = 72;

/** How many topics each list stores: when an item is withdrawn, the next topic moves up. */
const KEPT = 50;

/** How long rankings are kept for inspection, in days. */
const KEPT_DAYS = 7;

/** A public item in the window. */
interface Candidate extends Report {
  selected: boolean;
  score: number | null;
  story: string | null;
  directions: string[];
}

/** A story, or an item without a story, with its reports. */
interface CandidateTopic {
  id: string;
  story: string | null;
  reports: Candidate[];
}

/** The inputs of a rank, stored with it. */
export interface RankInputs extends Heat {
  story: string | null;
  reports: number;
}

/** The parameters of a ranking, stored with it. */
export interface RankingParameters {
  asOf: string;
  windowHours: number;
  weights: typeof RANKING_WEIGHTS;
}

/**
 * Ranks the topics of the last 72 hours by heat and publishes all lists at once, the overall one and one for
 * each direction. Among a topic's items in the list's direction, its representative is preferably a selected
 * one, then one from a first-party source, then the one with the highest score, then the earliest. Returns
 * the number of topics.
 */
export async function publishRanking(
  tx: Transaction<NewsTables>,
  directions: readonly string[],
  now: Date,
): Promise<number> {
  const topics = topicsOf(await readCandidates(tx, now));
  const parameters: RankingParameters = {
    asOf: now.toISOString(),
    windowHours: WINDOW_HOURS,
    weights: RANKING_WEIGHTS,
  };
  const { id } = await tx
    .insertInto('news.ranking')
    .values({ published_at: now, parameters: JSON.stringify(parameters) })
    .returning('id')
    .executeTakeFirstOrThrow();
  const ranked = rankTopics(topics, now);
  for (const direction of [null, ...directions]) {
    const rows = ranked
      .map((topic) => ({ topic, item: representativeOf(topic.reports, direction) }))
      .flatMap(({ topic, item }) => (item === undefined ? [] : [{ topic, item }]))
      .slice(0, KEPT)
      .map(({ topic, item }, index) => ({
        ranking_id: id,
        direction,
        rank: index + 1,
        item_id: item.itemId,
        source_count: topic.heat.sources.length,
        signal_count: topic.reports.length,
        participant_count: null,
        source_names: topic.heat.sources.map(({ source }) => source),
        latest_at: topic.latestAt,
        inputs: JSON.stringify({
          ...topic.heat,
          story: topic.story,
          reports: topic.reports.length,
        } satisfies RankInputs),
      }));
    if (rows.length > 0) await tx.insertInto('news.ranking_entry').values(rows).execute();
  }
  await tx
    .deleteFrom('news.ranking')
    .where('id', '<', id)
    .where('published_at', '<', hoursBefore(now, KEPT_DAYS * 24))
    .execute();
  await forgetLeftItems(tx);
  return topics.length;
}

/** A list of the latest ranking with the inputs of each rank. */
export async function explainRanking(db: Kysely<NewsTables>, direction: string | undefined) {
  const ranking = await db
    .selectFrom('news.ranking')
    .select(['id', 'published_at', sql<RankingParameters>`parameters`.as('parameters')])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (ranking === undefined) return undefined;
  const entries = await db
    .selectFrom('news.ranking_entry as entry')
    .innerJoin('news.item as item', 'item.id', 'entry.item_id')
    .select(['entry.rank', 'item.id', 'item.title', 'item.withdrawn_at'])
    .select(sql<RankInputs>`entry.inputs`.as('inputs'))
    .where('entry.ranking_id', '=', ranking.id)
    .where('entry.direction', direction === undefined ? 'is' : '=', direction ?? null)
    .orderBy('entry.rank')
    .execute();
  return { ...ranking, entries };
}

async function readCandidates(tx: Transaction<NewsTables>, now: Date): Promise<Candidate[]> {
  const rows = await tx
    .selectFrom('news.item')
    .select(['id', 'source_name', 'source_first_party', 'timeline_at', 'story', 'directions'])
    .select(['selected', 'score'])
    .where('withdrawn_at', 'is', null)
    .where('timeline_at', '>', hoursBefore(now, WINDOW_HOURS))
    .where('timeline_at', '<=', now)
    .execute();
  return rows.map(({ id, source_name, source_first_party, timeline_at, ...rest }) => ({
    ...rest,
    itemId: id,
    source: source_name,
    firstParty: source_first_party,
    at: timeline_at,
  }));
}

function topicsOf(candidates: readonly Candidate[]): CandidateTopic[] {
  const topics = Map.groupBy(candidates, ({ story, itemId }) =>
    story === null ? `item ${itemId}` : `story ${story}`,
  );
  return [...topics].map(([id, reports]) => ({ id, story: reports[0]?.story ?? null, reports }));
}

function representativeOf(reports: readonly Candidate[], direction: string | null): Candidate | undefined {
  const [best] = reports
    .filter(({ directions }) => direction === null || directions.includes(direction))
    .sort(
      (a, b) =>
        Number(b.selected) - Number(a.selected) ||
        Number(b.firstParty) - Number(a.firstParty) ||
        (b.score ?? -1) - (a.score ?? -1) ||
        a.at.getTime() - b.at.getTime() ||
        (a.itemId < b.itemId ? -1 : 1),
    );
  return best;
}

function hoursBefore(time: Date, hours: number): Date {
  return new Date(time.getTime() - hours * 60 * 60 * 1000);
}
