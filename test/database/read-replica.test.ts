import { setTimeout as delay } from 'node:timers/promises';
import { migrate } from '@pressroom/common/database/migrations';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ROOT } from '../support/command.ts';
import { createKey, type RunningContent, startContent } from '../support/content.ts';
import { articleBody, ContentClient } from '../support/content-client.ts';
import { send } from '../support/http.ts';
import type { TestLog } from '../support/log.ts';
import { type RunningNewsFeed, startNewsFeed } from '../support/news-feed.ts';
import { OwnPostgres } from '../support/own-postgres.ts';
import { Standby } from '../support/standby.ts';
import { until } from '../support/until.ts';

/** Reads that a state of the replica is tested with. */
const READS = 40;

let primary: OwnPostgres;
let pool: pg.Pool;
let standby: Standby;

beforeAll(async () => {
  primary = await OwnPostgres.create();
  await migrate(primary.url, `${ROOT}/migrations`);
  pool = new pg.Pool({ connectionString: primary.url });
  // Its server ends before the last of its connections is closed.
  pool.on('error', () => undefined);
});

afterAll(async () => {
  await pool?.end();
  await primary?.destroy();
});

beforeEach(async () => {
  standby = await Standby.of(primary);
});

afterEach(() => standby.destroy());

/** Counts the public reads of a service that `server` answered. */
async function readsOn(server: 'replica' | 'primary', { log }: { log: TestLog }): Promise<number> {
  const event = await until('the port is known', () =>
    log.events().find(({ msg }) => msg === 'metrics_listening'),
  );
  const { text } = await send(`http://127.0.0.1:${(event.address as { port: number }).port}/metrics`);
  const line = text
    .split('\n')
    .find((one) => one.startsWith(`database_reads_total{pool="main",server="${server}"`));
  return Number(line?.split(' ').at(-1));
}

/** Asks until the replica answers again. */
async function untilReplicaReads(service: { log: TestLog }, ask: () => Promise<unknown>): Promise<void> {
  const before = await readsOn('replica', service);
  await until('the replica is read', async () => {
    await ask();
    return (await readsOn('replica', service)) > before;
  });
}

/** States of the replica, one after the other; each resolves when it is reached. */
const STATES: readonly [string, () => Promise<void>][] = [
  ['follows', async () => undefined],
  ['lags', () => standby.lag(200)],
  ['follows again', () => standby.lag(0)],
  ['has paused', () => standby.pauseReplay()],
  ['goes on', () => standby.resumeReplay()],
  ['has stopped', () => standby.stop()],
  ['is started again', () => standby.start()],
  ['is promoted', () => standby.promote()],
];

describe('content', () => {
  let services: [RunningContent, RunningContent];
  let client: ContentClient;

  let key = '';

  beforeAll(async () => {
    key = await createKey({ pool }, 'Replica');
  });

  beforeEach(async () => {
    // Without a cache every request is a read of the database.
    const settings = { DATABASE_READ_URL: standby.url, CACHE_BYTES: '0', METRICS_PORT: '0' };
    services = [await startContent(primary.url, settings), await startContent(primary.url, settings)];
    client = new ContentClient(services[0].url, key);
  });

  afterEach(async () => {
    for (const service of services) await service.close();
  });

  async function create(title: string): Promise<string> {
    const { body } = await client.post('/api/articles', articleBody({ title, is_published: true }));
    return `/api/articles/${body.data.id}`;
  }

  const titleAt = async ({ url }: RunningContent, path: string): Promise<string> => {
    const { status, body } = await send(url + path);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.data.title;
  };

  test('what a client has written it reads, however far the replica is behind', async () => {
    const path = await create('First');
    await untilReplicaReads(services[0], () => titleAt(services[0], path));
    await standby.pauseReplay();
    expect((await client.patch(path, { title: 'Second' })).status).toBe(200);
    for (let n = 0; n < READS; n += 1) expect(await titleAt(services[0], path)).toBe('Second');
    await standby.resumeReplay();
    await untilReplicaReads(services[0], () => titleAt(services[0], path));
    expect(await titleAt(services[0], path)).toBe('Second');
  });

  test('nothing that was seen is taken back, whatever happens to the replica', async () => {
    const path = await create('0');
    let written = 0;
    const writing = new AbortController();
    const done = (async () => {
      while (!writing.signal.aborted) {
        written += 1;
        const { status, text } = await client.patch(path, { title: String(written) });
        expect(status, text).toBe(200);
        await delay(30);
      }
    })();
    const seen = new Map<RunningContent, number>();
    const read = async (service: RunningContent) => {
      const title = Number(await titleAt(service, path));
      expect(title).toBeGreaterThanOrEqual(seen.get(service) ?? 0);
      seen.set(service, title);
    };
    for (const [, happen] of STATES) {
      await happen();
      for (let n = 0; n < READS; n += 1) await Promise.all(services.map(read));
    }
    // It takes its own writes now, which must not be visible.
    await standby.query("update content.article set title = '1000000'");
    for (let n = 0; n < READS; n += 1) await Promise.all(services.map(read));
    writing.abort();
    await done;
    const last = await titleAt(services[0], path);
    expect(Number(last)).toBe(written);
  });
});

