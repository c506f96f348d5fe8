import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { BatchStore } from '@pressroom/gallery-admin/batches/batches-store';
import type { Bucket } from '@pressroom/gallery-admin/buckets/bucket';
import type { GalleryTables } from '@pressroom/gallery-admin/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FaultyGallery, faultyGallery } from '../support/faulty-gallery.ts';
import type { FaultyProxy, PassingRequest } from '../support/faulty-proxy.ts';
import type { GalleryFixture } from '../support/gallery.ts';
import { holdRecords } from '../support/held-records.ts';
import { send } from '../support/http.ts';
import { listAll, putAll } from '../support/s3/objects.ts';
import { until } from '../support/until.ts';

/** Another replica than the one before the proxy. */
let direct: GalleryFixture;
let proxy: FaultyProxy;
let service: FaultyGallery;

const names = ['d/1', 'd/2', 'd/in/3'];

beforeAll(async () => {
  service = await faultyGallery();
  ({ direct, proxy } = service);
});

afterAll(() => service?.close());

beforeEach(async () => {
  await direct.post('/api/gallery/batch', { action: 'delete', paths: ['d/', 'to/', 'e/'] });
  await direct.database.pool.query('truncate gallery.batch');
  await fill();
});

afterEach(() => {
  proxy.choose = () => undefined;
});

const fill = (...more: string[]) => putAll(direct.s3, direct.bucket, more.length > 0 ? more : names);

async function keys(): Promise<string[]> {
  return (await listAll(direct.s3, { Bucket: direct.bucket })).keys.sort();
}

/** A request, sent to the replica before the proxy. */
interface Asked {
  action: 'copy' | 'move' | 'delete';
  paths?: string[];
  dest?: string;
  key?: string;
}

function options({ key, action, paths = ['d/'], dest = 'to/' }: Asked) {
  const json = { action, paths, dest };
  const headers = { cookie: service.cookie, ...(key !== undefined && { 'idempotency-key': key }) };
  return { method: 'POST', headers, json };
}

function ask(asked: Asked) {
  return send(`${service.url}/api/gallery/batch`, options(asked));
}

function askReplica(asked: Asked) {
  return send(`${direct.url}/api/gallery/batch`, options(asked));
}

const isWork = ({ method, path }: PassingRequest) =>
  (method === 'PUT' && path.includes('/to/')) || (method === 'POST' && path.includes('?delete'));

/** Asks, and holds the store's answer to the first change back until `release`. */
async function askAndHold(asked: Asked, signal?: AbortSignal) {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  proxy.choose = (request) => {
    if (!isWork(request)) return undefined;
    reached.resolve();
    return gate.promise;
  };
  const { json, headers, method } = options(asked);
  const body = JSON.stringify(json);
  const answer = fetch(`${service.url}/api/gallery/batch`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body,
    ...(signal && { signal }),
  });
  await reached.promise;
  const release = () => {
    proxy.choose = () => undefined;
    gate.resolve();
  };
  return { answer, release };
}

/** Asks, and breaks the connection while the store works. */
async function askAndLeave(asked: Asked) {
  const client = new AbortController();
  const { answer, release } = await askAndHold(asked, client.signal);
  client.abort();
  await expect(answer).rejects.toThrow();
  return release;
}

async function ended(): Promise<void> {
  await until('the operation has ended', async () => {
    const running = 'select 1 from gallery.batch where leased_until is not null';
    return (await direct.database.pool.query(running)).rowCount === 0;
  });
}

/** Sends requests while an operation runs, and resolves when each of them has seen that it does. */
async function askWhileItRuns<Answered>(requests: (() => Promise<Answered>)[]): Promise<Promise<Answered>[]> {
  const { pool } = direct.database;
  const waiting = async () => {
    const { rows } = await pool.query(
      `select count(*)::int as waiting from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query ~ 'for update|advisory'`,
    );
    return rows[0].waiting as number;
  };
  const holder = await pool.connect();
  await holder.query('begin');
  await holder.query('select 1 from gallery.batch for update');
  const answers = requests.map((request) => request());
  await until('all wait for the row', async () => (await waiting()) === requests.length);
  await holder.query('commit');
  holder.release();
  await until('all have read it', async () => (await waiting()) === 0);
  return answers;
}

const ACTIONS = [
  ['move', '3 objects moved', ['to/d/1', 'to/d/2', 'to/d/in/3']],
  ['copy', '3 objects copied', [...names, 'to/d/1', 'to/d/2', 'to/d/in/3']],
  ['delete', '3 objects deleted', []],
] as const;

