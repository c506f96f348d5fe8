import { createHash } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';

/** Whether the token is that of a link to this article which works now. */
export async function isPreviewOf(
  db: Kysely<ContentTables>,
  articleId: number,
  token: string,
): Promise<boolean> {
  const found = await db
    .selectFrom('content.preview')
    .select('id')
    .where('token_hash', '=', hashToken(token))
    .where('article_id', '=', articleId)
    .where('expires_at', '>', sql<Date>`clock_timestamp()`)
    .executeTakeFirst();
  return found !== undefined;
}

/** SHA-256 of a token: 256 random bits do not need a slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
