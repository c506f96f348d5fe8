import pg from 'pg';
import { addArticles, createKey } from '../data/articles.ts';
import { NO_CACHE, startService } from '../services.ts';
import {
  type ContentContender,
  type ListedArticle,
  type Settings,
  shownArticle,
  startVariants,
  UPDATED_ARTICLES,
  writtenArticle,
} from './content.ts';

/** Its default answers 503 to more than four searches at once. */
const SEARCHES = { CONTENT_SEARCH_CONCURRENCY: '32' };

const BOTH = { '': SEARCHES, ', no cache': { ...SEARCHES, ...NO_CACHE } };

/** The content service on a new database with its articles. */
export async function startPressroom(
  url: string,
  articles: number,
  settings?: Settings,
): Promise<ContentContender[]> {
  const pool = new pg.Pool({ connectionString: url });
  await addArticles(pool, [0, articles]);
  const headers = { 'x-api-key': await createKey(pool) };
  await pool.end();
  const api: Omit<ContentContender, 'process'> = {
    name: 'Pressroom',
    requests: {
      page: (number) => `/api/articles?page=${number}`,
      search: (word) => `/api/articles?q=${word}`,
      detail: (id) => `/api/articles/${id}`,
      create: {
        method: 'POST',
        paths: ['/api/articles'],
        headers,
        body: (number) => ({ ...writtenArticle(number), category_id: 1 }),
        status: 201,
      },
      update: {
        method: 'PATCH',
        paths: UPDATED_ARTICLES.map((id) => `/api/articles/${id}`),
        headers,
        body: (number) => ({ excerpt: writtenArticle(number).excerpt }),
        status: 200,
      },
    },
    readPage: (answer) => {
      const { data, meta } = answer as { data: ListedArticle[]; meta: { total: number } };
      return { total: meta.total, articles: data.map(shownArticle) };
    },
  };
  return startVariants(api, BOTH, settings, (own) => startService('content', { DATABASE_URL: url, ...own }));
}
