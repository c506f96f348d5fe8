import type { Kysely } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { keyOf } from '../written-by.ts';

/** The working copy of an article as lists show it. */
export interface ShownWorkingCopy {
  saved_at: string;
  is_current: boolean;
  key: ReturnType<typeof keyOf>;
}

/** Which of these articles have a working copy. */
export async function workingCopiesOf(
  db: Kysely<ContentTables>,
  articleIds: readonly number[],
): Promise<Map<number, ShownWorkingCopy>> {
  if (articleIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('content.working_copy as copy')
    .innerJoin('content.article as article', 'article.id', 'copy.article_id')
    .leftJoin('content.api_key as key', 'key.prefix', 'copy.saved_by')
    .select(['article.id', 'copy.saved_at', 'copy.saved_by', 'key.name'])
    .select(({ eb }) => eb('copy.revision', '=', eb.ref('article.revision')).as('is_current'))
    .where('article.id', 'in', articleIds)
    .execute();
  return new Map(
    rows.map(({ id, saved_at, saved_by, name, is_current }) => {
      const isCurrent = is_current === true;
      return [id, { saved_at: saved_at.toISOString(), is_current: isCurrent, key: keyOf(saved_by, name) }];
    }),
  );
}
