import { type Kysely, sql } from 'kysely';
import type { NewsTables } from '../../tables.ts';

/** Takes tokens from what titles may use on a day, `YYYY-MM-DD`; false if they are not left. */
export async function takeForEmbeddings(
  db: Kysely<NewsTables>,
  day: string,
  tokens: number,
  mostTokens: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into news.editorial_share as own (day, spender, requests, tokens)
    select ${day}::date, 'embeddings', 1, ${tokens}::bigint where ${tokens}::bigint <= ${mostTokens}::bigint
    on conflict (day, spender) do update
      set requests = own.requests + 1, tokens = own.tokens + excluded.tokens
      where own.tokens + excluded.tokens <= ${mostTokens}::bigint
    returning day
  `.execute(db);
  return rows.length > 0;
}

/** Corrects what a request was thought to use, by so many tokens. */
export async function settleEmbeddings(db: Kysely<NewsTables>, day: string, tokens: number): Promise<void> {
  await sql`
    update news.editorial_share set tokens = greatest(0, tokens + ${tokens}::bigint)
    where day = ${day}::date and spender = 'embeddings'
  `.execute(db);
}

/** What titles have used on a day, `YYYY-MM-DD`. */
export async function spentOnEmbeddings(
  db: Kysely<NewsTables>,
  day: string,
): Promise<{ requests: number; tokens: number }> {
  const { rows } = await sql<{ requests: number; tokens: number }>`
    select requests, tokens::float8 as tokens from news.editorial_share
    where day = ${day}::date and spender = 'embeddings'
  `.execute(db);
  return rows[0] ?? { requests: 0, tokens: 0 };
}
