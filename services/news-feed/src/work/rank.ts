import { PreparedQuery } from '@pressroom/common/database/database';
import { type Kysely, sql, type Transaction } from 'kysely';
import { RANKED_TOPICS } from '../fields.ts';
import type { NewsTables } from '../tables.ts';

/** Reports count for this long, in hours: six half-lives, after which one weighs less than a fiftieth. */
const WINDOW_HOURS = 72;

/** Topics stored of each category, also beyond those of the list. */
const KEPT_OF_CATEGORY = 10;

/** Days that rankings are kept for inspection. */
const KEPT_DAYS = 7;

/** Most hidden stories that are shown. */
const MOST_HIDDEN = 100;

/** Most outdated rankings that each new one removes. */
const REMOVED_AT_ONCE = 10;

interface Candidate extends Report {
  selected: boolean;
  score: number | null;
  story: string | null;
  category: string | null;
  directions: string[];
}

/** A story, or an item without a story, with its reports. */
interface CandidateTopic {
  id: string;
  story: string | null;
  reports: Candidate[];
}

/** A topic with its place among the others. */
type RankedTopic = CandidateTopic & { heat: Heat; latestAt: Date; pinned: boolean };

/** The inputs of a rank, stored with it. */
interface RankInputs extends Heat {
  story: string | null;
  reports: number;
  /** True if an editor has put it above what is hotter. */
  pinned: boolean;
}

/** The parameters of a ranking, stored with it. */
interface RankingParameters {
  asOf: string;
  windowHours: number;
  weights: typeof RANKING_WEIGHTS;
}

/**
 * Ranks the topics of the last 72 hours by heat and publishes all lists at once, the overall one and one for
 * each direction. Among a topic's items in the list's direction, its representative is preferably a selected
 * one, then one from a first-party source, then the one with the highest score, then the earliest. Stories
 * that an editor has pinned come before the others, and those that were hidden are left out. Returns the
 * number of topics.
 */
export async function publishRanking(
  tx: Transaction<NewsTables>,
  directions: readonly string[],
  now: Date,
): Promise<number> {
  const window = { after: hoursBefore(now, WINDOW_HOURS), through: now };
  const { pinned, hidden } = await placesOf(tx);
  const isIn = ({ story }: CandidateTopic, stories: ReadonlySet<string>) =>
    story !== null && stories.has(story);
  const topics = topicsOf(await CANDIDATES.execute(tx, window)).filter((topic) => !isIn(topic, hidden));
  const parameters: RankingParameters = {
    asOf: now.toISOString(),
    windowHours: WINDOW_HOURS,
    weights: RANKING_WEIGHTS,
  };
  const ranked = rankTopics(topics, now)
    .map((topic) => ({ ...topic, pinned: isIn(topic, pinned) }))
    .sort((a, b) => Number(b.pinned) - Number(a.pinned));
  const rows = [null, ...directions].flatMap((direction) => listOf(ranked, direction));
  await sql`
    with ranking as (
      insert into news.ranking (published_at, parameters)
      values (${now}, ${JSON.stringify(parameters)}::jsonb) returning id
    ), outdated as (
      -- The oldest have the smallest ids, so the others need not be read.
      delete from news.ranking where id = any(array(select id from news.ranking order by id limit ${REMOVED_AT_ONCE}))
        and published_at < ${hoursBefore(now, KEPT_DAYS * 24)}
    )
    insert into news.ranking_entry
      (ranking_id, direction, rank, item_id, source_count, signal_count, source_names, latest_at, inputs)
    select ranking.id, direction, rank, item_id, source_count, signal_count, source_names, latest_at, inputs
    from ranking, jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (
      direction text, rank integer, item_id text, source_count integer, signal_count integer,
      source_names text[], latest_at timestamptz, inputs jsonb
    )
  `.execute(tx);
  await archiveLeftItems(tx);
  return topics.length;
}

/** The stories that editors have pinned in the hot list, and those that they have hidden there. */
async function placesOf(db: Kysely<NewsTables>) {
  const placed = await db
    .selectFrom('news.story')
    .select(['public_id', 'hot_place'])
    .where('hot_place', 'is not', null)
    .execute();
  const at = (place: string) =>
    new Set(placed.flatMap(({ public_id, hot_place }) => (hot_place === place ? [public_id] : [])));
  return { pinned: at('pinned'), hidden: at('hidden') };
}

