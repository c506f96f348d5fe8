/** What a change may be about: every list, what searches find, an article, or the articles of a category. */
export type Subject = 'articles' | 'searches' | `${string}:${string | number}`;

/** The subject of what depends on all articles. */
export const ARTICLES: Subject = 'articles';

/** The subject of what depends on which articles searches find (`content.index_article`). */
export const SEARCHES: Subject = 'searches';

/** An article, and the categories that it is or was in. */
export interface ArticlePlace {
  id: number;
  categories: readonly (number | null)[];
}

/** The subjects of a change of an article, as `content.announce_articles` names them. */
export function subjectsOfChange({ id, categories }: ArticlePlace): ReadonlySet<string> {
  return new Set([ARTICLES, ...subjectsOfDetail({ id, categories })]);
}

/** What the detail of an article depends on: itself and, for its neighbours, the articles of its category. */
export function subjectsOfDetail({ id, categories }: ArticlePlace): Subject[] {
  const named = categories.filter((category) => category !== null);
  return [`article:${id}`, ...named.map((category): Subject => `category:${category}`)];
}

/** The subjects that a notification names; undefined means everything. */
export function announcedSubjects(payload: string | undefined): ReadonlySet<string> | undefined {
  return payload === undefined ? undefined : new Set(payload.split(' '));
}
