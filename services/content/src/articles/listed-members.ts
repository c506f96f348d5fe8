import { type Kysely, sql } from 'kysely';
import type { ContentTables } from '../tables.ts';
import { type ListedArticle, type ListedMember, NESTED_MEMBERS } from './schema.ts';

/** The columns that are read: those of a list item, all but the content, or all. */
export type Columns = 'listed' | 'all' | 'content';

/** What {@link selectItems} always selects. */
const LISTED: readonly ListedMember[] = NESTED_MEMBERS;

/** The columns that these members need. */
export function columnsOf(members: readonly ListedMember[]): Columns {
  if (members.includes('content')) return 'content';
  return members.every((member) => LISTED.includes(member)) ? 'listed' : 'all';
}

/** The author of an article as clients see it: the names of its authors if it has any. */
export const SHOWN_AUTHOR = sql<string>`case when author_ids = '{}' then author
  else coalesce(content.author_names(author_ids), author) end`.as('author');

/** A SELECT of articles with their categories. */
export function selectItems(db: Kysely<ContentTables>, columns: Columns) {
  return db
    .selectFrom('content.article as article')
    .leftJoin('content.category as category', 'category.id', 'article.category_id')
    .select([
      'article.id',
      'article.title',
      'article.slug',
      'article.excerpt',
      'article.featured_image',
      'article.alt_text',
      SHOWN_AUTHOR,
      'article.published_at',
      'category.id as categoryId',
      'category.name as categoryName',
      'category.slug as categorySlug',
    ])
    .$if(columns !== 'listed', (query) =>
      query.select([
        'article.meta_title',
        'article.meta_description',
        'article.canonical_url',
        'article.is_published',
        'article.created_at',
        'article.updated_at',
      ]),
    )
    .$if(columns === 'content', (query) => query.select('article.content'));
}

/** A row of a list. */
export type ListRow = Awaited<ReturnType<ReturnType<typeof selectItems>['executeTakeFirstOrThrow']>>;

/** The members of an article of a list, in the order of the names. */
export function membersOf<Member extends ListedMember>(row: ListRow, names: readonly Member[]) {
  const named: Record<string, unknown> = {};
  // This is done for every row of every page: one object a row, and no copies.
  for (const name of names as readonly ListedMember[]) {
    const value =
      name === 'category' ? categoryOf(row.categoryId, row.categoryName, row.categorySlug) : row[name];
    named[name] = value instanceof Date ? value.toISOString() : value;
  }
  return named as ListedArticle<Member>;
}

/** The category of an article as clients see it; null if it does not have one. */
export function categoryOf(id: number | null, name: string | null, slug: string | null) {
  return id === null || name === null || slug === null ? null : { id, name, slug };
}
