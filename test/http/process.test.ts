import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { createServer } from '@pressroom/common/http/create-server';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Child } from '../support/child.ts';
import { run as runCommand } from '../support/command.ts';
import { createTestDatabase, PATIENT, type TestDatabase } from '../support/database.ts';
import { type Answer, send } from '../support/http.ts';
import { memoryLog } from '../support/log.ts';
import { isOpen } from '../support/processes.ts';
import { type ProxiedDatabase, proxyDatabase } from '../support/proxied-database.ts';
import { until } from '../support/until.ts';

const MAIN = 'services/content/src/main.ts';

let database: TestDatabase;
let proxied: ProxiedDatabase;
const children: Child[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  proxied = await proxyDatabase(database.url);
});

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.end()));
});

afterAll(async () => {
  await proxied.proxy.close();
  await database.drop();
});

/** Runs the content service as it is deployed. */
function run(settings: Record<string, string> = {}): Child {
  const child = Child.run(MAIN, { DATABASE_URL: proxied.url, CONTENT_PORT: '0', ...PATIENT, ...settings });
  children.push(child);
  return child;
}

/** Runs it, and waits until it listens. */
async function start(
  settings?: Record<string, string>,
): Promise<{ child: Child; url: string; port: number }> {
  const child = run(settings);
  const { address } = await child.event('service_listening');
  const url = String(address);
  return { child, url, port: Number(new URL(url).port) };
}

/** Sends a list and a detail, which wait for a lock on the database until the lock is let go of. */
async function holdRequests(url: string): Promise<{ lock: pg.PoolClient; answers: Promise<Answer>[] }> {
  const lock = await database.pool.connect();
  await lock.query('begin');
  await lock.query('lock table content.article, content.list_count');
  const answers = ['/api/articles', '/api/articles/1'].map((path) => send(`${url}${path}`));
  await until('both wait for the lock', async () => {
    const { rowCount } = await database.pool.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    return rowCount === answers.length;
  });
  return { lock, answers };
}

async function letGo(lock: pg.PoolClient): Promise<void> {
  await lock.query('rollback');
  lock.release();
}

const messages = (child: Child) => child.events.map(({ msg }) => msg);

test('DRAIN_SECONDS: after SIGTERM it says that it is not ready, and serves everything else on', async () => {
  const { child, url, port } = await start({ DRAIN_SECONDS: '3', CONTENT_RATE_LIMIT: '1000000' });
  expect((await send(`${url}/readyz`)).status).toBe(200);
  child.signal('SIGTERM');
  await child.event('service_stopping');
  const statuses: Record<string, Set<number>> = {
    readyz: new Set(),
    articles: new Set(),
    healthz: new Set(),
  };
  await until('it no longer accepts connections', async () => {
    for (const [name, path] of [
      ['readyz', '/readyz'],
      ['articles', '/api/articles'],
      ['healthz', '/healthz'],
    ] as const) {
      if (!(await isOpen(port))) return true;
      // Each of these may be the request that the port closes for.
      const answer = await send(`${url}${path}`).catch(() => undefined);
      if (answer === undefined) continue;
      statuses[name]?.add(answer.status);
      expect(answer.headers.get('connection')).toBe('close');
    }
    return false;
  });
  expect(statuses).toEqual({ readyz: new Set([503]), articles: new Set([200]), healthz: new Set([200]) });
  expect(await child.exited).toBe(0);
});

test('SIGTERM: requests in flight finish, new connections are refused, and it ends with 0', async () => {
  const { child, url, port } = await start();
  const { lock, answers } = await holdRequests(url);
  child.signal('SIGTERM');
  await until('new connections are refused', async () => !(await isOpen(port)));
  await letGo(lock);
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 404]);
  expect(await child.exited).toBe(0);
  expect(child.err).toBe('');
  expect(messages(child)).toEqual(expect.arrayContaining(['service_stopping', 'request_answered']));
  await until('PostgreSQL has no session of it', async () => {
    const { rowCount } = await database.pool.query(
      "select from pg_stat_activity where application_name like 'pressroom content%' and datname = current_database()",
    );
    return rowCount === 0;
  });
});

test('SIGTERM while a request waits for a lock: it is answered 503 at its time limit, and the end is in order', async () => {
  const { child, url } = await start({
    DATABASE_STATEMENT_TIMEOUT_MS: '1000',
    CONTENT_BODY_LIMIT: '1',
    CONTENT_RATE_LIMITS: '1',
  });
  expect(child.events).toContainEqual(
    expect.objectContaining({ msg: 'setting_retired', variable: 'CONTENT_BODY_LIMIT' }),
  );
  expect(child.events).toContainEqual(
    expect.objectContaining({
      msg: 'setting_misspelt',
      variable: 'CONTENT_RATE_LIMITS',
      setting: 'CONTENT_RATE_LIMIT',
    }),
  );
  const { lock, answers } = await holdRequests(url);
  child.signal('SIGTERM');
  expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([503, 503]);
  expect(await child.exited).toBe(0);
  await letGo(lock);
});

