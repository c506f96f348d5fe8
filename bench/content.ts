import { rm } from 'node:fs/promises';
import { ArticleStore } from '@pressroom/content/articles/store';
import type { ContentTables } from '@pressroom/content/tables';
import { startPostgres } from '@pressroom/embedded-postgres/postgres';
import { PostgresDialect } from 'kysely';
import pg from 'pg';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { captureAnswer, captureStatements, temporaryFile } from './captured.ts';
import { type ServerProcess, startServer } from './child.ts';
import { type Comparison, compare, median } from './compare.ts';
import { fillWithArticles } from './content-data.ts';
import { startContent } from './content-service.ts';
import { createDatabase } from './database.ts';
import { load } from './load.ts';

/** The smallest acceptable ratios: hot against bare bytes, uncached against the same SQL. */
const HOT_BAR = 0.75;
const COLD_BAR = 0.9;

/** The maximum cost of a deep page, as a multiple of the first. */
const DEPTH_BAR = 3;

/** The maximum memory under load, in MiB. */
const MEMORY_BAR = 180;

/** Up to how many articles cached answers are measured. */
const MOST_HOT = 100_000;

const CONNECTIONS = 32;
const LIST = '/api/articles';

/** The time of a page, by its position in the list. */
interface Depth {
  page: string;
  /** Median time to an answer, in ms, one request at a time. */
  p50: number;
  /** The same by round. */
  rounds: number[];
  /** As a multiple of the first page's. */
  multiple: number;
}

/** The results for one number of articles. */
export interface ContentFigures {
  articles: number;
  comparisons: Comparison[];
  depth: Depth[];
  depthBar: number;
  /** Resident memory after the load of the comparisons, in MiB. */
  memory: number;
  memoryBar: number;
}

/** Measures the content service with a number of articles, on its own PostgreSQL. */
export async function benchContent(articles: number): Promise<ContentFigures> {
  const dataDir = await temporaryHome();
  const server = await startPostgres({ dataDir, port: 0, settings: { max_wal_size: '4GB' } });
  try {
    return await benchSize(server.url, articles);
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function benchSize(serverUrl: string, articles: number): Promise<ContentFigures> {
  const url = await createDatabase(serverUrl, `bench_${articles}`);
  const pool = new pg.Pool({ connectionString: url });
  try {
    await fillWithArticles(pool, articles);
    return await measure(url, pool, articles);
  } finally {
    await pool.end();
  }
}

async function measure(databaseUrl: string, pool: pg.Pool, articles: number): Promise<ContentFigures> {
  const { rows } = await pool.query(
    'select id from content.article where is_published order by id limit 1 offset 500',
  );
  const detail = `${LIST}/${rows[0].id}`;
  const cached = await startContent(databaseUrl);
  const comparisons = [];
  // A cached answer costs the same however many articles there are, so it is measured once.
  const hot = articles <= MOST_HOT ? { list: LIST, detail } : {};
  for (const [name, path] of Object.entries(hot)) comparisons.push(...(await compareHot(cached, name, path)));
  const memory = cached.residentMemory();
  await cached.stop();

  const uncached = await startContent(databaseUrl, '0');
  comparisons.push(...(await compareUncached(uncached, databaseUrl, pool, detail, rows[0].id)));
  const depth = await measureDepth(uncached);
  const figures = { articles, comparisons, depth, depthBar: DEPTH_BAR, memoryBar: MEMORY_BAR };
  const memoryUncached = uncached.residentMemory();
  await uncached.stop();
  return { ...figures, memory: Math.max(memory, memoryUncached) };
}

async function compareHot(service: ServerProcess, name: string, path: string): Promise<Comparison[]> {
  const { file, etag } = await captureAnswer(`http://127.0.0.1:${service.port}${path}`);
  const answering = { env: { ANSWER: file }, port: 'PORT', ready: '/' };
  const bare = await startServer({ program: 'bench/servers/bytes.ts', ...answering });
  const framework = await startServer({ program: 'bench/servers/fastify.ts', ...answering });
  const other = { name: 'node:http', port: bare.port, pid: bare.pid };
  const request = { paths: [path], connections: CONNECTIONS };
  const kinds = {
    '200': { ...request, status: 200 },
    '304': { ...request, status: 304, headers: { 'if-none-match': etag } },
  };
  const comparisons = [];
  for (const [status, asked] of Object.entries(kinds)) {
    const own = { name: 'content', port: service.port, pid: service.pid };
    const plain = { name: 'Fastify', port: framework.port, pid: framework.pid };
    comparisons.push(await compare(`hot ${name}, ${status}`, [own, other], asked, HOT_BAR));
    comparisons.push(await compare(`${name} by Fastify alone, ${status}`, [plain, other], asked));
  }
  await framework.stop();
  await bare.stop();
  return comparisons;
}

async function compareUncached(
  service: ServerProcess,
  databaseUrl: string,
  pool: pg.Pool,
  detail: string,
  id: number,
): Promise<Comparison[]> {
  const capture = (work: (store: ArticleStore) => Promise<unknown>) =>
    captureStatements<ContentTables>(new PostgresDialect({ pool }), (db) => work(new ArticleStore(db)));
  const statements = {
    '/': [],
    [LIST]: await capture((store) =>
      store.list({ status: 'published', filters: {} }, { page: 1, perPage: 20 }),
    ),
    [detail]: await capture((store) => store.read(id, { seesDrafts: false })),
  };
  const env = { DATABASE_URL: databaseUrl, STATEMENTS: temporaryFile(statements) };
  const bare = await startServer({ program: 'bench/servers/sql.ts', env, port: 'PORT', ready: '/' });
  const contenders: Parameters<typeof compare>[1] = [
    { name: 'content', port: service.port, pid: service.pid },
    { name: 'node:http + pg', port: bare.port, pid: bare.pid },
  ];
  const comparisons = [];
  for (const [name, path] of [
    ['list', LIST],
    ['detail', detail],
  ] as const) {
    const request = { paths: [path], connections: CONNECTIONS, status: 200 };
    comparisons.push(await compare(`uncached ${name}, 200`, contenders, request, COLD_BAR));
  }
  await bare.stop();
  return comparisons;
}

async function measureDepth({ port }: ServerProcess): Promise<Depth[]> {
  const response = await fetch(`http://127.0.0.1:${port}${LIST}`);
  const { meta } = (await response.json()) as { meta: { total_pages: number } };
  const pages: [string, number][] = [
    ['first', 1],
    ['50', 50],
    ['middle', Math.ceil(meta.total_pages / 2)],
    ['last', meta.total_pages],
  ];
  const times = new Map<string, number[]>(pages.map(([name]) => [name, []]));
  for (let round = 0; round < 5; round += 1) {
    for (const [name, page] of pages) {
      const request = { port, paths: [`${LIST}?page=${page}`], connections: 1, durationMs: 500, status: 200 };
      times.get(name)?.push((await load(request)).p50);
    }
  }
  const first = median(times.get('first') ?? []);
  return pages.map(([page]) => {
    const rounds = times.get(page) ?? [];
    const p50 = median(rounds);
    return { page, p50, rounds, multiple: p50 / first };
  });
}
