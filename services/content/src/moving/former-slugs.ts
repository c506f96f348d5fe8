import { type Kysely, sql } from 'kysely';
import type { Slugged } from '../slug.ts';
import type { ContentTables } from '../tables.ts';

/**
 * Keeps the slugs that a new row had elsewhere, so that they lead to it, and returns those that belong to
 * another row, which are not kept. Whoever calls this has written a slug of the table, and so holds its lock.
 */
export async function keepFormerSlugs(
  db: Kysely<ContentTables>,
  resource: Slugged,
  id: number,
  slugs: readonly string[],
): Promise<string[]> {
  if (slugs.length === 0) return [];
  const { rows } = await sql<{ slug: string; is_taken: boolean }>`
    select slug, content.slug_is_taken(${`content.${resource}`}::regclass, slug, null) as is_taken
    from unnest(${slugs}::text[]) as slug
  `.execute(db);
  const free = rows.filter(({ is_taken }) => !is_taken).map(({ slug }) => slug);
  await sql`
    insert into content.former_slug (resource, slug, id)
    select distinct ${resource}, slug, ${id}::integer from unnest(${free}::text[]) as slug
  `.execute(db);
  return rows.filter(({ is_taken }) => is_taken).map(({ slug }) => slug);
}
