import { randomBytes } from 'node:crypto';
import { type AddressInfo, createServer, isIP } from 'node:net';
import { verifyEvent, WebhookVerificationError } from '@pressroom/client/hooks';
import { SecretBox } from '@pressroom/common/secrets/secret-box';
import { faultCodeOf, WebhookSender } from '@pressroom/common/webhooks/webhook-sender';
import { Deliveries, DeliveryQueue } from '@pressroom/content/hooks/deliveries';
import { HookStore } from '@pressroom/content/hooks/store';
import { SyncStore } from '@pressroom/content/sync';
import type { ContentTables } from '@pressroom/content/tables';
import fc from 'fast-check';
import type { Kysely } from 'kysely';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Child } from '../support/child.ts';
import { queriesOf } from '../support/content.ts';
import { createTestDatabase, PATIENT, type TestDatabase } from '../support/database.ts';
import { HookReceiver, type Received } from '../support/hook-receiver.ts';
import { memoryLog } from '../support/log.ts';
import { until } from '../support/until.ts';

const KEY = randomBytes(32);
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let store: HookStore;
let queryBuilder: Kysely<ContentTables>;
/** Lead of the deliveries' clock, in ms. */
let aheadMs = 0;
const log = memoryLog('content');
const open: { close: () => Promise<void> }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  queryBuilder = queriesOf(database);
  store = new HookStore(queryBuilder);
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
  await query('truncate content.hook, content.event restart identity cascade');
  await query(
    'delete from content.article where id in (select id from content.article order by id for update); delete from content.deleted_article',
  );
  aheadMs = 0;
});
afterAll(() => database.drop());

const query = (sql: string, ...values: unknown[]) => database.pool.query(sql, values);

async function receiver(): Promise<HookReceiver> {
  const one = await new HookReceiver().start();
  open.push({ close: () => one.stop() });
  return one;
}

/** A process that delivers, as far as a test wakes it. */
function deliveries(
  more: { key?: Buffer; totalMs?: number; privateHosts?: string[]; addresses?: string[] } = {},
): Deliveries {
  const { key = KEY, totalMs, privateHosts = ['127.0.0.1'], addresses = ['127.0.0.1'] } = more;
  const made = new Deliveries({
    queue: new DeliveryQueue(queryBuilder, () => aheadMs),
    sync: new SyncStore({
      db: queryBuilder,
      readDb: queryBuilder,
      seen: () => undefined,
      forget: () => undefined,
    }),
    sender: new WebhookSender({
      userAgent: 'pressroom-content',
      privateHosts,
      privateHostsSetting: 'CONTENT_HOOKS_PRIVATE_HOSTS',
      totalMs,
      resolve: async () => addresses.map((address) => ({ address, family: isIP(address) })),
    }),
    box: new SecretBox(key),
    log: log.log,
  });
  open.push({ close: () => made.stop() });
  return made;
}

const add = (url: string) =>
  store.add({ url, events: ['article.*'], categoryId: null, drafts: false }, new SecretBox(KEY));

/** Publishes articles by hand, and returns their ids. */
async function publish(...slugs: string[]): Promise<number[]> {
  const { rows } = await query(
    `insert into content.article (title, slug, content, author, title_words, is_published, published_at)
     select slug, slug, 'x', 'x', '{}', true, now() from unnest($1::text[]) as slug returning id`,
    slugs,
  );
  return rows.map(({ id }) => id);
}

const touch = (id: number, title: string) =>
  query('update content.article set title = $2 where id = $1', id, title);
const waiting = async (hook = 1) => (await store.list()).find(({ id }) => id === hook)?.waiting;
const state = async () => (await store.list())[0];

