import { HeadObjectCommand, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3';
import { withTransferLock } from '@pressroom/gallery-admin/batches/objects';
import type { Bucket } from '@pressroom/gallery-admin/buckets/bucket';
import type { GalleryTables } from '@pressroom/gallery-admin/tables';
import { Kysely, PostgresDialect } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FaultyGallery, faultyGallery } from '../support/faulty-gallery.ts';
import type { Fault, FaultyProxy, PassingRequest } from '../support/faulty-proxy.ts';
import { type GalleryFixture, startGallery } from '../support/gallery.ts';
import { send } from '../support/http.ts';
import { listAll, put, putAll, read } from '../support/s3/objects.ts';
import { until } from '../support/until.ts';

/** Objects in the folder that is moved. */
const COUNT = 60;

let direct: GalleryFixture;
let proxy: FaultyProxy;
let service: FaultyGallery;

beforeAll(async () => {
  service = await faultyGallery();
  ({ direct, proxy } = service);
});

afterAll(() => service?.close());

const names = Array.from({ length: COUNT }, (_, index) => `d/${index % 3}/${index} ü+%.jpg`);

beforeEach(async () => {
  await direct.database.pool.query('truncate gallery.batch, gallery.original_date');
  for (const path of ['d/', 'to/']) await direct.post('/api/gallery/delete', { path, type: 'folder' });
  await putAll(direct.s3, direct.bucket, names);
});

afterEach(() => {
  proxy.choose = () => undefined;
});

function batch(action: string) {
  return service.ask('/api/gallery/batch', {
    method: 'POST',
    json: { action, paths: ['d/'], dest: 'to/' },
  });
}

async function keys(prefix: string): Promise<string[]> {
  return (await listAll(direct.s3, { Bucket: direct.bucket, Prefix: prefix })).keys;
}

/**
 * Undefined if the object has gone since it was listed: the store may still be working on a deletion whose
 * answer was cut off.
 */
function contentOf(key: string): Promise<string | undefined> {
  return read(direct.s3, direct.bucket, key).catch((error: unknown) => {
    if (error instanceof NoSuchKey) return undefined;
    throw error;
  });
}

/** Every object is at its source or at its destination, whole, and there is nothing else. */
async function assertNothingLost(): Promise<void> {
  const listed = new Set([...(await keys('d/')), ...(await keys('to/'))]);
  for (const name of names) {
    const places = [name, `to/${name}`].filter((key) => listed.delete(key));
    const contents = await Promise.all(places.map(contentOf));
    const present = contents.filter((content) => content !== undefined);
    expect(present, name).not.toEqual([]);
    expect(new Set(present), name).toEqual(new Set([name]));
  }
  expect([...listed]).toEqual([]);
}

async function assertMoved(): Promise<void> {
  expect(await keys('d/')).toEqual([]);
  expect((await keys('to/')).sort()).toEqual(names.map((name) => `to/${name}`).sort());
  await assertNothingLost();
}

const isCopy = ({ method, path }: PassingRequest) => method === 'PUT' && path.includes('/to/');
const isDelete = ({ method, path }: PassingRequest) => method === 'POST' && path.includes('?delete');
const isListing = ({ method, path }: PassingRequest) => method === 'GET' && path.includes('list-type=2');

/** Spoils every request of a kind from the `from`th on. */
function spoil(kind: (request: PassingRequest) => boolean, from: number, fault: Fault) {
  let seen = 0;
  return (request: PassingRequest): Fault => {
    if (!kind(request)) return undefined;
    seen += 1;
    return seen >= from ? fault : undefined;
  };
}

const FAULTS = ['refuse', 'cut-request', 'cut-answer'] as const;

test.each(FAULTS)('a store that fails now and then (%s) does not stop a move', async (fault) => {
  let requests = 0;
  const spoiled = new Set<string>();
  proxy.choose = ({ method, path }) => {
    requests += 1;
    // A request that failed three times in a row would be given up.
    if (requests % 10 !== 0 || spoiled.has(`${method} ${path}`)) return undefined;
    spoiled.add(`${method} ${path}`);
    return fault;
  };
  const { status, body } = await batch('move');
  expect({ status, body }).toMatchObject({ status: 200, body: { affected: COUNT } });
  await assertMoved();
});

