import { fileURLToPath } from 'node:url';
import { migrate } from '@pressroom/common/database/migrations';
import { ApiKeyStore } from '@pressroom/content/api-keys';
import type { ContentTables } from '@pressroom/content/tables';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningContent, startContent } from '../support/content.ts';
import { articleBody } from '../support/content-client.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type Answer, send } from '../support/http.ts';
import { OwnPostgres } from '../support/own-postgres.ts';
import { type ProxiedDatabase, proxyDatabase } from '../support/proxied-database.ts';
import { until } from '../support/until.ts';

const MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Short limits, so that timeouts are quick. */
const LIMITS = {
  DATABASE_POOL_SIZE: '4',
  DATABASE_CONNECT_TIMEOUT_MS: '400',
  DATABASE_STATEMENT_TIMEOUT_MS: '600',
};

/** Makes a key in the database of `url`. */
async function createKey(url: string): Promise<string> {
  const pool = new pg.Pool({ connectionString: url });
  const db = new Kysely<ContentTables>({ dialect: new PostgresDialect({ pool }) });
  const { key } = await new ApiKeyStore(db).create({ name: 'Test' });
  await db.destroy();
  return key;
}

function expectUnavailable(answer: Answer): void {
  expect(answer.status, answer.text).toBe(503);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  expect(answer.body).toMatchObject({ status: 503, code: 'temporarily_unavailable', reason: 'database' });
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
}

/** A client that creates and reads articles one after the other until it is stopped. */
class Load {
  readonly acknowledged: number[] = [];
  reads = 0;
  refused = { reads: 0, writes: 0 };
  readonly #url: string;
  readonly #key: string;
  readonly #done: Promise<void>;
  #stopped = false;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#done;
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      const written = await this.#write();
      if (written.status === 201) this.acknowledged.push(written.body.data.id);
      else this.refused.writes += this.#refusal(written);
      const read = await send(`${this.#url}/api/articles`);
      if (read.status === 200) this.reads += 1;
      else this.refused.reads += this.#refusal(read);
    }
  }

  #write(): Promise<Answer> {
    const json = articleBody({ title: `Written under load ${this.acknowledged.length}`, is_published: true });
    return send(`${this.#url}/api/articles`, { method: 'POST', headers: { 'x-api-key': this.#key }, json });
  }

  #refusal(answer: Answer): 1 {
    expectUnavailable(answer);
    return 1;
  }
}

describe('a PostgreSQL server that stops and starts', () => {
  let server: OwnPostgres;
  let replicas: RunningContent[];
  let key: string;

  beforeAll(async () => {
    server = await OwnPostgres.create();
    await migrate(server.url, MIGRATIONS);
    key = await createKey(server.url);
    replicas = await Promise.all([startContent(server.url, LIMITS), startContent(server.url, LIMITS)]);
  });

  afterAll(async () => {
    await server.goOn();
    await Promise.all(replicas.map((replica) => replica.close()));
    await server.destroy();
  });

  const statuses = (path: string) =>
    Promise.all(replicas.map(async ({ url }) => (await send(`${url}${path}`)).status));

  /** The title of an article; the short time limits of these services may refuse a read on a busy machine. */
  function titleAt(url: string): Promise<string> {
    return until('a read is answered', async () => {
      const { status, body } = await send(url);
      return status === 200 ? body.data.title : undefined;
    });
  }

  /** Changes an article through one replica, and expects that the other one shows it a second later. */
  async function expectNoStaleAnswer(id: number | undefined, title: string): Promise<void> {
    const [writer = '', reader = ''] = replicas.map(({ url }) => `${url}/api/articles/${id}`);
    await until(
      'both replicas answer',
      async () => (await statuses(`/api/articles/${id}`)).join() === '200,200',
    );
    const patch = { method: 'PATCH', headers: { 'x-api-key': key }, json: { title } };
    await until('the change is acknowledged', async () => (await send(writer, patch)).status === 200);
    const acknowledged = performance.now();
    expect(await titleAt(writer)).toBe(title);
    await until('a second has passed', () => performance.now() >= acknowledged + 1000);
    expect(await titleAt(reader)).toBe(title);
  }

  test('stopped under load: 503 while it is down, then everything works again, and nothing acknowledged is lost', async () => {
    const loads = replicas.map(({ url }) => new Load(url, key));
    const acknowledged = () => loads.flatMap((load) => load.acknowledged);
    await until('the load runs', () =>
      loads.every((load) => load.acknowledged.length > 10 && load.reads > 10),
    );

    await server.stop();
    await until('reads and writes are refused', () =>
      loads.every(({ refused }) => refused.reads > 2 && refused.writes > 2),
    );
    expect(await statuses('/readyz')).toEqual([503, 503]);
    expect(await statuses('/healthz')).toEqual([200, 200]);

    const before = acknowledged().length;
    await server.start();
    await until('reads and writes work again', () =>
      loads.every((load) => load.acknowledged.length > before && load.reads > before),
    );
    await Promise.all(loads.map((load) => load.stop()));
    expect(await statuses('/readyz')).toEqual([200, 200]);

    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    const { rows } = await client.query('select id from content.article');
    await client.end();
    const kept = new Set(rows.map(({ id }) => id));
    expect(acknowledged().filter((id) => !kept.has(id))).toEqual([]);
    await expectNoStaleAnswer(acknowledged()[0], 'Changed after the restart');
  });

  test('a server that hangs: answers arrive within the limits, and everything works again when it resumes', async () => {
    const created = await send(`${replicas[0]?.url}/api/articles`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      json: articleBody({ title: 'Written before the silence', is_published: true }),
    });
    const path = `/api/articles/${created.body.data.id}`;
    expect(await statuses(path)).toEqual([200, 200]);

    await server.hang();
    const hung = performance.now();
    await until('a second has passed', () => performance.now() >= hung + 1000);
    for (const { url } of replicas) {
      expectUnavailable(await send(`${url}${path}`));
      expectUnavailable(await send(`${url}${path}`, { method: 'DELETE', headers: { 'x-api-key': key } }));
    }
    expect(await statuses('/readyz')).toEqual([503, 503]);
    expect(await statuses('/healthz')).toEqual([200, 200]);

    await server.goOn();
    await until('both are ready', async () => (await statuses('/readyz')).join() === '200,200');
    await expectNoStaleAnswer(created.body.data.id, 'Changed after the silence');
  });
});

