import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FaultyGallery, faultyGallery } from '../support/faulty-gallery.ts';
import type { PassingRequest } from '../support/faulty-proxy.ts';
import { listAll, MINIMUM_PART_BYTES, put, read } from '../support/s3/objects.ts';

let service: FaultyGallery;

beforeAll(async () => {
  const copyLimits = { singleCopyBytes: MINIMUM_PART_BYTES, partBytes: MINIMUM_PART_BYTES };
  service = await faultyGallery({ copyLimits });
});
afterAll(() => service?.close());

beforeEach(async () => {
  const { direct } = service;
  await direct.database.pool.query('truncate gallery.batch, gallery.original_date');
  await direct.post('/api/gallery/delete', { path: 'f/', type: 'folder' });
  for (const key of ['f/a.txt', 'f/b.txt']) await put(direct.s3, direct.bucket, key, key);
});
afterEach(() => {
  service.proxy.choose = () => undefined;
});

const PAGE = '<!doctype html><html><head><title>Log in</title></head><body><p>Welcome</p></body></html>';
const XHTML = `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body><p>Welcome</p></body></html>`;
const VALIDATORS = 'ETag: "5f1-60c"\r\nLast-Modified: Mon, 02 Nov 2026 08:00:00 GMT\r\n';

function answerOf(type: string, body: string, { method }: PassingRequest, more = ''): string {
  const head = `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${more}Content-Length: ${body.length}\r\n`;
  return `${head}Connection: close\r\n\r\n${method === 'HEAD' ? '' : body}`;
}