test.each(FAULTS)(
  'a move that stops while it copies (%s) says so, loses nothing, and is finished',
  async (fault) => {
    proxy.choose = spoil(isCopy, 20, fault);
    const { status, body } = await batch('move');
    expect([status, body.code, body.success]).toEqual([500, 'operation_incomplete', false]);
    expect(body.message).toMatch(/^\d+ of 60 objects copied, then "d\/.*" failed.*nothing was deleted/);
    expect((await keys('d/')).sort()).toEqual([...names].sort());
    await assertNothingLost();
    proxy.choose = () => undefined;
    expect((await batch('move')).body).toMatchObject({ success: true, affected: COUNT });
    await assertMoved();
  },
);

test.each(FAULTS)(
  'a move that stops while it deletes (%s) says so, loses nothing, and is finished',
  async (fault) => {
    proxy.choose = spoil(isDelete, 1, fault);
    const { status, body } = await batch('move');
    expect([status, body.code]).toEqual([500, 'operation_incomplete']);
    expect(body.message).toMatch(/^60 objects copied, 0 of them deleted/);
    await assertNothingLost();
    proxy.choose = () => undefined;
    expect((await batch('move')).status).toBe(200);
    await assertMoved();
  },
);

test('a deletion whose answer is lost is repeated, and what it has deleted counts as deleted', async () => {
  let deletions = 0;
  proxy.choose = (request) => {
    if (!isDelete(request)) return undefined;
    deletions += 1;
    return deletions === 1 ? 'cut-answer' : undefined;
  };
  const { status, body } = await batch('move');
  expect([status, body.affected], body.message).toEqual([200, COUNT]);
  expect(deletions).toBe(2);
  await assertMoved();
});

test('a move whose listing breaks off after the copies deletes nothing unseen', async () => {
  // Resolving the path, two listings of the check, two of the copying; then those of the deletion.
  proxy.choose = spoil(isListing, 6, 'refuse');
  expect((await batch('move')).status).toBe(500);
  expect(await keys('d/')).toHaveLength(COUNT);
  await assertNothingLost();
});

test('a copy that stops is finished by the same request, and the one after that is a conflict', async () => {
  proxy.choose = spoil(isCopy, 20, 'cut-answer');
  expect((await batch('copy')).body.code).toBe('operation_incomplete');
  await assertNothingLost();
  proxy.choose = () => undefined;
  expect((await batch('copy')).body).toMatchObject({ success: true, affected: COUNT });
  expect(await keys('to/')).toHaveLength(COUNT);
  expect(await keys('d/')).toHaveLength(COUNT);
  expect((await batch('copy')).body.code).toBe('destination_conflict');
});

test('what somebody else puts at the destination of an interrupted move is a conflict', async () => {
  proxy.choose = spoil(isCopy, 20, 'refuse');
  await batch('move');
  proxy.choose = () => undefined;
  const foreign = `to/${names[7]}`;
  await put(direct.s3, direct.bucket, foreign, 'of somebody else');
  const { status, body } = await batch('move');
  expect([status, body.code]).toEqual([400, 'destination_conflict']);
  expect(body.message).toContain(JSON.stringify(foreign));
  expect(await keys('d/')).toHaveLength(COUNT);
  expect(await read(direct.s3, direct.bucket, foreign)).toBe('of somebody else');
});

/** Holds back the answers of the chosen requests from the first one on. */
function hold(kind: (request: PassingRequest) => boolean) {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  proxy.choose = (request) => {
    if (!kind(request)) return undefined;
    reached.resolve();
    return gate.promise;
  };
  return { reached: reached.promise, release: gate.resolve };
}

