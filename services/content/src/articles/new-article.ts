import { PreparedQueries } from '@pressroom/common/database/prepared-query';
import { type Kysely, sql } from 'kysely';
import { freeSlug, slugify } from '../slug.ts';
import type { ContentTables } from '../tables.ts';
import { type Actor, writtenBy } from '../written-by.ts';
import { type ArticleRow, columnsFor } from './detail.ts';
import type { ArticleCreate } from './schema.ts';
import { termIds } from './terms.ts';
import { titleWords } from './title-words.ts';

/** What an article is made of. */
export type NewArticle = ArticleCreate & { author: string };

/**
 * The columns of a new article; without a given slug, `slug` is the one from which a free one is made.
 *
 * @throws Failure `invalid` for tags and authors that do not exist
 */
export async function newRow(db: Kysely<ContentTables>, { tags = [], authors = [], ...body }: NewArticle) {
  return {
    ...body,
    tag_ids: await termIds(db, 'tags', tags),
    author_ids: await termIds(db, 'authors', authors),
    slug: body.slug ?? slugify(body.title, 'article'),
    slug_is_given: body.slug !== undefined,
    title_words: titleWords(body.title),
    is_published: body.is_published ?? false,
  };
}

type NewRow = Awaited<ReturnType<typeof newRow>>;

/** What an article has where its body does not say. */
const LEFT_OUT = {
  excerpt: null,
  category_id: null,
  featured_image: null,
  alt_text: null,
  meta_title: null,
  meta_description: null,
  canonical_url: null,
  extra: null,
  publish_at: null,
  unpublish_at: null,
  release: null,
} satisfies Partial<NewRow>;

type Values = Required<Omit<NewRow, 'slug_is_given'>> & Actor;

const INSERT = new PreparedQueries<
  ContentTables,
  { givesSlug: boolean; isSigned: boolean },
  Values,
  ArticleRow
>((db, { givesSlug, isSigned }, value) =>
  db
    .insertInto('content.article')
    .values({
      title: value('title'),
      slug: givesSlug ? value('slug') : freeSlug('article', value('slug')),
      content: value('content'),
      excerpt: value('excerpt'),
      category_id: value('category_id'),
      featured_image: value('featured_image'),
      alt_text: value('alt_text'),
      meta_title: value('meta_title'),
      meta_description: value('meta_description'),
      canonical_url: value('canonical_url'),
      author: value('author'),
      is_published: value('is_published'),
      published_at: sql<Date>`case when ${value('is_published')} then clock_timestamp() end`,
      title_words: value('title_words'),
      tag_ids: value('tag_ids'),
      author_ids: value('author_ids'),
      extra: value('extra'),
      slug_is_given: sql.lit(givesSlug),
      publish_at: value('publish_at'),
      unpublish_at: value('unpublish_at'),
      release: value('release'),
      ...(isSigned && {
        revised_by: writtenBy({
          key: value('key'),
          requestId: value('requestId'),
          address: value('address'),
        }),
      }),
    })
    .returning(columnsFor(true)),
);

/** Creates an article, which `actor` writes. */
export async function insertArticle(
  db: Kysely<ContentTables>,
  body: NewArticle,
  actor: Actor | undefined,
): Promise<ArticleRow> {
  const { slug_is_given: givesSlug, ...row } = await newRow(db, body);
  const query = INSERT.of({ givesSlug, isSigned: actor !== undefined });
  const [created] = await query.execute(db, { ...LEFT_OUT, ...row, ...actor } as Values);
  if (created === undefined) throw new Error('the database has not returned what it has written');
  return { ...created, content: body.content };
}
