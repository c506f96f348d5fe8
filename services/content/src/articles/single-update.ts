import { PreparedTexts } from '@pressroom/common/database/prepared-query';
import { type Kysely, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { type Actor, writtenBy } from '../written-by.ts';
import { type ArticleRow, columnsFor } from './detail.ts';
import type { ArticleChange } from './schema.ts';
import { titleWords } from './title-words.ts';

/** The members from which no other follows, except the slug of a draft from its title. */
const PLAIN = new Set([
  'title',
  'content',
  'excerpt',
  'category_id',
  'featured_image',
  'alt_text',
  'meta_title',
  'meta_description',
  'canonical_url',
  'extra',
]);

/** An updated article, the members that differ from before, and the category that it had. */
export interface SingleUpdate {
  row: ArticleRow;
  changed: string[];
  formerCategory: number | null;
}

/** Strictly later than before, so that writes can be distinguished. */
export const LATER = sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;

const UPDATES = new PreparedTexts();

/**
 * Updates an article in one statement, where nothing has to be known of it first: a transaction that locks
 * and reads it takes three more round trips. Undefined if there is no such article, or it takes more.
 */
export async function updateAtOnce(
  db: Kysely<ContentTables>,
  id: number,
  body: ArticleChange,
  actor: Actor,
): Promise<SingleUpdate | undefined> {
  const { title, content } = body;
  const names = Object.keys(body);
  if (!names.every((name) => PLAIN.has(name))) return undefined;
  const was = names.map((name) => sql`, ${sql.ref(name)} as ${sql.ref(`was_${name}`)}`);
  const isShown = title === undefined ? sql`` : sql`and published_at is not null`;
  const changed = names.map((name) => {
    const [before, after] = [sql.ref(`was_${name}`), sql.ref(`article.${name}`)];
    return sql`case when ${before} is distinct from ${after} then ${sql.lit(name)} end`;
  });
  const query = db
    // What RETURNING calls old is the row before the writes that the statement has waited for.
    .with(
      'before',
      () => sql<{ was_id: number; formerCategory: number | null }>`(
        select id as was_id, category_id as ${sql.ref('formerCategory')} ${sql.join(was, sql``)}
        from content.article where id = ${id} ${isShown} for update)`,
    )
    .updateTable('content.article as article')
    .from('before')
    .set({ ...body, ...(title !== undefined && { title_words: titleWords(title) }), updated_at: LATER })
    .whereRef('id', '=', 'was_id')
    .where(writtenBy(actor), '=', actor.key)
    .returning(columnsFor(content !== undefined))
    .returning([
      'formerCategory',
      sql<string[]>`array_remove(array[${sql.join(changed)}], null)`.as('changed'),
    ]);
  const [updated] = await UPDATES.execute(db, query);
  if (updated === undefined) return undefined;
  const { changed: differing, formerCategory, ...row } = updated;
  return { row: content === undefined ? row : { ...row, content }, changed: differing, formerCategory };
}
