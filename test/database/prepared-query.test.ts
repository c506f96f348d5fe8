import {
  openDatabase,
  PreparedQueries,
  PreparedQuery,
  PreparedTexts,
} from '@pressroom/common/database/database';
import { type Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { memoryLog } from '../support/log.ts';

interface Tables {
  note: { id: number; text: string };
}

let database: TestDatabase;
let db: Kysely<Tables>;

beforeEach(async () => {
  database = await createTestDatabase();
  await database.pool.query(
    `create table note as select n as id, 'note ' || n as text from generate_series(1, 9) as n`,
  );
  db = openDatabase(
    {
      DATABASE_URL: database.url,
      DATABASE_POOL_SIZE: 1,
      DATABASE_CONNECT_TIMEOUT_MS: 60_000,
      DATABASE_STATEMENT_TIMEOUT_MS: 60_000,
    },
    'prepared query test',
    memoryLog('test').log,
  );
});

afterEach(async () => {
  await db.destroy();
  await database.drop();
});

/** The notes from `first` on, as the query reads them. */
function newQuery() {
  return new PreparedQuery<Tables, { first: number; most: number }, { id: number; text: string }>(
    (on, value) =>
      on
        .selectFrom('note')
        .select(['id', 'text'])
        .where('id', '>=', value('first'))
        .orderBy('id')
        .limit(value('most')),
  );
}

test('it is read with the values of each time, and PostgreSQL parses it once', async () => {
  const query = newQuery();
  expect(await query.execute(db, { first: 2, most: 1 })).toEqual([{ id: 2, text: 'note 2' }]);
  expect(await query.execute(db, { first: 8, most: 5 })).toEqual([
    { id: 8, text: 'note 8' },
    { id: 9, text: 'note 9' },
  ]);
  expect(await newQuery().execute(db, { first: 9, most: 1 })).toHaveLength(1);
  const { rows } =
    await sql`select name, generic_plans + custom_plans as runs from pg_prepared_statements`.execute(db);
  expect(rows).toEqual([{ name: expect.stringMatching(/^pressroom_/), runs: 3 }]);
});

test('it is read in the transaction that it is given', async () => {
  const query = newQuery();
  const one = { first: 1, most: 1 };
  await query.execute(db, one);
  const undone = db.transaction().execute(async (tx) => {
    await tx.updateTable('note').set({ text: 'changed' }).execute();
    expect(await query.execute(tx, one)).toEqual([{ id: 1, text: 'changed' }]);
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await query.execute(db, one)).toEqual([{ id: 1, text: 'note 1' }]);
});

test('it keeps working while a migration adds a column and an index', async () => {
  const query = newQuery();
  const last = { first: 9, most: 1 };
  await query.execute(db, last);
  await database.pool.query('alter table note add column author text');
  await database.pool.query('create index on note (id)');
  expect(await query.execute(db, last)).toEqual([{ id: 9, text: 'note 9' }]);
});

test('one that fails once, fails once', async () => {
  const query = newQuery();
  await database.pool.query('alter table note rename to elsewhere');
  await expect(query.execute(db, { first: 1, most: 1 })).rejects.toThrow('does not exist');
  await database.pool.query('alter table elsewhere rename to note');
  expect(await query.execute(db, { first: 1, most: 1 })).toEqual([{ id: 1, text: 'note 1' }]);
});

test('its shape contains everything that its SQL depends on, so that values of different shapes are not mixed up', async () => {
  const built: object[] = [];
  const queries = new PreparedQueries<
    Tables,
    { order: 'asc' | 'desc'; odd: boolean },
    { most: number },
    { id: number }
  >((on, shape, value) => {
    built.push({ ...shape });
    return on
      .selectFrom('note')
      .select('id')
      .$if(shape.odd, (query) => query.where(sql<boolean>`id % 2 = 1`))
      .orderBy('id', shape.order)
      .limit(value('most'));
  });
  const ids = async (order: 'asc' | 'desc', odd: boolean, most: number) =>
    (await queries.of({ order, odd }).execute(db, { most })).map(({ id }) => id);
  for (const _round of [1, 2]) {
    expect(await ids('asc', false, 2)).toEqual([1, 2]);
    expect(await ids('desc', false, 2)).toEqual([9, 8]);
    expect(await ids('asc', true, 2)).toEqual([1, 3]);
    expect(await ids('desc', true, 3)).toEqual([9, 7, 5]);
  }
  expect(built).toHaveLength(4);
});

test('changing a shape object after passing it makes a different shape', async () => {
  const shape = { order: 'asc' };
  const queries = new PreparedQueries<Tables, { order: string }, object, { id: number }>((on, { order }) =>
    on
      .selectFrom('note')
      .select('id')
      .orderBy('id', order === 'asc' ? 'asc' : 'desc')
      .limit(1),
  );
  const first = queries.of(shape);
  shape.order = 'desc';
  expect(await first.execute(db, {})).toEqual([{ id: 1 }]);
  expect(await queries.of(shape).execute(db, {})).toEqual([{ id: 9 }]);
});

test('queries that are built anew are prepared by their text, the first fifty of them', async () => {
  const texts = new PreparedTexts();
  const notes = (columns: number, first: number) =>
    texts.execute(
      db,
      db
        .selectFrom('note')
        .select(Array.from({ length: columns }, (_, index) => sql<string>`text`.as(`text_${index}`)))
        .where('id', '=', first),
    );
  expect(await notes(1, 2)).toEqual([{ text_0: 'note 2' }]);
  expect(await notes(1, 3)).toEqual([{ text_0: 'note 3' }]);
  for (let columns = 1; columns <= 60; columns += 1) await notes(columns, 9);
  const { rows } = await sql<{ runs: number }>`
    select (generic_plans + custom_plans)::integer as runs from pg_prepared_statements
    order by runs desc`.execute(db);
  expect(rows).toHaveLength(50);
  expect(rows[0]).toEqual({ runs: 3 });
  expect(await notes(60, 4)).toEqual([expect.objectContaining({ text_59: 'note 4' })]);
});
