import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { send } from '../../support/http.ts';
import { Mirror } from '../../support/mirror.ts';
import { type NewsFeedFixture, newsFeedFixture, startNewsFeed } from '../../support/news-feed.ts';
import { selectedSet } from '../../support/selected-set.ts';
import { until } from '../../support/until.ts';

let feed: NewsFeedFixture;
let writers: pg.Client[] = [];

beforeAll(async () => {
  // Without a cache: what a test reads was read when it asked.
  feed = await newsFeedFixture({ CACHE_BYTES: '0' });
});
afterAll(() => feed.close());

beforeEach(() => feed.database.pool.query('delete from news.item'));
afterEach(async () => {
  await Promise.all(writers.map((writer) => writer.end().catch(() => undefined)));
  writers = [];
});

/** Begins a transaction on its own connection. */
async function begin(isolation = 'read committed'): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: feed.database.url });
  client.on('error', () => undefined);
  writers.push(client);
  await client.connect();
  await client.query(`begin isolation level ${isolation}`);
  return client;
}

async function put(client: pg.Client | pg.Pool, id: string, title = id): Promise<void> {
  await client.query(
    `insert into news.item (id, title, source_name, original_url, canonical_url, published_at, selected)
     values ($1, $2, 'Source', 'https://source.example/' || $1, 'https://source.example/' || $1, now(), true)
     on conflict (id) do update set title = excluded.title`,
    [id, title],
  );
}

async function cursorNow(): Promise<string> {
  const { body } = await send(`${feed.url}/api/v1/selected/snapshot?limit=1`);
  // Up to the tip: changes before the test are not its business.
  return (await drain(body.cursor)).cursor;
}

/** Reads all changes since a cursor: ids as `+id` and `-id`, and the cursor after them. */
async function drain(
  cursor: string,
  limit = 100,
): Promise<{ changes: string[]; cursor: string; pages: number }> {
  const changes: string[] = [];
  for (let pages = 1; ; pages += 1) {
    const { status, body, text } = await send(
      `${feed.url}/api/v1/selected/changes?cursor=${cursor}&limit=${limit}`,
    );
    expect(status, text).toBe(200);
    for (const change of body.changes) {
      changes.push(change.op === 'upsert' ? `+${change.item.id}` : `-${change.id}`);
    }
    cursor = body.cursor;
    if (!body.hasMore) return { changes, cursor, pages };
  }
}

describe('ten writers with open transactions', () => {
  it('are each followed when they commit, in any order, and do not hold others back', async () => {
    let { cursor } = await drain(await cursorNow());
    const open = await Promise.all(Array.from({ length: 10 }, () => begin()));
    for (const [number, writer] of open.entries()) await put(writer, `w${number}`);
    expect((await drain(cursor)).changes).toEqual([]);
    for (const number of [9, 3, 0, 7, 1, 8, 2, 6, 5, 4]) {
      await open[number]?.query('commit');
      const page = await drain(cursor);
      expect(page.changes).toEqual([`+w${number}`]);
      cursor = page.cursor;
    }
  });

  it('leave no hole when they roll back or are killed', async () => {
    const start = await cursorNow();
    let cursor = start;
    const open = await Promise.all(Array.from({ length: 10 }, () => begin()));
    for (const [number, writer] of open.entries()) await put(writer, `w${number}`);
    const seen: string[] = [];
    for (const [number, writer] of open.entries()) {
      if (number % 3 === 0) await writer.query('commit');
      else if (number % 3 === 1) await writer.query('rollback');
      else await killed(writer);
      const page = await drain(cursor);
      seen.push(...page.changes);
      cursor = page.cursor;
    }
    expect(seen).toEqual(['+w0', '+w3', '+w6', '+w9']);
    const { rows } = await feed.database.pool.query(
      'select (select head from news.ledger) as head, max(seq), count(*) from news.ledger_entry where seq > 0',
    );
    expect(rows[0].head).toBe(rows[0].max);
  });

  it('lose nothing when their process disappears without warning', async () => {
    const cursor = await cursorNow();
    const [lost, kept] = [await begin(), await begin()];
    await put(lost, 'lost');
    await put(kept, 'kept');
    // The server sees kill -9 as a closed socket.
    (lost as unknown as { connection: { stream: { destroy: () => void } } }).connection.stream.destroy();
    await kept.query('commit');
    expect((await drain(cursor)).changes).toEqual(['+kept']);
  });

  async function killed(writer: pg.Client): Promise<void> {
    const { rows } = await writer.query('select pg_backend_pid() as pid');
    await feed.database.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await until('the writer is gone', async () => {
      const left = await feed.database.pool.query('select from pg_stat_activity where pid = $1', [
        rows[0].pid,
      ]);
      return left.rowCount === 0;
    });
  }
});

