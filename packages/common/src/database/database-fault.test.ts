import { readFile } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { expect, test } from 'vitest';
import { isDatabaseAway, isLostRace, isRefusedData, SilenceError, violates } from './database.ts';

/** An error as `pg` creates it from PostgreSQL's answer. */
function databaseError(code: string, constraint?: string): Error {
  return Object.assign(new Error('the server says no'), { code, constraint });
}

/** The error that a promise is rejected with. */
async function faultOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('nothing failed');
}

/** The error of `pg` for a server at `port`. */
function connectionFault(host: string, port: number): Promise<unknown> {
  return faultOf(new pg.Client({ host, port, user: 'nobody', connectionTimeoutMillis: 200 }).connect());
}

/** A port that accepts connections and passes them to `behave` while `work` runs. */
async function withServer<T>(
  behave: (socket: Socket) => void,
  work: (port: number) => Promise<T>,
): Promise<T> {
  const server = createServer(behave);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  try {
    return await work(address.port);
  } finally {
    server.close();
  }
}

test('a port without a listener means the database is unavailable, by address and by name', async () => {
  const port = await withServer(
    () => undefined,
    async (free) => free,
  );
  expect(isDatabaseAway(await connectionFault('127.0.0.1', port))).toBe(true);
  expect(isDatabaseAway(await connectionFault('localhost', port))).toBe(true);
});

test('a server that hangs up or stays silent means the database is unavailable', async () => {
  const hangsUp = await withServer(
    (socket) => socket.destroy(),
    (port) => connectionFault('127.0.0.1', port),
  );
  expect(isDatabaseAway(hangsUp)).toBe(true);
  const saysNothing = await withServer(
    (socket) => void socket.once('close', () => socket.destroy()).resume(),
    (port) => connectionFault('127.0.0.1', port),
  );
  expect(isDatabaseAway(saysNothing)).toBe(true);
});

test('a nonexistent host name or a missing socket file means the database is unavailable', async () => {
  expect(isDatabaseAway(await connectionFault('no-such-host.invalid', 5432))).toBe(true);
  expect(isDatabaseAway(await connectionFault('/nowhere', 5432))).toBe(true);
});

test.each([
  '08006',
  '28P01',
  '53300',
  '57014',
  '57P01',
  '57P03',
  '55P03',
  '25P03',
  '25006',
  '40001',
  '40P01',
])('SQLSTATE %s means the database is unavailable, full or too slow', (code) => {
  expect(isDatabaseAway(databaseError(code))).toBe(true);
});

test.each(['23505', '42P01', '22001', '42501', '3D000', 'XX000'])('SQLSTATE %s is our own error', (code) => {
  expect(isDatabaseAway(databaseError(code))).toBe(false);
});

test('an aggregate means the database is unavailable only if all of its errors do', () => {
  const away = databaseError('57P01');
  expect(isDatabaseAway(new AggregateError([away, away]))).toBe(true);
  expect(isDatabaseAway(new AggregateError([away, new TypeError('x')]))).toBe(false);
  expect(isDatabaseAway(new AggregateError([]))).toBe(false);
});

test('other errors do not concern the database', async () => {
  const missingFile = await faultOf(readFile('/no/such/file'));
  for (const error of [
    missingFile,
    new TypeError('x is not a function'),
    undefined,
    null,
    'text',
    { code: '57P01' },
  ]) {
    expect(isDatabaseAway(error)).toBe(false);
  }
  const notOfSystem = Object.assign(new Error('refused by policy'), { code: 'ECONNREFUSED' });
  expect(isDatabaseAway(notOfSystem)).toBe(false);
});

test('a server that has not answered for too long is unavailable', () => {
  expect(isDatabaseAway(new SilenceError(5500))).toBe(true);
});

test('a lost race is a serialization failure or a deadlock', () => {
  expect(['40001', '40P01', '23505', '55P03'].map((code) => isLostRace(databaseError(code)))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a violated constraint is recognized by its name', () => {
  expect(violates(databaseError('23505', 'article_slug_key'), 'article_slug_key')).toBe(true);
  expect(violates(databaseError('23503', 'article_category_id_fkey'), 'article_slug_key')).toBe(false);
  expect(violates(databaseError('42P01', 'article_slug_key'), 'article_slug_key')).toBe(false);
  expect(violates(new Error('x'), 'article_slug_key')).toBe(false);
  expect(violates(undefined, 'article_slug_key')).toBe(false);
});

test('a value, a row or a size that PostgreSQL does not take is refused data, an outage is not', () => {
  const codes = ['22003', '22021', '23514', '54000'];
  for (const code of codes) expect(isRefusedData(databaseError(code)), code).toBe(true);
  for (const code of ['08006', '42P01', '57P01', '40001', 'EPIPE', '']) {
    expect(isRefusedData(databaseError(code)), code).toBe(false);
  }
});
