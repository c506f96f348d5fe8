import { backoffOf, backoffSeconds, Lease } from '@pressroom/common/database/leases';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

const LEASE = new Lease({ table: 'work.job', key: ['id'], until: 'lease_until', seconds: 3600 });

let database: TestDatabase;
let db: Kysely<unknown>;

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Kysely({ dialect: new PostgresDialect({ pool: database.pool }) });
  await database.pool.query(
    'create schema work; create table work.job (id int primary key, attempts int not null default 0, lease_until timestamptz)',
  );
});
beforeEach(async () => {
  await database.pool.query('truncate work.job; insert into work.job (id) select generate_series(1, 40)');
});
afterAll(() => database.drop());

async function claim(most: number, on: Pick<Kysely<unknown>, 'getExecutor'> = db): Promise<number[]> {
  const claimed = await LEASE.claim<{ id: number }>(on, {
    due: LEASE.isFree(),
    order: sql`id`,
    most,
    set: sql`attempts = attempts + 1`,
    returning: sql`id`,
  });
  return claimed.map(({ id }) => id);
}

async function held(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int from work.job where ${LEASE.isHeld()}
  `.execute(db);
  return rows[0]?.count ?? 0;
}

/** As if so many seconds had passed since the leases were given. */
async function pass(seconds: number): Promise<void> {
  await sql`update work.job set lease_until = lease_until - ${seconds} * interval '1 second'`.execute(db);
}

test('two who claim at once never hold the same row, and none takes more than it asked for', async () => {
  const claims = await Promise.all(Array.from({ length: 12 }, () => claim(3)));
  for (const ids of claims) expect(ids.length).toBeLessThanOrEqual(3);
  const taken = claims.flat();
  for (let more = await claim(3); more.length > 0; more = await claim(3)) taken.push(...more);
  expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
  expect(await held()).toBe(40);
});

test('a row that is being claimed is passed over at once', async () => {
  await db.transaction().execute(async (tx) => {
    expect(await claim(1, tx)).toEqual([1]);
    expect(await claim(1)).toEqual([2]);
  });
});

test('a row passes on when the lease of one who is gone has ended, and not before', async () => {
  expect(await claim(40)).toHaveLength(40);
  await pass(3590);
  expect(await claim(1)).toEqual([]);
  await pass(10);
  expect(await claim(1)).toEqual([1]);
  expect(await held()).toBe(1);
});

test('a lease that is renewed lasts, and others do not', async () => {
  await claim(2);
  await pass(3500);
  await LEASE.renew(db, sql`id = 2`);
  await pass(200);
  expect(await claim(2)).toEqual([1, 3]);
});

test('renewing waits for nobody who writes the row, and takes nothing from them', async () => {
  await claim(1);
  await db.transaction().execute(async (tx) => {
    await sql`update work.job set lease_until = null where id = 1`.execute(tx);
    await LEASE.renew(db, sql`id = 1 and lease_until is not null`);
  });
  expect(await claim(1)).toEqual([1]);
});

test('the clock is that of the database', async () => {
  const { rows } = await sql<{ is: boolean }>`
    select ${LEASE.end()} - clock_timestamp() between interval '3599 s' and interval '3600 s' as is
  `.execute(db);
  expect(rows).toEqual([{ is: true }]);
});

test('the database waits as long after each failure as a process does', async () => {
  const backoff = { firstSeconds: 300, mostSeconds: 86_400 };
  const { rows } = await sql<{ failures: number; wait: number }>`
    select failures, ${backoffOf(backoff, sql`failures`)} as wait from generate_series(1, 30) as failures
  `.execute(db);
  for (const { failures, wait } of rows) expect(wait).toBe(backoffSeconds(backoff, failures));
  expect(rows).toHaveLength(30);
});
