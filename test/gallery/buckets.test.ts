import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer as createHttpServer,
  request as httpRequest,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../support/command.ts';
import { type GalleryFixture, galleryFixture, login, startGallery } from '../support/gallery.ts';
import type { Answer, JsonBody } from '../support/http.ts';
import { send } from '../support/http.ts';
import { createBucket } from '../support/s3/fixtures.ts';
import { removeBucket } from '../support/s3/objects.ts';
import { until } from '../support/until.ts';

let gallery: GalleryFixture;
/** A second bucket of the same store. */
let second: string;
/** Everything that was answered. */
const answers: string[] = [];

beforeAll(async () => {
  gallery = await galleryFixture();
  second = await createBucket(gallery.s3);
});
afterAll(async () => {
  const seen = answers.join('\n') + gallery.log.text();
  await removeBucket(gallery.s3, second);
  await gallery.close();
  expect(seen).not.toContain(gallery.store.secretAccessKey);
  expect(seen).not.toContain(gallery.settings.SETTINGS_KEY);
});

const SETTINGS = '/api/settings/buckets';

async function act(json: unknown): Promise<Answer> {
  const answer = await gallery.post(SETTINGS, json);
  answers.push(answer.text);
  return answer;
}

async function list(): Promise<JsonBody> {
  const { status, body, text } = await gallery.ask(SETTINGS);
  answers.push(text);
  expect(status).toBe(200);
  return body.data;
}

/** A configuration of the second bucket. */
function input(more: object = {}): Record<string, unknown> {
  const { endpoint, region, accessKeyId, secretAccessKey } = gallery.store;
  return { name: second, endpoint, region, accessKeyId, secretAccessKey, ...more };
}

async function save(more: object = {}, setActive = false, force = false): Promise<JsonBody> {
  const { status, body } = await act({ action: 'save', bucket: input(more), setActive, force });
  expect({ status, body }).toMatchObject({ status: 200, body: { success: true } });
  return body.data;
}

/** The bucket that a replica works on: the one that it signs an upload for. */
async function bucketInUse(url = gallery.url, cookie = gallery.cookie): Promise<string> {
  const json = { filename: 'x', path: '', contentType: 'text/plain' };
  const { body } = await send(`${url}/api/upload`, { method: 'POST', json, headers: { cookie } });
  return new URL(body.url).pathname.split('/')[1] ?? '';
}

/** The bucket that a service with other settings works on. */
async function bucketSignedFor(settings: Record<string, string>): Promise<string> {
  const service = await startGallery(settings);
  try {
    return await bucketInUse(service.url, await login(service.url));
  } finally {
    await service.close();
  }
}

afterEach(async () => {
  for (const { id, editable } of (await list()).buckets) if (editable) await act({ action: 'remove', id });
});

describe('the bucket of the environment', () => {
  test('is there, active and protected', async () => {
    const { endpoint, region } = gallery.store;
    expect(await list()).toEqual({
      buckets: [
        {
          id: 'default',
          name: gallery.bucket,
          endpoint,
          region,
          forcePathStyle: true,
          publicEndpoint: null,
          editable: false,
          active: true,
          hasCredentials: true,
        },
      ],
      runtime: { provider: 's3', activeBucketId: 'default' },
    });
    for (const json of [
      { action: 'remove', id: 'default' },
      { action: 'save', bucket: input({ id: 'default' }) },
    ]) {
      const { status, body } = await act(json);
      expect({ status, ...body }).toMatchObject({ status: 400, success: false, code: 'bucket_protected' });
    }
    const { body } = await act({ action: 'get-bucket', id: 'default' });
    expect(body.data).toMatchObject({
      id: 'default',
      editable: false,
      accessKeyId: gallery.store.accessKeyId,
    });
  });

  test('signs for S3_PUBLIC_ENDPOINT where there is one', async () => {
    const settings = { ...gallery.settings, S3_PUBLIC_ENDPOINT: 'https://media.example.com' };
    const service = await startGallery(settings);
    const json = { filename: 'a b.png', path: '', contentType: 'image/png' };
    const { body } = await send(`${service.url}/api/upload`, {
      method: 'POST',
      json,
      headers: { cookie: gallery.cookie },
    });
    await service.close();
    expect(new URL(body.url).host).toBe('media.example.com');
    expect(new URL(body.url).pathname).toBe(`/${gallery.bucket}/a%20b.png`);
  });
});

