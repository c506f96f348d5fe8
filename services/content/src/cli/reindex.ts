import { type Kysely, sql } from 'kysely';
import { indexSome } from '../articles/indexing.ts';
import type { ContentTables } from '../tables.ts';

/** Makes all articles searchable anew. If this ends early, the next start of a service goes on. */
export async function reindex(db: Kysely<ContentTables>): Promise<void> {
  await sql`
    insert into content.unsearchable_article (article_id) select id from content.article
    on conflict (article_id) do nothing
  `.execute(db);
  let articles = 0;
  for (let some = 1; some > 0; articles += some) some = await indexSome(db);
  console.log(`${articles} articles are searchable.`);
}
