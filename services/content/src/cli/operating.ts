import { readConfig } from '@pressroom/common/start/config';
import { type Kysely, sql, type Transaction } from 'kysely';
import { readExtraSchema } from '../articles/extra-schema.ts';
import { type IndexingRun, indexAll } from '../articles/indexing.ts';
import type { AuditEntry } from '../audit.ts';
import { contentSettings } from '../config.ts';
import { deskPrefix } from '../envelope.ts';
import { idOfSlug } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import { readPrefix } from './keys.ts';

/** Parses whose entries are meant: `desk:NAME`, or what {@link readPrefix} does. */
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

/** How many articles change in one transaction, so that no writer waits long for one of them. */
const BATCH = 100;

/** What can be merged: what articles have several of. */
type Merged = 'tag' | 'author';

interface Term {
  id: number;
  slug: string;
}

/**
 * Gives the articles of one tag or author to another and deletes the first, whose slugs then lead to the
 * second. Each batch commits by itself: an interrupted merge picks up where it left off when it runs again.
 */
export async function mergeTerms(
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
  do {
    for (let moved = BATCH; moved > 0; articles += moved) moved = await moveBatch(db, noun, from, into);
  } while (!(await replace(db, noun, from, into)));
  console.log(`${articles} articles now have ${into.slug}; ${from.slug} leads there.`);
}

async function find(db: Kysely<ContentTables>, noun: Merged, slug: string): Promise<Term> {
  return db
    .selectFrom(`content.${noun}`)
    .select(['id', 'slug'])
    .where('id', '=', idOfSlug(noun, sql`${slug}`))
    .executeTakeFirstOrThrow(() => new Error(`no ${noun} has the slug ${slug}`));
}

/** Moves the first articles of `from`, and returns how many; each term stays in its place, and only once. */
async function moveBatch(db: Kysely<ContentTables>, noun: Merged, from: Term, into: Term): Promise<number> {
  const ids = sql.ref(`article.${noun}_ids`);
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: number }>`
      select article.id from content.article as article
      where id in (
        select article_id from ${sql.id('content', `article_${noun}`)}
        where ${sql.ref(`${noun}_id`)} = ${from.id} order by article_id limit ${sql.lit(BATCH)}
      )
      order by id for no key update`.execute(tx);
    await sql`
      update content.article as article set ${sql.ref(`${noun}_ids`)} = (
        select array_agg(id order by place) from (
          select case when id = ${from.id} then ${into.id} else id end as id, min(place) as place
          from unnest(${ids}) with ordinality as given (id, place) group by 1
        ) as kept
      )
      where id = any(${rows.map(({ id }) => id)}::integer[]) and ${from.id} = any(${ids})`.execute(tx);
    return rows.length;
  });
}

/** Deletes `from` and lets its slugs lead to `into`; false if an article has it again. */
async function replace(db: Kysely<ContentTables>, noun: Merged, from: Term, into: Term): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    // Whoever gives it to an article waits, and then finds it gone.
    const terms = await lock(tx, noun, [from.id, into.id]);
    const slug = terms.get(from.id);
    if (slug === undefined || !terms.has(into.id))
      throw new Error(`one of the ${noun}s was deleted in the meantime; run this again`);
    const { rows } = await sql`
      select from ${sql.id('content', `article_${noun}`)} where ${sql.ref(`${noun}_id`)} = ${from.id} limit 1
    `.execute(tx);
    if (rows.length > 0) return false;
    await sql`select pg_advisory_xact_lock(${`content.${noun}`}::regclass::oid::integer, 0)`.execute(tx);
    await sql`update content.former_slug set id = ${into.id} where resource = ${noun} and id = ${from.id}`.execute(
      tx,
    );
    await tx.deleteFrom(`content.${noun}`).where('id', '=', from.id).execute();
    await sql`insert into content.former_slug (resource, slug, id) values (${noun}, ${slug}, ${into.id})`.execute(
      tx,
    );
    return true;
  });
}

/** Locks these terms, and returns their slugs. */
async function lock(
  tx: Transaction<ContentTables>,
  noun: Merged,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await tx
    .selectFrom(`content.${noun}`)
    .select(['id', 'slug'])
    .where('id', 'in', ids)
    .orderBy('id')
    .forUpdate()
    .execute();
  return new Map(rows.map(({ id, slug }) => [id, slug]));
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
  console.log(`${articles} articles are searchable.`);
}
