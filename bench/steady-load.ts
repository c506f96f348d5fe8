import { connect, type Socket } from 'node:net';
import { AnswerReader, requestText } from './answers.ts';
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
  reader: AnswerReader;
}

/**
 * Sends GETs at a steady rate, whether earlier ones have been answered or not, and measures each from the
 * time at which it was due. A load that waits for answers sends little while the server stands still, so its
 * percentiles hide just those times.
 */
export async function steadyLoad({ port, requests, rate, durationMs }: SteadyLoad): Promise<SteadyResult> {
  const texts = requests.map(({ path, headers = {} }) => `${requestText('GET', path, headers)}\r\n`);
  const total = Math.floor((rate * durationMs) / 1000);
  const times: number[] = [];
  const statuses: Record<number, number> = {};
  const free: Connection[] = [];
  const all = Array.from({ length: CONNECTIONS }, (): Connection => ({ reader: new AnswerReader() }));
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
  const answered = (connection: Connection, status: number) => {
    if (connection.due === undefined) return;
    times.push(performance.now() - connection.due);
    statuses[status] = (statuses[status] ?? 0) + 1;
    delete connection.due;
    if (times.length >= total) resolve();
  };
  const open = (connection: Connection) => {
    if (over) return;
    const socket = connect(port, '127.0.0.1', () => free.push(connection)).setNoDelay(true);
    connection.socket = socket;
    connection.reader = new AnswerReader();
    socket.on('data', (chunk: Buffer) => {
      if (!connection.reader.takes(chunk)) return;
      answered(connection, connection.reader.status);
      free.push(connection);
      send();
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
