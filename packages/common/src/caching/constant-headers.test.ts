import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { headerLines, type PreparedResponse, responsesWith } from './conditional.ts';

let answer: (response: ServerResponse) => void;

const server = createServer(
  { ServerResponse: responsesWith({ 'x-a': '1', 'x-b': '2' }) },
  (_request, response) => answer(response),
);

beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));

afterAll(() => server.close());

/** The headers, by lower-case name with all values, of the answer that `write` sends. */
async function headersOf(write: (response: ServerResponse) => void) {
  answer = (response) => {
    write(response);
    response.end();
  };
  const [received] = await once(get({ port: (server.address() as AddressInfo).port }), 'response');
  return (received as IncomingMessage).resume().headersDistinct;
}

test.each<[how: string, write: (response: ServerResponse) => void]>([
  ['at once', (response) => response.writeHead(200, { 'x-b': 'own', 'x-c': '3' })],
  ['at once, with a reason', (response) => response.writeHead(200, 'Fine', { 'x-b': 'own', 'x-c': '3' })],
  ['as a list', (response) => response.writeHead(200, ['x-b', 'own', 'x-c', '3'])],
  ['one by one', (response) => response.setHeader('x-b', 'own').setHeader('X-C', '3')],
  ['in both ways', (response) => response.setHeader('X-B', 'own').writeHead(200, { 'x-c': '3' })],
])('headers that are set %s are added to the constant ones, or replace them', async (_how, write) => {
  expect(await headersOf(write)).toMatchObject({ 'x-a': ['1'], 'x-b': ['own'], 'x-c': ['3'] });
});

test('an answer that sets no header has the constant ones, and cookies stay apart', async () => {
  expect(await headersOf(() => undefined)).toMatchObject({ 'x-a': ['1'], 'x-b': ['2'] });
  const cookies = await headersOf((response) => response.writeHead(204, { 'set-cookie': ['a=1', 'b=2'] }));
  expect(cookies).toMatchObject({ 'x-a': ['1'], 'x-b': ['2'], 'set-cookie': ['a=1', 'b=2'] });
});

test('lines that were prepared are sent with the constant headers, and others beside them', async () => {
  const lines = headerLines(['etag', '"1"', 'x-c', '3']);
  const headers = await headersOf((response) =>
    (response as PreparedResponse).writePrepared(304, lines, ['x-d', '4']),
  );
  expect(headers).toMatchObject({ 'x-a': ['1'], 'x-b': ['2'], etag: ['"1"'], 'x-c': ['3'], 'x-d': ['4'] });
  expect(headers).toHaveProperty('date');
  expect(headers).not.toHaveProperty('transfer-encoding');
});

test.each<[how: string, write: (response: ServerResponse) => void]>([
  ['at once', (response) => response.writeHead(304, { 'content-type': 'text/css', etag: '"1"' })],
  [
    'one by one',
    (response) => response.setHeader('Content-Type', 'text/css').setHeader('etag', '"1"').writeHead(304),
  ],
  [
    'by Node itself',
    (response) => {
      response.statusCode = 304;
      response.setHeader('content-type', 'text/css').setHeader('etag', '"1"');
    },
  ],
])('a 304 whose headers are set %s has no Content-Type', async (_how, write) => {
  const headers = await headersOf(write);
  expect(headers).toMatchObject({ 'x-a': ['1'], etag: ['"1"'] });
  expect(headers).not.toHaveProperty('content-type');
});
