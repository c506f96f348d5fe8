import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let clients: pg.Client[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
afterEach(async () => {
  await Promise.all(clients.map((client) => client.end()));
  clients = [];
});

/** A transaction on its own connection. */
async function begin(isolation = 'read committed'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  clients.push(client);
  await client.connect();
  await client.query(`begin isolation level ${isolation}`);
  return client;
}

async function stories(...ids: string[]): Promise<void> {
  await database.pool.query('truncate news.story cascade');
  for (const id of ids) {
    await database.pool.query('insert into news.story (public_id, title) values ($1, $1)', [id]);
  }
}

function merge(client: pg.Client | pg.Pool, from: string, into: string) {
  return client.query('update news.story set merged_into = $2 where public_id = $1', [from, into]);
}

/** Commits, or reports the error of an earlier statement. */
async function outcome(client: pg.Client, statement: Promise<unknown>): Promise<string> {
  try {
    await statement;
    await client.query('commit');
    return 'merged';
  } catch (error) {
    await client.query('rollback');
    const { constraint, code } = error as { constraint?: string; code: string };
    return constraint ?? code;
  }
}

describe('a merge of stories', () => {
  it('is refused if it would form a cycle of any length', async () => {
    await stories('a', 'b', 'c', 'd');
    await merge(database.pool, 'a', 'b');
    await merge(database.pool, 'b', 'c');
    await merge(database.pool, 'c', 'd');
    for (const [from, into] of [
      ['d', 'a'],
      ['d', 'c'],
      ['c', 'a'],
      ['d', 'd'],
    ] as const) {
      await expect(merge(database.pool, from, into)).rejects.toMatchObject({
        constraint: 'story_merge_circle',
      });
    }
  });

  it('is refused if it would form a cycle with a concurrent merge', async () => {
    await stories('a', 'b');
    const [one, two] = [await begin(), await begin()];
    await merge(one, 'a', 'b');
    const second = outcome(two, merge(two, 'b', 'a'));
    await one.query('commit');
    expect(await second).toBe('story_merge_circle');
  });

  it('fails if its transaction cannot see the merge with which it would form a cycle', async () => {
    await stories('a', 'b');
    const [one, two] = [await begin('repeatable read'), await begin('repeatable read')];
    await two.query('select * from news.story');
    await merge(one, 'a', 'b');
    const second = outcome(two, merge(two, 'b', 'a'));
    await one.query('commit');
    // serialization_failure: run again, it is refused.
    expect(await second).toBe('40001');
  });

  it('does not form a cycle of three in a race of three', async () => {
    await stories('a', 'b', 'c');
    const [one, two, three] = [await begin(), await begin(), await begin()];
    await merge(one, 'a', 'b');
    const others = [outcome(two, merge(two, 'b', 'c')), outcome(three, merge(three, 'c', 'a'))];
    await one.query('commit');
    expect((await Promise.all(others)).sort()).toEqual(['merged', 'story_merge_circle']);
  });
});

describe('the time of an item in the timeline', () => {
  const day = 24 * 3600 * 1000;
  const discovered = Date.parse('2026-03-08T07:00:00.000Z');
  it.each([
    ['exactly 72 hours', 3 * day, 'discovered'],
    ['a millisecond more', 3 * day + 1, 'published'],
    ['a millisecond less', 3 * day - 1, 'discovered'],
    ['a year', 365 * day, 'published'],
    ['nothing', 0, 'discovered'],
    ['the future', -day, 'discovered'],
  ])('is right after %s', async (name, age, expected) => {
    const published = discovered - age;
    const { rows } = await database.pool.query(
      `insert into news.item (title, source_name, original_url, canonical_url, published_at, discovered_at)
       values ('T', 'S', $1, $1, $2, $3) returning timeline_at`,
      [`https://source.example/${name}`, new Date(published), new Date(discovered)],
    );
    expect(rows[0].timeline_at.getTime()).toBe(expected === 'published' ? published : discovered);
  });

  it('follows the times that it is made of', async () => {
    const { rows } = await database.pool.query(
      `update news.item set published_at = discovered_at - interval '4 days'
       where canonical_url = 'https://source.example/nothing' returning timeline_at, published_at`,
    );
    expect(rows[0].timeline_at).toEqual(rows[0].published_at);
  });
});

describe('a daily report', () => {
  async function report(daysAgo: number): Promise<string> {
    const { rows } = await database.pool.query(
      `insert into news.daily (date, generated_at, window_start, window_end, report, item_ids)
       values ((now() at time zone 'Asia/Shanghai')::date - $1::int, now(), now() - interval '1 day', now(), '{}', '{}')
       returning date::text`,
      [daysAgo],
    );
    return rows[0].date;
  }

  it('cannot be changed, deleted or truncated away once its day is over', async () => {
    const date = await report(1);
    for (const statement of [
      `update news.daily set report = '{"other": true}' where date = '${date}'`,
      `update news.daily set date = date + 100 where date = '${date}'`,
      `delete from news.daily where date = '${date}'`,
      'truncate news.daily',
    ]) {
      await expect(database.pool.query(statement)).rejects.toMatchObject({
        constraint: 'daily_past_is_fixed',
      });
    }
  });

  it('can be replaced on its day', async () => {
    const date = await report(0);
    const { rowCount } = await database.pool.query(
      `update news.daily set report = '{"other": true}' where date = $1`,
      [date],
    );
    expect(rowCount).toBe(1);
    await database.pool.query('delete from news.daily where date = $1', [date]);
  });
});

describe('the text that a search compares', () => {
  it.each([
    ['GROSSE Straße', 'grosse strasse'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
    ['ＧＰＴ－５', 'gpt-5'],
    ['Ёлка', 'ёлка'],
    ['cafe\u0301', 'café'],
    ['新闻', '新闻'],
    ['50% _off_ \\o/', '50% _off_ \\o/'],
  ])('%s is found as %s', async (text, found) => {
    const { rows } = await database.pool.query('select news.fold($1) as folded', [text]);
    expect(rows[0].folded).toBe(found);
  });
});