test('what changes at the source while it is moved is not deleted', async () => {
  const [changed = '', arrived] = [names[3], 'd/0/new.jpg'];
  const { reached, release } = hold(isCopy);
  const moving = batch('move');
  await reached;
  // The first copies are made, and their answers held back.
  await put(direct.s3, direct.bucket, arrived, 'new');
  await put(direct.s3, direct.bucket, changed, 'changed');
  release();
  const { status, body } = await moving;
  expect(await read(direct.s3, direct.bucket, changed)).toBe('changed');
  expect(await read(direct.s3, direct.bucket, arrived)).toBe('new');
  expect(status === 200 ? body.message : body.code).toMatch(
    /2 objects arrived or changed|operation_incomplete/,
  );
  await put(direct.s3, direct.bucket, changed, changed);
});

test('a store that is away from the start is 503, and nothing is changed', async () => {
  proxy.choose = () => 'refuse';
  // A load balancer that took the service out would hide the settings that may have to be changed.
  const ready = await service.ask('/readyz');
  expect([ready.status, ready.body]).toEqual([200, { status: 'degraded', degraded: ['object store'] }]);
  expect((await service.ask('/api/settings/buckets')).status).toBe(200);
  const { status, body, headers } = await batch('move');
  expect([status, body.code]).toEqual([503, 'temporarily_unavailable']);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(await keys('d/')).toHaveLength(COUNT);
  expect(await keys('to/')).toEqual([]);
  proxy.choose = () => undefined;
  expect((await service.ask('/readyz')).body).toEqual({ status: 'ok' });
});

test('a store that hangs in the middle of a move is given up long before the time a copy may take', async () => {
  const hanging = Promise.withResolvers<void>();
  let copies = 0;
  proxy.choose = (request) => {
    if (isCopy(request)) copies += 1;
    return copies > 5 ? hanging.promise : undefined;
  };
  const { status, body } = await batch('move');
  hanging.resolve();
  expect([status, body.code]).toEqual([500, 'operation_incomplete']);
  expect(body.message).toContain('did not answer');
  proxy.choose = () => undefined;
  await assertNothingLost();
  expect((await batch('move')).status).toBe(200);
  await assertMoved();
});

test.each([1, 2, 3, 4])(
  'nothing is lost whatever the store does (%i), and the move is finished in the end',
  async (seed) => {
    let state = seed;
    const random = () => {
      state = (state * 48271) % 2147483647;
      return state / 2147483647;
    };
    let status = 0;
    // Retries are timed at random, so a run may finish before the store is well again.
    for (const severity of [0.35, 0.5, 0.3, 0]) {
      proxy.choose = () => (random() < severity ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined);
      const answer = await batch('move');
      expect([200, 500, 503], answer.text).toContain(answer.status);
      await assertNothingLost();
      status = answer.status;
      if (status === 200) break;
    }
    expect(status).toBe(200);
    await assertMoved();
  },
);

test('a copy waits a moment for a move to end', async () => {
  await putAll(direct.s3, direct.bucket, ['other/1.txt']);
  const looking = async () => {
    const { rows } = await direct.database.pool.query(
      `select from pg_stat_activity
       where datname = current_database() and state = 'idle' and query like 'select pg_try_advisory_lock%'`,
    );
    return rows.length;
  };
  // On a machine where the rest of a move takes longer than a copy waits, another one may be quicker.
  let statuses: number[] = [];
  for (let attempt = 1; attempt <= 10 && statuses[1] !== 200; attempt += 1) {
    await putAll(direct.s3, direct.bucket, ['brief/1.txt']);
    const { reached, release } = hold(isDelete);
    const json = { action: 'move', paths: ['brief/'], dest: `briefly/${attempt}/` };
    const first = service.ask('/api/gallery/batch', { method: 'POST', json });
    await reached;
    const before = await looking();
    const copy = { action: 'copy', paths: ['other'], dest: `copies/${attempt}/` };
    const second = direct.post('/api/gallery/batch', copy);
    await until('it looks whether the first one has ended', async () => (await looking()) > before);
    release();
    statuses = [(await first).status, (await second).status];
  }
  expect(statuses).toEqual([200, 200]);
});

