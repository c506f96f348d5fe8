import { readFile } from 'node:fs/promises';
import {
  type ArticleOf,
  articles,
  contentClient,
  type FolderEntry,
  folderEntries,
  galleryClient,
  isProblem,
  newsFeedClient,
  withCookies,
} from '@pressroom/client';

const { CONTENT_URL, NEWS_URL, GALLERY_URL, CONTENT_API_KEY } = process.env;
const { PUBLIC_GALLERY_URL, GALLERY_USERNAME, GALLERY_PASSWORD } = process.env;

/** A build waits for its turn when it meets a rate limit. */
const retry = { patience: Number.POSITIVE_INFINITY };

/** A key with the scope `published` raises the limit of a large build, and shows no drafts. */
const content = contentClient({
  baseUrl: CONTENT_URL ?? 'http://127.0.0.1:4003',
  retry,
  ...(CONTENT_API_KEY && { headers: { 'X-API-Key': CONTENT_API_KEY } }),
});

const news = newsFeedClient({ baseUrl: NEWS_URL ?? 'http://127.0.0.1:4001', retry });

/** Reads once for all pages of a build. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => (value ??= read());
}

/** What the desk says of the site, as its feed has it, here without articles; 404 until it has an address. */
export const site = once(async () => {
  const query = { published_after: '9999-01-01T00:00:00Z' };
  const feed: unknown = await content.get('/articles/feed.json', { query }).catch((error) => {
    if (isProblem(error) && error.status === 404) return {};
    throw error;
  });
  const pages = {
    article_path: '/articles/{slug}',
    category_path: '/categories/{slug}',
    zone: null as string | null,
  };
  const said = { title: 'The Example', description: 'The newest articles.', language: 'en', _site: pages };
  const { _site, ...named } = { ...said, ...(feed as Partial<typeof said> & { icon?: string }) };
  const { article_path: articlePath, category_path: categoryPath, zone } = _site;
  return { ...named, articlePath, categoryPath, zone: zone ?? 'UTC' };
});

/** An article with what its page and its card show. */
export type ShownArticle = ArticleOf<'full', 'picture'>;

/** All published articles with their bodies, newest first: one request for every hundred. */
export const allArticles = once(() =>
  Array.fromAsync(articles(content, { per_page: 100, fields: 'full', include: 'picture' })),
);

/** All categories that have articles. */
export const allCategories = once(async () => {
  const { data } = await content.get('/api/categories');
  return data.filter(({ article_count }) => article_count > 0);
});

/** Related articles: of the same category, the newest first. */
export async function relatedTo({ id, category }: ShownArticle): Promise<ShownArticle[]> {
  if (category === null) return [];
  const others = (await allArticles()).filter(
    (other) => other.category?.id === category.id && other.id !== id,
  );
  return others.slice(0, 5);
}

/** The subjects of the news right now, the most discussed first. */
export const hotTopics = once(async () => (await news.get('/api/v1/hot-topics')).items);

/** The pictures in the gallery's folder `public`, by their addresses for good. */
export const pictures = once(async () => {
  const password = GALLERY_PASSWORD ?? (await localPassword());
  if (password === undefined) return [];
  const baseUrl = GALLERY_URL ?? 'http://127.0.0.1:4002';
  const gallery = galleryClient({ baseUrl, fetch: withCookies(), retry });
  await gallery.post('/api/login', { body: { username: GALLERY_USERNAME ?? 'admin', password } });
  const entries: FolderEntry[] = await Array.fromAsync(folderEntries(gallery, 'public'));
  await gallery.post('/api/logout');
  return entries.flatMap((entry) =>
    'publicPath' in entry && entry.publicPath && entry.type === 'image'
      ? [{ name: entry.name, address: new URL(entry.publicPath, PUBLIC_GALLERY_URL ?? baseUrl).href }]
      : [],
  );
});

/** The password that `pnpm start` made, when the site is built in its clone. */
async function localPassword(): Promise<string | undefined> {
  try {
    return JSON.parse(await readFile('../../.data/gallery.json', 'utf8')).adminPassword;
  } catch {
    return undefined;
  }
}
