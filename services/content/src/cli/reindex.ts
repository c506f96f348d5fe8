import { readConfig } from '@pressroom/common/start/config';
import { type Kysely, sql } from 'kysely';
import { readExtraSchema } from '../articles/extra-schema.ts';
import { type IndexingRun, indexAll } from '../articles/indexing.ts';
import { contentSettings } from '../config.ts';
import type { ContentTables } from '../tables.ts';

/** Makes all articles searchable anew. If this ends early, the next start of a service continues. */
export async function reindex(db: Kysely<ContentTables>): Promise<void> {
  const { CONTENT_EXTRA_SCHEMA } = readConfig(
    { CONTENT_EXTRA_SCHEMA: contentSettings.CONTENT_EXTRA_SCHEMA },
    process.env,
  );
  const extraSchema = await readExtraSchema(CONTENT_EXTRA_SCHEMA);
  await sql`
    insert into content.unsearchable_article (article_id) select id from content.article order by id
  `.execute(db);
  const onLeftOut: IndexingRun['onLeftOut'] = ({ article_id, tag_id, author_id }, error) => {
    const term = tag_id === null ? `author ${author_id}` : `tag ${tag_id}`;
    const named = article_id === null ? `Articles of ${term} are` : `Article ${article_id} is`;
    console.error(`${named} not searchable: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  };
  const articles = await indexAll(db, { onLeftOut, extraSchema });
  console.log(`${articles} articles are searchable.`);
}
