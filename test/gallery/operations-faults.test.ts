import { NoSuchKey } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FaultyGallery, faultyGallery } from '../support/faulty-gallery.ts';
import type { Fault, FaultyProxy, PassingRequest } from '../support/faulty-proxy.ts';
import type { GalleryFixture } from '../support/gallery.ts';
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
 * What a listed object holds; undefined if it is gone by now. The store may still be working on a deletion
 * whose answer was cut off.
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
  const { reached, release } = hold(isCopy);
  const first = batch('move');
  await reached;
  const second = direct.post('/api/gallery/batch', { action: 'copy', paths: ['other'], dest: 'copies/' });
  await until('it looks whether the first one has ended', async () => {
    const { rows } = await direct.database.pool.query(
      `select from pg_stat_activity
       where datname = current_database() and state = 'idle' and query like 'select pg_try_advisory_lock%'`,
    );
    return rows.length > 0;
  });
  release();
  expect([(await first).status, (await second).status]).toEqual([200, 200]);
});

test('copies that wait for a move leave the database to whoever else asks', async () => {
  const { reached, release } = hold(isCopy);
  const first = batch('move');
  await reached;
  // More than the pool has connections.
  let answered = 0;
  const waiting = Array.from({ length: 12 }, async (_, index) => {
    const json = { action: 'copy', paths: ['d/0/'], dest: `waiting/${index}/` };
    await service.ask('/api/gallery/batch', { method: 'POST', json });
    answered += 1;
  });
  await until('all are recorded', async () => {
    const { rows } = await direct.database.pool.query(
      `select count(*)::int as running from gallery.batch where leased_until is not null`,
    );
    return rows[0].running === waiting.length + 1;
  });
  const history = await service.ask('/api/gallery/batches');
  expect([history.status, answered]).toEqual([200, 0]);
  release();
  expect((await first).status).toBe(200);
  await Promise.all(waiting);
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
