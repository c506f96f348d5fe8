import { MIGRATIONS, migrate } from '@pressroom/common/database/migrations';
import { findFreePort } from '@pressroom/embedded-postgres/ports';
import { addSource, findSource, type Source } from '@pressroom/news-feed/reading/sources';
import type { NewsTables } from '@pressroom/news-feed/tables';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { Child } from '../test/support/child.ts';
import { FeedHost, rss } from '../test/support/feed-host.ts';
import { startThrowaway } from '../test/support/throwaway-postgres.ts';
import { until } from '../test/support/until.ts';
import { type ConformanceCheck, Findings, type Verdict } from './check.ts';
import { HOSTILE_SOURCES, type HostileSource } from './hostile-sources/inputs.ts';
import { killAtExit } from './support/ending.ts';

/**
 * CPU time that the worker may use for one source, in seconds: the limit of a thread for its feed and for
 * each of its five pages, and as much again for all else that a worker does meanwhile.
 */
const FEED_SECONDS = 20;
const PAGES_SECONDS = 120;

/** Feeds, pages and robots.txt that keep a worker of the newsroom busy. */
export const hostileSources: ConformanceCheck = {
  name: 'hostile-sources',
  about: 'feeds, pages and robots.txt that keep the newsroom busy, with a bound on its computing time',
  needs: [],
  run: checkWorker,
};

async function checkWorker(note: (line: string) => void): Promise<Verdict> {
  await using room = await openRoom();
  const findings = new Findings();
  for (const hostile of HOSTILE_SOURCES) findings.add(hostile.name, await faultOf(room, hostile, note));
  findings.add('SIGTERM', await faultOfEnd(room));
  return findings.verdict;
}

/** A worker in its own process, and the host that it reads. */
interface Room extends AsyncDisposable {
  db: Kysely<NewsTables>;
  host: FeedHost;
  worker: Child;
  /** CPU time of the worker so far, in seconds. */
  computed: () => Promise<number>;
}

async function openRoom(): Promise<Room> {
  await using resources = new AsyncDisposableStack();
  const postgres = resources.use(await startThrowaway({ fsync: 'off' }));
  await migrate(postgres.url, MIGRATIONS);
  const pool = new pg.Pool({ connectionString: postgres.url, max: 2 });
  // A server that stops ends connections that are about to be closed.
  pool.on('error', () => undefined);
  const db = new Kysely<NewsTables>({ dialect: new PostgresDialect({ pool }) });
  resources.defer(() => db.destroy());
  const host = await FeedHost.start();
  resources.defer(() => host.close());
  const metrics = await findFreePort();
  const worker = Child.run(
    'services/news-feed/src/cli.ts',
    {
      DATABASE_URL: postgres.url,
      HOST: '127.0.0.1',
      METRICS_PORT: String(metrics),
      NEWS_PRIVATE_HOSTS: '127.0.0.1',
      NEWS_POLL_MIN_SECONDS: '86400',
      // Its pauses are not what is measured.
      NEWS_WRITE_SHARE: '100',
    },
    ['work'],
  );
  const forget = killAtExit(() => worker.signal('SIGKILL'));
  resources.defer(async () => {
    await worker.end();
    forget();
  });
  await worker.event('worker_started');
  const computed = async () => {
    const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
    return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]);
  };
  const kept = resources.move();
  return { db, host, worker, computed, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Serves a hostile source and, once it is being read, an honest one. */
async function faultOf(
  { db, host, worker, computed }: Room,
  hostile: HostileSource,
  note: (line: string) => void,
): Promise<string | undefined> {
  host.clear();
  await db.deleteFrom('news.source').execute();
  const { feed, robots, page } = hostile;
  const readsPages = robots !== undefined;
  host.set('/feed', { body: feed.replaceAll('HOST', host.at('')) });
  if (readsPages) {
    host.set('/robots.txt', { headers: { 'content-type': 'text/plain' }, body: robots });
    for (let index = 0; index < 5; index += 1) {
      host.set(`/${'a'.repeat(1000)}${index}`, {
        headers: { 'content-type': 'text/html' },
        body: page ?? '',
      });
    }
  }
  host.set('/honest', { body: rss([{ guid: 'honest' }]) });
  const before = await computed();
  const { id } = await addSource(db, host.at('/feed'), { readPages: readsPages }, new Date());
  await until('the hostile feed is asked for', () => host.to('/feed').length > 0);
  const honest = await addSource(db, host.at('/honest'), {}, new Date());
  const ended = await Promise.race([
    untilDone(db, [id, honest.id]),
    worker.exited.then((code) => `the worker ended with ${code}: ${worker.err.slice(0, 500)}`),
  ]);
  if (typeof ended === 'string') return ended;
  const [source, other] = ended;
  const seconds = (await computed()) - before;
  const most = readsPages ? PAGES_SECONDS : FEED_SECONDS;
  note(`  ${hostile.name}: ${seconds.toFixed(1)} s of computing; ${source?.last_error ?? 'read'}`);
  if (other?.last_success_at === null) return `the honest source failed: ${other.last_error}`;
  return seconds > most ? `${seconds.toFixed(1)} s of computing, must be at most ${most}` : undefined;
}

/** Waits until the sources are polled, and their entries edited. */
async function untilDone(db: Kysely<NewsTables>, ids: readonly number[]): Promise<Source[]> {
  return until('the sources are read', async () => {
    const sources = await Promise.all(ids.map((id) => findSource(db, String(id))));
    const open = await db
      .selectFrom('news.source_entry')
      .select('key')
      .where('state', '=', 'pending')
      .limit(1)
      .execute();
    return sources.every((source) => source.last_polled_at !== null) && open.length === 0
      ? sources
      : undefined;
  });
}

/** A worker that reads what has no end still ends on SIGTERM. */
async function faultOfEnd({ db, host, worker }: Room): Promise<string | undefined> {
  await db.deleteFrom('news.source').execute();
  host.set('/last', { body: HOSTILE_SOURCES[0]?.feed ?? '' });
  await addSource(db, host.at('/last'), {}, new Date());
  await until('the last feed is asked for', () => host.to('/last').length > 0);
  worker.signal('SIGTERM');
  const code = await worker.exited;
  return code === 0 ? undefined : `it ended with ${code}: ${worker.err.slice(0, 500)}`;
}