test('two processes deliver each event in the order of its article, whatever fails', async () => {
  const to = await receiver();
  await add(to.url);
  let refused = 0;
  to.answer = (response) => {
    refused += 1;
    response.writeHead(refused % 7 === 0 ? 503 : 204).end();
  };
  const processes = [deliveries(), deliveries()];
  const ids = await publish('a', 'b', 'c', 'd', 'e', 'f');
  const writes = fc.sample(fc.constantFrom(...ids), { numRuns: 120, seed: 1 });
  for (const [index, id] of writes.entries()) {
    await touch(id, String(index));
    processes[index % 2]?.wake();
  }
  await until('all are delivered', async () => {
    aheadMs += 10_000;
    for (const one of processes) one.wake();
    return (await waiting()) === 0;
  });
  for (const id of ids) {
    const order = to.received
      .filter(({ event }) => event.data.id === id)
      .map(({ event }) => Number(event.id.split('_')[1]));
    // At least once: a refused one comes again before the next, and nothing overtakes.
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(new Set(order).size).toBe(2 + writes.filter((one) => one === id).length);
  }
});

test('a receiver that does not answer delays no other', async () => {
  const [slow, quick] = [await receiver(), await receiver()];
  slow.answer = () => undefined;
  await add(slow.url);
  await add(quick.url);
  const one = deliveries();
  const ids = await publish(...Array.from({ length: 20 }, (_, n) => `n-${n}`));
  one.wake();
  await until('the other has all', () => quick.received.length === 40);
  expect(new Set(quick.received.map(({ event }) => event.data.id))).toEqual(new Set(ids));
  await until('nothing waits for it', async () => (await waiting(2)) === 0);
});

test('answers that are slow delay only what is about the same article', async () => {
  const to = await receiver();
  await add(to.url);
  const held = new Map<number, () => void>();
  const slow = new Set(await publish('slow-1', 'slow-2', 'slow-3', 'slow-4', 'slow-5'));
  to.answer = (response, { event }) => {
    const answer = () => response.writeHead(204).end();
    if (slow.has(event.data.id)) held.set(event.data.id, answer);
    else answer();
  };
  const one = deliveries({ totalMs: 100_000 });
  one.wake();
  await until('they are under way', () => held.size === slow.size);
  const quick = await publish(...Array.from({ length: 150 }, (_, n) => `quick-${n}`));
  for (const id of slow) await touch(id, 'again');
  one.wake();
  await until('the others came', () => to.received.length === slow.size + 2 * quick.length);
  for (const id of slow) expect(to.typesOf(id)).toEqual(['article.created']);
  // Also when nothing else is under way.
  const [late = 0] = await publish('late');
  one.wake();
  await until('a later one came', () => to.typesOf(late).length === 2);
  await until('only theirs wait', async () => (await waiting()) === 3 * slow.size);
  slow.clear();
  for (const answer of held.values()) answer();
  await until('they came too', async () => (await waiting()) === 0);
});

test('a hook that takes other events does not rest for one that is given up', async () => {
  const to = await receiver();
  await add(to.url);
  to.answer = (response, { event }) => {
    if (event.data.slug !== 'hangs') response.writeHead(204).end();
  };
  const one = deliveries({ totalMs: 2000 });
  await publish('hangs', ...Array.from({ length: 40 }, (_, n) => `other-${n}`));
  one.wake();
  await until('it was given up', async () => (await store.log(1, 100)).some(({ fault }) => fault !== null));
  expect(await state()).toMatchObject({ failures: 0, resume_at: null });
});

test('a command that works with one hook for long delays no other', async () => {
  const [locked, other] = [await receiver(), await receiver()];
  await add(locked.url);
  await add(other.url);
  const command = new pg.Client({ connectionString: database.url });
  await command.connect();
  open.push({ close: () => command.end() });
  await command.query('begin; select from content.hook where id = 1 for no key update');
  const one = deliveries();
  for (const slug of ['while-1', 'while-2']) {
    const [id = 0] = await publish(slug);
    one.wake();
    await until('the other has it', () => other.typesOf(id).length === 2);
    await until('and is done', async () => (await waiting(2)) === 0);
  }
  expect(locked.received).toEqual([]);
  await command.query('commit');
  await until('the first has all', () => locked.received.length === 4);
});

