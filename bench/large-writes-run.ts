/**
 * `pnpm bench large-writes`: the time of a cached read while a client with a key writes articles of 2 MB, one
 * after the other, compared to the time without it.
 */
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { ApiKeyStore } from '@pressroom/content/api-keys/store';
import type { ContentTables } from '@pressroom/content/tables';
import { startPostgres } from '@pressroom/embedded-postgres/postgres';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { temporaryHome } from '../test/support/temporary-home.ts';
import { fillWithArticles } from './content-data.ts';
import { startContent } from './content-service.ts';
import { createDatabase } from './database.ts';
import { median } from './quantile.ts';
import { writeFigures } from './report.ts';
import { steadyLoad } from './steady-load.ts';

/** The largest acceptable 99th percentile of a cached read while articles are written, in ms. */
const P99_BAR = 20;

const ROUNDS = 9;
const ROUND_MS = 3000;

/** Cached reads per second: enough to notice each time that the service stands still. */
const RATE = 1000;

/** Starts the writer on a thread of its own, whose work the readers do not notice; returns how to stop it. */
function startWriting(port: number, key: string): () => Promise<number> {
  const writer = new Worker(new URL('./large-writer.ts', import.meta.url), { workerData: { port, key } });
  return async () => {
    writer.postMessage('stop');
    const [written] = await once(writer, 'message');
    return Number(written);
  };
}

const dataDir = await temporaryHome();
const postgres = await startPostgres({ dataDir, port: 0, settings: { max_wal_size: '4GB' } });
const url = await createDatabase(postgres.url, 'bench_writes');
const pool = new pg.Pool({ connectionString: url });
await fillWithArticles(pool, 10_000);
const db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool }) });
const key = await new ApiKeyStore(db).create('bench', null);
const { rows } = await pool.query('select id from content.category order by id limit 1');
if (rows[0].id !== 1) throw new Error('the first category is not 1');
const service = await startContent(url);
const read = async () => {
  const requests = [{ path: '/api/categories' }];
  const result = await steadyLoad({ port: service.port, requests, rate: RATE, durationMs: ROUND_MS });
  const statuses = Object.keys(result.statuses).join(', ');
  if (statuses !== '200') throw new Error(`expected 200, got ${statuses}`);
  return result;
};
await read();
const rounds = [];
for (let round = 0; round < ROUNDS; round += 1) {
  const alone = await read();
  const stop = startWriting(service.port, key);
  const during = await read();
  rounds.push({ alone, during, written: await stop() });
}
await service.stop();
await db.destroy();
await postgres.stop();
await rm(dataDir, { recursive: true, force: true });

const figures = {
  readsPerSecond: RATE,
  articlesWritten: rounds.reduce((sum, { written }) => sum + written, 0),
  p50: {
    alone: median(rounds.map(({ alone }) => alone.p50)),
    during: median(rounds.map(({ during }) => during.p50)),
  },
  p99: {
    alone: median(rounds.map(({ alone }) => alone.p99)),
    during: median(rounds.map(({ during }) => during.p99)),
    highest: Math.max(...rounds.map(({ during }) => during.highest)),
  },
  bar: P99_BAR,
};
console.log(figures);
writeFigures('large-writes', figures);
