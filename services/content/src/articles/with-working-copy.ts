import type { Kysely } from 'kysely';
import type { ContentTables } from '../tables.ts';
import type { ArticleChange } from './schema.ts';
import { type TermsOfArticle, termsGiven } from './terms.ts';
import { titleWords } from './title-words.ts';

/** The tags and authors of an article, as far as they are named. */
export type ShownTerms = { [Member in keyof TermsOfArticle]?: TermsOfArticle[Member][] };

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
export async function withWorkingCopy<Article extends Row>(
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