test('SIGTERM while a request hangs for longer than anybody waits: it is cut off, which the log and the exit code say', async () => {
  const { child, url } = await start({ DATABASE_STATEMENT_TIMEOUT_MS: '600000', SHUTDOWN_TIMEOUT_MS: '200' });
  const { lock, answers } = await holdRequests(url);
  const cutOff = Promise.allSettled(answers);
  child.signal('SIGTERM');
  expect(await child.exited).toBe(1);
  expect((await cutOff).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(child.events.at(-1)).toMatchObject({ level: 'error', msg: expect.stringContaining('timeout') });
  await letGo(lock);
});

test('starts without its database, says so at /readyz, and is ready when the database is there', async () => {
  await proxied.proxy.refuse();
  const { child, url } = await start();
  const away = await send(`${url}/readyz`);
  expect(away.status).toBe(503);
  expect(away.headers.get('retry-after')).toBe('1');
  expect(away.body).toMatchObject({ code: 'temporarily_unavailable', detail: 'database does not answer' });
  expect((await send(`${url}/healthz`)).status).toBe(200);
  await proxied.proxy.accept();
  await until('it is ready', async () => (await send(`${url}/readyz`)).status === 200);
  expect((await send(`${url}/api/articles`)).status).toBe(200);
  child.signal('SIGTERM');
  expect(await child.exited).toBe(0);
});

test('HOST=localhost is one server, at the first address of that name', async () => {
  const { child, url } = await start({ HOST: 'localhost' });
  const { address } = await lookup('localhost');
  expect(new URL(url).hostname).toBe(address.includes(':') ? `[${address}]` : address);
  const { port } = new URL(url);
  const other = connect(Number(port), address === '::1' ? '127.0.0.1' : '::1');
  await expect(once(other, 'connect')).rejects.toThrow();
  child.signal('SIGTERM');
  expect(await child.exited).toBe(0);
});

test('a taken port is one line that names it and the variable that moves it, and an end with 1', async () => {
  const { port } = await start();
  let begun = 0;
  const untouched = createTcpServer(() => (begun += 1)).listen(0, '127.0.0.1');
  await once(untouched, 'listening');
  const DATABASE_URL = `postgres://127.0.0.1:${(untouched.address() as AddressInfo).port}/none`;
  const attempts = ['CONTENT_PORT', 'METRICS_PORT'].map((variable) => ({
    child: run({ DATABASE_URL, [variable]: String(port) }),
    line: `port ${port} is already in use; set ${variable} to another port\n`,
  }));
  for (const { child, line } of attempts) {
    expect(await child.exited).toBe(1);
    expect(child.err).toBe(line);
  }
  expect(begun).toBe(0);
  untouched.close();
});

test('a worker and a migration without the database end with a line that names its setting', async () => {
  const DATABASE_URL = 'postgres://127.0.0.1:1/none';
  const line = 'the database of DATABASE_URL does not answer: connect ECONNREFUSED 127.0.0.1:1\n';
  for (const [args, expected] of [
    [['services/news-feed/src/cli.ts', 'work'], line],
    [['packages/common/src/database/migrate-cli.ts'], `Cannot migrate: ${line}`],
  ] as const) {
    const { code, stderr } = await runCommand([...args], { env: { DATABASE_URL } });
    expect(stderr).toBe(expected);
    expect(code).toBe(1);
  }
});

test.each(['192.0.2.1', 'no-such-host.invalid'])(
  'a HOST that is not this machine, %s, is one line',
  async (host) => {
    const child = run({ HOST: host });
    expect(await child.exited).toBe(1);
    expect(child.err).toMatch(
      new RegExp(`^HOST is ${host}, at which this machine cannot listen \\([A-Z_]+\\); set HOST to .*\n$`),
    );
  },
);

test('a wrong configuration lists every error at once, without secrets, and exits with 1', async () => {
  const child = run({
    DATABASE_URL: 'mysql://u:hunter2@h/d',
    CONTENT_PORT: 'http',
    CONTENT_HTML: 'maybe',
    CONTENT_RATE_LIMIT: '0',
    TRUST_PROXY: 'yes',
  });
  expect(await child.exited).toBe(1);
  expect(child.out).toBe('');
  expect(child.err.split('\n')).toEqual([
    'The configuration is invalid:',
    '  DATABASE_URL is (hidden), expected a URL such as postgres://user:password@host/name',
    '  TRUST_PROXY is "yes", expected the number of proxies in front, or their addresses or CIDR blocks separated by commas',
    '  CONTENT_PORT is "http", expected a whole number from 0 to 65535',
    '  CONTENT_HTML is "maybe", expected checked or trusted',
    '  CONTENT_RATE_LIMIT is "0", expected a whole number from 1 to 1000000000 (requests a minute)',
    '',
  ]);
});

/** Keeps the event loop busy for `ms`. */
function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('an overloaded event loop: 503 with Retry-After for all but /healthz, until it is over', async () => {
  const { log } = memoryLog('test');
  const app = await createServer({
    config: { HOST: '127.0.0.1', EVENT_LOOP_DELAY_LIMIT_MS: 1000 },
    description: { title: 'Test', version: '1.0.0', description: 'A service that can be kept busy.' },
    log,
    bodyLimit: 1024,
    readiness: {},
  });
  app.get('/plain', async () => 'plain');
  app.post('/busy', async () => {
    // Longer than the limit at a time, for longer than the load is measured over.
    for (let times = 0; times < 3; times += 1) {
      block(1300);
      await new Promise(setImmediate);
    }
    return 'done';
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  await until('it is answered', async () => (await send(`${url}/plain`)).status === 200);
  const refused = await until('it is refused', async () => {
    await send(`${url}/busy`, { method: 'POST' });
    const [plain, health] = await Promise.all(['/plain', '/healthz'].map((path) => send(url + path)));
    expect(health?.status).toBe(200);
    return plain?.status === 503 ? plain : undefined;
  });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect(refused.body.code).toBe('temporarily_unavailable');
  await until('the overload is over', async () => (await send(`${url}/plain`)).status === 200);
  await app.close();
});