describe('the news feed', () => {
  let services: [RunningNewsFeed, RunningNewsFeed];

  beforeEach(async () => {
    const settings = { DATABASE_READ_URL: standby.url, CACHE_BYTES: '0', METRICS_PORT: '0' };
    services = [await startNewsFeed(primary.url, settings), await startNewsFeed(primary.url, settings)];
  });

  afterEach(async () => {
    for (const service of services) await service.close();
  });

  async function ask(service: RunningNewsFeed, path: string) {
    const { status, body, text } = await send(service.url + path);
    expect(status, text).toBe(200);
    return body;
  }

  test('a search and a list are read on the replica', async () => {
    await untilReplicaReads(services[0], () => ask(services[0], '/api/v1/items?mode=all'));
    expect((await ask(services[0], '/api/v1/items?mode=all&q=nothing')).items).toEqual([]);
  });

  test('the ledger is followed from one process to the other, whatever happens to the replica', async () => {
    const [one, other] = services;
    // Before anything is written: the mirror is then to have all of it by its changes.
    let { cursor } = await ask(one, '/api/v1/selected/snapshot?limit=1');
    let number = 0;
    const writing = new AbortController();
    const done = (async () => {
      while (!writing.signal.aborted) {
        await insertItem(`r-${number}`);
        number += 1;
        await delay(30);
      }
    })();
    const mirror = new Set<string>();
    const toldBy = new Map<string, RunningNewsFeed>();
    const follow = async (service: RunningNewsFeed) => {
      const next = await ask(service, `/api/v1/selected/changes?cursor=${cursor}`);
      for (const { item } of next.changes) {
        mirror.add(item.id);
        toldBy.set(item.id, service);
      }
      cursor = next.cursor;
    };
    for (const [, happen] of STATES) {
      await happen();
      for (let n = 0; n < READS / 4; n += 1) {
        await follow(n % 2 ? one : other);
        // A snapshot that one process begins, and the other continues and follows.
        const page = await ask(n % 2 ? other : one, '/api/v1/selected/snapshot?limit=2');
        const service = n % 2 ? one : other;
        if (page.hasMore) await ask(service, `/api/v1/selected/snapshot?page=${page.nextPage}`);
        await ask(service, `/api/v1/selected/changes?cursor=${page.cursor}`);
        // A process shows from then on whatever it has told.
        await follow(service);
        const { items } = await ask(service, '/api/v1/selected/snapshot?limit=1000');
        const shown = new Set<string>(items.map(({ id }: { id: string }) => id));
        expect([...mirror].filter((id) => !shown.has(id) && toldBy.get(id) === service)).toEqual([]);
      }
    }
    writing.abort();
    await done;
    await until('all is mirrored', async () => {
      await follow(one);
      return mirror.size === number;
    });
  });
});

async function insertItem(id: string): Promise<void> {
  await pool.query(
    `insert into news.item (id, title, source_name, original_url, canonical_url, published_at, selected)
     values ($1, $1, 'Source', 'https://source.example/' || $1, 'https://source.example/' || $1, now(), true)`,
    [id],
  );
}