test.each(ACTIONS)(
  'a %s whose connection drops is finished, and the same request returns its outcome',
  async (action, message, left) => {
    const release = await askAndLeave({ action });
    const waiting = await askWhileItRuns([() => ask({ action }), () => askReplica({ action })]);
    release();
    for (const { status, body } of await Promise.all(waiting)) {
      expect([status, body]).toEqual([200, { success: true, message, affected: 3 }]);
    }
    expect(await keys()).toEqual(left);
  },
);

test.each(ACTIONS)(
  'a %s whose connection dropped returns its outcome once, when it has ended',
  async (action, message, left) => {
    (await askAndLeave({ action }))();
    await ended();
    const { status, body } = await askReplica({ action });
    expect([status, body]).toEqual([200, { success: true, message, affected: 3 }]);
    expect(await keys()).toEqual(left);
    // This answer has arrived: the next request is new work.
    const third = await askReplica({ action });
    if (action === 'delete') expect(third.body).toMatchObject({ success: true, affected: 0 });
    else expect(third.status).toBe(400);
  },
);

test('a single deletion is repeated like a batch', async () => {
  const { post } = direct;
  const client = new AbortController();
  const deletion = { path: 'd', type: 'folder' };
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  proxy.choose = (request) => {
    if (!isWork(request)) return undefined;
    reached.resolve();
    return gate.promise;
  };
  const answer = fetch(`${service.url}/api/gallery/delete`, {
    method: 'POST',
    headers: { cookie: service.cookie, 'content-type': 'application/json' },
    body: JSON.stringify(deletion),
    signal: client.signal,
  });
  await reached.promise;
  client.abort();
  await expect(answer).rejects.toThrow();
  gate.resolve();
  await ended();
  expect((await post('/api/gallery/delete', deletion)).body).toMatchObject({ deleted: 3 });
  expect((await post('/api/gallery/delete', deletion)).body).toMatchObject({ deleted: 0 });
});

test('a deletion that is repeated after new uploads deletes them, although its answer was lost', async () => {
  (await askAndLeave({ action: 'delete' }))();
  await ended();
  await fill('d/new');
  expect((await ask({ action: 'delete' })).body).toMatchObject({ message: '1 object deleted', affected: 1 });
  expect(await keys()).toEqual([]);
});

test('a move there, back and there again moves three times, although its answer was lost', async () => {
  (await askAndLeave({ action: 'move' }))();
  await ended();
  expect((await ask({ action: 'move', paths: ['to/d/'], dest: '' })).body.affected).toBe(3);
  expect(await keys()).toEqual(names);
  expect((await ask({ action: 'move' })).body).toMatchObject({ success: true, affected: 3 });
  expect(await keys()).toEqual(names.map((name) => `to/${name}`));
});

test('a copy that is repeated after a change of its source is a conflict, although its answer was lost', async () => {
  (await askAndLeave({ action: 'copy' }))();
  await ended();
  await putAll(direct.s3, direct.bucket, ['d/4']);
  expect((await ask({ action: 'copy' })).body.affected).toBe(4);
  expect(await keys()).toEqual([...names, 'd/4', ...names.map((name) => `to/${name}`), 'to/d/4'].sort());
  const { status, body } = await ask({ action: 'copy' });
  expect([status, body.code]).toEqual([400, 'destination_conflict']);
});

test('a move that is repeated keeps a new source of another type with the same bytes, although its answer was lost', async () => {
  (await askAndLeave({ action: 'move' }))();
  await ended();
  const again = { Bucket: direct.bucket, Key: 'd/1', Body: 'd/1', ContentType: 'text/html' };
  await direct.s3.send(new PutObjectCommand(again));
  const { status, body } = await ask({ action: 'move' });
  expect([status, body.code]).toEqual([400, 'destination_conflict']);
  expect(await keys()).toEqual(['d/1', ...names.map((name) => `to/${name}`)]);
});

test('what was interrupted is finished by the same request with another key, in the background or on another replica', async () => {
  for (const [background, key] of [
    [false, 'another-key'],
    [true, undefined],
  ] as const) {
    await fill();
    proxy.choose = ({ method, path }) =>
      method === 'PUT' && path.includes('/to/d/2') ? 'refuse' : undefined;
    expect((await ask({ action: 'move', key: `first-${background}` })).body.code).toBe(
      'operation_incomplete',
    );
    proxy.choose = () => undefined;
    expect(await keys()).toContain('to/d/1');
    const { json, ...rest } = options({ action: 'move', ...(key && { key }) });
    const headers = { ...rest.headers, cookie: direct.cookie };
    const again = { ...rest, headers, json: { ...json, ...(background && { background }) } };
    const { body } = await send(`${direct.url}/api/gallery/batch`, again);
    if (background) {
      await ended();
      expect((await direct.ask(`/api/gallery/batches/${body.batch.id}`)).body.batch).toMatchObject({
        state: 'done',
        affected: 3,
      });
    } else expect(body).toMatchObject({ success: true, affected: 3 });
    expect(await keys()).toEqual(names.map((name) => `to/${name}`));
    // Nothing is left to resume: what is there now is in the way.
    await fill();
    expect((await ask({ action: 'move', key: `next-${background}` })).body.code).toBe('destination_conflict');
    await direct.post('/api/gallery/batch', { action: 'delete', paths: ['d/', 'to/'] });
  }
});