test('copies that wait for a move leave the database to whoever else asks', async () => {
  const { reached, release } = hold(isCopy);
  const first = batch('move');
  await reached;
  const small = await startGallery({ ...direct.settings, DATABASE_POOL_SIZE: '2' });
  const headers = { cookie: direct.cookie };
  for (let index = 0; index < 6; index += 1) {
    const json = { action: 'copy', paths: ['d/0/'], dest: `waiting/${index}/`, background: true };
    expect((await send(`${small.url}/api/gallery/batch`, { method: 'POST', headers, json })).status).toBe(
      202,
    );
  }
  const states = async () => {
    const { status, body } = await send(`${small.url}/api/gallery/batches`, { headers });
    expect(status).toBe(200);
    return body.data.map(({ state }: { state: string }) => state);
  };
  expect(await states()).toEqual(Array(6).fill('running'));
  release();
  expect((await first).status).toBe(200);
  await until('all have ended', async () => !(await states()).includes('running'));
  await small.close();
  await direct.post('/api/gallery/delete', { path: 'waiting', type: 'folder' });
});

test('a second move is refused while the first one goes on', async () => {
  const { reached, release } = hold(isCopy);
  const first = batch('move');
  await reached;
  const second = await direct.post('/api/gallery/batch', { action: 'move', paths: ['d/0'], dest: 'to/d/' });
  expect([second.status, second.body.code]).toEqual([503, 'temporarily_unavailable']);
  release();
  expect((await first).status).toBe(200);
  await assertMoved();
});

test('a database whose connections break in the middle of a move stops neither the move nor the service', async () => {
  const { reached, release } = hold(isCopy);
  const moving = batch('move');
  await reached;
  await direct.database.pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  );
  release();
  expect((await moving).status).toBe(200);
  await assertMoved();
  await until('the service answers again', async () => (await batch('move')).status === 400);
});

/** Ends the connections that hold an advisory lock. */
async function loseLock(): Promise<void> {
  await direct.database.pool.query(
    `select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and datname = current_database()`,
  );
}

test('a move that has lost its lock begins to delete only when it has it again', async () => {
  const { reached, release } = hold(isCopy);
  const moving = batch('move');
  await reached;
  await loseLock();
  const db = new Kysely<GalleryTables>({ dialect: new PostgresDialect({ pool: direct.database.pool }) });
  const { rows } = await direct.database.pool.query('select bucket_id as id from gallery.batch limit 1');
  const bucket = { id: rows[0].id, name: direct.bucket } as Bucket;
  const gate = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const other = withTransferLock(db, bucket, () => {
    taken.resolve();
    return gate.promise;
  });
  await taken.promise;
  release();
  const { status, body } = await moving;
  expect([status, body.code]).toEqual([503, 'temporarily_unavailable']);
  expect(await keys('d/')).toHaveLength(COUNT);
  gate.resolve();
  await other;
  expect((await batch('move')).body).toMatchObject({ success: true, affected: COUNT });
  await assertMoved();
});

test('a move that loses its lock while it looks what to delete deletes nothing', async () => {
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  // Resolving the path, two listings of the check, two of the copying; then those of the deletion.
  let listings = 0;
  proxy.choose = (request) => {
    if (!isListing(request) || ++listings < 6) return undefined;
    reached.resolve();
    return gate.promise;
  };
  const moving = batch('move');
  await reached.promise;
  await loseLock();
  gate.resolve();
  const { status, body } = await moving;
  expect([status, body.code]).toEqual([500, 'operation_incomplete']);
  expect(body.message).toContain('the connection to the database was lost');
  expect(await keys('d/')).toHaveLength(COUNT);
  expect((await batch('move')).status).toBe(200);
  await assertMoved();
});

test('what nothing was copied of does not count as begun: the destination is taken, or the source is gone', async () => {
  proxy.choose = spoil(isCopy, 1, 'refuse');
  expect((await batch('move')).body.code).toBe('operation_incomplete');
  proxy.choose = () => undefined;
  await put(direct.s3, direct.bucket, 'to/d/0/of somebody else');
  expect((await batch('move')).body.code).toBe('destination_conflict');
  expect(await keys('d/')).toHaveLength(COUNT);
  await direct.post('/api/gallery/delete', { path: 'to/', type: 'folder' });
  await direct.post('/api/gallery/delete', { path: 'd/', type: 'folder' });
  const gone = await batch('move');
  expect([gone.status, gone.body.message]).toEqual([400, expect.stringContaining('nothing exists')]);
  const single = { method: 'POST', json: { action: 'move', paths: ['d/one'], dest: 'to/' } };
  await put(direct.s3, direct.bucket, 'd/one');
  proxy.choose = spoil(isCopy, 1, 'refuse');
  expect((await service.ask('/api/gallery/batch', single)).body.code).toBe('operation_incomplete');
  proxy.choose = () => undefined;
  await direct.post('/api/gallery/delete', { path: 'd/one', type: 'image' });
  expect((await service.ask('/api/gallery/batch', single)).status).toBe(400);
});