test('a receiver that is away for a day gets everything; after three days its hook is paused', async () => {
  const to = await receiver();
  const { secret } = await add(to.url);
  await to.stop();
  const one = deliveries();
  await publish('while-away-1', 'while-away-2');
  one.wake();
  await until('it has failed', async () => (await state())?.failures === 1);
  // A day passes hour by hour; each time a single attempt is made.
  for (let hour = 1; hour <= 24; hour += 1) {
    const before = (await state())?.failures ?? 0;
    aheadMs += HOUR_MS + 1000;
    one.wake();
    await until('it has tried again', async () => ((await state())?.failures ?? 0) > before);
  }
  expect([await waiting(), (await state())?.failures]).toEqual([4, 25]);
  await publish('while-away-3');
  await to.start();
  aheadMs += HOUR_MS + 1000;
  one.wake();
  await until('it has all', async () => {
    aheadMs += HOUR_MS;
    one.wake();
    return (await waiting()) === 0;
  });
  for (const { body, headers } of to.received) verifyEvent(body, headers, secret);
  expect(new Set(to.received.map(({ event }) => event.data.slug))).toEqual(
    new Set(['while-away-1', 'while-away-2', 'while-away-3']),
  );

  await to.stop();
  await publish('while-away-4');
  one.wake();
  await until('it is paused', async () => {
    aheadMs += HOUR_MS + 1000;
    one.wake();
    return (await state())?.paused_at !== null;
  });
  const reason = 'article.created has failed for three days: it cannot be reached, or the connection broke';
  expect(await state()).toMatchObject({
    pause_reason: expect.stringContaining(reason),
    pause_code: 'receiver_failing',
  });
  expect(log.events().some(({ msg, hook }) => msg === 'hook_paused' && hook === 1)).toBe(true);
  await to.start();
  await store.resume(1);
  // An attempt from before the receiver was back may fail yet.
  await until('it has the rest', async () => {
    aheadMs += HOUR_MS;
    one.wake();
    return (await waiting()) === 0;
  });
});

test('a replay keeps the order of an article whose next event is under way', async () => {
  const to = await receiver();
  await add(to.url);
  const one = deliveries();
  const [id = 0] = await publish('again');
  await touch(id, 'second');
  one.wake();
  await until('it has these', async () => (await waiting()) === 0);
  let answerNow = () => {};
  to.answer = (response) => {
    answerNow = () => response.writeHead(204).end();
  };
  await touch(id, 'third');
  one.wake();
  await until('the third is under way', () => to.received.length === 4);
  const last = to.received[3]?.event.id;
  expect(await store.replay(1, new Date(0))).toBe(4);
  to.answer = (response) => response.writeHead(204).end();
  answerNow();
  await until('it has all again', async () => {
    one.wake();
    return (await waiting()) === 0;
  });
  const ids = to.received.slice(4).map(({ event }) => event.id);
  expect(ids).toEqual([...to.received.slice(0, 3).map(({ event }) => event.id), last]);
});

test('a hook is resumed while the first of two events about an article ends', async () => {
  await add('http://127.0.0.1:9/hook');
  await publish('meanwhile');
  const queue = new DeliveryQueue(queryBuilder);
  const [head] = (await queue.claim(1, 4)).deliveries;
  if (head === undefined) throw new Error('nothing was due');
  // Whatever reads the rows in their order comes to the second first.
  await query('update content.delivery set attempts = attempts where event_id = $1', head.event.id);
  const options = '-c enable_indexscan=off -c enable_bitmapscan=off';
  const session = new pg.Pool({ connectionString: database.url, max: 1, options });
  open.push({ close: () => session.end() });
  const lockWaits = async (count: number) => {
    const { rows } = await query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    return rows.length === count;
  };
  const holder = await database.pool.connect();
  await holder.query('begin');
  await holder.query('select from content.delivery where event_id <> $1 for update', [head.event.id]);
  const resuming = new HookStore(queriesOf({ pool: session })).resume(1);
  await until('the command waits', () => lockWaits(1));
  const attempt = { durationMs: 1, status: 204, fault: null, answer: '' };
  const ending = queue.succeed(1, [{ delivery: head, attempt }]);
  await until('the process waits too', () => lockWaits(2));
  await holder.query('commit');
  holder.release();
  await Promise.all([resuming, ending]);
  expect(await waiting()).toBe(2);
});

