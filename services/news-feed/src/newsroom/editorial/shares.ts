import { type RawBuilder, sql } from 'kysely';

/** From so many active sources on, each may use an equal part: with fewer, the quota would stay unused. */
const MOST_PARTS = 4;

/**
 * Into how many parts what a day has is divided among sources: one where a source is alone, and up to four.
 * A source may use one of them, so that none uses up what is there for all. For a statement.
 */
export const PARTS: RawBuilder<number> = sql<number>`(
  select greatest(1, count(*)) from (
    select from news.source where state = 'active' limit ${sql.lit(MOST_PARTS)}
  ) as active
)`;
