import { PreparedQuery } from '@pressroom/common/database/prepared-query';
import { Failure } from '@pressroom/common/failures/failure';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { MovedSlug } from '../moved-slug.ts';
import { idOfSlug } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import type { Extra } from './extra.ts';
import { categoryOf, SHOWN_AUTHOR } from './listed-members.ts';
import { isPreviewOf } from './preview-token.ts';
import { relatedArticles, relatedToRow } from './related.ts';
import type { ArticleDetail } from './schema.ts';
import { type ShownTerms, withWorkingCopy } from './with-working-copy.ts';

type Database = Kysely<ContentTables>;

/**
 * Who is reading: readers with a key see drafts; with a preview its token alone decides, whatever the key.
 */
export interface Reader {
  seesDrafts: boolean;
  preview?: string | undefined;
}

/**
 * An article as it is read, and its own members: those that change only when the article itself is written.
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
  ArticleRow,
  'title_words' | 'author' | 'tag_ids' | 'author_ids' | 'extra' | 'publish_at' | 'unpublish_at' | 'release'
> &
  Partial<Pick<ArticleRow, 'author' | 'tag_ids' | 'author_ids' | 'extra'>>;

/** What a detail shows and its neighbours are found by. */
const COLUMNS = [
  'id',
  'title',
  'slug',
  'content',
  'excerpt',
  'category_id',
  'featured_image',
  'alt_text',
  'meta_title',
  'meta_description',
  'canonical_url',
  SHOWN_AUTHOR,
  'is_published',
  'published_at',
  'created_at',
  'updated_at',
  'title_words',
  'tag_ids',
  'author_ids',
  'extra',
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

/** An article with its category. */
export function selectDetail(db: Database, id: number | RawBuilder<number>) {
  return db
    .selectFrom('content.article as article')
    .leftJoin('content.category as category', 'category.id', 'article.category_id')
    .select(DETAIL_COLUMNS)
    .select(['category.id as categoryId', 'category.name as categoryName', 'category.slug as categorySlug'])
    .where('article.id', '=', id);
}

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

function detailOf({ extra, ...row }: PublishedRow): ArticleDetail {
  return {
    ...row,
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
  publish_at,
  unpublish_at,
  release,
  ...rest
}: ArticleRow & Partial<DetailRow>): OwnMembers {
  const own = extra === null ? rest : { ...rest, extra };
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
 * @throws MovedSlug if the article has another slug by now
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

/** There is none with this id. */
export function noSuchArticle(id: number) {
  return new Failure('missing', id === 0 ? 'this article does not exist' : `article ${id} does not exist`);
}
