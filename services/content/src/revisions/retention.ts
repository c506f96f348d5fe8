import { setTimeout as delay } from 'node:timers/promises';
import { lockNumber } from '@pressroom/common/database/advisory-locks';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { ContentTables } from '../tables.ts';

/** How many articles one step examines, and how many revisions or deleted articles it removes at most. */
const [LOOKED_AT, REMOVED] = [100, 1000];

/** The pause between steps, in ms: no request waits for them. */
const PAUSE_MS = 10;

/** What is kept of articles. */
export interface Kept {
  /** How many revisions of an article, the current one among them. */
  revisions: number;
  /** For how many days a former revision. */
  days: number;
  /** For how many days a deleted article can be restored. */
  trashDays: number;
}

/** What a run removed. */
type Pruned = Record<'revisions' | 'articles', number>;

/**
 * Removes expired revisions and deleted articles in small steps, and returns how many. Ends early if another
 * process does the same.
 */
export async function prune(db: Kysely<ContentTables>, kept: Kept, signal?: AbortSignal): Promise<Pruned> {
  const pruned = { revisions: 0, articles: 0 };
  let after = 0;
  for (;;) {
    const step = await alone(db, (tx) => pruneArticles(tx, kept.trashDays));
    pruned.articles += step ?? 0;
    if (step !== REMOVED) break;
    await delay(PAUSE_MS, undefined, { signal });
  }
  for (;;) {
    const step = await alone(db, (tx) => pruneRevisions(tx, kept, after));
    if (step === undefined) return pruned;
    pruned.revisions += step.removed;
    if (step.removed < REMOVED) after = step.last;
    await delay(PAUSE_MS, undefined, { signal });
  }
}

/** Runs a step, undefined if another process is at one. */
function alone<Result>(
  db: Kysely<ContentTables>,
  step: (tx: Transaction<ContentTables>) => Promise<Result>,
): Promise<Result | undefined> {
  return db.transaction().execute(async (tx) => {
    const lock = sql<{
      held: boolean;
    }>`select pg_try_advisory_xact_lock(${lockNumber('prune revisions')}) as held`;
    const { rows } = await lock.execute(tx);
    return rows[0]?.held ? step(tx) : undefined;
  });
}

/** Removes articles that were deleted long ago; by a trigger, their revisions and former slugs go too. */
async function pruneArticles(tx: Kysely<ContentTables>, days: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from content.deleted_article where deleted_at < ${daysAgo(days)} and number in (
      select number from content.deleted_article order by number limit ${REMOVED}
    )`.execute(tx);
  return Number(numAffectedRows);
}

/**
 * Removes the oldest revisions of the next articles after the id `after`. Always the oldest, whatever their
 * times: later ones do without those before them.
 */
async function pruneRevisions(
  tx: Kysely<ContentTables>,
  { revisions, days }: Kept,
  after: number,
): Promise<{ last: number; removed: number } | undefined> {
  const { rows } = await sql<{ last: number | null; removed: number }>`
    with step as materialized (
      select article_id, greatest(
        max(number) + 1 - ${revisions}::integer, max(number) filter (where replaced_at < ${daysAgo(days)})
      ) as most
      from content.article_revision where article_id > ${after}
      group by article_id order by article_id limit ${LOOKED_AT}
    ), removed as (
      delete from content.article_revision where (article_id, number) in (
        select former.article_id, former.number
        from step join content.article_revision as former on former.article_id = step.article_id and number <= most
        order by former.article_id, former.number limit ${REMOVED}
      ) returning number
    )
    select (select max(article_id) from step) as last, (select count(*) from removed)::integer as removed
  `.execute(tx);
  const [{ last, removed } = { last: null, removed: 0 }] = rows;
  return last === null ? undefined : { last, removed };
}

function daysAgo(days: number): RawBuilder<Date> {
  return sql<Date>`clock_timestamp() - make_interval(days => ${days}::integer)`;
}