const REFUSED = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>`;

/** S3's name for its answer to a request; 'Empty' if an empty one says that there is nothing. */
function resultOf({ method, path }: PassingRequest): string {
  if (path.includes('delete') || path.includes('list-type')) return 'Empty';
  if (path.includes('uploads')) return 'InitiateMultipartUploadResult';
  if (path.includes('partNumber')) return 'CopyPartResult';
  return method === 'PUT' ? 'CopyObjectResult' : 'CompleteMultipartUploadResult';
}

/** Servers that answer in place of the store. */
const FRONTS: [string, (request: PassingRequest) => string][] = [
  ['a page', (request) => answerOf('text/html', PAGE, request)],
  ['a page of a file server', (request) => answerOf('text/html', PAGE, request, VALIDATORS)],
  ['a page in XML', (request) => answerOf('application/xhtml+xml', XHTML, request)],
  ['JSON', (request) => answerOf('application/json', '{"status":"ok"}', request)],
  ['nothing', (request) => answerOf('text/plain', '', request)],
  ['an error', (request) => answerOf('application/xml', REFUSED, request)],
  ['an error with validators', (request) => answerOf('application/xml', REFUSED, request, VALIDATORS)],
  ['a cut error', (request) => answerOf('application/xml', REFUSED.slice(0, -20), request)],
  ['an empty result', (request) => answerOf('application/xml', `<${resultOf(request)}/>`, request)],
  ['a half list', (request) => answerOf('application/xml', '<DeleteResult><Error><Key>', request)],
];

const folder = async () => (await listAll(service.direct.s3, { Bucket: service.direct.bucket })).keys;

const ASKED: [string, string, string, object?][] = [
  ['deleting a file', 'POST', '/api/gallery/delete', { path: 'f/a.txt', type: 'image' }],
  ['deleting a folder', 'POST', '/api/gallery/delete', { path: 'f/', type: 'folder' }],
  ['a list', 'GET', '/api/gallery?json=1&path=f/'],
  ['the trash', 'GET', '/api/gallery/trash'],
  ['renaming', 'POST', '/api/gallery/rename', { path: 'f/a.txt', name: 'c.txt' }],
  ['a new folder', 'POST', '/api/gallery/folder', { path: 'f/new/' }],
  [
    'a new upload',
    'POST',
    '/api/upload/multipart',
    { action: 'create', filename: 'c.bin', path: 'f/', contentType: 'video/mp4', size: 5 },
  ],
  ['an archive', 'POST', '/api/gallery/archives', { paths: ['f/'] }],
];

test.each(FRONTS)('%s in the place of the store is never taken for its answer', async (_what, answer) => {
  const { ask, proxy } = service;
  const before = await folder();
  proxy.choose = (request) => ({ answer: answer(request) });
  for (const [what, method, path, json] of ASKED) {
    const { status, body } = await ask(path, { method, ...(json && { json }) });
    expect([what, status >= 400, body.success], JSON.stringify(body)).toEqual([what, true, false]);
  }
  proxy.choose = () => undefined;
  expect(await folder()).toEqual(before);
});

test.each(['<Error><Code>TooManyRequests</Code></Error>', '<Error><Code>SlowDown</Code></Error>', 'later'])(
  'a store that answers 429 with %s is asked again, and then it is 503',
  async (text) => {
    const { ask, proxy } = service;
    const answer = ({ method }: PassingRequest) =>
      `HTTP/1.1 429 Too Many Requests\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${method === 'HEAD' ? '' : text}`;
    proxy.choose = (request) => ({ answer: answer(request) });
    const busy = await ask('/api/gallery/media?key=f%2Fa.txt');
    expect([busy.status, busy.body.code], JSON.stringify(busy.body)).toEqual([
      503,
      'temporarily_unavailable',
    ]);
    const asked: string[] = [];
    proxy.choose = (request) => {
      asked.push(request.path);
      return asked.length === 1 ? { answer: answer(request) } : undefined;
    };
    expect((await ask('/api/gallery?json=1&path=f/')).body.data.files).toHaveLength(2);
    expect(asked.length).toBeGreaterThan(1);
  },
);

const STEPS: [string, (request: PassingRequest) => boolean][] = [
  ['deletes', ({ method, path }) => method === 'DELETE' || path.includes('?delete')],
  ['copies', ({ method, path }) => method === 'PUT' && path.includes('/to/')],
];

test.each(FRONTS.flatMap(([what, answer]) => STEPS.map(([step, is]) => ({ what, answer, step, is }))))(
  '$what while the store $step loses nothing, and the same request finishes it',
  async ({ answer, is }) => {
    const { ask, proxy, direct } = service;
    await direct.post('/api/gallery/delete', { path: 'to/', type: 'folder' });
    const move = () =>
      ask('/api/gallery/batch', {
        method: 'POST',
        json: { action: 'move', paths: ['f/a.txt', 'f/b.txt'], dest: 'to/' },
      });
    proxy.choose = (request) => (is(request) ? { answer: answer(request) } : undefined);
    const stopped = await move();
    expect([stopped.status, stopped.body.success]).toEqual([500, false]);
    expect(await folder()).toEqual(expect.arrayContaining(['f/a.txt', 'f/b.txt']));
    proxy.choose = () => undefined;
    expect((await move()).body).toMatchObject({ success: true, affected: 2 });
    expect(await read(direct.s3, direct.bucket, 'to/a.txt')).toBe('f/a.txt');
  },
);

const error = (key: string, code = '<Code>InternalError</Code>') => `<Error><Key>${key}</Key>${code}</Error>`;

test.each([
  ['one of two', error('f/a.txt'), 1],
  ['one without a code', error('f/a.txt', ''), 1],
  ['both', error('f/a.txt') + error('f/b.txt'), 0],
  ['a key that is encoded', error('f%2Fa.txt'), 0],
  ['a key that was not sent', error('else.txt'), 0],
  ['no key', '<Error><Code>InternalError</Code></Error>', 0],
])('of a deletion that is refused for %s, only what is certain is said', async (_what, errors, deleted) => {
  const { ask, proxy } = service;
  proxy.choose = ({ path }) =>
    path.includes('?delete') ? { xml: `<DeleteResult>${errors}</DeleteResult>` } : undefined;
  const json = { action: 'delete', paths: ['f/a.txt', 'f/b.txt'] };
  const { status, body } = await ask('/api/gallery/batch', { method: 'POST', json });
  expect([status, body.success]).toEqual([500, false]);
  expect(body.detail).toMatch(
    new RegExp(`^${deleted} objects? deleted; not confirmed as deleted: "f/a.txt"`),
  );
});

const isPartCopy = ({ method, path }: PassingRequest) => method === 'PUT' && path.includes('partNumber=');

test.each(FRONTS)('%s is no copy of a part, and the same request finishes it', async (_what, answer) => {
  const { ask, proxy, direct } = service;
  await direct.post('/api/gallery/delete', { path: 'to/', type: 'folder' });
  await put(direct.s3, direct.bucket, 'f/film.bin', 'x'.repeat(MINIMUM_PART_BYTES + 1));
  const move = () =>
    ask('/api/gallery/batch', {
      method: 'POST',
      json: { action: 'move', paths: ['f/film.bin'], dest: 'to/' },
    });
  proxy.choose = (request) => (isPartCopy(request) ? { answer: answer(request) } : undefined);
  const stopped = await move();
  expect([stopped.status, stopped.body.success]).toEqual([500, false]);
  proxy.choose = () => undefined;
  expect((await move()).body).toMatchObject({ success: true, affected: 1 });
  expect(await read(direct.s3, direct.bucket, 'to/film.bin')).toHaveLength(MINIMUM_PART_BYTES + 1);
});

test.each([
  ['says that it has more and not where', '<IsTruncated>true</IsTruncated>'],
  ['begins again', '<IsTruncated>true</IsTruncated><NextContinuationToken>a</NextContinuationToken>'],
])('a list that %s is not taken for the whole folder', async (_what, more) => {
  const { ask, proxy } = service;
  const xml = `<ListBucketResult><Name>b</Name><Prefix>f/</Prefix>${more}
    <Contents><Key>f/a.txt</Key><LastModified>2026-11-02T08:00:00.000Z</LastModified><ETag>"1"</ETag><Size>7</Size></Contents></ListBucketResult>`;
  proxy.choose = ({ path }) => (path.includes('list-type') ? { xml } : undefined);
  const json = { action: 'move', paths: ['f/'], dest: 'to/' };
  const { status, body } = await ask('/api/gallery/batch', { method: 'POST', json });
  expect([status >= 500, body.success], JSON.stringify(body)).toEqual([true, false]);
});

const PART = '<Part><PartNumber>1</PartNumber><ETag>"1"</ETag><Size>5</Size></Part>';
const SAME_UPLOAD = '<Bucket>b</Bucket><Key>f/film.bin</Key><UploadId>u</UploadId>';

test.each([
  ...FRONTS,
  ['a list of nothing', () => answerOf('application/xml', '<ListPartsResult/>', { method: 'GET', path: '' })],
  ...['', '<NextPartNumberMarker>0</NextPartNumberMarker>'].map((next): (typeof FRONTS)[number] => {
    const xml = `<ListPartsResult>${SAME_UPLOAD}<IsTruncated>true</IsTruncated>${next}${PART}</ListPartsResult>`;
    const what = next === '' ? 'a list that does not say where it goes on' : 'a list that begins again';
    return [what, (request) => answerOf('application/xml', xml, request)];
  }),
])('%s is no list of parts', async (_what, answer) => {
  const { ask, proxy } = service;
  const { session } = await uploaded();
  proxy.choose = (request) =>
    request.method === 'GET' && request.path.includes('uploadId=') ? { answer: answer(request) } : undefined;
  for (const action of [{ action: 'list-parts' }, { action: 'sign-part', partNumber: 1 }]) {
    const json = { ...action, ...session };
    const { status } = await ask('/api/upload/multipart', { method: 'POST', json });
    expect([action.action, status]).toEqual([action.action, 503]);
  }
});

/** Sends the only part of an upload; `complete` asks the gallery to complete it. */
async function uploaded() {
  const multipart = (json: object) => service.ask('/api/upload/multipart', { method: 'POST', json });
  const file = { filename: 'film.bin', path: 'f/', contentType: 'video/mp4', size: 5 };
  const { uploadId, key } = (await multipart({ action: 'create', ...file })).body.data;
  const { url } = (await multipart({ action: 'sign-part', uploadId, key, partNumber: 1 })).body.data;
  const etag = (await fetch(url, { method: 'PUT', body: 'bytes' })).headers.get('etag');
  const parts = [{ partNumber: 1, etag }];
  const session = { uploadId, key };
  return { session, complete: () => multipart({ action: 'complete', ...session, parts }) };
}

const isCompletion = ({ method, path }: PassingRequest) => method === 'POST' && path.includes('uploadId=');

test.each(FRONTS)('%s is not a completed upload', async (_what, answer) => {
  const { proxy, direct } = service;
  const { complete } = await uploaded();
  proxy.choose = (request) => (isCompletion(request) ? { answer: answer(request) } : undefined);
  const stopped = await complete();
  expect(stopped.status).toBe(503);
  proxy.choose = () => undefined;
  expect((await complete()).status).toBe(200);
  expect(await read(direct.s3, direct.bucket, 'f/film.bin')).toBe('bytes');
});

test('an upload that Ceph has completed is one, though its answer has an empty entity tag', async () => {
  const { proxy } = service;
  const { complete } = await uploaded();
  const xml = `<CompleteMultipartUploadResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Location>a/b</Location>
    <Bucket>a</Bucket><Key>f/film.bin</Key><ETag></ETag></CompleteMultipartUploadResult>`;
  proxy.choose = (request) => (isCompletion(request) ? { xml } : undefined);
  const { status, body } = await complete();
  expect([status, body.data.etag]).toEqual([200, expect.stringMatching(/-1"?$/)]);
});

test.each(FRONTS)('%s is no file in an archive', async (_what, answer) => {
  const { ask, proxy } = service;
  const { id } = (await ask('/api/gallery/archives', { method: 'POST', json: { paths: ['f/'] } })).body.data;
  proxy.choose = (request) =>
    request.method === 'GET' && request.path.includes('a.txt') ? { answer: answer(request) } : undefined;
  expect((await ask(`/api/gallery/archives/${id}`)).status).toBe(503);
});
