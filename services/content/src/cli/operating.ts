import { readConfig } from '@pressroom/common/start/config';
import { type Kysely, sql } from 'kysely';
import { readExtraSchema } from '../articles/extra-schema.ts';
import { type IndexingRun, indexAll } from '../articles/indexing.ts';
import type { AuditEntry } from '../audit.ts';
import { contentSettings } from '../config.ts';
import { deskPrefix } from '../envelope.ts';
import { idOfSlug } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import { type Merged, mergeStep } from '../terms/merging.ts';
import { readPrefix } from './keys.ts';

/** Parses the owner of entries: `desk:NAME`, or the prefix that {@link readPrefix} takes. */
export function readActor(value: string): string {
  return value.startsWith(deskPrefix('')) ? value : readPrefix(value);
}

/** Prints entries of the audit trail as a table. */
export function printTrail(entries: readonly AuditEntry[]): void {
  if (entries.length === 0) {
    console.log('Nothing of the kind was done.');
    return;
  }
  console.table(
    entries.map(({ at, action, article_id, key, address, request_id, program, detail }) => ({
      time: at.toISOString(),
      action,
      article: article_id ?? '',
      key: key ?? '',
      address: address ?? '',
      request: request_id ?? '',
      program,
      detail: JSON.stringify(detail),
    })),
  );
}

/** Prints entries of the audit trail as JSON Lines. */
export function printTrailAsJson(entries: readonly AuditEntry[]): void {
  for (const { id: _, ...entry } of entries) console.log(JSON.stringify(entry));
}

/** Gives the articles of one tag or author to another by their slugs. An interrupted merge can run again. */
export async function mergeBySlug(
  db: Kysely<ContentTables>,
  noun: Merged,
  fromSlug: string,
  intoSlug: string,
): Promise<void> {
  const [from, into] = [await find(db, noun, fromSlug), await find(db, noun, intoSlug)];
  if (from.id === into.id) {
    if (from.slug === fromSlug) throw new Error(`${fromSlug} and ${intoSlug} are the same ${noun}`);
    console.log(`${fromSlug} already leads to ${into.slug}.`);
    return;
  }
  let articles = 0;
  for (let isComplete = false; !isComplete; ) {
    const step = await mergeStep(db, noun, from.id, into.id);
    articles += step.moved;
    isComplete = step.isComplete;
  }
  console.log(`${articles} articles now have ${into.slug}; ${from.slug} leads there.`);
}

async function find(
  db: Kysely<ContentTables>,
  noun: Merged,
  slug: string,
): Promise<{ id: number; slug: string }> {
  return db
    .selectFrom(`content.${noun}`)
    .select(['id', 'slug'])
    .where('id', '=', idOfSlug(noun, sql`${slug}`))
    .executeTakeFirstOrThrow(() => new Error(`no ${noun} has the slug ${slug}`));
}

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
  await extraSchema?.close();
  console.log(`${articles} articles are searchable.`);
}
