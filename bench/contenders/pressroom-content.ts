import pg from 'pg';
import { addArticles, createKey } from '../data/articles.ts';
import { NO_CACHE, startService } from '../services.ts';
import {
  type ContentContender,
  type ListedArticle,
  shownArticle,
  UPDATED_ARTICLES,
  type Variants,
  writtenArticle,
} from './content.ts';

/** By default, it answers 503 to more than four searches at once. */
const SEARCHES = { CONTENT_SEARCH_CONCURRENCY: '32' };

const BOTH: Variants = { '': SEARCHES, ', no cache': { ...SEARCHES, ...NO_CACHE } };

/** The content service on a new database with its articles, in each of the variants. */
export async function startPressroom(
  url: string,
  articles: number,
  variants = BOTH,
): Promise<ContentContender[]> {
  const pool = new pg.Pool({ connectionString: url });
  await addArticles(pool, [0, articles]);
  const headers = { 'x-api-key': await createKey(pool) };
  await pool.end();
  const api: Pick<ContentContender, 'requests' | 'readPage'> = {
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
  const started = Object.entries(variants).map(async ([name, settings]) => {
    const process = await startService('content', { DATABASE_URL: url, ...settings });
    return { name: `Pressroom${name}`, process, ...api };
  });
  return Promise.all(started);
}
