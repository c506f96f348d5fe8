/** `pnpm bench content [SIZE …]`: measures the content service with each of these numbers of articles. */
import { LIST_MEMBERS } from '@pressroom/content/articles/schema';
import { ArticleStore } from '@pressroom/content/articles/store';
import type { ContentTables } from '@pressroom/content/tables';
import { PostgresDialect } from 'kysely';
import { ask } from './ask.ts';
import { captureAnswer, captureStatements, temporaryFile } from './captured.ts';
import { type ServerProcess, startServer } from './child.ts';
import { compare, compareWithBare } from './compare.ts';
import { fillWithArticles } from './content-data.ts';
import { startContent } from './content-service.ts';
import { type BenchDatabase, onDatabase } from './database.ts';
import { type Figure, figuresOf } from './figures/figure.ts';
import { keepFigures } from './figures/keep.ts';
import { runParts } from './figures/parts.ts';
import { load } from './load.ts';
import { median } from './quantile.ts';
import { inTurns } from './turns.ts';

/** The numbers of articles that are measured unless the command line names others. */
const SIZES = [10_000, 1_000_000];

/** The smallest acceptable ratios: hot against bare bytes, uncached against the same SQL. */
const HOT_AIM = 0.75;
const COLD_AIM = 0.9;

/** The maximum cost of a deep page, as a multiple of the first. */
const DEPTH_AIM = 3;

/** The maximum memory under load, in MiB. */
const MEMORY_AIM = 180;

/** Up to how many articles cached answers are measured. */
const MOST_HOT = 100_000;

const CONNECTIONS = 32;
const LIST = '/api/articles';

/** Measures the content service with a number of articles, on its own PostgreSQL. */
function benchContent(rows: number): Promise<Figure[]> {
  return onDatabase(async (database) => {
    const { url, pool } = database;
    await fillWithArticles(pool, rows);
    const found = await pool.query(
      'select id from content.article where is_published order by id limit 1 offset 500',
    );
    const { id } = found.rows[0];
    const detail = `${LIST}/${id}`;
    const figures: Figure[] = [];
    const cached = await startContent(url);
    // A cached answer costs the same however many articles there are, so it is measured once.
    const hot = rows <= MOST_HOT ? { list: LIST, detail } : {};
    for (const [name, path] of Object.entries(hot))
      figures.push(...(await compareHot(cached, name, path, rows)));
    const memory = cached.residentMemory();
    await cached.stop();
    const uncached = await startContent(url, '0');
    figures.push(...(await compareUncached(uncached, database, id, rows)));
    figures.push(...(await measureDepth(uncached, rows)));
    const most = Math.max(memory, uncached.residentMemory());
    await uncached.stop();
    const figure = figuresOf('content', { rows });
    return [...figures, figure('load of the comparisons', 'memory', 'MiB', most, MEMORY_AIM)];
  });
}

async function compareHot(
  service: ServerProcess,
  name: string,
  path: string,
  rows: number,
): Promise<Figure[]> {
  const { file, etag } = await captureAnswer(`http://127.0.0.1:${service.port}${path}`);
  const answering = { env: { ANSWER: file }, port: 'PORT', ready: '/' };
  const bare = await startServer({ program: 'bench/servers/bytes.ts', ...answering });
  const framework = await startServer({ program: 'bench/servers/fastify.ts', ...answering });
  const figures: Figure[] = [];
  for (const status of [200, 304]) {
    const headers = { ...(status === 304 && { 'if-none-match': etag }) };
    const request = { paths: [path], connections: CONNECTIONS, status, headers };
    const common = { request, at: { rows } };
    const own = { ...common, what: `hot ${name}, ${status}`, aim: HOT_AIM };
    const alone = { ...common, what: `${name} by Fastify alone, ${status}` };
    figures.push(
      ...(await compare(
        [
          ['content', service],
          ['node:http', bare],
        ],
        own,
      )),
    );
    figures.push(
      ...(await compare(
        [
          ['Fastify', framework],
          ['node:http', bare],
        ],
        alone,
      )),
    );
  }
  await framework.stop();
  await bare.stop();
  return figures;
}

async function compareUncached(
  service: ServerProcess,
  { url, pool }: BenchDatabase,
  id: number,
  rows: number,
): Promise<Figure[]> {
  const capture = (work: (store: ArticleStore) => Promise<unknown>) =>
    captureStatements<ContentTables>(new PostgresDialect({ pool }), (db) => work(new ArticleStore(db)));
  const detail = `${LIST}/${id}`;
  const statements = {
    '/': [],
    [LIST]: await capture((store) =>
      store.list({ status: 'published', sort: 'newest', filters: {} }, LIST_MEMBERS, {
        page: 1,
        perPage: 20,
      }),
    ),
    [detail]: await capture((store) => store.read(id, { seesDrafts: false })),
  };
  const env = { DATABASE_URL: url, STATEMENTS: temporaryFile(statements) };
  return compareWithBare(
    ['content', service],
    { name: 'node:http + pg', program: 'bench/servers/sql.ts', env },
    Object.entries({ list: LIST, detail }).map(([name, path]) => ({
      what: `uncached ${name}, 200`,
      request: { paths: [path], connections: CONNECTIONS, status: 200 },
      at: { rows },
      aim: COLD_AIM,
    })),
  );
}

async function measureDepth({ port }: ServerProcess, rows: number): Promise<Figure[]> {
  const { meta } = await ask<{ meta: { total_pages: number } }>(`http://127.0.0.1:${port}${LIST}`);
  const pages = [
    ['page first', 1],
    ['page 50', 50],
    ['page middle', Math.ceil(meta.total_pages / 2)],
    ['page last', meta.total_pages],
  ] as const;
  const times = await inTurns(pages, 5, async ([, page]) => {
    const request = { port, paths: [`${LIST}?page=${page}`], connections: 1, durationMs: 500, status: 200 };
    return (await load(request)).p50;
  });
  const first = median(times[0] ?? []);
  const figure = figuresOf('content', { rows });
  return pages.flatMap(([what], index) => {
    const rounds = times[index] ?? [];
    return [
      figure(what, 'p50', 'ms', rounds),
      figure(what, 'multiple', '', median(rounds) / first, DEPTH_AIM),
    ];
  });
}

const named = process.argv.slice(2).map(Number);
const sizes = named.length > 0 ? named : SIZES;
const parts = sizes.map((articles) => ({
  name: `${articles} articles`,
  seconds: 250 + articles / 20_000,
  run: () => benchContent(articles),
}));
keepFigures('content', (await runParts('content', parts)).flat());
