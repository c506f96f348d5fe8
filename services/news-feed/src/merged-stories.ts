import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { NewsTables } from './tables.ts';

/** The story that another one has become, through any number of merges. */
interface Survivor {
  publicId: string;
  title: string;
  isPublic: boolean;
}

/**
 * The last survivor of each of the stories; a story that was never merged is its own survivor. Unknown ids
 * are left out.
 */
export async function survivorsOf(
  db: Kysely<NewsTables>,
  publicIds: readonly string[],
): Promise<Map<string, Survivor>> {
  if (publicIds.length === 0) return new Map();
  const { rows } = await sql<Survivor & { origin: string }>`
    with recursive chain as (
      select public_id as origin, public_id, merged_into, title from news.story where public_id = any(${publicIds})
      union all
      select chain.origin, story.public_id, story.merged_into, story.title
      from chain join news.story as story on story.public_id = chain.merged_into
    )
    select origin, public_id as "publicId", title,
      exists (select from news.item where story = chain.public_id and withdrawn_at is null) as "isPublic"
    from chain where merged_into is null
  `.execute(db);
  return new Map(rows.map(({ origin, ...survivor }) => [origin, survivor]));
}

/** A correction and the time of it; both are null if there is none. */
export interface Correction {
  correction: string | null;
  corrected_at: Date | null;
}

/** Stories, each as `origin`, with all that have become it, by any number of merges. */
export function familiesOf(publicIds: readonly string[]): RawBuilder<unknown> {
  return sql`
    select public_id as origin, public_id from news.story where public_id = any(${publicIds})
    union all
    select family.origin, story.public_id
    from family join news.story as story on story.merged_into = family.public_id`;
}

/** The latest note of each story, or of one that has become it; a story without one is left out. */
export async function correctionsOf(
  db: Kysely<NewsTables>,
  publicIds: readonly string[],
): Promise<Map<string, Correction>> {
  const { rows } = await sql<Correction & { origin: string }>`
    with recursive family as (${familiesOf(publicIds)})
    select distinct on (origin) origin, correction, corrected_at
    from family join news.story using (public_id) where correction is not null
    order by origin, corrected_at desc
  `.execute(db);
  return new Map(rows.map(({ origin, ...correction }) => [origin, correction]));
}