/** The stories that would be in the latest ranking if they were not hidden, the newest first. */
function hiddenStories(db: Kysely<NewsTables>, asOf: string) {
  const since = hoursBefore(new Date(asOf), WINDOW_HOURS);
  return db
    .selectFrom('news.story')
    .select(['public_id as publicId', 'title'])
    .where('hot_place', '=', 'hidden')
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('news.item')
          .select('id')
          .whereRef('story', '=', 'public_id')
          .where('withdrawn_at', 'is', null)
          .where('timeline_at', '>', since),
      ),
    )
    .orderBy('updated_at', 'desc')
    .limit(MOST_HIDDEN)
    .execute();
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
    .where('entry.rank', '<=', RANKED_TOPICS)
    .orderBy('entry.rank')
    .execute();
  return { ...ranking, entries, hidden: await hiddenStories(db, ranking.parameters.asOf) };
}

const CANDIDATES = new PreparedQuery<NewsTables, { after: Date; through: Date }, Candidate>((db, value) =>
  db
    .selectFrom('news.item')
    .select(['id as itemId', 'source_name as source', 'source_first_party as firstParty'])
    .select(['timeline_at as at', 'story', 'category', 'directions', 'selected', 'score'])
    .where('withdrawn_at', 'is', null)
    .where('timeline_at', '>', value('after'))
    .where('timeline_at', '<=', value('through')),
);

function topicsOf(candidates: readonly Candidate[]): CandidateTopic[] {
  const topics = Map.groupBy(candidates, ({ story, itemId }) =>
    story === null ? `item ${itemId}` : `story ${story}`,
  );
  return [...topics].map(([id, reports]) => ({ id, story: reports[0]?.story ?? null, reports }));
}