describe('a saved bucket', () => {
  test('is shown without its keys, edited with one, and used once it is active', async () => {
    const view = await save({ publicEndpoint: '' });
    expect(view).toEqual({
      id: expect.any(String),
      name: second,
      endpoint: gallery.store.endpoint,
      region: gallery.store.region,
      forcePathStyle: true,
      publicEndpoint: null,
      editable: true,
      active: false,
      hasCredentials: true,
    });
    expect((await list()).buckets).toContainEqual(view);
    const details = await act({ action: 'get-bucket', id: view.id });
    expect(details.body).toEqual({
      success: true,
      data: { ...view, accessKeyId: gallery.store.accessKeyId },
    });

    expect(await bucketInUse()).toBe(gallery.bucket);
    const activated = await act({ action: 'set-active', id: view.id });
    expect(activated.body).toEqual({ success: true, data: { provider: 's3', activeBucketId: view.id } });
    expect(await bucketInUse()).toBe(second);
    expect((await list()).buckets.map((bucket: JsonBody) => bucket.active)).toEqual([false, true]);

    const back = await act({ action: 'set-active', id: 'default' });
    expect(back.body.data).toEqual({ provider: 's3', activeBucketId: 'default' });
    expect(await bucketInUse()).toBe(gallery.bucket);
  });

  test('is active at once with setActive, and takes a real upload', async () => {
    const view = await save({}, true);
    expect(view.active).toBe(true);
    const json = { filename: 'x.txt', path: 'new', contentType: 'text/plain' };
    const { body } = await gallery.post('/api/upload', json);
    const headers = { 'content-type': 'text/plain' };
    expect((await send(body.url, { method: 'PUT', raw: 'x', headers })).status).toBe(200);
  });

  test('keeps its stored secret when it is saved without one', async () => {
    const { id } = await save({}, true);
    for (const secretAccessKey of ['', undefined]) {
      const view = await save({ id, secretAccessKey, region: 'eu-west-1', accessKeyId: '' });
      expect(view).toMatchObject({ id, region: 'eu-west-1', active: true, hasCredentials: true });
    }
    const tested = await act({ action: 'test', bucket: input({ id, accessKeyId: '', secretAccessKey: '' }) });
    expect(tested.body).toMatchObject({ success: true });
  });

  test('gives way to that of the environment when it is removed while it is active', async () => {
    const { id } = await save({}, true);
    const removed = await act({ action: 'remove', id });
    expect(removed.body).toEqual({ success: true, data: { provider: 's3', activeBucketId: 'default' } });
    expect(await bucketInUse()).toBe(gallery.bucket);
    for (const action of ['remove', 'set-active', 'get-bucket']) {
      const { status, body } = await act({ action, id });
      expect({ action, status, ...body }).toMatchObject({
        action,
        status: 404,
        success: false,
        code: 'not_found',
      });
    }
    expect((await act({ action: 'save', bucket: input({ id }) })).status).toBe(404);
  });

  test('has its own host in URLs without forcePathStyle', async () => {
    const endpoint = 'https://s3.example.com';
    await save({ publicEndpoint: endpoint, forcePathStyle: false }, true, true);
    const json = { filename: 'x', path: '', contentType: 'text/plain' };
    const { body } = await gallery.post('/api/upload', json);
    expect(new URL(body.url).host).toBe(`${second}.s3.example.com`);
  });

  test.each([
    ['no action', { bucket: {} }, 'action'],
    ['an unknown action', { action: 'create' }, 'action'],
    ['no bucket', { action: 'save' }, 'bucket'],
    ['no name', { name: undefined }, 'bucket.name'],
    ['a name with a slash', { name: 'a/b' }, 'bucket.name'],
    ['no endpoint', { endpoint: undefined }, 'bucket.endpoint'],
    ['an endpoint that is not a URL', { endpoint: 's3.example.com' }, 'bucket.endpoint'],
    ['an endpoint of another scheme', { endpoint: 'ftp://s3.example.com' }, 'bucket.endpoint'],
    ['an endpoint with a password', { endpoint: 'https://a:b@s3.example.com' }, 'bucket.endpoint'],
    ['no region', { region: undefined }, 'bucket.region'],
    ['a region that is none', { region: 'eu west' }, 'bucket.region'],
    ['a secret with a line break', { secretAccessKey: 'a\nb' }, 'bucket.secretAccessKey'],
    ['no access key', { accessKeyId: '' }, 'bucket.accessKeyId'],
    ['no secret', { secretAccessKey: undefined }, 'bucket.secretAccessKey'],
    ['no id', { action: 'set-active' }, 'id'],
    ['an id that is not text', { action: 'remove', id: 7 }, 'id'],
    ['an id with NUL', { action: 'get-bucket', id: 'a\0b' }, 'id'],
    ['an id with half a surrogate pair', { action: 'set-active', id: '\ud800' }, 'id'],
    ['a bucket id with NUL', { id: '\0' }, 'bucket.id'],
    ['an unknown member', { action: 'remove', id: 'x', force: true }, 'force'],
    ['an unknown member of the bucket', { bucketName: 'x' }, 'bucketName'],
  ])('400 for %s', async (_what, json, field) => {
    const isAction = 'action' in json || 'bucket' in json;
    for (const action of isAction ? [''] : ['save', 'test']) {
      const { status, body } = await act(isAction ? json : { action, bucket: input(json) });
      expect({ status, ...body }).toMatchObject({ status: 400, success: false, code: 'invalid_request' });
      expect(body.message).toContain(field);
    }
  });
});

