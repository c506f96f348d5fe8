import { SearchGate } from '@pressroom/common/search/search-gate';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { until } from '../support/until.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test('all statements of a search have one time limit, and those after it do not begin', async () => {
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: database.pool }) });
  const gate = new SearchGate(db, { concurrency: 1, timeoutMs: 100 });
  let ended = 0;
  const search = gate.run(async (searchDb) => {
    for (;;) {
      await sql`select pg_sleep(0.02)`.execute(searchDb);
      ended += 1;
    }
  });
  await expect(search).rejects.toThrow('the search took too long');
  await until('its place is free', () => gate.run(async () => true).catch(() => false));
  const atTheEnd = ended;
  await gate.run((searchDb) => sql`select pg_sleep(0.05)`.execute(searchDb));
  expect(ended).toBe(atTheEnd);
});
