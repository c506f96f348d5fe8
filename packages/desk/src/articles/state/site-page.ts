import type { Article, SiteFacts } from '../api/types.ts';

/** The address of an article's page on the site; undefined where the site's is not known. */
export function pageOf(
  site: SiteFacts | undefined,
  article: Partial<Pick<Article, 'id' | 'slug'>> | undefined,
): string | undefined {
  return site?.articlePage?.replace('{slug}', article?.slug ?? '').replace('{id}', String(article?.id ?? ''));
}
