import type { Feed, FeedEntry } from '@pressroom/common/feeds/feed';
import type { FilterValues } from '../articles/filters.ts';
import type { Site } from '../site.ts';
import { withAbsoluteUrls } from './absolute-urls.ts';
import type { FeedArticle } from './store.ts';

/** The members of a feed of the articles that pass `filters` that these determine. */
export function articleFeed(
  articles: readonly FeedArticle[],
  filters: FilterValues,
  site: Site,
): Pick<Feed, 'title' | 'description' | 'homeUrl' | 'entries'> {
  const ofCategory = filters.category !== undefined || filters.category_id !== undefined;
  const category = ofCategory ? articles[0]?.category : undefined;
  const names = [category?.name, filters.author].filter((name) => name !== undefined);
  return {
    title: [site.name, ...names].join(': '),
    description: 'The newest articles.',
    homeUrl: category ? site.page('category', category) : `${site.url}/`,
    entries: articles.map((article) => entryOf(article, site)),
  };
}

function entryOf(article: FeedArticle, site: Site): FeedEntry {
  const url = site.page('article', article);
  return {
    // Readers know an entry by it, so it does not move with the slug.
    id: `${site.url}/api/articles/${article.id}`,
    title: article.title,
    url,
    summary: article.excerpt,
    html: article.content === null ? null : withAbsoluteUrls(article.content, url),
    published: article.published_at,
    updated: article.updated_at,
    author: article.author,
    categories: article.category === null ? [] : [article.category.name],
  };
}
