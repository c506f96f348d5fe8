import type { Site } from '../site.ts';
import type { ArticleDetail, AuthorOfArticle } from './schema.ts';

/**
 * An article as schema.org's `NewsArticle`, for the `application/ld+json` of its page. Without a site it
 * names neither a publisher nor, unless it has a canonical one, an address.
 */
export function jsonLdOf(
  article: ArticleDetail,
  authors: readonly AuthorOfArticle[],
  site: Site | undefined,
): Record<string, unknown> {
  const url = article.canonical_url ?? site?.page('article', article);
  return {
    '@context': 'https://schema.org',
    '@type': 'NewsArticle',
    headline: article.title,
    description: article.meta_description ?? article.excerpt ?? undefined,
    image: article.featured_image === null ? undefined : [article.featured_image],
    datePublished: article.published_at ?? undefined,
    dateModified: article.updated_at,
    author:
      authors.length === 0
        ? [{ '@type': 'Person', name: article.author }]
        : authors.map((author) => personOf(author, site)),
    articleSection: article.category?.name,
    inLanguage: site?.language,
    url,
    mainEntityOfPage: url,
    publisher: site && { '@type': 'Organization', name: site.name, url: site.url },
  };
}

function personOf(author: AuthorOfArticle, site: Site | undefined) {
  return {
    '@type': 'Person',
    name: author.name,
    url: site?.page('author', author),
    image: author.picture ?? undefined,
  };
}
