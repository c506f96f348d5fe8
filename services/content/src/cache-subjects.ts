import { type FilterValues, filterOf, filtersOf } from './articles/filters.ts';

/**
 * Subject of a change: every list, the results of searches, the redirects, what the gallery says of pictures,
 * an article, or the articles of a category.
 */
type Subject = 'articles' | 'searches' | 'redirects' | 'pictures' | `${string}:${string | number}`;

/** An article, and the categories that it is or was in. */
export interface ArticlePlace {
  id: number;
  categories: readonly (number | null)[];
}

/**
 * The subjects of each answer that is cached: a change that names one of them drops it
 * (docs/cached-answers.md), and a change of a category, tag, author or series drops everything. Answers that
 * need a key are not cached.
 */
export const CACHED_UNDER = {
  article: subjectsOfDetail,
  /** Any article that is published may take a place among those related to it, or in its series. */
  articleWithOthers: (place: ArticlePlace): Subject[] => [...subjectsOfDetail(place), 'articles'],
  list: subjectsOfList,
  search: (values: FilterValues): Subject[] => [...subjectsOfList(values), 'searches'],
  feed: subjectsOfList,
  term: subjectsOfList,
  /** They show numbers of articles. */
  terms: ['articles'],
  copies: ['articles', 'redirects'],
  sitemaps: ['articles'],
  newsSitemap: ['articles'],
  termSitemap: [],
  /** A former slug leads to what readers see. */
  redirects: ['articles', 'redirects'],
  /** Beside those of an answer that shows pictures; `content.announce_picture` names it. */
  pictures: ['pictures'],
} satisfies Record<string, Subject[] | ((about: never) => Subject[])>;

/** The subjects of a change of an article, as `content.announce_articles` names them. */
export function subjectsOfChange({ id, categories }: ArticlePlace): ReadonlySet<string> {
  return new Set<Subject>(['articles', ...subjectsOfDetail({ id, categories })]);
}

/** The subjects that a notification names; undefined means everything. */
export function announcedSubjects(payload: string | undefined): ReadonlySet<string> | undefined {
  return payload === undefined ? undefined : new Set(payload.split(' '));
}

/** The articles of one of its filters, or all. */
function subjectsOfList(values: FilterValues): Subject[] {
  const name = filtersOf(values).find((name) => filterOf(name).subject !== undefined);
  if (name === undefined) return ['articles'];
  return [values[name]].flat().map((value): Subject => `${filterOf(name).subject}:${String(value)}`);
}

/** The article itself and, for its neighbours, the articles of its category. */
function subjectsOfDetail({ id, categories }: ArticlePlace): Subject[] {
  const named = categories.filter((category) => category !== null);
  return [`article:${id}`, ...named.map((category): Subject => `category:${category}`)];
}
