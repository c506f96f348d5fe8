import { ApiKeyStore } from '@pressroom/content/api-keys/store';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { fillWithArticles } from '../content-data.ts';
import { createDatabase, startBenchPostgres } from '../database.ts';
import { fillWithNews } from '../news-data.ts';
import type { SteadyRequest } from '../steady-load.ts';

/** How many rows both services have. */
const ROWS = 20_000;

/** How many articles are read besides the lists. */
const DETAILS = 500;

/** A database of both services with the readers' requests. */
export interface Site {
  /** Its URL. */
  url: string;
  pool: pg.Pool;
  /** An API key of the content service. */
  key: string;
  /** The paths of content that readers ask for: the list, the categories, and many articles. */
  articlePaths: string[];
  newsPaths: string[];
  stop: () => Promise<void>;
}

/** Makes a site on its own PostgreSQL. */
export async function startSite(): Promise<Site> {
  const server = await startBenchPostgres();
  const url = await createDatabase(server.url, 'worst');
  const pool = new pg.Pool({ connectionString: url });
  await fillWithArticles(pool, ROWS);
  await fillWithNews(pool, { items: ROWS, selected: ROWS / 10, recent: ROWS / 10 });
  const db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool }) });
  const key = await new ApiKeyStore(db).create({ name: 'Bench' });
  const { rows } = await pool.query(
    'select id from content.article where is_published order by published_at desc limit $1',
    [DETAILS],
  );
  const articlePaths = [
    '/api/articles',
    '/api/categories',
    ...rows.map(({ id }: { id: number }) => `/api/articles/${id}`),
  ];
  const newsPaths = ['/api/v1/items', '/api/v1/hot-topics', '/api/v1/items?mode=all&window=24h', '/feed.xml'];
  const stop = async () => {
    await pool.end();
    await server.stop();
  };
  return { url, pool, key, articlePaths, newsPaths, stop };
}

/** The requests of clients that poll: of 20 in a row, 19 have seen the answer, and send its entity tag. */
export async function pollsOf(
  port: number,
  paths: readonly string[],
  headers: Record<string, string> = {},
): Promise<SteadyRequest[]> {
  const requests: SteadyRequest[] = [];
  for (const [index, path] of paths.entries()) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    const etag = response.headers.get('etag');
    const seen = index % 20 !== 19 && etag !== null;
    requests.push({ path, headers: { ...headers, ...(seen && { 'if-none-match': etag }) } });
  }
  return requests;
}
