import { randomUUID } from 'node:crypto';
import { migrate } from '@pressroom/common/database/migrations';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT, run } from '../support/command.ts';
import { createKey, type RunningContent, startContent } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { type Answer, send } from '../support/http.ts';
import { type RunningNewsFeed, startNewsFeed } from '../support/news-feed.ts';
import { OwnPostgres } from '../support/own-postgres.ts';
import { proxyDatabase } from '../support/proxied-database.ts';
import { Standby } from '../support/standby.ts';
import type { TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';

let primary: OwnPostgres;
let standby: Standby;
/** The address of the primary, which moves. */
let proxy: TcpProxy;
let databaseUrl: string;
let content: RunningContent;
let feed: RunningNewsFeed;
let key: string;

beforeEach(async () => {
  primary = await OwnPostgres.create();
  await migrate(primary.url, `${ROOT}/migrations`);
  const pool = new pg.Pool({ connectionString: primary.url });
  key = await createKey({ pool }, 'Failover');
  await pool.end();
  standby = await Standby.of(primary);
  const proxied = await proxyDatabase(primary.url);
  proxy = proxied.proxy;
  databaseUrl = proxied.url;
  content = await startContent(databaseUrl);
  feed = await startNewsFeed(databaseUrl);
});

afterEach(async () => {
  await content?.close();
  await feed?.close();
  await proxy?.close();
  await standby?.destroy();
  await primary?.destroy();
});

async function onPrimary(text: string): Promise<void> {
  const client = new pg.Client({ connectionString: primary.url });
  await client.connect();
  await client.query(text).finally(() => client.end());
}

/** Acts as an operator's tool: the standby takes over, and the address leads to it. */
async function failOver(): Promise<void> {
  await primary.kill();
  await standby.promote();
  proxy.moveTo({ host: '127.0.0.1', port: Number(new URL(standby.url).port) });
}

/** Asks until the answer is 200 or 201; until then only 503 is one that a client must expect. */
async function insist(ask: () => Promise<Answer>): Promise<Answer> {
  return until('an answer', async () => {
    const answer = await ask();
    if (answer.status < 300) return answer;
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('temporarily_unavailable')]);
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    return undefined;
  });
}

/** Writes articles one after the other until told to stop; resolves to the titles by id. */
async function writeArticles(signal: AbortSignal): Promise<Map<number, string>> {
  const acknowledged = new Map<number, string>();
  while (!signal.aborted) {
    const title = `Failover ${randomUUID()}`;
    const headers = { 'x-api-key': key, 'idempotency-key': randomUUID() };
    const json = articleBody({ title, is_published: true });
    const { body } = await insist(() =>
      send(`${content.url}/api/articles`, { method: 'POST', headers, json }),
    );
    acknowledged.set(body.data.id, title);
  }
  return acknowledged;
}

/** Selects items, in its own transactions, until told to stop; resolves to the acknowledged ids. */
async function writeNews(signal: AbortSignal): Promise<string[]> {
  const acknowledged: string[] = [];
  for (let number = 0; !signal.aborted; number += 1) {
    const id = `item-${number}`;
    await until(`${id} is written`, () => insertItem(databaseUrl, id));
    acknowledged.push(id);
  }
  return acknowledged;
}

/** False if it is not known whether the item was written. */
async function insertItem(connectionString: string, id: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000, query_timeout: 5000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(
      `insert into news.item (id, title, source_name, original_url, canonical_url, published_at, selected)
       values ($1, $1, 'Source', 'https://source.example/' || $1, 'https://source.example/' || $1, now(), true)
       on conflict (id) do nothing`,
      [id],
    );
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** A copy of the selected set, kept as clients keep it. */
class Follower {
  readonly ids = new Set<string>();
  /** Number of new beginnings. */
  restarts = 0;
  #cursor = '';

  async begin(): Promise<void> {
    const { body } = await insist(() => send(`${feed.url}/api/v1/selected/snapshot?limit=1000`));
    this.ids.clear();
    for (const { id } of body.items) this.ids.add(id);
    this.#cursor = body.cursor;
  }

  async follow(): Promise<void> {
    const path = `/api/v1/selected/changes?cursor=${this.#cursor}`;
    let answer = await send(feed.url + path);
    if (answer.status === 409) {
      expect(answer.body.code).toBe('snapshot_required');
      this.restarts += 1;
      return this.begin();
    }
    if (answer.status !== 200) answer = await insist(() => send(feed.url + path));
    for (const { op, id, item } of answer.body.changes) {
      if (op === 'remove') this.ids.delete(id);
      else this.ids.add(item.id);
    }
    this.#cursor = answer.body.cursor;
  }
}

async function idsOn(server: Standby): Promise<string[]> {
  const { rows } = await server.query('select id from news.item where in_selected_set order by id');
  return rows.map(({ id }) => id);
}

test('with a synchronous standby a failover loses nothing that was acknowledged', async () => {
  await onPrimary("alter system set synchronous_standby_names = 'standby'");
  await onPrimary('select pg_reload_conf()');
  const stop = new AbortController();
  const writers = [writeArticles(stop.signal), writeArticles(stop.signal)] as const;
  const news = writeNews(stop.signal);
  const follower = new Follower();
  await follower.begin();
  await until('it is followed', async () => {
    await follower.follow();
    return follower.ids.size > 5;
  });
  await failOver();
  const before = follower.ids.size;
  await until('it is followed on the new primary', async () => {
    await follower.follow();
    return follower.ids.size > before + 5;
  });
  stop.abort();
  const articles = (await Promise.all(writers)).flatMap((acknowledged) => [...acknowledged]);
  const acknowledged = await news;
  const { rows } = await standby.query('select id, title from content.article order by id');
  expect(rows.map(({ id, title }) => [Number(id), title])).toEqual(articles.sort(([a], [b]) => a - b));
  expect((await idsOn(standby)).sort()).toEqual(acknowledged.sort());
  await until('everything is followed', async () => {
    await follower.follow();
    return follower.ids.size === acknowledged.length;
  });
  expect([...follower.ids].sort()).toEqual(acknowledged);
  expect(follower.restarts).toBe(0);
});

test('what a failover without one loses, a new epoch tells those who follow', async () => {
  await insertItem(primary.url, 'kept');
  await until('the standby has it', async () => (await idsOn(standby)).includes('kept'));
  await standby.stop();
  for (const id of ['lost-1', 'lost-2']) await insertItem(primary.url, id);
  const follower = new Follower();
  await follower.begin();
  await follower.follow();
  expect([...follower.ids].sort()).toEqual(['kept', 'lost-1', 'lost-2']);

  await primary.kill();
  await standby.start();
  await standby.promote();
  const args = ['services/news-feed/src/cli.ts', 'ledger', 'new-epoch'];
  const { code, stderr } = await run(args, { env: { DATABASE_URL: standby.url } });
  expect([code, stderr]).toEqual([0, '']);
  proxy.moveTo({ host: '127.0.0.1', port: Number(new URL(standby.url).port) });
  // The ledger grows past the cursor: its number alone would not give it away.
  for (const id of ['new-1', 'new-2', 'new-3', 'new-4']) await insertItem(standby.url, id);
  await until('it has begun again', async () => {
    await follower.follow();
    return follower.restarts > 0;
  });
  await until('everything is followed', async () => {
    await follower.follow();
    return follower.ids.size === 5;
  });
  expect([...follower.ids].sort()).toEqual((await idsOn(standby)).sort());
});
