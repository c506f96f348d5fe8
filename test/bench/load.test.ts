import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { load } from '../../bench/load.ts';

let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(listener: RequestListener): Promise<number> {
  server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

test('requests are sent in turn, each with its headers and a body of its own', async () => {
  const asked = new Set<string>();
  const port = await serve((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      asked.add(`${request.method} ${request.url} ${request.headers['x-name']} ${body}`);
      response.end('taken');
    });
  });
  const requests = ['/a', '/b'].map((path) => ({ path, headers: { 'x-name': path.slice(1) } }));
  let written = 0;
  const body = () => {
    written += 1;
    return { written };
  };
  const write = { method: 'PUT', body };
  const result = await load({
    port,
    requests,
    connections: 1,
    rate: 100,
    durationMs: 40,
    status: 200,
    write,
  });
  expect(result).toMatchObject({ requests: 4, failed: 0, statuses: { 200: 4 } });
  expect([...asked]).toEqual([
    'PUT /a a {"written":1}',
    'PUT /b b {"written":2}',
    'PUT /a a {"written":3}',
    'PUT /b b {"written":4}',
  ]);
});

test('at a rate, the time that a request waits for a connection counts', async () => {
  const port = await serve((_request, response) => void setTimeout(() => response.end('late'), 50));
  const request = { port, requests: [{ path: '/' }], connections: 1, rate: 100, durationMs: 50 };
  const { requests, highest } = await load(request);
  expect(requests).toBe(5);
  // The last one was due 10 ms before four others of 50 ms each had been answered.
  expect(highest).toBeGreaterThan(200);
});

test('an answer with another status ends a load that asks for one', async () => {
  const port = await serve((_request, response) => void response.writeHead(503).end());
  const request = { port, requests: [{ path: '/' }], connections: 2, durationMs: 60_000 };
  await expect(load({ ...request, status: 200 })).rejects.toThrow('expected 200, got HTTP/1.1 503');
});

test('without a status, refusals and broken connections are counted, and the load goes on', async () => {
  let count = 0;
  const port = await serve((request, response) => {
    count += 1;
    if (count % 3 === 1) request.socket.destroy();
    else response.writeHead(count % 3 === 2 ? 503 : 304).end();
  });
  const request = { port, requests: [{ path: '/' }], connections: 1, rate: 200, durationMs: 30 };
  expect(await load(request)).toMatchObject({
    requests: 6,
    failed: 4,
    statuses: { 0: 2, 503: 2, 304: 2 },
  });
});