test('a test goes first, whatever waits, and whatever became of the tests before it', async () => {
  const to = await receiver();
  await add(to.url);
  to.answer = (response) => response.writeHead(503).end();
  const one = deliveries();
  await publish('a', 'b', 'c', 'd', 'e', 'f');
  one.wake();
  await until('it has failed', async () => ((await state())?.failures ?? 0) > 0);
  for (const status of [503, 503, 204]) {
    to.answer = (response) => response.writeHead(status).end();
    const event = await store.test(1);
    one.wake();
    const attempt = await until('the test was sent', async () =>
      (await store.log(1, 100)).find(({ event_id }) => event_id === event),
    );
    expect([attempt.type, attempt.status]).toEqual(['hook.test', status]);
  }
});

test('the secret before it signs for a day, and neither is kept in plain text', async () => {
  const to = await receiver();
  const { secret } = await add(to.url);
  const rotated = await store.rotate(1, new SecretBox(KEY));
  const one = deliveries();
  await publish('both');
  one.wake();
  await until('it has these', async () => (await waiting()) === 0);
  aheadMs = 24 * HOUR_MS + 1000;
  await publish('one');
  one.wake();
  await until('it has all', async () => (await waiting()) === 0);
  const [first, , , last] = to.received as [Received, Received, Received, Received];
  for (const either of [secret, rotated]) verifyEvent(first.body, first.headers, either);
  verifyEvent(last.body, last.headers, rotated);
  expect(() => verifyEvent(last.body, last.headers, secret)).toThrow(WebhookVerificationError);
  const { rows } = await query('select hook::text from content.hook');
  for (const either of [secret, rotated]) expect(rows[0].hook).not.toContain(either.slice(6));
});

test('one event that is always refused does not keep the others', async () => {
  const to = await receiver();
  await add(to.url);
  to.answer = (response, { event }) => response.writeHead(event.data.slug === 'poison' ? 400 : 204).end();
  const one = deliveries();
  const [poison = 0] = await publish('poison');
  await publish('fine-1', 'fine-2', 'fine-3');
  await until('the others came', async () => {
    aheadMs += 5000;
    one.wake();
    return (await waiting()) === 2;
  });
  expect(new Set(to.typesOf(poison))).toEqual(new Set(['article.created']));
});

test('what a process that was killed had in hand is delivered by another', async () => {
  const to = await receiver();
  await add(to.url);
  to.answer = () => undefined;
  const child = Child.run('services/content/src/main.ts', {
    ...PATIENT,
    DATABASE_URL: database.url,
    CONTENT_PORT: '0',
    CONTENT_HOOKS_KEY: KEY.toString('base64'),
    CONTENT_HOOKS_PRIVATE_HOSTS: '127.0.0.1',
  });
  await child.event('service_listening');
  const [id = 0] = await publish('in-hand');
  await until('it is in hand', () => to.received.length === 1);
  await child.end();
  to.answer = (response) => response.writeHead(204).end();
  const other = deliveries();
  other.wake();
  aheadMs = 31_000;
  await until('another delivers it', async () => {
    other.wake();
    return (await waiting()) === 0;
  });
  expect(to.typesOf(id)).toEqual(['article.created', 'article.created', 'article.published']);
});

test.each([
  ['a redirect', 302, 'it redirects (302), which is not followed'],
  ['an error', 418, 'it answered 418'],
])('%s is a failure', async (_name, status, fault) => {
  const to = await receiver();
  await add(to.url);
  to.answer = (response) =>
    response.writeHead(status, { location: `${to.url}/elsewhere` }).end('x'.repeat(9000));
  await publish('one');
  deliveries().wake();
  const attempt = await until('it has failed', async () => (await store.log(1, 10))[0]);
  expect(attempt).toMatchObject({ status, fault });
  expect(faultCodeOf(attempt)).toBe(status === 302 ? 'redirects' : 'refused');
  expect(attempt.answer.length).toBeLessThanOrEqual(1024);
  expect(to.received).toHaveLength(1);
});

