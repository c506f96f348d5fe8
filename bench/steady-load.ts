import { connect, type Socket } from 'node:net';
import { quantile } from './quantile.ts';

/** A GET that is sent again and again. */
export interface SteadyRequest {
  path: string;
  headers?: Readonly<Record<string, string>>;
}

/** The requests to send at a steady rate. */
export interface SteadyLoad {
  /** 127.0.0.1 only. */
  port: number;
  /** Sent in turn. */
  requests: readonly SteadyRequest[];
  /** Requests per second. */
  rate: number;
  /** Duration, in ms. */
  durationMs: number;
}

/** Times from when a request was due to its answer, in ms. */
export interface SteadyResult {
  p50: number;
  p99: number;
  highest: number;
  /** How many answers had each status; 0: the connection broke. */
  statuses: Record<number, number>;
}

/** Connections; a request that finds none free waits, and its wait counts. */
const CONNECTIONS = 64;

/** The pause before a broken connection is opened again, in ms. */
const REOPEN_MS = 20;

/** A connection, and what it waits for. */
interface Connection {
  socket?: Socket;
  /** When the request that it waits for was due. */
  due?: number;
  /** Bytes of the answer that are still to come; unknown before its head. */
  missing?: number;
  status: number;
}

/**
 * Sends GETs at a steady rate, whether earlier ones have been answered or not, and measures each from the
 * time at which it was due. A load that waits for answers sends little while the server stands still, so its
 * percentiles hide just those times.
 */
export async function steadyLoad({ port, requests, rate, durationMs }: SteadyLoad): Promise<SteadyResult> {
  const texts = requests.map(textOf);
  const total = Math.floor((rate * durationMs) / 1000);
  const times: number[] = [];
  const statuses: Record<number, number> = {};
  const free: Connection[] = [];
  const all = Array.from({ length: CONNECTIONS }, (): Connection => ({ status: 0 }));
  let over = false;
  let due = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const start = performance.now();
  const dueAt = (index: number) => start + (index * 1000) / rate;
  const send = () => {
    for (const now = performance.now(); due < total && dueAt(due) <= now && free.length > 0; due += 1) {
      const connection = free.pop();
      if (connection === undefined) return;
      connection.due = dueAt(due);
      connection.socket?.write(texts[due % texts.length] ?? '');
    }
  };
  const answered = (connection: Connection) => {
    if (connection.due === undefined) return;
    times.push(performance.now() - connection.due);
    statuses[connection.status] = (statuses[connection.status] ?? 0) + 1;
    delete connection.due;
    if (times.length >= total) resolve();
  };
  const open = (connection: Connection) => {
    if (over) return;
    const socket = connect(port, '127.0.0.1', () => free.push(connection)).setNoDelay(true);
    connection.socket = socket;
    delete connection.missing;
    socket.on('data', (chunk: Buffer) => {
      if (!receive(connection, chunk)) return;
      answered(connection);
      free.push(connection);
      send();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      connection.status = 0;
      answered(connection);
      const place = free.indexOf(connection);
      if (place >= 0) free.splice(place, 1);
      setTimeout(open, REOPEN_MS, connection);
    });
  };
  for (const connection of all) open(connection);
  // Not at once: a loop without a pause would take a core from what is measured.
  const timer = setInterval(send, 1);
  await promise;
  over = true;
  clearInterval(timer);
  for (const { socket } of all) socket?.destroy();
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    highest: times.reduce((most, time) => Math.max(most, time), 0),
    statuses,
  };
}

function textOf({ path, headers = {} }: SteadyRequest): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\n${lines.join('')}\r\n`;
}

/** Takes a piece of an answer; whether the answer is whole now. */
function receive(connection: Connection, chunk: Buffer): boolean {
  if (connection.missing === undefined) {
    const end = chunk.indexOf('\r\n\r\n');
    const head = chunk.toString('latin1', 0, end);
    connection.status = Number(head.slice(9, 12));
    const length = connection.status === 304 ? 0 : Number(/content-length: (\d+)/i.exec(head)?.[1]);
    connection.missing = end + 4 + length;
  }
  connection.missing -= chunk.length;
  if (connection.missing > 0) return false;
  delete connection.missing;
  return true;
}
