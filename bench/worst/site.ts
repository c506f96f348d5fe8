import type pg from 'pg';
import { addArticles, createKey } from '../data/articles.ts';
import { addItems } from '../data/items.ts';
import { openDatabase } from '../database.ts';
import { type Figure, figuresOf, MEMORY_AIM } from '../figures/figure.ts';
import type { LoadRequest, LoadResult } from '../load.ts';
import type { ServerProcess } from '../server.ts';

const ROWS = 20_000;

const DETAILS = 500;

/** A database of both services with the readers' requests. */
export interface Site extends AsyncDisposable {
  url: string;
  pool: pg.Pool;
  key: string;
  /** The paths of content that readers ask for: the list, the categories, and many articles. */
  articlePaths: string[];
  newsPaths: string[];
}

/** Makes a site on its own PostgreSQL. */
export async function startSite(): Promise<Site> {
  const database = await openDatabase();
  const { pool } = database;
  await addArticles(pool, [0, ROWS]);
  await addItems(pool, 0, ROWS, 0.1);
  const { rows } = await pool.query(
    'select id from content.article where is_published order by published_at desc limit $1',
    [DETAILS],
  );
  const articles = rows.map(({ id }: { id: number }) => `/api/articles/${id}`);
  return {
    ...database,
    key: await createKey(pool),
    articlePaths: ['/api/articles', '/api/categories', ...articles],
    newsPaths: ['/api/v1/items', '/api/v1/hot-topics', '/api/v1/items?mode=all&window=24h', '/feed.xml'],
  };
}

/** The requests of clients that poll: of 20 in a row, 19 have seen the answer, and send its entity tag. */
export async function pollsOf({ port }: ServerProcess, paths: readonly string[]): Promise<LoadRequest[]> {
  const requests: LoadRequest[] = [];
  for (const [index, path] of paths.entries()) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    const etag = response.headers.get('etag');
    const seen = index % 20 !== 19 && etag !== null;
    requests.push({ path, headers: { ...(seen && { 'if-none-match': etag }) } });
  }
  return requests;
}

/** The times of a load as figures; the aim is of the 99th percentile. */
export function timesOf(
  [subject, what, rate]: readonly [subject: string, what: string, rate: number],
  { p50, p99, highest }: LoadResult,
  aim?: number,
): Figure[] {
  const figure = figuresOf(subject, { rate });
  return [
    figure(what, 'p50', 'ms', p50),
    figure(what, 'p99', 'ms', p99, aim),
    figure(what, 'highest', 'ms', highest),
  ];
}

/** The resident memory of a service that was just under load. */
export function memoryUnderLoad(subject: string, service: ServerProcess): Figure {
  return figuresOf(subject)('under load', 'memory', 'MiB', service.residentMemory(), MEMORY_AIM);
}
