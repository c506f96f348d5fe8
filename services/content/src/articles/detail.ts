import { createHash } from 'node:crypto';
import { PreparedQuery, type ValueOf } from '@pressroom/common/database/database';
import { Failure, type FieldFault, invalid } from '@pressroom/common/failures/failure';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Permitted } from '../api-keys.ts';
import { idOfSlug, MovedSlug } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import {
  type ArticleChange,
  type ArticleDetail,
  type AuthorOfArticle,
  categoryOf,
  type Extra,
  OPTIONAL_MEMBERS,
  SHOWN_AUTHOR,
  type TagOfArticle,
  withoutUnset,
} from './schema.ts';

type Database = Kysely<ContentTables>;

/** The reader: with a key they see drafts; with a preview its token alone decides, whatever the key. */
export interface Reader {
  seesDrafts: boolean;
  preview?: string | undefined;
}

/**
 * An article as readers get it, and its own members: those that change only when the article itself is
 * written.
 */
export interface ReadArticle {
  article: ArticleDetail;
  own: object;
  extra: Extra | null;
  /** Its tags and authors, where they are other than `ArticleStore.terms` says. */
  terms?: ShownTerms;
}

/** The members that change only when the article itself is written. */
export type OwnMembers = Omit<
  ReturnType<typeof withoutUnset<ArticleRow>>,
  | 'title_words'
  | 'author'
  | 'tag_ids'
  | 'author_ids'
  | 'extra'
  | 'corrections'
  | 'publish_at'
  | 'unpublish_at'
  | 'release'
> &
  Partial<Pick<ArticleRow, 'author' | 'tag_ids' | 'author_ids' | 'extra' | 'corrections'>>;

/** Columns that a detail shows or that its neighbours are found by. */
const COLUMNS = [
  'id',
  'title',
  'slug',
  'content',
  ...OPTIONAL_MEMBERS,
  SHOWN_AUTHOR,
  'is_published',
  'published_at',
  'created_at',
  'updated_at',
  'title_words',
  'tag_ids',
  'author_ids',
  'extra',
  'corrections',
  'publish_at',
  'unpublish_at',
  'release',
] as const;

/** {@link COLUMNS} for a writer; content that the writer has need not come back, and is empty. */
export function columnsFor(hasContent: boolean) {
  return COLUMNS.map((column) =>
    column === 'content' && hasContent ? sql<string>`''`.as('content') : column,
  );
}

/** {@link COLUMNS} of a query that names the article `article`. */
const DETAIL_COLUMNS = COLUMNS.map((column) =>
  typeof column === 'string' ? (`article.${column}` as const) : column,
);

export function selectDetail(db: Database, id: number | RawBuilder<number>) {
  return db
    .selectFrom('content.article as article')
    .leftJoin('content.category as category', 'category.id', 'article.category_id')
    .select(DETAIL_COLUMNS)
    .select(['category.id as categoryId', 'category.name as categoryName', 'category.slug as categorySlug'])
    .where('article.id', '=', id);
}

/** The author to whom `article` is assigned. */
export const ASSIGNEE = sql<number | null>`(
  select author_id from content.assignment where article_id = article.id)`.as('assignee_id');

/** A row with the columns of the article alone. */
export type ArticleRow = Omit<DetailRow, 'categoryId' | 'categoryName' | 'categorySlug'>;

/** A row of {@link selectDetail}. */
export type DetailRow = Awaited<ReturnType<ReturnType<typeof selectDetail>['executeTakeFirstOrThrow']>>;

/** An article as it is published, with its neighbours. */
type PublishedRow = DetailRow & Pick<ArticleDetail, 'related_articles'>;

const DETAIL = new PreparedQuery<ContentTables, { id: number }, PublishedRow>((db, value) =>
  selectDetail(db, value('id')).select(relatedToRow(db)),
);

