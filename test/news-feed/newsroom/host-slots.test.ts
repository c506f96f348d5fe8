import { Reader } from '@pressroom/news-feed/reading/reader';
import { FETCH_LIMITS, WebFetcher, WebPageReader } from '@pressroom/news-feed/reading/web-fetcher';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { sharedSlots } from '@pressroom/news-feed/work/leases';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { FeedHost, type HeldAnswers, heldAnswers } from '../../support/feed-host.ts';
import { until } from '../../support/until.ts';

const NO_SIGNAL = new AbortController().signal;

let database: TestDatabase;
let db: Kysely<NewsTables>;
let host: FeedHost;
let held: HeldAnswers;
let fetchers: WebFetcher[];

beforeAll(async () => {
  database = await createTestDatabase();
  db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool: database.pool }) });
});
beforeEach(async () => {
  host = await FeedHost.start();
  held = heldAnswers();
  fetchers = [];
});
afterEach(async () => {
  for (const fetcher of fetchers) await fetcher.close();
  await host.close();
  expect(await slots()).toEqual([]);
});
afterAll(() => database.drop());

/** Creates a worker's fetcher, for which every name is the local host. */
function workerFetcher(names: readonly string[] = []): WebFetcher {
  const fetcher = new WebFetcher({
    ...FETCH_LIMITS,
    privateHosts: ['127.0.0.1', ...names],
    resolve: async () => [{ address: '127.0.0.1', family: 4 }],
    inSlot: sharedSlots(db),
  });
  fetchers.push(fetcher);
  return fetcher;
}

function slots() {
  return db.selectFrom('news.host_slot').select(['host', 'slot']).execute();
}

/** Answers the requests to the host one by one, while as many as may be are open. */
async function answerAll(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) {
    await until('requests are open', () => held.open.length >= Math.min(2, left));
    held.answerOne();
  }
}

test('two workers have two pages of a host open at once, and two feeds and hubs', async () => {
  host.set('/robots.txt', { status: 404 });
  const paths = Array.from({ length: 6 }, (_, index) => `/${index}`);
  for (const path of paths) host.set(path, held.hold);
  const workers = [workerFetcher(), workerFetcher()];
  const reader = new Reader();
  onTestFinished(() => reader.close());
  const readers = workers.map(({ fetch }) => new WebPageReader(fetch, reader, async () => undefined));
  const pages = readers.flatMap((reader) =>
    paths.map((path) => reader.read(host.at(path), NO_SIGNAL, host.at('/'), {})),
  );
  await answerAll(pages.length);
  await Promise.all(pages);
  const others = workers.flatMap(({ fetch, post }) => [
    ...paths.map((path) => fetch(host.at(path), {}, NO_SIGNAL, host.at('/'))),
    post(host.at('/0'), new URLSearchParams(), NO_SIGNAL, host.at('/')),
  ]);
  await answerAll(others.length);
  await Promise.all(others);
  expect(host.mostAtOnce).toBe(2);
});

test('what many hosts redirect to one host counts as requests to that one', async () => {
  const from = await FeedHost.start();
  const names = Array.from({ length: 8 }, (_, index) => `from-${index}.example`);
  host.set('/target', held.hold);
  from.set('/moved', { status: 302, headers: { location: host.at('/target') } });
  const { fetch } = workerFetcher(names);
  const answers = names.map((name) =>
    fetch(from.at('/moved').replace('127.0.0.1', name), {}, NO_SIGNAL, host.at('/')),
  );
  await answerAll(names.length);
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(names.map(() => 200));
  expect(host.mostAtOnce).toBe(2);
  expect(from.requests).toHaveLength(names.length);
  await from.close();
});

test('a slot whose worker is gone is free after a while, and one whose request failed at once', async () => {
  const { host: name } = new URL(host.at('/'));
  host.set('/broken', (request) => void request.socket.destroy());
  const { fetch } = workerFetcher();
  for (let round = 0; round < 3; round += 1) {
    await expect(fetch(host.at('/broken'), {}, NO_SIGNAL, host.at('/'))).rejects.toThrow(
      'the connection broke',
    );
  }
  await database.pool.query(
    `insert into news.host_slot select $1, slot, gen_random_uuid(), clock_timestamp() + interval '1 s'
     from generate_series(1, 2) as slot`,
    [name],
  );
  host.set('/feed', { body: 'Here' });
  expect(await fetch(host.at('/feed'), {}, NO_SIGNAL, host.at('/'))).toMatchObject({ status: 200 });
  expect(await slots()).toEqual([{ host: name, slot: 2 }]);
  await db.deleteFrom('news.host_slot').execute();
});

test('a request that is given up while it waits leaves its place to others', async () => {
  host.set('/feed', held.hold);
  const { fetch } = workerFetcher();
  const open = [0, 1].map(() => fetch(host.at('/feed'), {}, NO_SIGNAL, host.at('/')));
  await until('both slots are held', () => held.open.length === 2);
  const worker = workerFetcher();
  const givenUp = worker.fetch(host.at('/feed'), {}, AbortSignal.timeout(300), host.at('/'));
  await expect(givenUp).rejects.toThrow('aborted');
  const next = worker.fetch(host.at('/feed'), {}, NO_SIGNAL, host.at('/'));
  await answerAll(3);
  await Promise.all([...open, next]);
  expect(host.requests).toHaveLength(3);
});
