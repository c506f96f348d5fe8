import { ApiKeyStore } from '@pressroom/content/api-keys/store';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { fillWithArticles } from '../content-data.ts';
import { startContent } from '../content-service.ts';
import {
  type ContentContender,
  type ListedArticle,
  shownArticle,
  UPDATED_ARTICLES,
  writtenArticle,
} from './content.ts';

/** The content service on a new database with its articles, and again without its cache. */
export async function startPressroom(url: string, articles: number): Promise<ContentContender[]> {
  const pool = new pg.Pool({ connectionString: url });
  const db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool }) });
  await fillWithArticles(pool, articles);
  const key = await new ApiKeyStore(db).create({ name: 'bench' });
  await db.destroy();
  const headers = { 'x-api-key': key };
  const requests = {
    page: (number: number) => `/api/articles?page=${number}`,
    search: (word: string) => `/api/articles?q=${word}`,
    detail: '/api/articles/501',
    create: {
      method: 'POST',
      paths: ['/api/articles'],
      headers,
      body: (number: number) => ({ ...writtenArticle(number), category_id: 1 }),
      status: 201,
    },
    update: {
      method: 'PATCH',
      paths: UPDATED_ARTICLES.map((id) => `/api/articles/${id}`),
      headers,
      body: (number: number) => ({ excerpt: writtenArticle(number).excerpt }),
      status: 200,
    },
  } as const;
  const readPage = (answer: unknown) => {
    const { data, meta } = answer as { data: ListedArticle[]; meta: { total: number } };
    return { total: meta.total, articles: data.map(shownArticle) };
  };
  // By default, it answers 503 to more than four searches at once.
  const start = (cacheBytes?: string) => startContent(url, cacheBytes, { CONTENT_SEARCH_CONCURRENCY: '32' });
  const cached = { name: 'Pressroom', process: await start(), requests, readPage };
  const uncached = { name: 'Pressroom, no cache', process: await start('0'), requests, readPage };
  return [cached, uncached];
}
