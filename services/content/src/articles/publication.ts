import { Failure, type FieldFault, invalid } from '@pressroom/common/failures/failure';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { ContentTables } from '../tables.ts';

/** A time may arrive this late, in ms: a repeated request still does what it said. */
const TOLERANCE_MS = 60_000;

/** A time may be this far ahead, in years. */
const HORIZON_YEARS = 10;

/** The most articles of a release: they are published in one transaction. */
const MOST_RELEASED = 100;

export interface Publication {
  is_published: boolean;
  published_at: Date | null;
  publish_at: Date | null;
  unpublish_at: Date | null;
  release: string | null;
}

/** The part of a body that plans when an article is public; absent members stay. */
export interface ScheduleChange {
  is_published?: boolean | undefined;
  publish_at?: Date | null | undefined;
  unpublish_at?: Date | null | undefined;
  release?: string | null | undefined;
}

/** A release that an article is in, or joins. */
export interface ReleaseTime {
  publish_at: Date | null;
}

interface PlanContext {
  now: Date;
  /** The release that the article is in after the change. */
  release: ReleaseTime | undefined;
}

type Plan = Partial<Pick<Publication, 'publish_at' | 'unpublish_at' | 'release'>>;

const NEW: Publication = {
  is_published: false,
  published_at: null,
  publish_at: null,
  unpublish_at: null,
  release: null,
};

/**
 * Returns the schedule of an article after a change, or of a new one if `before` is absent. A time of its own
 * takes an article out of its release, and a release replaces the article's own time.
 *
 * @throws Failure `invalid` for times that cannot be meant; `conflict` with code `already_published` if it
 * comes too late
 */
export function planOf(
  before: Publication = NEW,
  change: ScheduleChange,
  { now, release }: PlanContext,
): Plan {
  const { publish_at, unpublish_at, release: name } = change;
  if (comesTooLate(before, change)) {
    if (publish_at?.getTime() !== before.published_at?.getTime()) throw alreadyPublished(before);
    // The answer was lost after the request had been carried out.
    return planOf(before, { unpublish_at }, { now, release });
  }
  const plan: Plan = { ...(unpublish_at !== undefined && { unpublish_at }) };
  if (publish_at !== undefined || name != null) plan.publish_at = publish_at ?? null;
  if (publish_at !== undefined || name !== undefined) plan.release = name ?? null;
  const faults = [
    ...contradictions(change),
    ...timeFaults('publish_at', publish_at, now),
    ...timeFaults('unpublish_at', unpublish_at, now),
  ];
  if (faults.length === 0) faults.push(...orderFaults({ ...before, ...plan }, change, { now, release }));
  if (faults.length > 0) throw invalid(faults);
  return plan;
}

/** True if a change plans the publication of an article that is published, and does not set its state. */
function comesTooLate(before: Publication, change: ScheduleChange): boolean {
  const says = change.publish_at !== undefined || change.release !== undefined;
  return says && before.is_published && change.is_published === undefined;
}

function alreadyPublished({ published_at }: Publication): Failure {
  const detail = `the article has been published (${published_at?.toISOString()}); to take it back, set is_published to false as well`;
  return new Failure('conflict', detail, { code: 'already_published' });
}

function contradictions({ is_published, publish_at, release }: ScheduleChange): FieldFault[] {
  const fault = (field: string, why: string): FieldFault => {
    return { field, code: 'conflict', message: `must be null or left out ${why}` };
  };
  const atOnce = 'with is_published: true, which publishes at once';
  const faults: FieldFault[] = [];
  if (is_published && publish_at != null) faults.push(fault('publish_at', atOnce));
  if (is_published && release != null) faults.push(fault('release', atOnce));
  if (release != null && publish_at != null)
    faults.push(fault('publish_at', 'with release, which has its time'));
  return faults;
}

export function timeFaults(field: string, time: Date | null | undefined, now: Date): FieldFault[] {
  if (time == null) return [];
  const horizon = new Date(now);
  horizon.setUTCFullYear(now.getUTCFullYear() + HORIZON_YEARS);
  if (time.getTime() < now.getTime() - TOLERANCE_MS)
    return [{ field, code: 'in_the_past', message: `is in the past: it is ${now.toISOString()}` }];
  if (time <= horizon) return [];
  return [{ field, code: 'too_large', message: `must be at most ${HORIZON_YEARS} years ahead` }];
}