test('a batch that queues behind the same move finishes what that has left', async () => {
  const { answer, release } = await askAndHold({ action: 'move', key: 'fails' });
  const { json, ...rest } = options({ action: 'move' });
  const background = { ...rest, json: { ...json, background: true } };
  const { body } = await send(`${direct.url}/api/gallery/batch`, background);
  release();
  proxy.choose = ({ path }) => (path.includes('?delete') ? 'refuse' : undefined);
  expect((await (await answer).json()).code).toBe('operation_incomplete');
  await ended();
  const { batch } = (await direct.ask(`/api/gallery/batches/${body.batch.id}`)).body;
  expect(batch).toMatchObject({ state: 'done', code: null, affected: 3 });
});

test('what a process has left that has just been killed is finished by the same request with another key', async () => {
  proxy.choose = ({ path }) => (path.includes('?delete') ? 'refuse' : undefined);
  expect((await ask({ action: 'move', key: 'killed' })).body.code).toBe('operation_incomplete');
  proxy.choose = () => undefined;
  // As a process leaves it that had no time to say how it ended.
  await direct.database.pool.query(
    `update gallery.batch set state = 'running', run = gen_random_uuid(), leased_until = now() + interval '1 minute'`,
  );
  expect((await ask({ action: 'move', key: 'next' })).body).toMatchObject({ success: true, affected: 3 });
  expect(await keys()).toEqual(names.map((name) => `to/${name}`));
});

test('a batch that the same request has finished is done, and has nothing to resume', async () => {
  proxy.choose = ({ path }) => (path.includes('?delete') ? 'refuse' : undefined);
  const { json, ...rest } = options({ action: 'move' });
  const background = { ...rest, json: { ...json, background: true } };
  const { id } = (await send(`${service.url}/api/gallery/batch`, background)).body.batch;
  await ended();
  proxy.choose = () => undefined;
  expect((await ask({ action: 'move' })).body).toMatchObject({ success: true, affected: 3 });
  const { body } = await direct.ask(`/api/gallery/batches/${id}/resume`, { method: 'POST' });
  expect(body.batch).toMatchObject({ state: 'done', affected: 0, code: null });
});

test('the rest of an interrupted move is finished, even if what has arrived was taken further', async () => {
  const files = { action: 'move' as const, paths: ['d/1', 'd/2'] };
  proxy.choose = ({ method, path }) => (method === 'POST' && path.includes('?delete') ? 'refuse' : undefined);
  expect((await ask(files)).body.code).toBe('operation_incomplete');
  proxy.choose = () => undefined;
  // As if the first of both had been deleted at the source before the process died.
  await direct.s3.send(new DeleteObjectCommand({ Bucket: direct.bucket, Key: 'd/1' }));
  expect((await askReplica({ action: 'move', paths: ['to/1'], dest: 'e/' })).status).toBe(200);
  expect((await ask(files)).body).toMatchObject({ success: true, affected: 2 });
  expect(await keys()).toEqual(['d/in/3', 'e/1', 'to/2']);
});

test('a move of files and folders that is repeated says what it has moved, although its answer was lost', async () => {
  const mixed: Asked = { action: 'move', paths: ['d/in/', 'd/1'] };
  (await askAndLeave(mixed))();
  await ended();
  expect((await ask(mixed)).body).toMatchObject({ success: true, affected: 2 });
  expect(await keys()).toEqual(['d/2', 'to/1', 'to/in/3']);
});

