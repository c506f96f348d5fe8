import { type Kysely, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';
import type { ImportedArticle } from './import-line.ts';

/**
 * The ids of those of these articles that are there since an earlier import: by the key that it kept, or in a
 * restored export by id and slug.
 */
export async function importedBefore(
  db: Kysely<ContentTables>,
  articles: readonly ImportedArticle[],
): Promise<Map<ImportedArticle, number>> {
  const keys = articles.flatMap(({ key }) => key ?? []);
  const ids = articles.flatMap(({ past }) => past.id ?? []);
  const { rows } = await sql<{ key: string | null; id: number; slug: string | null }>`
    select key, article_id as id, null as slug from content.idempotency_key where key = any(${keys}::text[])
    union all select null, id, slug from content.article where id = any(${ids}::integer[])
  `.execute(db);
  const known = new Map<ImportedArticle, number>();
  for (const article of articles) {
    const { key, past, body } = article;
    const row = rows.find(
      (one) => (key !== undefined && one.key === key) || (one.id === past.id && one.slug === body.slug),
    );
    if (row !== undefined) known.set(article, row.id);
  }
  return known;
}