const DETAIL_BY_SLUG = new PreparedQuery<ContentTables, { slug: string }, PublishedRow>((db, value) =>
  selectDetail(db, idOfSlug('article', value('slug'))).select(relatedToRow(db)),
);

function detailOf({ extra, corrections, ...row }: PublishedRow): ArticleDetail {
  return {
    ...withoutUnset(row),
    ...(corrections && { corrections }),
    category: categoryOf(row.categoryId, row.categoryName, row.categorySlug),
    published_at: row.published_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** The members that change only when the article itself is written. */
export function ownMembers({
  categoryId,
  categoryName,
  categorySlug,
  title_words,
  tag_ids,
  author_ids,
  extra,
  corrections,
  publish_at,
  unpublish_at,
  release,
  assignee_id,
  ...rest
}: ArticleRow & Partial<DetailRow & Permitted>): OwnMembers {
  const own = {
    ...withoutUnset(rest),
    ...(extra !== null && { extra }),
    ...(corrections !== null && { corrections }),
  };
  const tagged = tag_ids.length === 0 ? own : { ...own, tag_ids };
  // The names of authors may change without it.
  return author_ids.length === 0 ? tagged : { ...tagged, author: undefined, author_ids };
}

/**
 * An article with its neighbours.
 *
 * @throws Failure `missing` if it does not exist or `reader` may not see it
 */
export async function readArticle(db: Database, id: number, reader: Reader): Promise<ReadArticle> {
  const [row] = await DETAIL.execute(db, { id });
  const seen = row && (await seenBy(db, row, reader));
  if (seen === undefined) throw noSuchArticle(id);
  return seen();
}

/**
 * Like {@link readArticle}, by the slug.
 *
 * @throws Failure `missing` if no article has it, or `reader` may not see the one that has
 * @throws MovedSlug if the article has another slug by now, to which `replyBySlug` leads
 */
export async function readArticleBySlug(db: Database, slug: string, reader: Reader): Promise<ReadArticle> {
  const [row] = await DETAIL_BY_SLUG.execute(db, { slug });
  const seen = row && (await seenBy(db, row, reader));
  if (row === undefined || seen === undefined) throw new Failure('missing', 'no article has this slug');
  if (row.slug !== slug) throw new MovedSlug(row.slug);
  return seen();
}

/**
 * Reads what a reader may see of an article: with a preview, what was saved last, which may be a working
 * copy. Undefined if that is nothing.
 */
async function seenBy(
  db: Database,
  { related_articles, ...row }: PublishedRow,
  { seesDrafts, preview }: Reader,
): Promise<(() => Promise<ReadArticle>) | undefined> {
  const asPublished = async () => ({
    article: detailOf({ ...row, related_articles }),
    own: ownMembers(row),
    extra: row.extra,
  });
  if (preview === undefined) return row.is_published || seesDrafts ? asPublished : undefined;
  if (await isPreviewOf(db, row.id, preview)) {
    return async () => {
      const { row: saved, terms } = await withWorkingCopy(db, row);
      const article = detailOf({ ...saved, related_articles: await relatedArticles(db, saved) });
      return { article, own: ownMembers(saved), extra: saved.extra, terms };
    };
  }
  return row.is_published ? asPublished : undefined;
}

export function noSuchArticle(id: number) {
  return new Failure('missing', id === 0 ? 'this article does not exist' : `article ${id} does not exist`);
}

const MOST = 5;

/** Newest articles of the category that are considered; bounds the cost of a detail. */
const CONSIDERED = 200;

interface RelatedTo {
  id: number;
  category_id: number | null;
  title_words: string[];
}

interface RelatedArticle {
  id: number;
  title: string;
  slug: string;
}

function selectRelated(db: Kysely<ContentTables>, value: ValueOf<RelatedTo>) {
  const newest = db
    .selectFrom('content.article as other')
    .select(['id', 'title', 'slug', 'published_at', 'title_words'])
    .where('category_id', '=', value('category_id'))
    .where('is_published', '=', true)
    .where('id', '!=', value('id'))
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(CONSIDERED);
  const words = sql`${value('title_words')}::text[]`;
  // Counting takes PostgreSQL far longer than seeing that there are none, as there are in most titles.
  const shared = sql`case when newest.title_words && ${words} then (
    select count(*) from unnest(newest.title_words) as word where word = any(${words})
  ) else 0 end`;
  return db
    .selectFrom(newest.as('newest'))
    .select(['id', 'title', 'slug'])
    .orderBy(shared, 'desc')
    .orderBy('published_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MOST);
}

const RELATED = new PreparedQuery<ContentTables, RelatedTo, RelatedArticle>(selectRelated);

/** {@link relatedArticles} of the row `article` of a query, as one of its columns. */
function relatedToRow(db: Kysely<ContentTables>) {
  const related = selectRelated(db, (name) => sql`${sql.ref(`article.${name}`)}`);
  return sql<RelatedArticle[]>`(select coalesce(json_agg(related), '[]') from ${related} as related)`.as(
    'related_articles',
  );
}

/**
 * Up to 5 published articles of the same category: those that share the most words of the title first, then
 * the newest (`docs/spec/wire.md`, "Related"), among the 200 newest of the category.
 */
async function relatedArticles(db: Kysely<ContentTables>, article: RelatedTo): Promise<RelatedArticle[]> {
  return article.category_id === null ? [] : RELATED.execute(db, article);
}

/** The tags and authors that are named of an article. */
type ShownTerms = { [Member in keyof TermsOfArticle]?: TermsOfArticle[Member][] };

/** A row with its category, as a detail is made of it. */
interface Row {
  id: number;
  title: string;
  title_words: string[];
  author: string;
  category_id: number | null;
  categoryId: number | null;
  categoryName: string | null;
  categorySlug: string | null;
}

/** An article with the changes of its working copy, if it has one, and the terms that those name. */
async function withWorkingCopy<Article extends Row>(
  db: Kysely<ContentTables>,
  row: Article,
): Promise<{ row: Article; terms: ShownTerms }> {
  const copy = await db
    .selectFrom('content.working_copy')
    .select('changes')
    .where('article_id', '=', row.id)
    .executeTakeFirst();
  if (copy === undefined) return { row, terms: {} };
  const { tags, authors, ...changes } = copy.changes as ArticleChange;
  const terms = {
    ...(tags && { tags: await termsGiven(db, 'tags', tags) }),
    ...(authors && { authors: await termsGiven(db, 'authors', authors) }),
  };
  const changed = { ...row, ...changes };
  const category = await db
    .selectFrom('content.category')
    .select(['id', 'name', 'slug'])
    .where('id', '=', changed.category_id)
    .executeTakeFirst();
  const saved = {
    ...changed,
    title_words: titleWords(changed.title),
    author: terms.authors?.map(({ name }) => name).join(', ') || changed.author,
    categoryId: category?.id ?? null,
    categoryName: category?.name ?? null,
    categorySlug: category?.slug ?? null,
  };
  return { row: saved, terms };
}

/** True if the token belongs to a link to this article that works now. */
async function isPreviewOf(db: Kysely<ContentTables>, articleId: number, token: string): Promise<boolean> {
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

/** Splits text into words in any script; the locale only affects which dictionary is used. */
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * The distinct words of a title, lower case and normalized: related articles are found by the words they
 * share.
 */
export function titleWords(title: string): string[] {
  const words = [...SEGMENTER.segment(title.normalize('NFKC').toLowerCase())]
    .filter(({ isWordLike }) => isWordLike)
    .map(({ segment }) => segment);
  return [...new Set(words)];
}

/** The tags and authors of an article, as answers show them, by their member. */
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
  const faults = given.flatMap((one, index): FieldFault[] => {
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
async function termsGiven<Member extends keyof TermsOfArticle>(
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