test('a file that could not be moved keeps the date when it was written', async () => {
  await put(direct.s3, direct.bucket, 'd/dated/1.jpg');
  await direct.post('/api/gallery/rename', { path: 'd/dated/1.jpg', name: '2.jpg' });
  await direct.database.pool.query("update gallery.original_date set modified_at = '2020-02-02T00:00:00Z'");
  proxy.choose = spoil(isDelete, 1, 'refuse');
  expect((await batch('move')).body.code).toBe('operation_incomplete');
  proxy.choose = () => undefined;
  const listed = async (path: string) =>
    (await direct.ask(`/api/gallery?json=1&path=${path}`)).body.data.files[0].lastModified;
  expect(await listed('d/dated/')).toBe('2020-02-02T00:00:00.000Z');
  expect((await batch('move')).status).toBe(200);
  expect(await listed('to/d/dated/')).toBe('2020-02-02T00:00:00.000Z');
  const { rows } = await direct.database.pool.query(
    'select count(*)::int as count from gallery.original_date',
  );
  expect(rows[0].count).toBe(COUNT + 1);
});

test('a deletion may take longer than other requests, as long as the store answers those', async () => {
  const deleting = Promise.withResolvers<void>();
  let answered = 0;
  proxy.choose = (request) => {
    if (isDelete(request)) return deleting.promise;
    // Pings come every 2 s, and other requests have 7.5 s.
    if (request.method === 'HEAD' && ++answered === 5) deleting.resolve();
    return undefined;
  };
  const { status, body } = await service.ask('/api/gallery/delete', {
    method: 'POST',
    json: { path: 'd', type: 'folder' },
  });
  expect([status, body.success]).toEqual([200, true]);
  expect(await keys('d/')).toEqual([]);
});

test('a deletion that stops partway says what is left', async () => {
  proxy.choose = spoil(isDelete, 1, 'refuse');
  const { status, body } = await service.ask('/api/gallery/delete', {
    method: 'POST',
    json: { path: 'd', type: 'folder' },
  });
  expect([status, body.code]).toEqual([500, 'operation_incomplete']);
  expect(body.message).toMatch(/^0 objects deleted; not confirmed as deleted: "d\/.*and more/);
  expect(await keys('d/')).toHaveLength(COUNT);
});

test('a folder whose marker the store does not copy is moved with it', async () => {
  const marker = { Bucket: direct.bucket, Key: 'd/', ContentType: 'application/x-directory' };
  await direct.s3.send(new PutObjectCommand({ ...marker, Metadata: { by: 'a tool' } }));
  // As versitygw answers.
  const body = '<Error><Code>DirectoryObjectContainsData</Code></Error>';
  const answer = `HTTP/1.1 400 Bad Request\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  const refused = new Set<string>();
  proxy.choose = ({ method, path }) => {
    const isMarker = method === 'PUT' && /\/d\/(\?|$)/.test(path);
    if (!isMarker || refused.has(path.replace(/\?.*/, ''))) return undefined;
    refused.add(path.replace(/\?.*/, ''));
    return { answer };
  };
  const { status, body: moved } = await batch('move');
  expect([status, moved.affected], moved.message).toEqual([200, COUNT + 1]);
  expect(refused.size).toBe(1);
  const head = await direct.s3.send(new HeadObjectCommand({ Bucket: direct.bucket, Key: 'to/d/' }));
  expect(head).toMatchObject({ ContentType: 'application/x-directory', Metadata: { by: 'a tool' } });
});