test('that the outcome of a run has arrived says nothing of the next one', async () => {
  const store = new BatchStore(
    new Kysely<GalleryTables>({ dialect: new PostgresDialect({ pool: direct.database.pool }) }),
  );
  const bucket = { id: 'default', name: direct.bucket } as Bucket;
  const asked = {
    request: { action: 'delete' as const, paths: ['d/'], dest: '' },
    key: undefined,
    background: false,
  };
  const runs: string[] = [];
  for (const affected of [1, 2]) {
    const { claim } = await store.begin(bucket, asked);
    if (claim === undefined) throw new Error('it runs already');
    runs.push(claim.run);
    await store.end(claim, { message: 'deleted', affected }, { done: affected, total: affected });
  }
  const id = (await direct.database.pool.query('select id from gallery.batch')).rows[0].id;
  const delivered = async (run = '') => {
    await store.delivered({ id, run });
    return (await direct.database.pool.query('select delivered from gallery.batch')).rows[0].delivered;
  };
  expect([await delivered(runs[0]), await delivered(runs[1])]).toEqual([false, true]);
});

test('an answer that arrived is not told again: the same move is new work', async () => {
  expect((await ask({ action: 'move' })).status).toBe(200);
  const { status, body } = await ask({ action: 'move' });
  expect([status, body.message]).toEqual([400, expect.stringContaining('nothing exists')]);
});

test('a request sent twice at once is done once, and both get the outcome', async () => {
  const { answer, release } = await askAndHold({ action: 'move' });
  const [second] = await askWhileItRuns([() => ask({ action: 'move' })]);
  release();
  const first = await (await answer).json();
  expect(first).toEqual({ success: true, message: '3 objects moved', affected: 3 });
  expect((await second)?.body).toEqual(first);
});

test('with an Idempotency-Key the outcome is returned for a day, also on another replica', async () => {
  const key = 'made-by-the-client:1';
  const first = await ask({ action: 'move', key });
  expect(first.body).toMatchObject({ success: true, affected: 3 });
  await fill();
  for (const { status, body } of [
    await ask({ action: 'move', key }),
    await askReplica({ action: 'move', key }),
  ]) {
    expect([status, body]).toEqual([200, first.body]);
  }
  expect(await keys()).toEqual([...names, ...names.map((name) => `to/${name}`)].sort());
  const other = await ask({ action: 'move', key: 'another', dest: 'e/' });
  expect(other.body).toMatchObject({ success: true, affected: 3 });
});

test('nothing is answered as done before that is recorded, and the same request then gets the outcome', async () => {
  const asked: Asked = { action: 'delete', paths: ['d/'], key: 'recorded-late' };
  const { release, answer } = await askAndHold(asked);
  const { recording, forget } = await holdRecords(direct.database.pool);
  release();
  await until('the outcome is about to be recorded', recording);
  const unrecorded = await answer;
  expect([unrecorded.status, (await unrecorded.json()).code]).toEqual([503, 'temporarily_unavailable']);

  await fill('d/new');
  await forget();
  const again = await ask(asked);
  expect([again.status, again.body.affected]).toEqual([200, names.length]);
  expect(await keys()).toEqual(['d/new']);
});

test('a key that comes with another request is 422, and nothing is changed', async () => {
  const key = 'made-by-the-client:2';
  expect((await ask({ action: 'copy', key })).status).toBe(200);
  const before = await keys();
  for (const asked of [{ action: 'delete', key } as const, { action: 'copy', key, dest: 'e/' } as const]) {
    const { status, body } = await ask(asked);
    expect([status, body.code, body.success]).toEqual([422, 'idempotency_key_reused', false]);
  }
  expect(await keys()).toEqual(before);
});

test.each(['', 'a b', 'ü', 'x'.repeat(256)])('the key %j is 400, and nothing is changed', async (key) => {
  const { status, body } = await ask({ action: 'delete', key: Buffer.from(key).toString('latin1') });
  expect([status, body.code]).toEqual([400, 'invalid_request']);
  expect(body.message.toLowerCase()).toContain('idempotency-key');
  expect(await keys()).toEqual(names);
});

test('a failure is not kept: the same key tries again', async () => {
  const key = 'made-by-the-client:3';
  proxy.choose = (request) => (isWork(request) ? 'refuse' : undefined);
  expect((await ask({ action: 'move', key })).body.code).toBe('operation_incomplete');
  proxy.choose = () => undefined;
  expect((await ask({ action: 'move', key })).body).toMatchObject({ success: true, affected: 3 });
});

test('outcomes are forgotten after a day', async () => {
  const key = 'made-by-the-client:4';
  await ask({ action: 'copy', key });
  const { pool } = direct.database;
  await until('the delivery is noted', async () => {
    return (await pool.query('select 1 from gallery.batch where delivered')).rowCount === 1;
  });
  await pool.query(`update gallery.batch set changed_at = now() - interval '25 hours'`);
  expect((await ask({ action: 'delete', key })).body).toMatchObject({ success: true, affected: 3 });
  const { rows } = await pool.query('select count(*)::int as kept from gallery.batch');
  expect(rows).toEqual([{ kept: 1 }]);
});
