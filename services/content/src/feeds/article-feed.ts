import type { Feed, FeedEntry } from '@pressroom/common/feeds/feed';
import type { FilterValues } from '../articles/filters.ts';
import type { Site } from '../site.ts';
import { withAbsoluteUrls } from './absolute-urls.ts';
import type { FeedArticle, FeedAuthor } from './store.ts';

/** What these determine of a feed of the articles that pass `filters`, all by `author` if given. */
export function articleFeed(
  articles: readonly FeedArticle[],
  filters: FilterValues,
  author: FeedAuthor | undefined,
  site: Site,
): Pick<Feed, 'title' | 'description' | 'homeUrl' | 'entries'> {
  const ofCategory = filters.category !== undefined || filters.category_id !== undefined;
  const category = ofCategory ? articles[0]?.category : undefined;
  const names = [category?.name, author?.name, filters.author].filter((name) => name !== undefined);
  return {
    title: [site.name, ...names].join(': '),
    description: 'The newest articles.',
    homeUrl: homeUrl(category, author, site),
    entries: articles.map((article) => entryOf(article, site)),
  };
}

function homeUrl(category: FeedArticle['category'] | undefined, author: FeedAuthor | undefined, site: Site) {
  if (category) return site.page('category', category);
  return author ? site.page('author', author) : `${site.url}/`;
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
    authors: authorsOf(article, site),
    categories: article.category === null ? [] : [article.category.name],
  };
}

function authorsOf({ author, authors }: FeedArticle, site: Site): FeedEntry['authors'] {
  if (authors.length === 0) return [{ name: author }];
  return authors.map((one) => ({ name: one.name, url: site.page('author', one) }));
}