test('headers of many kilobytes are no answer of a receiver', async () => {
  const to = await receiver();
  await add(to.url);
  to.answer = (response) => response.writeHead(204, { 'x-long': 'x'.repeat(20 * 1024) }).end();
  await publish('one');
  deliveries().wake();
  const attempt = await until('it has failed', async () => (await store.log(1, 10))[0]);
  expect(attempt).toMatchObject({ status: null, fault: expect.any(String) });
});

test('a receiver that drips, or has a private address, is given up', async () => {
  const to = await receiver();
  await add(to.url);
  to.answer = () => undefined;
  await publish('one');
  deliveries({ totalMs: 500 }).wake();
  const slow = await until('it was given up', async () => (await store.log(1, 10))[0]);
  expect([slow.fault, faultCodeOf(slow)]).toEqual(['it did not answer within 0.5 s', 'too_slow']);
  await store.remove(1);
  const asked = to.received.length;
  await add(to.url.replace('127.0.0.1', 'receiver.example'));
  await publish('two');
  deliveries({ privateHosts: [] }).wake();
  await until('it was refused', async () => (await store.log(2, 10))[0]?.fault?.includes('is not public'));
  expect(to.received).toHaveLength(asked);
});

test.each([
  ['127.1'],
  ['2130706433'],
  ['0x7f.0.0.1'],
  ['[::1]'],
  ['[::ffff:127.0.0.1]'],
  ['[64:ff9b::7f00:1]'],
  ['localhost.'],
  ['rebound.example', '8.8.8.8', '127.0.0.1'],
  ['mapped.example', '::ffff:127.0.0.1'],
  ['of-a-cloud.example', '169.254.169.254'],
])('nothing is sent to %s', async (host, ...addresses) => {
  const to = await receiver();
  await add(to.url.replace('127.0.0.1', host));
  await publish('one');
  deliveries({ privateHosts: ['127.0.0.2'], ...(addresses.length > 0 && { addresses }) }).wake();
  const refused = await until('it was refused', async () => (await store.log(1, 10))[0]);
  expect(faultCodeOf(refused)).toBe('not_public');
  expect(to.received).toEqual([]);
});