describe('the keys of a bucket', () => {
  const rows = async () => (await gallery.database.pool.query('select s::text from gallery.setting s')).rows;

  test('lie encrypted in the database', async () => {
    await save();
    const text = JSON.stringify(await rows());
    expect(text).toContain(second);
    expect(text).not.toContain(gallery.store.secretAccessKey);
    expect(text).not.toContain(gallery.store.accessKeyId);
  });

  test('need the SETTINGS_KEY that they were saved with', async () => {
    const { id } = await save({}, true);
    const settings = { ...gallery.settings, SETTINGS_KEY: randomBytes(32).toString('base64') };
    const service = await startGallery(settings);
    const headers = { cookie: await login(service.url) };
    const post = (path: string, json: unknown) =>
      send(`${service.url}${path}`, { method: 'POST', json, headers });
    const upload = await post('/api/upload', { filename: 'x', path: '', contentType: 'text/plain' });
    expect({ status: upload.status, ...upload.body }).toMatchObject({
      status: 500,
      code: 'server_misconfigured',
      message: expect.stringContaining('SETTINGS_KEY'),
    });
    const { body } = await post(SETTINGS, { action: 'get-bucket', id });
    expect(body.data).toMatchObject({ id, hasCredentials: false, accessKeyId: '' });
    expect((await post(SETTINGS, { action: 'save', bucket: input({ id }), setActive: true })).status).toBe(
      200,
    );
    expect(await bucketInUse(service.url, headers.cookie)).toBe(second);
    await service.close();
  });

  test('stay readable when SETTINGS_KEY is replaced, and no longer need the old one once they are resealed', async () => {
    const { id } = await save({}, true);
    const { SETTINGS_KEY: before = '' } = gallery.settings;
    const after = randomBytes(32).toString('base64');
    const both = { ...gallery.settings, SETTINGS_KEY: after, SETTINGS_KEY_PREVIOUS: before };
    expect(await bucketSignedFor(both)).toBe(second);

    const reseal = (env: Record<string, string>) =>
      run(['services/gallery-admin/src/cli.ts', 'bucket', 'reseal'], { env });
    const neither = await reseal({ ...both, SETTINGS_KEY_PREVIOUS: randomBytes(32).toString('base64') });
    expect(neither).toMatchObject({ code: 1, stderr: expect.stringContaining(second) });
    expect(neither.stderr).toContain('SETTINGS_KEY_PREVIOUS');
    expect(await reseal(both)).toMatchObject({
      code: 0,
      stdout: '1 saved buckets encrypted again, 0 already were.\n',
    });
    expect(await reseal(both)).toMatchObject({
      code: 0,
      stdout: '0 saved buckets encrypted again, 1 already were.\n',
    });
    expect(await bucketSignedFor({ ...gallery.settings, SETTINGS_KEY: after })).toBe(second);

    // The way back, for the tests that follow.
    const back = { ...gallery.settings, SETTINGS_KEY: before, SETTINGS_KEY_PREVIOUS: after };
    expect((await reseal(back)).code).toBe(0);
    const { body } = await act({ action: 'get-bucket', id });
    expect(body.data).toMatchObject({ hasCredentials: true, accessKeyId: gallery.store.accessKeyId });
  });

  test('do not open for another bucket', async () => {
    const [one, other] = [await save(), await save({ accessKeyId: 'other', secretAccessKey: 'other' })];
    await gallery.database.pool.query(
      `update gallery.setting set value = value || jsonb_build_object('credentials',
         (select value -> 'credentials' from gallery.setting where key = $1)) where key = $2`,
      [`bucket/${one.id}`, `bucket/${other.id}`],
    );
    const { body } = await act({ action: 'get-bucket', id: other.id });
    expect(body.data).toMatchObject({ hasCredentials: false, accessKeyId: '' });
  });
});

