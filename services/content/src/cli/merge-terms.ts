import { type Kysely, sql, type Transaction } from 'kysely';
import { idOfSlug } from '../slug.ts';
import type { ContentTables } from '../tables.ts';

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
      throw new Error(`one of the ${noun}s has been deleted meanwhile; run this again`);
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
