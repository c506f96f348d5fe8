import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FaultyGallery, faultyGallery } from '../support/faulty-gallery.ts';
import type { PassingRequest } from '../support/faulty-proxy.ts';
import { listAll, put, read } from '../support/s3/objects.ts';

let service: FaultyGallery;

beforeAll(async () => {
  service = await faultyGallery();
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

/** What S3 calls its answer to a request, except where an empty one says that there is nothing. */
function resultOf({ method, path }: PassingRequest): string {
  if (path.includes('delete') || path.includes('list-type')) return 'Empty';
  if (path.includes('uploads')) return 'InitiateMultipartUploadResult';
  if (path.includes('partNumber')) return 'CopyPartResult';
  return method === 'PUT' ? 'CopyObjectResult' : 'CompleteMultipartUploadResult';
}

/** What answers in the place of the store. */
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

test.each(FRONTS)('%s is not a completed upload', async (_what, answer) => {
  const { ask, proxy, direct } = service;
  const multipart = (json: object) => ask('/api/upload/multipart', { method: 'POST', json });
  const file = { filename: 'film.bin', path: 'f/', contentType: 'video/mp4', size: 5 };
  const { uploadId, key } = (await multipart({ action: 'create', ...file })).body.data;
  const { url } = (await multipart({ action: 'sign-part', uploadId, key, partNumber: 1 })).body.data;
  const etag = (await fetch(url, { method: 'PUT', body: 'bytes' })).headers.get('etag');
  const complete = () => multipart({ action: 'complete', uploadId, key, parts: [{ partNumber: 1, etag }] });
  proxy.choose = (request) =>
    request.method === 'POST' && request.path.includes('uploadId=') ? { answer: answer(request) } : undefined;
  const stopped = await complete();
  expect(stopped.status).toBe(503);
  proxy.choose = () => undefined;
  expect((await complete()).status).toBe(200);
  expect(await read(direct.s3, direct.bucket, 'f/film.bin')).toBe('bytes');
});

test.each(FRONTS)('%s is no file in an archive', async (_what, answer) => {
  const { ask, proxy } = service;
  const { id } = (await ask('/api/gallery/archives', { method: 'POST', json: { paths: ['f/'] } })).body.data;
  proxy.choose = (request) =>
    request.method === 'GET' && request.path.includes('a.txt') ? { answer: answer(request) } : undefined;
  expect((await ask(`/api/gallery/archives/${id}`)).status).toBe(503);
});