describe('a switch', () => {
  test('is seen by the other replica, also when its connection for changes was cut', async () => {
    const replica = await startGallery(gallery.settings);
    const use = () => bucketInUse(replica.url);
    expect(await use()).toBe(gallery.bucket);
    const { id } = await save({}, true);
    await until('the replica works on the second bucket', async () => (await use()) === second);

    await gallery.database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name like '%gallery-admin listener'`,
    );
    await act({ action: 'set-active', id: 'default' });
    await until('the replica works on the first bucket', async () => (await use()) === gallery.bucket);
    await act({ action: 'set-active', id });
    await until('the replica works on the second bucket again', async () => (await use()) === second);
    await replica.close();
  });

  test('leaves every request with one bucket, whichever', async () => {
    const { id } = await save();
    const switching = (async () => {
      for (let i = 0; i < 20; i += 1) await act({ action: 'set-active', id: i % 2 ? 'default' : id });
    })();
    const create = {
      action: 'create',
      filename: 'x.bin',
      path: '',
      contentType: 'text/plain',
      size: 1,
    };
    const created = await Promise.all(
      Array.from({ length: 20 }, () => gallery.post('/api/upload/multipart', create)),
    );
    await switching;
    for (const { status } of created) expect(status).toBe(200);
    // Each upload is in exactly one of the two, and can be given up there.
    const open = created.map(({ body }) => body.data);
    for (const bucket of [id, 'default']) {
      await act({ action: 'set-active', id: bucket });
      for (const { uploadId, key } of open) {
        const { status } = await gallery.post('/api/upload/multipart', { action: 'abort', uploadId, key });
        expect([200, 404]).toContain(status);
      }
    }
    for (const { uploadId, key } of open) {
      expect((await gallery.post('/api/upload/multipart', { action: 'abort', uploadId, key })).status).toBe(
        404,
      );
    }
  });
});

describe('the test of a bucket', () => {
  const servers: { close: () => unknown }[] = [];
  afterAll(() => servers.forEach((server) => void server.close()));

  async function listening(server: TcpServer): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  }

  async function tested(more: object): Promise<JsonBody> {
    const { status, body } = await act({ action: 'test', bucket: input(more) });
    expect(status).toBe(200);
    return body;
  }

  test('succeeds with the right settings', async () => {
    expect(await tested({})).toEqual({ success: true, code: null, message: expect.any(String) });
  });

  test.each([
    ['an unknown access key', { accessKeyId: 'nobody' }, /access key.*accessKeyId/, 'bucket_access_key'],
    ['a wrong secret', { secretAccessKey: 'wrong' }, /secret/, 'bucket_secret_key'],
    [
      'a bucket that is not there',
      { name: 'no-such-bucket-anywhere' },
      /no bucket with this name/,
      'bucket_name',
    ],
    ['a host that is not there', { endpoint: 'http://no-such-host.invalid' }, /host/, 'bucket_endpoint'],
    ['a port that nobody listens on', { endpoint: 'http://127.0.0.1:9' }, /refused/, 'bucket_endpoint'],
  ])('says what to fix for %s', async (_what, more, message, code) => {
    expect(await tested(more)).toEqual({ success: false, code, message: expect.stringMatching(message) });
  });

  test.each([
    ['list', 'GET', /may not list this bucket: grant it ListBucket/],
    ['write', 'PUT', /may not write to this bucket: grant it PutObject/],
    [
      'delete',
      'DELETE',
      /may not delete from this bucket: grant it DeleteObject.*\.pressroom-test-.* is still in the bucket/,
    ],
  ])('says that the key may not %s', async (_what, refused, message) => {
    const store = new URL(gallery.store.endpoint);
    const refusing: RequestListener = (incoming, outgoing) => {
      const { method, url = '', headers } = incoming;
      if (method === refused)
        return outgoing.writeHead(403).end('<Error><Code>AccessDenied</Code><Message>no</Message></Error>');
      const forwarded = httpRequest({ host: store.hostname, port: store.port, path: url, method, headers });
      forwarded.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      return incoming.pipe(forwarded);
    };
    const endpoint = `http://127.0.0.1:${await listening(createHttpServer(refusing))}`;
    const code = 'bucket_permission';
    expect(await tested({ endpoint })).toEqual({
      success: false,
      code,
      message: expect.stringMatching(message),
    });
  });

  test('leaves nothing in the bucket', async () => {
    const Bucket = second;
    const keys = async () => (await gallery.s3.send(new ListObjectsV2Command({ Bucket }))).KeyCount;
    const before = await keys();
    expect((await tested({})).success).toBe(true);
    expect(await keys()).toBe(before);
  });

  test('says that the certificate is not trusted', async () => {
    const { private: key, cert } = await generate([{ name: 'commonName', value: 'store.test' }]);
    const endpoint = `https://127.0.0.1:${await listening(createHttpsServer({ key, cert }))}`;
    expect(await tested({ endpoint })).toEqual({
      success: false,
      code: 'bucket_certificate',
      message: expect.stringMatching(/TLS.*trusts/),
    });
  });

  test('says that the port does not speak TLS', async () => {
    const plain = `https://127.0.0.1:${new URL(gallery.store.endpoint).port}`;
    expect(await tested({ endpoint: plain })).toEqual({
      success: false,
      code: 'bucket_endpoint',
      message: expect.stringMatching(/http or https/),
    });
  });

  test('says that the server does not speak S3', async () => {
    const page: RequestListener = (_request, response) => response.end('<html><body>hello</body></html>');
    const endpoint = `http://127.0.0.1:${await listening(createHttpServer(page))}`;
    expect(await tested({ endpoint })).toEqual({
      success: false,
      code: 'bucket_endpoint',
      message: expect.stringContaining('not speak S3'),
    });
    const missing: RequestListener = (_request, response) => void response.writeHead(404).end('not here');
    const other = `http://127.0.0.1:${await listening(createHttpServer(missing))}`;
    expect(await tested({ endpoint: other })).toEqual({
      success: false,
      code: 'bucket_endpoint',
      message: expect.stringMatching(/404/),
    });
  });

  test('gives up on a store that accepts the connection and says nothing', async () => {
    const endpoint = `http://127.0.0.1:${await listening(createTcpServer(() => undefined))}`;
    expect(await tested({ endpoint })).toEqual({
      success: false,
      code: 'bucket_too_slow',
      message: expect.stringContaining('in time'),
    });
  });
});

