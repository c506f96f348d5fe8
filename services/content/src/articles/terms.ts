import { invalid } from '@pressroom/common/failures/failure';
import { type Kysely, sql } from 'kysely';
import { idOfSlug } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import type { AuthorOfArticle, TagOfArticle } from './schema.ts';

/** The terms of which an article has several, as answers show them, by their member. */
export interface TermsOfArticle {
  tags: TagOfArticle;
  authors: AuthorOfArticle;
}

/** The kinds of these terms, by their member: the name of the table, and the columns that are shown. */
const KINDS = {
  tags: { noun: 'tag', columns: ['id', 'name', 'slug'] },
  authors: { noun: 'author', columns: ['id', 'name', 'slug', 'picture'] },
} as const satisfies Record<keyof TermsOfArticle, object>;

/**
 * The ids of the terms that have these slugs, also former ones, or ids, in this order, each once. In a
 * transaction the terms stay until it ends: whoever holds articles waits for no term.
 *
 * @throws Failure `invalid` for everything that no term has
 */
export async function termIds(
  db: Kysely<ContentTables>,
  member: keyof TermsOfArticle,
  given: readonly (string | number)[],
): Promise<number[]> {
  if (given.length === 0) return [];
  const { noun } = KINDS[member];
  const { rows } = await sql<{ id: number; place: number }>`
    select term.id, given.place::integer
    from ${placesOf(given)} join ${sql.id('content', noun)} as term on term.id = ${idGiven(noun)}
    order by term.id for key share of term
  `.execute(db);
  const ids = new Map(rows.map(({ id, place }) => [place - 1, id]));
  const faults = given.flatMap((one, index) => {
    if (ids.has(index)) return [];
    const message = `no ${noun} has this ${typeof one === 'string' ? 'slug' : 'id'}; create it first`;
    return [{ field: `${member}.${index}`, code: 'not_found', message }];
  });
  if (faults.length > 0) throw invalid(faults);
  return [...new Set(given.flatMap((_, index) => ids.get(index) ?? []))];
}

/** The terms of each of these articles, in their order. */
export async function termsOf<Member extends keyof TermsOfArticle>(
  db: Kysely<ContentTables>,
  member: Member,
  articleIds: readonly number[],
): Promise<Map<number, TermsOfArticle[Member][]>> {
  const terms = new Map(articleIds.map((id): [number, TermsOfArticle[Member][]] => [id, []]));
  if (articleIds.length === 0) return terms;
  const { noun, columns } = KINDS[member];
  const { rows } = await sql<TermsOfArticle[Member] & { article_id: number }>`
    select article.id as article_id, ${sql.join(columns.map((column) => sql.ref(`term.${column}`)))}
    from content.article as article
    cross join unnest(${sql.ref(`article.${noun}_ids`)}) with ordinality as given (id, place)
    join ${sql.id('content', noun)} as term on term.id = given.id
    where article.id = any(${articleIds}::integer[]) order by article.id, given.place
  `.execute(db);
  for (const { article_id, ...term } of rows) terms.get(article_id)?.push(term as never);
  return terms;
}

/** The terms that have these slugs, also former ones, or ids, in this order, as far as they exist. */
export async function termsGiven<Member extends keyof TermsOfArticle>(
  db: Kysely<ContentTables>,
  member: Member,
  given: readonly (string | number)[],
): Promise<TermsOfArticle[Member][]> {
  const { noun, columns } = KINDS[member];
  const { rows } = await sql<TermsOfArticle[Member]>`
    select ${sql.join(columns.map((column) => sql.ref(`term.${column}`)))}
    from ${placesOf(given)} join ${sql.id('content', noun)} as term on term.id = ${idGiven(noun)}
    group by term.id order by min(given.place)
  `.execute(db);
  return rows;
}

/** Slugs and ids as rows, `given`. */
function placesOf(given: readonly (string | number)[]) {
  const slugs = given.map((one) => (typeof one === 'string' ? one : null));
  const numbers = given.map((one) => (typeof one === 'number' ? one : null));
  return sql`unnest(${slugs}::text[], ${numbers}::integer[]) with ordinality as given (slug, id, place)`;
}

function idGiven(noun: 'tag' | 'author') {
  return sql`coalesce(given.id, ${idOfSlug(noun, sql`given.slug`)})`;
}
