import { randomUUID } from 'node:crypto';
import { constants, getPriority } from 'node:os';
import { addSource, pauseSource, resumeSource } from '@pressroom/news-feed/reading/sources';
import { FETCH_LIMITS, WebFetcher } from '@pressroom/news-feed/reading/web-fetcher';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { JobSlots } from '@pressroom/news-feed/work/job-slots';
import { claimSource } from '@pressroom/news-feed/work/leases';
import { openWorker } from '@pressroom/news-feed/work/open-worker';
import {
  claimSchedules,
  delaySchedule,
  finishSchedule,
  renewSchedules,
} from '@pressroom/news-feed/work/schedules';
import { failedJobs } from '@pressroom/news-feed/work/status';
import { readWorkerConfig } from '@pressroom/news-feed/work/worker-config';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { Child } from '../../support/child.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { FeedHost, heldAnswers, rss } from '../../support/feed-host.ts';
import { memoryLog } from '../../support/log.ts';
import { sourceJudge } from '../../support/plain-newsroom.ts';
import { until } from '../../support/until.ts';
import { type RunningWorker, startWorker, workerSettings } from '../../support/worker.ts';

const host = await FeedHost.start();
let database: TestDatabase;
let db: Kysely<NewsTables>;
let workers: RunningWorker[] = [];

beforeEach(async () => {
  host.clear();
  database = await createTestDatabase();
  db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: database.pool }) });
});
afterEach(async () => {
  await Promise.all(workers.map((worker) => worker.stop()));
  workers = [];
  await database.drop();
});
afterAll(() => host.close());

async function start(...args: Parameters<typeof startWorker> extends [string, ...infer Rest] ? Rest : never) {
  const worker = await startWorker(database.url, ...args);
  workers.push(worker);
  return worker;
}

