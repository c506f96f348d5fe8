import { randomUUID } from 'node:crypto';
import { ChangeListener } from '@pressroom/common/database/change-listener';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { memoryLog, type TestLog } from '../support/log.ts';
import { type ProxiedDatabase, proxyDatabase } from '../support/proxied-database.ts';
import { until } from '../support/until.ts';

const APPLICATION = 'listener test';

let database: TestDatabase;
/** Of each test's own: a session that begins to listen may still hear what was announced just before. */
let channel: string;
let proxied: ProxiedDatabase;
let log: TestLog;
let listener: ChangeListener;
/** Calls of `onChange`. */
let changes = 0;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database.drop());

beforeEach(async () => {
  changes = 0;
  channel = `Test ${randomUUID()}`;
  proxied = await proxyDatabase(database.url);
  log = memoryLog('test');
  listener = new ChangeListener({
    url: proxied.url,
    applicationName: APPLICATION,
    channel,
    onChange: () => {
      changes += 1;
    },
    log: log.log,
  });
});

afterEach(async () => {
  await listener.close();
  await proxied.proxy.close();
});

async function start(): Promise<void> {
  listener.start();
  await until('the listener listens', () => listener.isCurrent());
}

function notify(client: pg.Pool | pg.PoolClient): Promise<unknown> {
  return client.query('select pg_notify($1, $2)', [channel, '']);
}

/** The listener's connections, as PostgreSQL sees them. */
async function backends(): Promise<number[]> {
  const { rows } = await database.pool.query<{ pid: number }>(
    'select pid from pg_stat_activity where application_name = $1 and datname = current_database()',
    [`${APPLICATION} listener`],
  );
  return rows.map(({ pid }) => pid);
}

function messages(): unknown[] {
  return log.events().map(({ msg }) => msg);
}

test('hears each change when it commits', async () => {
  await start();
  const before = changes;
  const client = await database.pool.connect();
  await client.query('begin');
  await notify(client);
  await notify(database.pool);
  await until('the change of another is heard', () => changes === before + 1);
  await client.query('commit');
  client.release();
  await until('the change is heard after its commit', () => changes === before + 2);
});

test('does not hear of changes that are rolled back', async () => {
  await start();
  const before = changes;
  const client = await database.pool.connect();
  await client.query('begin');
  await notify(client);
  await client.query('rollback');
  client.release();
  await notify(database.pool);
  await until('a later change is heard', () => changes > before);
  expect(changes).toBe(before + 1);
});

test('hears only its own channel', async () => {
  await start();
  const before = changes;
  await database.pool.query("select pg_notify(lower($1), ''), pg_notify('other', '')", [channel]);
  await notify(database.pool);
  await until('its own is heard', () => changes > before);
  expect(changes).toBe(before + 1);
});

test('notices unannounced changes by a watermark, and nothing else', async () => {
  await database.pool.query('create table mark (height int); insert into mark values (1)');
  let noticed = 0;
  const onChange = () => {
    noticed += 1;
  };
  const marked = new ChangeListener({
    ...{ url: proxied.url, applicationName: APPLICATION, channel, onChange, log: log.log },
    watermark: 'select height from mark',
  });
  marked.start();
  await until('the listener listens', () => marked.isCurrent());
  expect(noticed).toBe(1);
  await database.pool.query('update mark set height = 2');
  await until('the change is noticed', () => noticed > 1);
  await notify(database.pool);
  await until('the announcement is heard', () => noticed > 2);
  expect(noticed).toBe(3);
  await marked.close();
});

/** A listener that goes quiet as soon as it gets no request, and the times of its heartbeats. */
async function quietListener(watermark: string): Promise<ChangeListener> {
  const quiet = new ChangeListener({
    ...{ url: proxied.url, applicationName: APPLICATION, channel, watermark, log: log.log },
    onChange: () => {
      changes += 1;
    },
    quietAfterMs: 0,
  });
  onTestFinished(() => quiet.close());
  quiet.start();
  await until('the listener listens', () => changes > 0);
  return quiet;
}

