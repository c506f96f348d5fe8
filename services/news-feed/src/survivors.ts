import { type Kysely, sql } from 'kysely';
import type { NewsTables } from './tables.ts';

/** The story that another one has become, through any number of merges. */
export interface Survivor {
  publicId: string;
  title: string;
  /** Whether it has a public report. */
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
