import { type Kysely, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';
import type { ImportedArticle } from './import-line.ts';

/** An article that an earlier import may have made. */
interface Candidate {
  key: string | null;
  id: number;
  slug: string;
  created_at: Date;
  published_at: Date | null;
  former_slugs: string[];
}

/**
 * The ids of those of these articles that are there since an earlier import: by the key that it kept, or in
 * an export by id and slug.
 */
export async function importedBefore(
  db: Kysely<ContentTables>,
  articles: readonly ImportedArticle[],
): Promise<Map<ImportedArticle, number>> {
  const keys = articles.flatMap(({ key, formerKeys }) => [
    ...formerKeys,
    ...(key === undefined ? [] : [key]),
  ]);
  const ids = articles.flatMap(({ ownId }) => ownId ?? []);
  const members = sql`article.id, article.slug, article.created_at, article.published_at, array(
    select former.slug from content.former_slug as former
    where former.resource = 'article' and former.id = article.id) as former_slugs`;
  const { rows } = await sql<Candidate>`
    select kept.key, ${members} from content.idempotency_key as kept
      join content.article as article on article.id = kept.article_id where kept.key = any(${keys}::text[])
    union all select null, ${members} from content.article as article where article.id = any(${ids}::integer[])
  `.execute(db);
  const known = new Map<ImportedArticle, number>();
  for (const article of articles) {
    const row =
      rows.find(({ key }) => key !== null && key === article.key) ??
      rows.find((one) =>
        one.key === null
          ? isItself(article, one)
          : article.formerKeys.includes(one.key) && isLike(article, one),
      );
    if (row !== undefined) known.set(article, row.id);
  }
  return known;
}

/** Whether an article comes back to where it was exported. */
function isItself({ ownId, past, body }: ImportedArticle, { id, slug, created_at }: Candidate): boolean {
  if (id !== ownId || slug !== body.slug) return false;
  return past.id !== undefined || Number(past.created_at) === Number(created_at);
}

/** Whether an article may be the one that has the key of an earlier version, which different ones shared. */
function isLike({ wanted, past }: ImportedArticle, { slug, published_at, former_slugs }: Candidate): boolean {
  if (wanted.isGiven) return slug === wanted.slug || former_slugs.includes(wanted.slug);
  return past.published_at === undefined || Number(past.published_at) === Number(published_at);
}
