import { ANNOUNCEMENTS } from '@pressroom/news-feed/api/open';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

/** A statement that the triggers see as a change, although it touches no row. */
const CHANGE = 'update news.story set title = title where false';

let database: TestDatabase;
let listener: pg.Client;
let notifications = 0;
let clients: pg.Client[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  listener = await connect();
  clients = [];
  listener.on('notification', () => {
    notifications += 1;
  });
  await listener.query(`listen ${ANNOUNCEMENTS.channel}`);
});
afterAll(async () => {
  await listener.end();
  await database.drop();
});
// Alone, so that nothing is left to announce.
beforeEach(() => database.pool.query(CHANGE));
afterEach(async () => {
  await Promise.all(clients.map((client) => client.end()));
  clients = [];
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => undefined);
  clients.push(client);
  await client.connect();
  return client;
}

/** A transaction on its own connection. */
async function begin(isolation = 'read committed'): Promise<pg.Client> {
  const client = await connect();
  await client.query(`begin isolation level ${isolation}`);
  return client;
}

/** A transaction that has changed something and has not ended. */
async function writing(isolation?: string): Promise<pg.Client> {
  const client = await begin(isolation);
  await client.query(CHANGE);
  return client;
}

/**
 * Receives everything announced so far, as a replica does between two heartbeats; returns the number of
 * notifications.
 */
async function listen(): Promise<number> {
  await listener.query('select 1');
  return notifications;
}

/** The result of a heartbeat: a replica drops its cache when it differs from the previous one. */
async function watermark(): Promise<string> {
  const { rows } = await listener.query(ANNOUNCEMENTS.watermark);
  return JSON.stringify(rows);
}

/** Returns a replica's knowledge after a heartbeat. */
async function heartbeat(): Promise<string> {
  return `${await watermark()} ${notifications}`;
}

describe('a commit', () => {
  it('is noticed after a notification, although its transaction began before it', async () => {
    // The first transaction notifies, so the three others do not.
    const notifying = await writing();
    const [first, second, third] = [await writing(), await writing(), await writing()];
    await first.query('commit');
    await notifying.query('rollback');
    const next = await writing();
    await third.query('commit');
    // First and third are to be seen here, and second and third below: as many, with the same last one.
    const before = await watermark();
    await next.query('commit');
    const heard = await listen();
    await second.query('commit');
    const after = await watermark();
    expect({ after, notifications }).not.toEqual({ after: before, notifications: heard });
  });

  it('is noticed even if earlier changes are rolled back to a savepoint', async () => {
    const notifying = await begin();
    await notifying.query('savepoint s');
    await notifying.query(CHANGE);
    const other = await begin();
    await other.query('savepoint s');
    await other.query(CHANGE);
    await other.query('rollback to s');
    await notifying.query('rollback to s');
    await notifying.query(CHANGE);
    await other.query(CHANGE);
    const between = await heartbeat();
    await notifying.query('commit');
    const after = await heartbeat();
    expect(after).not.toBe(between);
    await other.query('commit');
    expect(await heartbeat()).not.toBe(after);
  });

  type Step = { writer: number; act: 'change' | 'savepoint' | 'rollback to' | 'commit' | 'rollback' };
  const step: fc.Arbitrary<Step> = fc.record({
    writer: fc.nat(3),
    act: fc.constantFrom('change', 'change', 'change', 'savepoint', 'rollback to', 'commit', 'rollback'),
  });
  const isolation = fc.constantFrom('read committed', 'repeatable read', 'serializable');

  it('is noticed in every order of four writers at any isolation level, and none fails', async () => {
    const writers = [await connect(), await connect(), await connect(), await connect()];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, isolation), { minLength: 5, maxLength: 40 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        async (steps, beats) => {
          const open = new Map<number, { changed: boolean; saved: boolean[] }>();
          let known = await watermark();
          /** For each commit since the last heartbeat, how many notifications had been heard before it. */
          let commits: number[] = [];
          const beat = async () => {
            const now = await watermark();
            if (now === known) for (const heard of commits) expect(notifications).toBeGreaterThan(heard);
            known = now;
            commits = [];
          };
          for (const [index, [{ writer, act }, level]] of steps.entries()) {
            const client = writers[writer] as pg.Client;
            let state = open.get(writer);
            if (state === undefined) {
              await client.query(`begin isolation level ${level}`);
              state = { changed: false, saved: [] };
              open.set(writer, state);
            }
            if (act === 'change') {
              await client.query(CHANGE);
              state.changed = true;
            } else if (act === 'savepoint') {
              await client.query('savepoint s');
              state.saved.push(state.changed);
            } else if (act === 'rollback to') {
              if (state.saved.length === 0) continue;
              await client.query('rollback to s');
              state.changed = state.saved.at(-1) ?? false;
            } else {
              if (act === 'commit' && state.changed) commits.push(await listen());
              await client.query(act);
              open.delete(writer);
            }
            if (beats[index] ?? false) await beat();
          }
          await beat();
          for (const writer of open.keys()) await writers[writer]?.query('rollback');
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('a writer that stays open', () => {
  it('does not make anything grow while others commit', async () => {
    const size = async () => {
      const { rows } = await database.pool.query(
        `select sum(pg_relation_size(oid)) as bytes from pg_class
         where relnamespace = 'news'::regnamespace and relkind in ('r', 'i', 'S', 't')`,
      );
      return Number(rows[0].bytes);
    };
    await database.pool.query(CHANGE);
    const open = await writing();
    await database.pool.query(CHANGE);
    const before = await size();
    for (let commit = 0; commit < 500; commit += 1) await database.pool.query(CHANGE);
    expect(await size()).toBe(before);
    const { rows } = await listener.query(ANNOUNCEMENTS.watermark);
    expect(JSON.stringify(rows).length).toBeLessThan(200);
    await open.query('rollback');
  });

  it('does not block others', async () => {
    const open = await writing('serializable');
    const other = await writing('serializable');
    await other.query('commit');
    await open.query('commit');
  });
});