describe('TRUNCATE', () => {
  it.each(['repeatable read', 'serializable'])(
    'is refused in a %s transaction, which would overlook members',
    async (isolation) => {
      await put(feed.database.pool, 'known');
      const cursor = await cursorNow();
      const writer = await begin(isolation);
      await writer.query('select from news.item');
      await put(feed.database.pool, 'unseen');
      await expect(writer.query('truncate news.item cascade')).rejects.toThrow(
        'TRUNCATE of news.item needs a read committed transaction',
      );
      await writer.query('rollback');
      expect((await drain(cursor)).changes).toEqual(['+unseen']);
    },
  );

  it('removes what was committed while it waited', async () => {
    const cursor = await cursorNow();
    const [before, truncating] = [await begin(), await begin()];
    await truncating.query('select from news.item');
    await put(before, 'late');
    const truncated = truncating.query('truncate news.item cascade');
    await before.query('commit');
    await truncated;
    await truncating.query('commit');
    expect((await drain(cursor)).changes).toEqual(['-late']);
  });
});

describe('an item that changes more than once', () => {
  it('appears once when one transaction changed it twice', async () => {
    const cursor = await cursorNow();
    const writer = await begin();
    await put(writer, 'a', 'First');
    await put(writer, 'b');
    await put(writer, 'a', 'Second');
    await writer.query('commit');
    const { changes } = await drain(cursor);
    expect(changes.toSorted()).toEqual(['+a', '+b']);
    const { body } = await send(`${feed.url}/api/v1/selected/changes?cursor=${cursor}`);
    expect(body.changes.map(({ item }: { item: { title: string } }) => item.title).toSorted()).toEqual([
      'Second',
      'b',
    ]);
  });

  it('appears again at its latest change after two transactions raced for it', async () => {
    await put(feed.database.pool, 'a', 'Before');
    let cursor = await cursorNow();
    const [one, two] = [await begin(), await begin()];
    await put(one, 'a', 'One');
    const waiting = put(two, 'a', 'Two');
    await one.query('commit');
    await waiting;
    const first = await send(`${feed.url}/api/v1/selected/changes?cursor=${cursor}`);
    expect(first.body.changes).toMatchObject([{ op: 'upsert', item: { id: 'a', title: 'One' } }]);
    cursor = first.body.cursor;
    await two.query('commit');
    const second = await send(`${feed.url}/api/v1/selected/changes?cursor=${cursor}`);
    expect(second.body.changes).toMatchObject([{ op: 'upsert', item: { id: 'a', title: 'Two' } }]);
  });

  it('is one entry however often it changes', async () => {
    for (let round = 0; round < 20; round += 1) {
      await put(feed.database.pool, 'a', `Round ${round}`);
      await cursorNow();
    }
    const { rows } = await feed.database.pool.query(`select from news.ledger_entry where item_id = 'a'`);
    expect(rows).toHaveLength(1);
  });
});

