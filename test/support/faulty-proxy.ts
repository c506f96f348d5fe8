import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A request that passes through a {@link FaultyProxy}, as its first line tells it. */
export interface PassingRequest {
  method: string;
  /** With the query string, percent-encoded. */
  path: string;
}

/**
 * Faults of a request: `refuse` breaks the connection before the server hears of it, `cut-request` in the
 * middle of its head, `cut-answer` when the server has done what was asked and begins to answer. A promise
 * holds the answer back until it resolves. `{ xml }` is a 200 with this body and `{ answer }` a whole answer,
 * and the server hears nothing.
 */
export type Fault =
  | 'refuse'
  | 'cut-request'
  | 'cut-answer'
  | Promise<void>
  | { xml: string }
  | { answer: string }
  | undefined;

/** A TCP proxy between a service and a store that spoils what a test wants spoiled. */
export interface FaultyProxy {
  url: string;
  /** Chooses the fault of each request; replaced by the test at any time. */
  choose: (request: PassingRequest) => Fault;
  close: () => Promise<void>;
}

const REQUEST_LINE = /^(GET|HEAD|PUT|POST|DELETE) (\S+) HTTP\/1\.1\r\n/;

/** Starts a proxy before the server at `targetUrl`, which lets everything pass until told otherwise. */
export async function startFaultyProxy(targetUrl: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    track(client);
    track(upstream);
    relay(client, upstream, (request) => proxy.choose(request));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    choose: () => undefined,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

/** Requests of the AWS SDK follow each other on a connection, and each begins with its own packet. */
function relay(client: Socket, upstream: Socket, choose: (request: PassingRequest) => Fault): void {
  let fault: Fault;
  const breakOff = () => {
    client.destroy();
    upstream.destroy();
  };
  client.on('data', (chunk: Buffer) => {
    const [, method = '', path = ''] = REQUEST_LINE.exec(chunk.toString('latin1')) ?? [];
    if (method) fault = choose({ method, path });
    if (fault === 'refuse') return breakOff();
    if (typeof fault === 'object' && 'xml' in fault) return void client.write(answerOf(fault.xml));
    if (typeof fault === 'object' && 'answer' in fault) return void client.end(fault.answer);
    if (fault === 'cut-request') return void upstream.write(chunk.subarray(0, chunk.length / 2), breakOff);
    return void upstream.write(chunk);
  });
  upstream.on('data', (chunk) => {
    if (fault === 'cut-answer') return breakOff();
    if (fault instanceof Promise) {
      client.pause();
      return void fault.then(() => client.resume().write(chunk));
    }
    return void client.write(chunk);
  });
  client.on('close', breakOff);
  upstream.on('close', breakOff);
}

function answerOf(xml: string): string {
  const length = Buffer.byteLength(xml);
  return `HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: ${length}\r\n\r\n${xml}`;
}