/** The entries of a list: the hottest topics with an item in its direction, and those of each category. */
function listOf(ranked: readonly RankedTopic[], direction: string | null) {
  const entries: { topic: RankedTopic; item: Candidate; rank: number }[] = [];
  const ofCategory = new Map<string, number>();
  let rank = 0;
  for (const topic of ranked) {
    const item = representativeOf(topic.reports, direction);
    if (item === undefined) continue;
    rank += 1;
    const count = item.category === null ? Number.POSITIVE_INFINITY : (ofCategory.get(item.category) ?? 0);
    if (rank > RANKED_TOPICS && count >= KEPT_OF_CATEGORY) continue;
    if (item.category !== null) ofCategory.set(item.category, count + 1);
    entries.push({ topic, item, rank });
  }
  return entries.map(({ topic: { heat, story, reports, latestAt, pinned }, item, rank }) => ({
    direction,
    rank,
    item_id: item.itemId,
    source_count: heat.sources.length,
    signal_count: reports.length,
    source_names: heat.sources.map(({ source }) => source),
    latest_at: latestAt,
    inputs: { ...heat, story, reports: reports.length, pinned } satisfies RankInputs,
  }));
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

/** The weights of a ranking, stored with it so that a rank can be explained after they have changed. */
const RANKING_WEIGHTS = {
  /** The time in which a report loses half its weight, in hours. */
  halfLifeHours: 12,
  /** The weight of a source that reports on its own work; any other source weighs 1. */
  firstParty: 1.5,
  /** Added each time the reports double. */
  signals: 0.5,
};

export interface Report {
  itemId: string;
  source: string;
  firstParty: boolean;
  /** When it became news here (the timeline time). */
  at: Date;
}

/** The data from which a topic's rank is computed. */
interface Topic {
  id: string;
  reports: readonly Report[];
}

/** The contribution of one source to a topic. */
interface SourceShare {
  source: string;
  firstParty: boolean;
  /** The age of its newest report, in hours. */
  ageHours: number;
  weight: number;
}

/** A topic's heat and the terms of its sum. */
interface Heat {
  heat: number;
  /** The sum of `sources`. */
  coverage: number;
  /** The contribution of the number of reports. */
  signals: number;
  /** Heaviest first. */
  sources: SourceShare[];
}

/** The digits to which a heat is rounded, so that equal topics compare equal in any order of summation. */
const DIGITS = 6;

const HOUR_MS = 60 * 60 * 1000;

/**
 * The heat of a topic at `now`:
 *
 *     heat = Σ w(s) · fade(s)  +  signals · log2(1 + Σ fade(r))
 *           sources s                        reports r
 *
 * where `fade` is 2^(−age / half-life), a source's age is that of its newest report, and w(s) is `firstParty`
 * for a source that has reported on its own work, else 1. Ten reports from one source are therefore worth far
 * less than one report from each of ten. Reports dated after `now` have age 0. A pure function.
 */
export function heatOf(reports: readonly Report[], now: Date): Heat {
  const sources = sourcesOf(reports, now);
  const coverage = sum(sources.map(({ weight }) => weight));
  const faded = sum(reports.map(({ at }) => fade(hoursBetween(at, now))));
  const signals = round(RANKING_WEIGHTS.signals * Math.log2(1 + faded));
  return { heat: round(coverage + signals), coverage, signals, sources };
}

/**
 * Topics with their heat, hottest first; equal heats are ordered by newest report, then by smallest id. The
 * order of `topics` does not matter.
 */
export function rankTopics<T extends Topic>(
  topics: readonly T[],
  now: Date,
): (T & { heat: Heat; latestAt: Date })[] {
  return topics
    .map((topic) => ({ ...topic, heat: heatOf(topic.reports, now), latestAt: latestOf(topic) }))
    .sort(
      (a, b) =>
        b.heat.heat - a.heat.heat ||
        b.latestAt.getTime() - a.latestAt.getTime() ||
        (a.id < b.id ? -1 : Number(a.id > b.id)),
    );
}

function sourcesOf(reports: readonly Report[], now: Date): SourceShare[] {
  const bySource = new Map<string, { firstParty: boolean; ageHours: number }>();
  for (const { source, firstParty, at } of reports) {
    const known = bySource.get(source);
    const ageHours = hoursBetween(at, now);
    bySource.set(source, {
      firstParty: firstParty || known?.firstParty === true,
      ageHours: Math.min(ageHours, known?.ageHours ?? ageHours),
    });
  }
  return [...bySource]
    .map(([source, { firstParty, ageHours }]) => {
      const weight = round((firstParty ? RANKING_WEIGHTS.firstParty : 1) * fade(ageHours));
      return { source, firstParty, ageHours: round(ageHours), weight };
    })
    .sort((a, b) => b.weight - a.weight || (a.source < b.source ? -1 : 1));
}

function latestOf({ reports }: Topic): Date {
  return new Date(Math.max(...reports.map(({ at }) => at.getTime())));
}

function fade(ageHours: number): number {
  return 2 ** (-ageHours / RANKING_WEIGHTS.halfLifeHours);
}

function hoursBetween(earlier: Date, later: Date): number {
  return Math.max(0, later.getTime() - earlier.getTime()) / HOUR_MS;
}

function sum(values: number[]): number {
  // Sorted, so that the result does not depend on the order of the rows.
  return round(values.sort((a, b) => a - b).reduce((total, value) => total + value, 0));
}

function round(value: number): number {
  return Number(value.toFixed(DIGITS));
}

/** The most items that are archived at once. */
const ARCHIVED = 2000;

const ARCHIVE = new PreparedQuery<NewsTables, Record<string, never>, unknown>((db) => ({
  compile: () =>
    sql`
      update news.item_terms as kept
      set archived = true, terms = news.archived_terms(item.published_at, item.source_name, kept.terms)
      from news.item as item
      where item.id = kept.item_id and kept.item_id in (
        select item_id from news.item_terms where not archived and latest_at < news.recent_since()
        order by latest_at limit ${sql.lit(ARCHIVED)} for update skip locked
      )`.compile(db),
}));

/**
 * Moves the terms of items that have left every window to the archive's. Time alone brings none of them back.
 */
export async function archiveLeftItems(db: Kysely<NewsTables>): Promise<void> {
  await ARCHIVE.execute(db, {});
}