async function untilLeaseIsOver(): Promise<void> {
  const begun = performance.now();
  await until(
    'a lease has ended, and the heartbeats that would renew it',
    () => performance.now() > begun + 1500,
  );
}

test('sends hardly any heartbeat without requests, hears announcements, and is current soon after', async () => {
  const quiet = await quietListener('select 1');
  await untilLeaseIsOver();
  const before = changes;
  await notify(database.pool);
  await until('the announcement is heard', () => changes > before);
  expect(quiet.isCurrent()).toBe(false);
  await until('it is current again', () => quiet.isCurrent());
  expect(changes).toBe(before + 1);
  expect(messages()).toEqual([]);
});

test('is not current after a quiet time before it has noticed what was not announced', async () => {
  await database.pool.query('create table quiet_mark (height int); insert into quiet_mark values (1)');
  const quiet = await quietListener('select height from quiet_mark');
  await untilLeaseIsOver();
  const before = changes;
  await database.pool.query('update quiet_mark set height = 2');
  await until('it is current again', () => quiet.isCurrent());
  expect(changes).toBe(before + 1);
});

test('is not current before it listens', async () => {
  proxied.proxy.pause();
  listener.start();
  await until('it tries to connect', () => proxied.proxy.connections > 0);
  expect(listener.isCurrent()).toBe(false);
});

test('is not current after a second of silence, and reports a change when it is back', async () => {
  await start();
  const silence = performance.now();
  proxied.proxy.pause();
  await until('a second has passed', () => performance.now() >= silence + 1000);
  expect(listener.isCurrent()).toBe(false);
  const before = changes;
  await notify(database.pool);
  await until('the connection is given up', () => messages().includes('change_listener_away'));
  expect(changes).toBe(before);
  proxied.proxy.cut();
  proxied.proxy.resume();
  await until('it is back', () => listener.isCurrent());
  expect(changes).toBeGreaterThan(before);
  await until('it says so', () => messages().includes('change_listener_back'));
});

test('stays current over a slow network', async () => {
  await start();
  proxied.proxy.delay(100);
  const before = changes;
  await notify(database.pool);
  await until('the change is heard', () => changes > before);
  await until('it is current', () => listener.isCurrent());
});

test('connects again when PostgreSQL ends its session, and counts that as a change', async () => {
  await start();
  const [first] = await backends();
  const before = changes;
  await database.pool.query('select pg_terminate_backend($1)', [first]);
  // Not that the lease ends: between two looks of a busy machine it may be back already.
  await until('the loss is counted, and it is back', () => changes > before && listener.isCurrent());
  const [second, ...more] = await backends();
  expect(second).not.toBe(first);
  expect(more).toEqual([]);
});

test('waits for a server that refuses connections, and logs its loss and return once', async () => {
  await start();
  await proxied.proxy.refuse();
  await until('the lease ends', () => !listener.isCurrent());
  await until('it has tried again and again', () => proxied.proxy.connections === 0 && messages().length > 0);
  await proxied.proxy.accept();
  await until('it is back', () => listener.isCurrent());
  expect(messages()).toEqual(['change_listener_away', 'change_listener_back']);
});

test.each([
  ['while it listens', async () => start()],
  [
    'while the server is silent',
    async () => {
      await start();
      proxied.proxy.pause();
    },
  ],
  [
    'while it connects to a silent server',
    async () => {
      proxied.proxy.pause();
      listener.start();
      await until('it tries to connect', () => proxied.proxy.connections > 0);
    },
  ],
  [
    'while the server is down',
    async () => {
      await proxied.proxy.refuse();
      listener.start();
      await until('it has tried', () => messages().length > 0);
    },
  ],
  ['before it is started', async () => undefined],
])('closes %s without waiting for the server, and leaves no connection', async (_when, prepare) => {
  await prepare();
  await listener.close();
  expect(listener.isCurrent()).toBe(false);
  proxied.proxy.resume();
  await until('PostgreSQL has no session of it', async () => (await backends()).length === 0);
  expect(messages().filter((message) => message === 'change_listener_away').length).toBeLessThan(2);
});
