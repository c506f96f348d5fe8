import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrations';
import { type RunningPostgres, startPostgres } from '@pressroom/embedded-postgres/postgres';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, send } from '../../support/http.ts';
import { type RunningNewsFeed, startNewsFeed } from '../../support/news-feed.ts';
import { temporaryHome } from '../../support/temporary-home.ts';
import { until } from '../../support/until.ts';

const SNAPSHOT = '/api/v1/selected/snapshot';
const CHANGES = '/api/v1/selected/changes';

let dataDir: string;
let server: RunningPostgres;
let feed: RunningNewsFeed;

beforeAll(async () => {
  dataDir = await temporaryHome();
  server = await start(0);
  await migrate(server.url, fileURLToPath(new URL('../../../migrations', import.meta.url)));
  feed = await startNewsFeed(server.url, { DATABASE_CONNECT_TIMEOUT_MS: '500' });
});

afterAll(async () => {
  await feed.close();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
});

function start(port: number): Promise<RunningPostgres> {
  // Commits are acknowledged before they are on disk, and written long after, unless they ask for more.
  const settings = { synchronous_commit: 'off', wal_writer_delay: '10s', wal_writer_flush_after: '64MB' };
  return startPostgres({ dataDir, port, settings });
}

/** Ends PostgreSQL as a crash does. */
async function crash(): Promise<void> {
  const [pid = ''] = (await readFile(join(server.dataDir, 'postmaster.pid'), 'utf8')).split('\n');
  process.kill(Number(pid), 'SIGKILL');
  await server.exited;
}

function get(path: string): Promise<Answer> {
  return send(feed.url + path);
}

async function onDatabase<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

function insert(id: string): Promise<unknown> {
  return onDatabase((client) =>
    client.query(
      `insert into news.item (id, title, source_name, original_url, canonical_url, published_at, selected)
       values ($1, 'Title', 'Source', 'https://source.example/' || $1, 'https://source.example/' || $1, now(), true)`,
      [id],
    ),
  );
}

function ids(answer: Answer): string[] {
  return answer.body.items?.map(({ id }: { id: string }) => id) ?? [];
}

describe('a database that goes away and comes back', () => {
  it('causes 503 while it is down, and nothing from before is served after it', async () => {
    await insert('before');
    const { body } = await until('the item is shown', async () => {
      const answer = await get(SNAPSHOT);
      return ids(answer).includes('before') ? answer : undefined;
    });
    const tip = await until('the tip is known', async () => {
      const answer = await get(`${CHANGES}?cursor=${body.cursor}`);
      return answer.status === 200 && !answer.body.hasMore ? answer.body.cursor : undefined;
    });
    expect((await get(`${CHANGES}?cursor=${tip}`)).body.count).toBe(0);

    await server.stop();
    for (const path of [SNAPSHOT, `${CHANGES}?cursor=${tip}`]) {
      const away = await until(`${path} is away`, async () => {
        const answer = await get(path);
        return answer.status === 200 ? undefined : answer;
      });
      expect(away).toMatchObject({ status: 503, body: { code: 'temporarily_unavailable' } });
      expect(Number(away.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(away.headers.get('cache-control')).toBe('no-store');
    }
    expect((await get('/healthz')).status).toBe(200);
    expect((await get('/readyz')).status).toBe(503);

    server = await start(server.port);
    await insert('after');
    // The first answers that are answers know what was committed before they were asked for.
    const changes = await firstAnswer(`${CHANGES}?cursor=${tip}`);
    expect(changes.body.changes).toMatchObject([{ op: 'upsert', item: { id: 'after' } }]);
    expect(ids(await firstAnswer(SNAPSHOT))).toEqual(['after', 'before']);
    expect((await get('/readyz')).status).toBe(200);
  });

  it('is listened to again', async () => {
    const listener = () =>
      onDatabase(async (client) => {
        const { rows } = await client.query(
          `select pid from pg_stat_activity where application_name = 'pressroom news-feed listener'`,
        );
        return rows[0]?.pid as number | undefined;
      });
    const first = await until('the service listens', listener);
    await onDatabase((client) => client.query('select pg_terminate_backend($1)', [first]));
    await insert('unheard');
    await until('the change is known although nobody heard of it', async () =>
      ids(await get(SNAPSHOT)).includes('unheard'),
    );
    await until('another connection listens', async () => ((await listener()) ?? first) !== first);
    await insert('heard');
    await until('the change is known', async () => ids(await get(SNAPSHOT)).includes('heard'));
  });

  it('remembers every item that a client has seen, although it crashed', async () => {
    await insert('seen');
    await until('the item is shown', async () => ids(await get(SNAPSHOT)).includes('seen'));
    await crash();
    server = await start(server.port);
    expect(ids(await firstAnswer(SNAPSHOT))).toContain('seen');
  });

  it('remembers every number that a client has seen, although it crashed', async () => {
    const { body } = await get(SNAPSHOT);
    await insert('late');
    const seen = await until('the change is told', async () => {
      const answer = await get(`${CHANGES}?cursor=${body.cursor}`);
      return (
        answer.body.changes?.some(({ item }: { item?: { id: string } }) => item?.id === 'late') && answer
      );
    });
    await crash();
    server = await start(server.port);
    const after = await firstAnswer(`${CHANGES}?cursor=${seen.body.cursor}`);
    expect(after).toMatchObject({ status: 200, body: { cursor: seen.body.cursor, count: 0 } });
  });

  function firstAnswer(path: string): Promise<Answer> {
    return until(`${path} answers`, async () => {
      const answer = await get(path);
      return answer.status === 503 ? undefined : answer;
    });
  }
});
