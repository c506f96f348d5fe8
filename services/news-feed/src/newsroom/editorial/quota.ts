import { lockUntilCommit } from '@pressroom/common/database/database';
import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';
import { PARTS } from './shares.ts';

/** An article that is to be selected. */
export interface Applicant {
  /** Its canonical URL. */
  article: string;
  /** The source that brings it. */
  sourceId: number;
}

/**
 * Takes a place in the quota of `day` (`YYYY-MM-DD`) for an article; true if it has one. An article
 * that is judged again keeps its place, and workers never take more than `quota` together, nor more than its
 * part ({@link PARTS}) for one source.
 */
export function takeSlot(
  db: Kysely<NewsTables>,
  { article, sourceId }: Applicant,
  quota: number,
  day: string,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    await lockUntilCommit(tx, 'count the quota');
    const { rows } = await sql<{ has: boolean }>`
      with taken as (
        select count(*) as places, count(*) filter (where source = ${sourceId}) as own
        from news.editorial_slot where day = ${day}::date
      )
      insert into news.editorial_slot (day, article, source)
      select ${day}::date, ${article}, ${sourceId}::bigint from taken
      where places < ${quota}::integer and own < ceil(${quota}::float8 / ${PARTS})
      on conflict do nothing
      returning true as has
    `.execute(tx);
    if (rows.length > 0) return true;
    const known = await sql`
      select from news.editorial_slot where day = ${day}::date and article = ${article}
    `.execute(tx);
    return known.rows.length > 0;
  });
}
