import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { CONNECTION_LIMITS, type ConnectionLimits, createServer } from '@pressroom/common/http/create-server';
import type { Server } from '@pressroom/common/http/operation';
import { afterEach, expect, test } from 'vitest';
import { memoryLog } from '../support/log.ts';
import { parseAnswer, type RawAnswer } from '../support/raw-http.ts';
import { until } from '../support/until.ts';

/** The largest body of the service, in bytes. */
const BODY_LIMIT = 4096;

let app: Server;
let url: string;
/** Lets the handler of `/slow` answer. */
let answerSlow: () => void;
const sockets: Socket[] = [];

/** Starts a service with limits that a test can wait for, where it says so. */
async function start(limits: Partial<ConnectionLimits> = {}): Promise<void> {
  app = await createServer({
    config: { HOST: '127.0.0.1', EVENT_LOOP_DELAY_LIMIT_MS: 0 },
    description: { title: 'Test', version: '1.0.0', description: 'A service with short limits.' },
    log: memoryLog('test').log,
    bodyLimit: BODY_LIMIT,
    readiness: {},
    connectionLimits: { ...CONNECTION_LIMITS, lookMs: 20, ...limits },
  });
  const slow = new Promise<void>((resolve) => {
    answerSlow = resolve;
  });
  app.get('/quick', async () => 'quick');
  app.post('/quick', async () => 'quick');
  app.get('/slow', () => slow.then(() => 'slow'));
  url = await app.listen({ host: '127.0.0.1', port: 0 });
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await app.close();
});

/** A connection, and what it has received. */
async function open(): Promise<{ socket: Socket; received: () => string; closed: Promise<unknown> }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('latin1');
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk: string) => {
    text += chunk;
  });
  // The data received shows if a reset has lost anything.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return { socket, received: () => text, closed };
}

function answers(text: string): RawAnswer[] {
  const all: RawAnswer[] = [];
  for (let rest = text; rest !== ''; ) {
    const parsed = parseAnswer(rest);
    all.push(parsed.answer);
    rest = parsed.rest;
  }
  return all;
}

function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`;
}

test('a client that closes its sending half after the request gets its answer', async () => {
  await start();
  const { socket, received, closed } = await open();
  const ended = new Promise<void>((resolve) => {
    app.server.on('request', (request) => request.socket.once('end', resolve));
  });
  socket.end(get('/slow'));
  await ended;
  // After a while it is asked whether it is there, which no client takes for an answer.
  await until('it is asked', () => received() !== '');
  answerSlow();
  await closed;
  const all = answers(received());
  expect(all.pop()).toMatchObject({ status: 200, body: 'slow' });
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([102]));
});

test('a client that goes away while it waits is noticed', async () => {
  await start();
  const left = new Promise<void>((resolve) => {
    app.server.on('request', (_request, response) => response.once('close', resolve));
  });
  const { socket } = await open();
  const asked = once(app.server, 'request');
  socket.write(get('/slow'));
  await asked;
  socket.destroy();
  await left;
  answerSlow();
});

test('a client of HTTP/1.0, which knows no interim answers, is not asked', async () => {
  await start();
  const { socket, received, closed } = await open();
  socket.end('GET /slow HTTP/1.0\r\nHost: test\r\n\r\n');
  const began = performance.now();
  await until('others would have been asked', () => performance.now() - began > 100);
  answerSlow();
  await closed;
  expect(answers(received())).toMatchObject([{ status: 200 }]);
});

test.each([
  ['a head', 'GET /quick HTTP/1.1\r\nHost: test\r\n'],
  ['nothing', ''],
  ['empty lines', '\r\n\r\n'],
  [
    'a body with a length',
    'POST /quick HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
  ],
  [
    'a body in chunks',
    'POST /quick HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
  ],
])('a client that sends %s without end gets an answer at its time limit', async (_what, text) => {
  await start({ headersMs: 300, requestMs: 600 });
  const { socket, received, closed } = await open();
  socket.write(text);
  await closed;
  expect(answers(received())).toMatchObject([{ status: 408 }]);
});

test('a connection that goes on with empty lines after an answer is ended, one that is silent is kept', async () => {
  await start({ noiseMs: 300 });
  const [noisy, silent] = [await open(), await open()];
  for (const { socket, received } of [noisy, silent]) {
    socket.write(get('/quick'));
    await until('it is answered', () => received() !== '');
  }
  const timer = setInterval(() => noisy.socket.write('\r\n'), 20);
  await noisy.closed;
  clearInterval(timer);
  silent.socket.write(get('/quick'));
  await until('it is answered again', () => answers(silent.received()).length === 2);
  expect(answers(noisy.received())).toMatchObject([{ status: 200 }]);
});

test('a request that takes longer than noise may is answered, empty lines sent ahead or not', async () => {
  await start({ noiseMs: 300 });
  const { socket, received } = await open();
  socket.write(get('/quick'));
  await until('it is answered', () => received() !== '');
  socket.write(`\r\n${get('/slow')}`);
  const began = performance.now();
  await until('noise would be over', () => performance.now() - began > 600);
  answerSlow();
  await until('it is answered', () => answers(received()).length === 2);
});

test('a request that came whole is answered before what is malformed behind it', async () => {
  await start();
  const { socket, received, closed } = await open();
  const asked = once(app.server, 'request');
  const malformed = new Promise((resolve) => app.server.once('clientError', resolve));
  socket.write(`${get('/slow')}${get('/quick')}FOO\r\n\r\n`);
  await Promise.all([asked, malformed]);
  socket.write('more that cannot be read\r\n');
  answerSlow();
  await closed;
  expect(answers(received()).map(({ status }) => status)).toEqual([200, 200, 400]);
});

test('nothing is said to what comes behind a request that asks to close', async () => {
  await start();
  const { socket, received, closed } = await open();
  const malformed = new Promise((resolve) => app.server.once('clientError', resolve));
  socket.write(`GET /slow HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n${get('/quick')}`);
  await malformed;
  answerSlow();
  await closed;
  expect(answers(received()).map(({ status }) => status)).toEqual([200]);
});

test.each([
  ['at once', 0],
  ['after the answer', 1],
])('a refused POST whose body is malformed, %s, gets one answer', async (_when, awaited) => {
  await start();
  const { socket, received, closed } = await open();
  socket.write('POST /nowhere HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n');
  await until('it is answered', () => answers(received()).length >= awaited);
  socket.write('zz\r\nno chunk');
  await closed;
  expect(answers(received())).toMatchObject([{ status: 404 }]);
});

test.each([
  ['with a length', (size: number) => `Content-Length: ${size}\r\n\r\n`],
  ['in chunks', (size: number) => `Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n`],
])('a client that sends a body %s whole before it reads has its 413', async (_how, head) => {
  await start();
  const size = 16 * 2 ** 20;
  const { socket, received, closed } = await open();
  socket.pause();
  socket.write(`POST /quick HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\n${head(size)}`);
  const faults: unknown[] = [];
  socket.on('error', (error) => faults.push(error));
  await new Promise<void>((resolve) => {
    socket.write(Buffer.alloc(size, 0x20), () => resolve());
  });
  socket.resume();
  await closed;
  expect(faults).toEqual([]);
  const [answer, ...more] = answers(received());
  expect([answer?.status, answer?.headers.connection, more]).toEqual([413, 'close', []]);
  expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 'payload_too_large' });
});
