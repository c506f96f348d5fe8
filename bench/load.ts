import { connect, type Socket } from 'node:net';
import { quantile } from './quantile.ts';

/** A request, and what it sends besides its path. */
export interface LoadRequest {
  path: string;
  headers?: Readonly<Record<string, string>>;
}

/** The requests to send to 127.0.0.1. */
export interface Load {
  port: number;
  requests: readonly LoadRequest[];
  /** Connections kept open; one that waits for an answer sends nothing else. */
  connections?: number;
  /** Duration, in ms. */
  durationMs: number;
  /**
   * Requests per second, sent whether earlier ones have been answered or not; absent: each connection sends
   * as soon as it has its answer. A load that waits for answers sends little while the server stands still,
   * so its percentiles hide just those times.
   */
  rate?: number;
  /** The status that every answer must have: another one, or a broken connection, ends the load. */
  status?: number;
  /** Writes to send instead of GETs: a JSON body for each request, or its text. */
  write?: { method: string; body: () => unknown };
}

/** The result of a load; times are from when a request was due to its answer, in ms. */
export interface LoadResult {
  requests: number;
  /** Answers a second, those that failed not included. */
  requestsPerSecond: number;
  /** Answers other than 200, 304 and the status that was asked for, and connections that broke. */
  failed: number;
  p50: number;
  p99: number;
  highest: number;
  /** Number of answers with each status; 0: the connection broke. */
  statuses: Record<number, number>;
}

/** Connections of a load that does not name their number. */
const CONNECTIONS = 64;

/** The pause before a broken connection is opened again, in ms. */
const REOPEN_MS = 20;

/** A connection, and what it waits for. */
interface Connection {
  socket?: Socket;
  /** When the request that it waits for was due. */
  due?: number;
  /** The status of the answer that is being read. */
  status: number;
  /** Bytes of that answer that are still to come; infinite for one in chunks, until its last one. */
  missing: number;
  /** The last characters of an answer in chunks. */
  end: string;
}

/** The end of a body that is sent in chunks. */
const LAST_CHUNK = '0\r\n\r\n';

/** Sends requests and measures. Throws when an answer has another status than the one that was asked for. */
export async function load(options: Load): Promise<LoadResult> {
  const { port, connections = CONNECTIONS, durationMs, rate, status: wanted } = options;
  const texts = options.requests.map((request) => textOf(request, options));
  const times: number[] = [];
  const statuses: Record<number, number> = {};
  const all = Array.from({ length: connections }, (): Connection => ({ status: 0, missing: 0, end: '' }));
  const free: Connection[] = [];
  const begin = performance.now();
  const [total, period] =
    rate === undefined
      ? [Number.POSITIVE_INFINITY, 0]
      : [Math.floor((rate * durationMs) / 1000), 1000 / rate];
  let [sent, waiting, over] = [0, 0, false];
  const { promise, resolve, reject } = Promise.withResolvers<void>();

  const send = () => {
    const now = performance.now();
    const ended = rate === undefined ? now - begin >= durationMs : sent >= total;
    while (!ended && sent < total && begin + sent * period <= now) {
      const connection = free.pop();
      if (connection === undefined) return;
      connection.due = rate === undefined ? now : begin + sent * period;
      waiting += 1;
      connection.socket?.write(texts[sent % texts.length]?.() ?? '');
      sent += 1;
    }
    if (ended && waiting === 0) resolve();
  };
  const answered = (connection: Connection, status: number, chunk?: Buffer) => {
    if (connection.due === undefined) return;
    times.push(performance.now() - connection.due);
    statuses[status] = (statuses[status] ?? 0) + 1;
    delete connection.due;
    waiting -= 1;
    if (wanted === undefined || status === wanted) return;
    reject(new Error(`expected ${wanted}, got ${chunk?.toString('latin1', 0, 500) ?? 'no answer'}`));
  };
  const open = (connection: Connection) => {
    if (over) return;
    connection.missing = 0;
    const ready = () => {
      free.push(connection);
      send();
    };
    const socket = connect(port, '127.0.0.1', ready).setNoDelay(true);
    connection.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      if (!isWhole(connection, chunk)) return;
      answered(connection, connection.status, chunk);
      ready();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      answered(connection, 0);
      const place = free.indexOf(connection);
      if (place >= 0) free.splice(place, 1);
      setTimeout(open, REOPEN_MS, connection);
    });
  };
  for (const connection of all) open(connection);
  // Not at once: a loop without a pause would take a core from what is measured.
  const timer = setInterval(send, 1);
  await promise.finally(() => {
    over = true;
    clearInterval(timer);
    for (const { socket } of all) socket?.destroy();
  });
  const seconds = (performance.now() - begin) / 1000;
  const failures = Object.entries(statuses).filter(
    ([status]) => ![200, 304, wanted].includes(Number(status)),
  );
  const failed = failures.reduce((sum, [, count]) => sum + count, 0);
  return {
    requests: times.length,
    requestsPerSecond: (times.length - failed) / seconds,
    failed,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    highest: times.reduce((longest, time) => Math.max(longest, time), 0),
    statuses,
  };
}

/**
 * Takes a piece of an answer; whether the answer is whole now. It only looks for the status line and the
 * length: a client that parsed answers would cost more than the servers, and be what is measured.
 */
function isWhole(connection: Connection, chunk: Buffer): boolean {
  if (connection.missing === 0) {
    const end = chunk.indexOf('\r\n\r\n');
    const head = chunk.toString('latin1', 0, end);
    connection.status = Number(head.slice(9, 12));
    const [, length = Number.POSITIVE_INFINITY] = /content-length: (\d+)/i.exec(head) ?? [];
    connection.missing = end + 4 + (connection.status === 304 ? 0 : Number(length));
  }
  connection.missing -= chunk.length;
  if (connection.missing < Number.POSITIVE_INFINITY) return connection.missing <= 0;
  const { length } = LAST_CHUNK;
  const last = chunk.toString('latin1', Math.max(0, chunk.length - length));
  connection.end = `${connection.end}${last}`.slice(-length);
  if (connection.end !== LAST_CHUNK) return false;
  connection.missing = 0;
  return true;
}

/** Makes the text of a request each time it is sent. */
function textOf({ path, headers = {} }: LoadRequest, { write }: Load): () => string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${write?.method ?? 'GET'} ${path} HTTP/1.1\r\nHost: bench\r\n${lines.join('')}`;
  if (write === undefined) {
    const text = `${head}\r\n`;
    return () => text;
  }
  return () => {
    const value = write.body();
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    const length = Buffer.byteLength(body);
    return `${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
  };
}