describe('a store that cannot be used', () => {
  test.each([
    ['answers', {}, { status: 'ok' }],
    ['refuses the keys', { S3_SECRET_ACCESS_KEY: 'wrong-secret-key' }, { status: 'ok' }],
    [
      'does not answer',
      { S3_ENDPOINT: 'http://127.0.0.1:9' },
      { status: 'degraded', degraded: ['object store'] },
    ],
  ])('/readyz of a service whose store %s', async (_what, more, expected) => {
    const service = await startGallery({ ...gallery.settings, ...more, METRICS_PORT: '0' });
    const listening = service.log.events().find(({ msg }) => msg === 'metrics_listening');
    const { port = 0 } = (listening?.address ?? {}) as Partial<AddressInfo>;
    const { status, body } = await send(`${service.url}/readyz`);
    const alive = await send(`${service.url}/healthz`);
    const metrics = await send(`http://127.0.0.1:${port}/metrics`);
    await service.close();
    expect({ status, body, alive: alive.status }).toEqual({ status: 200, body: expected, alive: 200 });
    const up = expected.status === 'ok' ? 1 : 0;
    expect(metrics.text).toContain(`dependency_up{dependency="object store"} ${up}`);
  });

  test('is not made active by mistake, and can be fixed if that was intended', async () => {
    const wrong = { endpoint: 'http://127.0.0.1:9' };
    const refused = await act({ action: 'save', bucket: input(wrong), setActive: true });
    expect({ status: refused.status, ...refused.body }).toMatchObject({
      status: 400,
      success: false,
      code: 'bucket_unusable',
      message: expect.stringMatching(/refused.*force/),
    });
    expect((await list()).buckets).toHaveLength(1);

    const { id } = await save(wrong, true, true);
    const ready = await gallery.ask('/readyz');
    expect([ready.status, ready.body]).toEqual([200, { status: 'degraded', degraded: ['object store'] }]);
    expect((await list()).runtime.activeBucketId).toBe(id);
    await save({ id }, true);
    expect((await gallery.ask('/readyz')).body).toEqual({ status: 'ok' });
  });

  test.each([
    ['says nothing', () => undefined],
    [
      'falls silent in the middle of its answer',
      (_request: unknown, response: ServerResponse) => {
        response.writeHead(200, { 'content-type': 'application/xml' }).write('<ListBucketResult><Name>x');
      },
    ],
  ])('is 503 when it %s, after one time of waiting and not after three', async (_what, answer) => {
    let asked = 0;
    const store = createHttpServer((request, response) => {
      asked += 1;
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(store, 'listening');
    const S3_ENDPOINT = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    const storeTimeouts = { connectMs: 2000, answerMs: 300 };
    const service = await startGallery({ ...gallery.settings, S3_ENDPOINT }, { storeTimeouts });
    const headers = { cookie: gallery.cookie };
    const { status, body } = await send(`${service.url}/api/gallery?json=1`, { headers });
    await service.close();
    store.closeAllConnections();
    store.close();
    expect([status, body.code, asked]).toEqual([503, 'temporarily_unavailable', 1]);
  });

  test('is 503 with Retry-After when it does not answer, and the log shows no key', async () => {
    const service = await startGallery({ ...gallery.settings, S3_ENDPOINT: 'http://127.0.0.1:9' });
    const headers = { cookie: gallery.cookie };
    const json = { action: 'list-parts', uploadId: 'x', key: 'y' };
    const answer = await send(`${service.url}/api/upload/multipart`, { method: 'POST', json, headers });
    await service.close();
    expect({ status: answer.status, ...answer.body }).toMatchObject({
      status: 503,
      success: false,
      code: 'temporarily_unavailable',
      reason: 'object_store',
    });
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(service.log.text()).not.toContain(gallery.store.secretAccessKey);
  });

  test.each([
    ['its access key', { S3_ACCESS_KEY_ID: 'unknown-key-id' }],
    ['its secret', { S3_SECRET_ACCESS_KEY: 'wrong-secret-key' }],
  ])('is 500 server_misconfigured when it refuses %s, and the log shows no key', async (_what, more) => {
    const service = await startGallery({ ...gallery.settings, ...more });
    const headers = { cookie: await login(service.url) };
    const json = { action: 'list-parts', uploadId: 'x', key: 'y' };
    const { status, body } = await send(`${service.url}/api/upload/multipart`, {
      method: 'POST',
      json,
      headers,
    });
    await service.close();
    expect({ status, ...body }).toMatchObject({ status: 500, success: false, code: 'server_misconfigured' });
    const log = service.log.text();
    expect(log).toContain('request_failed');
    for (const key of [gallery.store.accessKeyId, ...Object.values(more)]) {
      expect(log).not.toContain(key);
      expect(JSON.stringify(body)).not.toContain(key);
    }
  });
});