async function count(of: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.raw(of)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

test('two workers make each of many articles one item, and publish one daily', async () => {
  const now = new Date('2026-11-20T01:00:00Z');
  // Each article is in three feeds, under addresses that differ.
  const sources = 30;
  for (let feed = 0; feed < sources; feed += 1) {
    const entries = Array.from({ length: 10 }, (_, index) => {
      const article = Math.floor((feed * 10 + index) / 3) % 100;
      return {
        guid: `${feed}-${index}`,
        title: `Article ${article}`,
        link: `https://source.example/${article}${['', '/', '?utm_source=feed'][feed % 3]}`,
        pubDate: 'Thu, 19 Nov 2026 12:00:00 GMT',
      };
    });
    host.set(`/${feed}`, { body: rss(entries) });
    await addSource(db, host.at(`/${feed}`), { select: 'all' }, now);
  }
  const later = { value: now };
  const clock = () => later.value;
  await Promise.all([start({ clock }), start({ clock })]);
  await until('all entries are written', async () => {
    return (await count("news.source_entry where state = 'done'")) === sources * 10;
  });
  expect(await count('news.item')).toBe(100);
  expect(host.requests).toHaveLength(sources);
  expect(host.mostAtOnce).toBeLessThanOrEqual(2);
  // The next day, when the report is due.
  later.value = new Date('2026-11-21T00:00:00Z');
  await until('the daily', async () => (await count('news.daily')) === 1);
  await until(
    'the schedules',
    async () => (await count('news.schedule where done_through is not null')) === 5,
  );
  await Promise.all(workers.map((worker) => worker.tick()));
  expect(await count("news.daily where date = '2026-11-21'")).toBe(1);
  expect(await count("news.schedule where done_through = '2026-11-21T00:00:00Z' and name = 'daily'")).toBe(1);
});

test('the metrics say how each source is, and when it is due', async () => {
  host.set('/feed', { body: rss([{ guid: '1', title: 'An article', link: 'https://source.example/1' }]) });
  const now = new Date('2026-11-20T01:00:00Z');
  const clock = () => now;
  const { id } = await addSource(db, host.at('/feed'), {}, now);
  const worker = await start({ clock });
  await until('the entry', async () => (await count("news.source_entry where state = 'done'")) === 1);
  const source = `{source="${host.at('/feed')}"}`;
  const text = await worker.metrics();
  expect(text).toContain(`newsroom_source_failures${source} 0\n`);
  expect(text).toContain(`newsroom_source_success_age_seconds${source} 0\n`);
  expect(text).toContain(`newsroom_source_items_day${source} 1\n`);
  const { next_poll_at } = await db.selectFrom('news.source').selectAll().executeTakeFirstOrThrow();
  const seconds = (next_poll_at.getTime() - now.getTime()) / 1000;
  expect(seconds).toBeGreaterThan(0);
  expect(text).toContain(`newsroom_source_next_poll_seconds${source} ${seconds}\n`);
  await pauseSource(db, id);
  expect(await worker.metrics()).not.toContain('newsroom_source_next_poll_seconds{');
});

test('two workers have two requests to a host open at once, wherever they are redirected from', async () => {
  const target = await FeedHost.start();
  const held = heldAnswers();
  const now = new Date('2026-11-20T01:00:00Z');
  const names = Array.from({ length: 12 }, (_, index) => `from-${index}.example`);
  for (const [index, name] of names.entries()) {
    target.set(`/${index}`, held.hold);
    host.set(`/${index}`, { status: 302, headers: { location: target.at(`/${index}`) } });
    await addSource(db, host.at(`/${index}`).replace('127.0.0.1', name), {}, now);
  }
  const limits = {
    privateHosts: ['127.0.0.1', ...names],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  };
  await Promise.all([start({ clock: () => now, limits }), start({ clock: () => now, limits })]);
  for (let left = names.length; left > 0; left -= 1) {
    await until('requests are open', () => held.open.length >= Math.min(2, left));
    held.answerOne(rss([{ guid: `${left}` }]));
  }
  await until('all items', async () => (await count('news.item')) === names.length);
  expect(target.mostAtOnce).toBe(2);
  await target.close();
});

test('a worker gives way to what answers readers on the same machine', async () => {
  const child = Child.run('services/news-feed/src/cli.ts', workerSettings(database.url), ['work']);
  const { pid } = await child.event('worker_started');
  expect(getPriority(Number(pid))).toBeGreaterThanOrEqual(constants.priority.PRIORITY_BELOW_NORMAL);
  child.signal('SIGTERM');
  await child.exited;
});

test('a worker does not begin before the migrations of its build', async () => {
  const { rows } = await sql<{ name: string }>`
    delete from pressroom.migration_file
    where name = (select max(name) from pressroom.migration_file) returning name
  `.execute(db);
  const child = Child.run('services/news-feed/src/cli.ts', workerSettings(database.url), ['work']);
  expect(await child.exited).toBe(1);
  expect(child.err).toContain(`the database lacks ${rows[0]?.name}; run \`pnpm migrate\``);
  expect(await count('news.worker')).toBe(0);
});

test('a role that may only read and write rows can run the worker', async () => {
  const role = `worker_${database.url.slice(-12)}`;
  await sql
    .raw(`
    create role ${role} login password 'secret';
    grant usage on schema news, pressroom to ${role};
    grant select, insert, update, delete on all tables in schema news to ${role};
    grant usage, select on all sequences in schema news to ${role};
    grant select on all tables in schema pressroom to ${role};
  `)
    .execute(db);
  const url = new URL(database.url);
  url.username = role;
  url.password = 'secret';
  host.set('/feed', { body: rss([{ guid: 'a' }]) });
  await addSource(db, host.at('/feed'), {}, new Date());
  const worker = await startWorker(url.href);
  await until('the item', async () => (await count('news.item')) === 1);
  await worker.stop();
  expect(worker.log.events().filter(({ level }) => level !== 'info')).toEqual([]);
  await sql.raw(`drop owned by ${role}; drop role ${role}`).execute(db);
});

/** Two seconds from now, by the database's clock. */
const SOON = "date_trunc('milliseconds', clock_timestamp()) + interval '2 s'";

test.each([
  ['after its wait, one that has failed', 'retry_at', `failures = 1, retry_at = ${SOON}`],
  ['after its lease, one whose worker is gone', 'lease_until', `lease_until = ${SOON}`],
])('a worker carries out %s', async (_what, column, state) => {
  const now = new Date('2026-11-20T01:00:00Z');
  await sql`insert into news.schedule (name) values ('noted')`.execute(db);
  const { rows } = await sql<{ end: Date }>`
    update news.schedule set ${sql.raw(state)} returning ${sql.ref(column)} as end
  `.execute(db);
  const times: Date[] = [];
  const run = async (tx: Kysely<NewsTables>) => {
    const { rows: found } = await sql<{ time: Date }>`select clock_timestamp() as time`.execute(tx);
    times.push(...found.map(({ time }) => time));
  };
  await start({ clock: () => now, schedules: [{ name: 'noted', latest: () => now, run }] });
  const schedule = () => db.selectFrom('news.schedule').selectAll().executeTakeFirst();
  await until(
    'it is carried out',
    async () => (await schedule())?.lease_until === null && times.length === 1,
  );
  expect(await schedule()).toMatchObject({ done_through: now, failures: 0, retry_at: null });
  expect(times[0]?.getTime()).toBeGreaterThanOrEqual(rows[0]?.end.getTime() ?? Number.NaN);
});

/** A worker that looks for work only when something is announced, or when it has done something. */
const UNTIL_WOKEN = { pauses: { busyMs: 3_600_000, restMs: 3_600_000 } };

test('what an editor adds or resumes, and what a page leads to, is read at once', async () => {
  host.set('/', { headers: { 'content-type': 'text/html' }, body: page('/a') });
  for (const name of ['a', 'b']) host.set(`/${name}`, { body: rss([{ guid: name }]) });
  await start(UNTIL_WOKEN);
  await addSource(db, host.at('/'), {}, new Date());
  await until('the feed of the page', async () => (await count('news.item')) === 1);
  const { id } = await addSource(db, host.at('/b'), {}, new Date());
  await until('the other one', async () => (await count('news.item')) === 2);
  await pauseSource(db, id);
  await resumeSource(db, id, new Date());
  const again = () => host.requests.filter(({ path }) => path === '/b').length === 2;
  await until('it is asked again', again);
});

test('a worker does not take what it still has in hand', async () => {
  const { id } = await addSource(db, host.at('/a'), {}, new Date());
  expect(await claimSource(db, OTHER, new Date(), [id])).toBeUndefined();
  expect(await claimSource(db, OTHER, new Date(), [])).toBe(id);
});

function page(feed: string): string {
  return `<html><head><link rel="alternate" type="application/rss+xml" href="${feed}"></head></html>`;
}

test('the sources of one host do not keep a worker from those of others', async () => {
  const held = heldAnswers();
  const now = new Date('2026-11-20T01:00:00Z');
  for (let index = 0; index < 40; index += 1) {
    host.set(`/slow-${index}`, held.hold);
    await addSource(db, host.at(`/slow-${index}`), {}, now);
  }
  host.set('/quick', { body: rss([{ guid: 'quick' }]) });
  const quick = host.at('/quick').replace('127.0.0.1', 'other.example');
  await addSource(db, quick, {}, new Date(now.getTime() + 1));
  const limits = {
    privateHosts: ['127.0.0.1', 'other.example'],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
  };
  await start({ clock: () => new Date(now.getTime() + 2), limits });
  await until('the other host is read', async () => (await count('news.item')) === 1);
  expect(await count('news.source where lease_until > clock_timestamp()')).toBeLessThanOrEqual(2);
  for (let left = 40; left > 0; left -= 1) {
    await until('a request is open', () => held.open.length > 0);
    held.answerOne(rss([{ guid: `${left}` }]));
  }
  await until('all are read', async () => (await count('news.item')) === 41);
});

test('no worker takes what another one has in hand, which keeps it for as long as it needs', async () => {
  const held = heldAnswers();
  host.set('/slow', held.hold);
  await addSource(db, host.at('/slow'), {}, new Date());
  await start();
  await until('it is asked', () => held.open.length === 1);
  const leaseEnd = async () => {
    const { lease_until } = await db.selectFrom('news.source').selectAll().executeTakeFirstOrThrow();
    return lease_until?.getTime() ?? Number.NaN;
  };
  const before = await leaseEnd();
  await Promise.all([start(UNTIL_WOKEN), start(UNTIL_WOKEN)].map(async (worker) => (await worker).tick()));
  await until('the lease is renewed', async () => (await leaseEnd()) > before);
  held.answerOne(rss([{ guid: 'a' }]));
  await until('the item', async () => (await count('news.item')) === 1);
  expect(host.requests).toHaveLength(1);
  expect(await count('news.source where lease_until is not null')).toBe(0);
});

/** The id of a worker that is not started. */
const OTHER = '5f0e7c1e-6a39-4e2b-9d6f-0c4a1b2d3e4f';

/** As if the other worker had taken over what was held: its lease had ended. */
async function takeOver(table: string): Promise<void> {
  await sql`
    update ${sql.table(table)} set holder = ${OTHER}, lease_until = clock_timestamp() + interval '1 hour'
  `.execute(db);
}

test.each([
  [
    'it was changed',
    (id: number) => sql`update news.source set state = 'paused' where id = ${id}`.execute(db),
  ],
  ['it is answered', async () => undefined],
])(
  'a slow worker writes nothing of a source that another one has by now, and leaves it the lease: %s',
  async (_what, change) => {
    const held = heldAnswers();
    host.set('/slow', held.hold);
    const { id } = await addSource(db, host.at('/slow'), {}, new Date());
    const worker = await start(UNTIL_WOKEN);
    await until('it is asked', () => held.open.length === 1);
    await takeOver('news.source');
    await change(id);
    held.answerOne(rss([{ guid: 'a' }]));
    await worker.stop();
    workers = [];
    expect(await count(`news.source where holder = '${OTHER}' and lease_until > clock_timestamp()`)).toBe(1);
    expect(await count('news.source_entry')).toBe(0);
  },
);

test.each([
  ['succeeded', null, finishSchedule],
  [
    'failed',
    'internal_error',
    (worker: Kysely<NewsTables>, holder: string, name: string) =>
      delaySchedule(worker, holder, name, new Error('it failed'), new Date()),
  ],
])('what has %s too late is kept by the worker that has the schedule by now', async (_what, code, end) => {
  const [now, slow] = [new Date(), randomUUID()];
  const timings = [{ name: 'noted', latest: () => now }];
  expect(await claimSchedules(db, slow, timings, 1, now)).toEqual(['noted']);
  await sql`update news.schedule set lease_until = clock_timestamp()`.execute(db);
  expect(await claimSchedules(db, OTHER, timings, 1, now)).toEqual(['noted']);
  const schedule = () => db.selectFrom('news.schedule').selectAll().executeTakeFirstOrThrow();
  const taken = await schedule();
  await renewSchedules(db, slow, ['noted']);
  await end(db, slow, 'noted');
  expect(await schedule()).toEqual(taken);
  await end(db, OTHER, 'noted');
  expect(await schedule()).toMatchObject({ lease_until: null, last_error_code: code });
});

test('a source that is changed during its poll is free at once', async () => {
  const held = heldAnswers();
  host.set('/slow', held.hold);
  const { id } = await addSource(db, host.at('/slow'), {}, new Date());
  await start();
  await until('it is asked', () => held.open.length === 1);
  await pauseSource(db, id);
  held.answerOne(rss([{ guid: 'a' }]));
  await until('it is free', async () => (await count('news.source where lease_until is null')) === 1);
  expect(await count('news.item')).toBe(0);
});

/** A judge that notes the titles it was asked for, and answers none before the gate is open. */
function gatedJudge() {
  const titles: string[] = [];
  const gate = Promise.withResolvers<void>();
  const judge: typeof sourceJudge.judge = async (submission, signal) => {
    titles.push(submission.title);
    await gate.promise;
    return sourceJudge.judge(submission, signal);
  };
  return { titles, open: gate.resolve, judge: { ...sourceJudge, judge } };
}

test('sources that flood do not keep another one waiting until all of theirs is edited', async () => {
  const { titles, open, judge } = gatedJudge();
  for (const flood of ['a', 'b', 'c', 'd']) {
    host.set(`/${flood}`, { body: rss(Array.from({ length: 60 }, (_, index) => ({ guid: flood + index }))) });
    await addSource(db, host.at(`/${flood}`), {}, new Date());
  }
  await start({ judge });
  await until('each flood has a place', () => titles.length === 100);
  host.set('/late', { body: rss([{ guid: 'late' }]) });
  await addSource(db, host.at('/late'), {}, new Date());
  await until('all is read', async () => (await count('news.source_entry')) === 241);
  open();
  await until('all is edited', async () => (await count('news.item')) === 241);
  expect(titles.indexOf('Title of late')).toBe(100);
});

test('a worker whose clock is ahead does not take the entries that another one edits', async () => {
  const { titles, open, judge } = gatedJudge();
  host.set('/feed', { body: rss([{ guid: 'a' }]) });
  await addSource(db, host.at('/feed'), {}, new Date());
  await start({ judge });
  await until('it is judged', () => titles.length === 1);
  const ahead = gatedJudge();
  ahead.open();
  const clock = () => new Date(Date.now() + 3_600_000);
  await (await start({ judge: ahead.judge, clock, ...UNTIL_WOKEN })).stop();
  open();
  expect(ahead.titles).toEqual([]);
  await until('the item', async () => (await count('news.item')) === 1);
});

test('entries of a worker that is gone wait for half a minute at most, and a living one keeps its own', async () => {
  const { titles, open, judge } = gatedJudge();
  host.set('/feed', { body: rss([{ guid: 'a' }]) });
  await addSource(db, host.at('/feed'), {}, new Date());
  await start({ judge });
  await until('it is judged', () => titles.length === 1);
  const { rows } = await sql<{ end: Date }>`select retry_at as end from news.source_entry`.execute(db);
  expect(await count("news.source_entry where retry_at > now() + interval '30 s'")).toBe(0);
  const isLater = sql`retry_at > ${rows[0]?.end}`;
  await until('the lease is renewed', async () => {
    const { rows: later } = await sql`select from news.source_entry where ${isLater}`.execute(db);
    return later.length === 1;
  });
  open();
  await until('the item', async () => (await count('news.item')) === 1);
  expect(titles).toHaveLength(1);
});

test('a worker looks for more after work that did something, not where others had it', async () => {
  const { log } = memoryLog('newsroom');
  let looks = 0;
  const onDone = () => {
    looks += 1;
  };
  const places = new JobSlots({ kind: 'edit', most: 4, onDone, signal: new AbortController().signal, log });
  places.begin(1, async () => false);
  await places.ended();
  expect(looks).toBe(0);
  places.begin(2, async () => true);
  await places.ended();
  expect(looks).toBe(1);
});

test('a worker that is stopped gives up what it waits for, and its source has not failed', async () => {
  const held = heldAnswers();
  host.set('/slow', held.hold);
  await addSource(db, host.at('/slow'), {}, new Date());
  const log = memoryLog('newsroom');
  const { worker, close } = openWorker(readWorkerConfig(workerSettings(database.url)), log.log);
  await worker.start();
  await until('it is asked', () => held.open.length === 1);
  await close(0);
  expect(log.events().filter(({ level }) => level !== 'info')).toEqual([]);
  expect(await count('news.worker')).toBe(0);
  expect(await count('news.source where failures = 0 and lease_until is null')).toBe(1);
  host.set('/slow', { body: rss([{ guid: 'a' }]) });
  await start();
  await until('the next worker reads it', async () => (await count('news.item')) === 1);
});

test('a fault of the program is kept with its source, and the others are read', async () => {
  for (const name of ['a', 'b']) {
    host.set(`/${name}`, { body: rss([{ guid: name }]) });
    await addSource(db, host.at(`/${name}`), {}, new Date());
  }
  const fetcher = new WebFetcher({ ...FETCH_LIMITS, privateHosts: ['127.0.0.1'] });
  const worker = await start({
    fetch: async (url, ...request) => {
      if (url.endsWith('/a')) throw new TypeError('a is not iterable');
      return fetcher.fetch(url, ...request);
    },
  });
  await until('the other one is read', async () => (await count('news.item')) === 1);
  const [failed] = await until('it is kept', async () => {
    const jobs = await failedJobs(db);
    return jobs.length > 0 ? jobs : undefined;
  });
  const what = `source 1, ${host.at('/a')}`;
  const reason = 'the worker failed: a is not iterable';
  expect(failed).toMatchObject({ queue: 'poll', what, failures: 1, reason });
  expect(worker.log.events().filter(({ msg }) => msg === 'work_failed')).toMatchObject([
    { kind: 'poll', key: 1, err: { message: 'a is not iterable' } },
  ]);
  await fetcher.close();
});

test('500 sources that are due at once are all read, and none fails', async () => {
  const sources = 500;
  const fetcher = new WebFetcher({ ...FETCH_LIMITS, privateHosts: ['127.0.0.1'] });
  for (let index = 0; index < sources; index += 1) {
    host.set(`/${index}`, { body: rss([{ guid: `a-${index}` }]) });
    // Two on each host, which the local one plays.
    await addSource(db, `http://host-${index % 250}.example/${index}`, {}, new Date());
  }
  await start({
    fetch: (url, headers, signal) => {
      const local = host.at(new URL(url).pathname);
      return fetcher.fetch(local, headers, signal, local);
    },
  });
  await until('every item', async () => (await count('news.item')) === sources);
  expect(await count('news.source where failures > 0 or last_success_at is null')).toBe(0);
  expect(host.requests).toHaveLength(sources);
  await fetcher.close();
}, 120_000);
