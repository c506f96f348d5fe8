import type { Feed, FeedEntry } from '@pressroom/common/feeds/feed';
import type { Site } from '../site.ts';
import type { FeedArticle } from './store.ts';

/**
 * The members of a feed that its articles determine.
 *
 * @param names what the feed is restricted to
 */
export function articleFeed(
  articles: readonly FeedArticle[],
  names: readonly string[],
  site: Site,
): Pick<Feed, 'title' | 'description' | 'entries'> {
  return {
    title: [site.name, ...names].join(': '),
    description: 'The newest articles.',
    entries: articles.map((article) => entryOf(article, site)),
  };
}

function entryOf(article: FeedArticle, site: Site): FeedEntry {
  return {
    // Readers know an entry by it, so it does not move with the slug.
    id: `${site.url}/api/articles/${article.id}`,
    title: article.title,
    url: site.page('article', article),
    summary: article.excerpt,
    html: article.content,
    published: article.published_at,
    updated: article.updated_at,
    author: article.author,
    categories: article.category === null ? [] : [article.category.name],
  };
}