describe('a network between the service and PostgreSQL', () => {
  let database: TestDatabase;
  let proxied: ProxiedDatabase;
  let content: RunningContent;
  let key: string;
  let article: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    proxied = await proxyDatabase(database.url);
    key = await createKey(database.url);
    content = await startContent(proxied.url, LIMITS);
    const created = await send(`${content.url}/api/articles`, {
      method: 'POST',
      headers: { 'x-api-key': key },
      json: articleBody({ title: 'Read over a bad network', is_published: true }),
    });
    article = `${content.url}/api/articles/${created.body.data.id}`;
  });

  afterAll(async () => {
    await proxied.proxy.close();
    await content.close();
    await database.drop();
  });

  const change = (json: object) => send(article, { method: 'PATCH', headers: { 'x-api-key': key }, json });
  const isBack = () =>
    until('it answers again', async () => (await change({ author: 'Back' })).status === 200);

  test('that refuses connections', async () => {
    await proxied.proxy.refuse();
    await until('the cache is not trusted any more', async () => (await send(article)).status !== 200);
    expectUnavailable(await send(article));
    expectUnavailable(await change({ author: 'Nobody' }));
    await proxied.proxy.accept();
    await isBack();
    expect((await send(article)).body.data.author).toBe('Back');
  });

  test('that drops all packets and forgets its connections', async () => {
    expect(await Promise.all(Array.from({ length: 8 }, async () => (await change({})).status))).toContain(
      422,
    );
    proxied.proxy.pause();
    await until('the cache is not trusted any more', async () => (await send(article)).status !== 200);
    const answers = await Promise.all(Array.from({ length: 8 }, () => change({ author: 'Nobody' })));
    for (const answer of answers) expectUnavailable(answer);
    proxied.proxy.forget();
    await isBack();
    expect((await send(article)).body.data.author).toBe('Back');
  });

  test('that breaks in the middle of a transaction', async () => {
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query('select from content.article for update');
    const waiting = change({ author: 'Nobody' });
    await until('the change waits for the row', async () => {
      const { rowCount } = await database.pool.query(
        "select from pg_stat_activity where application_name = 'pressroom content' and wait_event_type = 'Lock' and datname = current_database()",
      );
      return rowCount === 1;
    });
    proxied.proxy.cut();
    expectUnavailable(await waiting);
    await client.query('commit');
    client.release();
    await isBack();
  });

  test('a statement that waits too long for a lock', async () => {
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query('select from content.article for update');
    expectUnavailable(await change({ author: 'Nobody' }));
    await client.query('commit');
    client.release();
    expect((await change({ author: 'Somebody' })).status).toBe(200);
  });

  test('more requests than there are connections', async () => {
    const client = await database.pool.connect();
    await client.query('begin');
    await client.query('select from content.article for update');
    const answers = await Promise.all(Array.from({ length: 12 }, () => change({ author: 'Nobody' })));
    for (const answer of answers) expectUnavailable(answer);
    await client.query('commit');
    client.release();
    await isBack();
  });
});