describe('one transaction with many items', () => {
  it('is read page by page, also by a service that was started in between', async () => {
    const cursor = await cursorNow();
    const ids = Array.from({ length: 250 }, (_, number) => `n${String(number).padStart(3, '0')}`);
    const writer = await begin();
    for (const id of ids) await put(writer, id);
    await writer.query('commit');
    const first = await send(`${feed.url}/api/v1/selected/changes?cursor=${cursor}`);
    expect(first.body).toMatchObject({ count: 100, hasMore: true });
    const other = await startNewsFeed(feed.database.url);
    const second = await send(`${other.url}/api/v1/selected/changes?cursor=${first.body.cursor}`);
    await other.close();
    expect(second.body).toMatchObject({ count: 100, hasMore: true });
    const third = await send(`${feed.url}/api/v1/selected/changes?cursor=${second.body.cursor}`);
    expect(third.body).toMatchObject({ count: 50, hasMore: false });
    const seen = [first, second, third].flatMap(({ body }) =>
      body.changes.map(({ item }: { item: { id: string } }) => item.id),
    );
    expect(seen).toEqual(ids);
  });

  it('is followed to its end when it contains more changes than one pass numbers', async () => {
    const cursor = await cursorNow();
    await feed.database.pool.query(
      `insert into news.item (id, title, source_name, original_url, canonical_url, published_at, selected)
       select 'bulk-' || n, 'Title', 'Source', 'https://bulk.example/' || n, 'https://bulk.example/' || n, now(), true
       from generate_series(1, 12000) as n`,
    );
    await feed.database.pool.query(`update news.item set title = 'Edited' where id = 'bulk-1'`);
    const { changes } = await drain(cursor);
    expect(new Set(changes).size).toBe(12_000);
    const copy = new Mirror({
      server: () => feed.url,
      fields: 'default',
      snapshotLimit: () => 1000,
      changesLimit: () => 100,
    });
    await copy.catchUp();
    expect(copy.disk.copy).toEqual(await selectedSet(feed.database.pool, 'default'));
  });
});

it('an item that changed thousands of times does not hide those that changed after it', async () => {
  const cursor = await cursorNow();
  const writer = await begin();
  await put(writer, 'often');
  await writer.query(`do $$ begin
    for round in 1..6000 loop update news.item set title = 'Round ' || round where id = 'often'; end loop;
  end $$`);
  await put(writer, 'once');
  await writer.query('commit');
  const { changes } = await drain(cursor);
  expect(new Set(changes)).toEqual(new Set(['+often', '+once']));
});

describe('numbers', () => {
  it('are assigned once each and without a gap, whichever caller assigns them', async () => {
    const before = await feed.database.pool.query('select head from news.ledger');
    const settling = async (writer: number) => {
      for (let round = 0; round < 10; round += 1) {
        await put(feed.database.pool, `s${writer}-${round}`);
        await feed.database.pool.query('select news.settle_ledger(3)');
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, writer) => settling(writer)));
    const { rows } = await feed.database.pool.query(
      'select seq from news.ledger_entry where seq > $1 order by seq',
      [before.rows[0].head],
    );
    const first = Number(before.rows[0].head) + 1;
    const ours = rows.map(({ seq }) => Number(seq));
    expect(ours.at(-1)).toBe(first + ours.length - 1);
    expect(new Set(ours).size).toBe(ours.length);
    expect(ours.length).toBeGreaterThanOrEqual(80);
  });
});

describe('a writer that need not wait for the disk', () => {
  const durability = async (writer: pg.Client) =>
    (await writer.query('show synchronous_commit')).rows[0].synchronous_commit;

  it.each(['remote_apply', 'on', 'local'])(
    'waits for a change of the set as others do: %s',
    async (usual) => {
      const writer = await begin();
      await writer.query('select set_config($1, $2, true)', ['synchronous_commit', usual]);
      await writer.query('select news.commit_later(), news.commit_later()');
      await writer.query(
        `insert into news.item (id, title, source_name, original_url, canonical_url, published_at)
       values ('plain', 'Title', 'Source', 'https://source.example/p', 'https://source.example/p', now())`,
      );
      expect(await durability(writer)).toBe('off');
      await put(writer, 'chosen');
      expect(await durability(writer)).toBe(usual);
    },
  );

  it('waits for this disk where others wait for none', async () => {
    const writer = await begin();
    await writer.query('set local synchronous_commit = off');
    await writer.query('select news.commit_later()');
    await put(writer, 'chosen');
    expect(await durability(writer)).toBe('local');
  });

  it('leaves nothing behind for the next transaction of its connection', async () => {
    const writer = await begin();
    await writer.query("set local synchronous_commit = 'remote_write'");
    await writer.query('select news.commit_later()');
    await writer.query('commit');
    await writer.query('begin');
    await writer.query('set local synchronous_commit = off');
    await put(writer, 'chosen');
    expect(await durability(writer)).toBe('local');
  });
});