test.each([
  ['drips its head', 'HTTP/1.1 204 No Content\r\nx: ', 'x', 'it did not answer within 0.5 s'],
  [
    'has a head without end',
    'HTTP/1.1 204 No Content\r\n',
    `x: ${'x'.repeat(30_000)}\r\n`,
    'UND_ERR_HEADERS_OVERFLOW',
  ],
  ['sends hints without end', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'it did not answer within 0.5 s'],
  [
    'changes the protocol',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    '',
    'UND_ERR_SOCKET',
  ],
  ['speaks something else', 'SSH-2.0-OpenSSH\r\n', '', 'the connection broke'],
  ['drips its body', 'HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n', 'x', null],
  ['has a body without end', 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(65_536), null],
])('a receiver that %s is done with in time', async (_name, begins, goesOn, fault) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(begins);
      const going = setInterval(() => socket.write(goesOn), 20);
      socket.on('close', () => clearInterval(going));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push({ close: () => new Promise((resolve) => server.close(() => resolve())) });
  await add(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`);
  await publish('one');
  const one = deliveries({ totalMs: 500 });
  one.wake();
  const attempt = await until('it was attempted', async () => (await store.log(1, 10)).at(-1));
  await one.stop();
  if (fault === null) expect(attempt).toMatchObject({ status: 200, fault });
  else expect(attempt.fault).toContain(fault);
  expect(attempt.fault ?? '').not.toContain('undefined');
});

test('a hook is paused at once if its receiver is gone, or its secret cannot be opened', async () => {
  const to = await receiver();
  await add(to.url);
  to.answer = (response) => response.writeHead(410).end();
  await publish('one');
  const one = deliveries();
  one.wake();
  await until('it is paused', async () => (await state())?.pause_code === 'receiver_gone');
  await one.stop();
  await store.resume(1);
  deliveries({ key: randomBytes(32) }).wake();
  await until('it is paused again', async () => (await state())?.pause_code === 'secret_unreadable');
  expect(await waiting()).toBe(2);
});

test('events are kept for 30 days, whether or not they are delivered', async () => {
  const to = await receiver();
  await add(to.url);
  await publish(...Array.from({ length: 300 }, (_, n) => `kept-${n}`));
  const events = async () => Number((await query('select count(*) from content.event')).rows[0].count);
  const pruned = () => new DeliveryQueue(queryBuilder, () => aheadMs).prune();
  aheadMs = 29 * 24 * HOUR_MS;
  expect([await pruned(), await events()]).toEqual([0, 600]);
  aheadMs = 30 * 24 * HOUR_MS + 1000;
  expect([await pruned(), await events()]).toEqual([600, 0]);
  expect(await waiting()).toBe(0);
});

test('what waits behind an event that is too old to be kept is delivered', async () => {
  const to = await receiver();
  await add(to.url);
  const [id = 0] = await publish('outlived');
  const queue = new DeliveryQueue(queryBuilder, () => aheadMs);
  const [head] = (await queue.claim(1, 4)).deliveries;
  expect(head?.event.type).toBe('article.created');
  // The other waits behind it, and was put aside.
  expect((await queue.claim(1, 4)).deliveries).toEqual([]);
  await query(
    "update content.event set happened_at = now() - interval '31 days' where type = 'article.created'",
  );
  expect(await queue.prune()).toBe(1);
  deliveries().wake();
  await until('the other came', async () => (await waiting()) === 0);
  expect(to.typesOf(id)).toEqual(['article.published']);
});

test.each([
  ['one article', "'1'"],
  ['as many articles', 'n'],
])(
  'a claim reads few rows of 10,000 events about %s, and the removal of the hook each a few times',
  async (_name, article) => {
    await add('http://127.0.0.1:9/hook');
    // Queued at once: the trigger, which is tested elsewhere, queues one by one.
    await query(
      `alter table content.event disable trigger queue_deliveries;
     insert into content.event (type, subject, is_public)
       select 'article.updated', 'article:' || ${article}, true from generate_series(1, 10000) as n;
     alter table content.event enable trigger queue_deliveries;
     insert into content.delivery (event_id, hook_id, subject) select id, 1, subject from content.event order by id;
     analyze content.delivery, content.event;
     alter table content.delivery set (autovacuum_enabled = off);
     select pg_stat_force_next_flush()`,
    );
    const session = new pg.Pool({ connectionString: database.url, max: 1 });
    open.push({ close: () => session.end() });
    const queue = new DeliveryQueue(queriesOf({ pool: session }));
    const blocksRead = async () => {
      await session.query('select pg_stat_force_next_flush()');
      const { rows } = await session.query(
        `select (heap_blks_hit + heap_blks_read + idx_blks_hit + idx_blks_read)::integer as blocks
       from pg_statio_user_tables where schemaname = 'content' and relname = 'delivery'`,
      );
      return rows[0].blocks;
    };
    const attempt = { durationMs: 1, status: 204, fault: null, answer: '' };
    for (let round = 0; round < 10; round += 1) {
      const before = await blocksRead();
      const { deliveries: claimed } = await queue.claim(1, 4);
      // Some 1,500 a look, and now and then a second one; 30,000 when every claim looked at the whole queue.
      expect((await blocksRead()) - before).toBeLessThan(10_000);
      const expected = article === 'n' ? [1, 2, 3, 4].map((n) => round * 4 + n) : [round + 1];
      expect(claimed.map(({ event }) => Number(event.id))).toEqual(expected);
      await queue.succeed(
        1,
        claimed.map((delivery) => ({ delivery, attempt })),
      );
    }
    const before = await blocksRead();
    await new HookStore(queriesOf({ pool: session })).remove(1);
    // It was 700,000 as long as each event looked for the one after it.
    expect((await blocksRead()) - before).toBeLessThan(100_000);
  },
);
