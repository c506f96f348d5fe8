import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { giveUpSilentConnections, isDatabaseAway, openDatabase } from '@pressroom/common/database/database';
import { type Kysely, sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { memoryLog } from '../support/log.ts';
import { type ProxiedDatabase, proxyDatabase } from '../support/proxied-database.ts';
import { until } from '../support/until.ts';

/** PostgreSQL's limit on a statement, in ms; an answer is waited for half a second longer. */
const STATEMENT_TIMEOUT_MS = 1000;

let database: TestDatabase;
let proxied: ProxiedDatabase;
let db: Kysely<unknown>;

beforeEach(async () => {
  database = await createTestDatabase();
  proxied = await proxyDatabase(database.url);
  db = openDatabase(
    {
      DATABASE_URL: proxied.url,
      DATABASE_POOL_SIZE: 2,
      DATABASE_CONNECT_TIMEOUT_MS: 60_000,
      DATABASE_STATEMENT_TIMEOUT_MS: STATEMENT_TIMEOUT_MS,
    },
    'database test',
    memoryLog('test').log,
  );
});

afterEach(async () => {
  proxied.proxy.cut();
  await db.destroy();
  await proxied.proxy.close();
  await database.drop();
});

async function backend(on: Kysely<unknown>): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(on);
  return rows[0]?.pid;
}

/** Resolves to the error of a rejected promise. */
function faultOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

async function passed(ms: number): Promise<void> {
  const start = performance.now();
  await until('the time has passed', () => performance.now() >= start + ms);
}

test('a connection may be idle between two statements', async () => {
  await db.connection().execute(async (connection) => {
    const before = await backend(connection);
    await passed(STATEMENT_TIMEOUT_MS + 1000);
    expect(await backend(connection)).toBe(before);
  });
});

test('a connection that was idle and then does not get an answer is abandoned', async () => {
  await db.connection().execute(async (connection) => {
    await backend(connection);
    await passed(STATEMENT_TIMEOUT_MS + 1000);
    proxied.proxy.pause();
    expect(isDatabaseAway(await faultOf(backend(connection)))).toBe(true);
  });
  proxied.proxy.forget();
  expect(await backend(db)).toBeTypeOf('number');
});

test('a transaction whose server stops responding fails as an unavailable database, including the rollback', async () => {
  const transaction = db.transaction().execute(async (tx) => {
    await backend(tx);
    proxied.proxy.pause();
    return backend(tx);
  });
  expect(isDatabaseAway(await faultOf(transaction))).toBe(true);
});

test('a statement that takes too long is ended by PostgreSQL, and the connection stays', async () => {
  await db.connection().execute(async (connection) => {
    const before = await backend(connection);
    const fault = await faultOf(sql`select pg_sleep(60)`.execute(connection));
    expect(fault).toMatchObject({ code: '57014' });
    expect(isDatabaseAway(fault)).toBe(true);
    expect(await backend(connection)).toBe(before);
  });
});

test('a connection that breaks while it is idle fails the next statement and nothing else', async () => {
  await db.connection().execute(async (connection) => {
    const pid = await backend(connection);
    await database.pool.query('select pg_terminate_backend($1)', [pid]);
    await until('the session is gone', async () => {
      const { rowCount } = await database.pool.query('select from pg_stat_activity where pid = $1', [pid]);
      return rowCount === 0;
    });
    expect(isDatabaseAway(await faultOf(backend(connection)))).toBe(true);
  });
  // A request at the same moment may still be given the broken one.
  await until('it answers again', () => backend(db).catch(() => undefined));
});

test('counts are numbers', async () => {
  const { rows } = await sql<{ n: unknown }>`select count(*) as n from (values (1), (2)) as v`.execute(db);
  expect(rows).toEqual([{ n: 2 }]);
});

test('pg still has the member that is read here to tell whether a statement is answered', async () => {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const readiness = () => (client as { readyForQuery?: unknown }).readyForQuery;
  expect(readiness()).toBe(true);
  const answer = client.query('select 1');
  expect(readiness()).toBe(false);
  await answer;
  expect(readiness()).toBe(true);
  await client.end();
});

test.each([
  ['false, and the connection is given up', false, true],
  ['true, and the connection is kept', true, false],
  ['nothing, because pg has renamed it, and the connection is kept', undefined, false],
])('a silent connection of which pg says %s', async (_what, readyForQuery, isGivenUp) => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stream = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const pool = new EventEmitter();
  giveUpSilentConnections(pool as unknown as pg.Pool, 10);
  pool.emit('connect', { connection: { stream }, readyForQuery });
  const fault = isGivenUp ? once(stream, 'error').catch((error) => [error]) : undefined;
  await once(stream, 'timeout');
  expect(stream.destroyed).toBe(isGivenUp);
  if (fault !== undefined) expect(await fault).toMatchObject([{ name: 'SilenceError' }]);
  stream.destroy();
  server.close();
});

test('a transaction that waits too long for its next statement gives back its locks', async () => {
  const idle = openDatabase({ DATABASE_URL: database.url, idleTransactionMs: 20 }, 'database test');
  try {
    const waiting = idle.transaction().execute(async (tx) => {
      const pid = await backend(tx);
      const others = openDatabase({ DATABASE_URL: database.url }, 'database test');
      const lives = sql`select from pg_stat_activity where pid = ${pid}`;
      await until('its session has ended', async () => (await lives.execute(others)).rows.length === 0);
      await others.destroy();
      await sql`select 1`.execute(tx);
    });
    expect(isDatabaseAway(await faultOf(waiting))).toBe(true);
  } finally {
    await idle.destroy();
  }
});
