import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type FaultyProxy, type PassingRequest, startFaultyProxy } from '../support/faulty-proxy.ts';
import { type GalleryFixture, galleryFixture, login } from '../support/gallery.ts';
import { kill, startGalleryProcess } from '../support/gallery-process.ts';
import { holdRecords } from '../support/held-records.ts';
import { send } from '../support/http.ts';
import { listAll, putAll, read } from '../support/s3/objects.ts';
import { until } from '../support/until.ts';

/** More than one DeleteObjects takes. */
const COUNT = 1010;
const names = Array.from({ length: COUNT }, (_, index) => `d/${index % 5}/${index}.jpg`);

let direct: GalleryFixture;
let proxy: FaultyProxy;
const children: ChildProcess[] = [];

beforeAll(async () => {
  direct = await galleryFixture();
  proxy = await startFaultyProxy(direct.store.endpoint);
});

afterEach(async () => {
  proxy.choose = () => undefined;
  for (const child of children.splice(0)) await kill(child);
});

afterAll(async () => {
  await proxy?.close();
  await direct?.close();
});

/** Starts the service as its own process, before the proxy, and logs in. */
async function startProcess() {
  const { child, url } = await startGalleryProcess({ ...direct.settings, S3_ENDPOINT: proxy.url });
  children.push(child);
  return { child, url, cookie: await login(url) };
}

function move({ url, cookie }: { url: string; cookie: string }) {
  return send(`${url}/api/gallery/batch`, {
    method: 'POST',
    headers: { cookie },
    json: { action: 'move', paths: ['d'], dest: 'to' },
  });
}

async function keys(prefix: string): Promise<string[]> {
  return (await listAll(direct.s3, { Bucket: direct.bucket, Prefix: prefix })).keys;
}

async function fill(wanted = names): Promise<void> {
  for (const path of ['d/', 'to/']) await direct.post('/api/gallery/delete', { path, type: 'folder' });
  await putAll(direct.s3, direct.bucket, wanted);
}

const isCopy = ({ method, path }: PassingRequest) => method === 'PUT' && path.includes('/to/');
const isDelete = ({ method, path }: PassingRequest) => method === 'POST' && path.includes('?delete');

test.each([
  ['while it copies', isCopy, 400],
  ['when it begins to delete', isDelete, 1],
  ['while it deletes', isDelete, 2],
] as const)(
  'a move that is killed %s loses nothing and is finished by another process',
  async (_, kind, at) => {
    await fill();
    const first = await startProcess();
    let seen = 0;
    proxy.choose = (request) => {
      if (kind(request)) seen += 1;
      if (seen === at) first.child.kill('SIGKILL');
      return undefined;
    };
    await expect(move(first)).rejects.toThrow();
    proxy.choose = () => undefined;

    const [atSource, atDestination] = [new Set(await keys('d/')), new Set(await keys('to/'))];
    expect(names.filter((name) => !atSource.has(name) && !atDestination.has(`to/${name}`))).toEqual([]);

    const second = await startProcess();
    const { status, body } = await move(second);
    expect({ status, ...body }, JSON.stringify(body)).toMatchObject({ status: 200, success: true });
    expect(await keys('d/')).toEqual([]);
    expect((await keys('to/')).sort()).toEqual(names.map((name) => `to/${name}`).sort());
    for (const name of names.slice(0, 50)) {
      expect(await read(direct.s3, direct.bucket, `to/${name}`)).toBe(name);
    }
  },
);

test('a move that is killed between its end and the record of it is answered with its outcome', async () => {
  const few = names.slice(0, 3);
  await fill(few);
  const first = await startProcess();
  const deleting = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  proxy.choose = (request) => {
    if (!isDelete(request)) return undefined;
    deleting.resolve();
    return mayEnd.promise;
  };
  const asked = (path: string, { url, cookie }: { url: string; cookie: string }) =>
    send(`${url}/api/gallery/batch`, {
      method: 'POST',
      headers: { cookie, 'idempotency-key': 'killed-at-its-end' },
      json: { action: 'move', paths: [path], dest: 'to' },
    });
  const [file = ''] = few;
  const lost = expect(asked(file, first)).rejects.toThrow();
  await deleting.promise;
  const { recording, forget } = await holdRecords(direct.database.pool);
  mayEnd.resolve();
  await until('the outcome is about to be recorded', recording);
  expect(await keys('d/')).not.toContain(file);
  await kill(first.child);
  await lost;
  await forget();

  const second = await startProcess();
  const { status, body } = await asked(file, second);
  expect([status, body]).toEqual([200, { success: true, message: '1 object moved', affected: 1 }]);
  expect(await keys('to/')).toEqual([`to/${file.split('/').at(-1)}`]);
});

test('a batch in the background whose process is killed is shown as interrupted, and finished by another', async () => {
  const few = names.slice(0, 100);
  await fill(few);
  const first = await startProcess();
  let copied = 0;
  proxy.choose = (request) => {
    if (isCopy(request)) copied += 1;
    if (copied === 40) first.child.kill('SIGKILL');
    return undefined;
  };
  const gone = once(first.child, 'exit');
  const { body } = await send(`${first.url}/api/gallery/batch`, {
    method: 'POST',
    headers: { cookie: first.cookie },
    json: { action: 'move', paths: ['d'], dest: 'to', background: true },
  });
  await gone;
  proxy.choose = () => undefined;
  const path = `/api/gallery/batches/${body.batch.id}`;
  const read = async () => (await direct.ask(path)).body.batch;
  // Nobody renews the lease any more; its end is brought forward.
  await direct.database.pool.query('update gallery.batch set leased_until = now()');
  expect((await read()).state).toBe('interrupted');
  expect((await direct.ask(`${path}/resume`, { method: 'POST' })).status).toBe(202);
  await until('the batch has ended', async () => (await read()).endedAt);
  expect(await read()).toMatchObject({ state: 'done', code: null });
  expect(await keys('d/')).toEqual([]);
  expect((await keys('to/')).sort()).toEqual(few.map((name) => `to/${name}`).sort());
});