function orderFaults(
  after: Publication,
  change: ScheduleChange,
  { now, release }: PlanContext,
): FieldFault[] {
  if (after.unpublish_at === null) return [];
  const beginning = after.release === null ? after.publish_at : (release?.publish_at ?? null);
  const field = ['unpublish_at', 'publish_at', 'release'].find(
    (name) => change[name as keyof ScheduleChange] != null,
  );
  if (change.is_published && after.unpublish_at <= now && change.unpublish_at === undefined) {
    const message = 'has passed: send a later one with is_published: true, or null';
    return [{ field: 'unpublish_at', code: 'in_the_past', message }];
  }
  if (change.is_published || beginning === null || beginning < after.unpublish_at) return [];
  const times = `it would be published at ${beginning.toISOString()} and taken back at ${after.unpublish_at.toISOString()}`;
  return [{ field: field ?? 'unpublish_at', code: 'wrong_order', message: `does not fit: ${times}` }];
}

export function hasSchedule({ publish_at, unpublish_at, release }: ScheduleChange): boolean {
  return publish_at !== undefined || unpublish_at !== undefined || release !== undefined;
}

/**
 * Reads the time and the release by which {@link planOf} judges a change. Lock the release that the article
 * joins before the article, which whoever publishes the release waits for.
 */
export async function planContext(
  tx: Kysely<ContentTables>,
  release: ReleaseTime | undefined,
): Promise<PlanContext> {
  return { now: await databaseTime(tx), release };
}

/** Returns the database's time, by which everything is published. */
export async function databaseTime(db: Kysely<ContentTables>): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the database did not tell the time');
  return row.now;
}

/**
 * Locks the release that an article joins until the transaction ends, so that it is published with it.
 *
 * @throws Failure `invalid` if it does not exist; `conflict` with code `already_published` if it has been
 * published, `release_full` if it has too many articles
 */
export async function joinRelease(
  tx: Transaction<ContentTables>,
  name: string,
  article?: number,
): Promise<ReleaseTime> {
  const release = await tx
    .selectFrom('content.release')
    .select(['publish_at', 'published_at'])
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
  if (release === undefined) {
    const message = 'no release has this name; create it first';
    throw invalid([{ field: 'release', code: 'not_found', message }]);
  }
  if (release.published_at !== null) {
    const detail = `the release ${name} has been published; take another name`;
    throw new Failure('conflict', detail, { code: 'already_published' });
  }
  const { count } = await tx
    .selectFrom('content.article')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('release', '=', name)
    .where('id', '<>', article ?? 0)
    .executeTakeFirstOrThrow();
  if (count < MOST_RELEASED) return release;
  const detail = `the release ${name} has ${MOST_RELEASED} articles, which is the most`;
  throw new Failure('conflict', detail, { code: 'release_full' });
}

/** The time of the release that an article is in. */
export function releaseOf(db: Kysely<ContentTables>, name: string): Promise<ReleaseTime | undefined> {
  return db.selectFrom('content.release').select('publish_at').where('name', '=', name).executeTakeFirst();
}

/** When an article is published and taken back, as readers with a key see it. */
export interface ShownSchedule {
  publish_at: string | null;
  unpublish_at: string | null;
  release: string | null;
}

/** The schedule of each of these articles; the time of one in a release is that of the release. */
export async function schedulesOf(
  db: Kysely<ContentTables>,
  articleIds: readonly number[],
): Promise<Map<number, ShownSchedule>> {
  if (articleIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('content.article as article')
    .leftJoin('content.release as release', 'release.name', 'article.release')
    .select(['article.id', 'article.release', 'article.unpublish_at'])
    .select(({ fn }) => fn.coalesce('release.publish_at', 'article.publish_at').as('publish_at'))
    .where('article.id', 'in', articleIds)
    .execute();
  return new Map(
    rows.map(({ id, release, publish_at, unpublish_at }) => {
      const times = { publish_at: shown(publish_at), unpublish_at: shown(unpublish_at) };
      return [id, { ...times, release }];
    }),
  );
}

function shown(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}
