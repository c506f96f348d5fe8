import { connect, type Socket } from 'node:net';
import { AnswerReader, requestText } from './answers.ts';
import { quantile } from './quantile.ts';

/** The requests to send. */
export interface Load {
  /** 127.0.0.1 only. */
  port: number;
  /** The paths; every connection requests each in turn. */
  paths: readonly string[];
  headers?: Readonly<Record<string, string>>;
  connections: number;
  /** Duration, in ms. */
  durationMs: number;
  /** The status that every answer must have; if absent, answers other than 200 are counted as failed. */
  status?: number;
  /** What is sent instead of GETs: a JSON body for each request. */
  write?: { method: string; body: () => unknown };
}

/** The result of a load. */
export interface LoadResult {
  /** How many requests were answered. */
  requests: number;
  /** Answers a second, those that failed not included. */
  requestsPerSecond: number;
  /** Answers that were not 200, where no status was asked for. */
  failed: number;
  /** Median and 99th percentile of the time to an answer, in ms. */
  p50: number;
  p99: number;
}

/**
 * Sends requests over kept-alive connections, each waiting for its answer before the next, and measures.
 * Throws when an answer has another status.
 */
export async function load(options: Load): Promise<LoadResult> {
  const times: number[] = [];
  const tally = { failed: 0 };
  const end = performance.now() + options.durationMs;
  const start = performance.now();
  await Promise.all(
    Array.from({ length: options.connections }, (_, index) =>
      connection(options, { index, end, times, tally }),
    ),
  );
  const seconds = (performance.now() - start) / 1000;
  return {
    requests: times.length,
    requestsPerSecond: times.length / seconds,
    failed: tally.failed,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
  };
}

/** What the connections of a load share, and the place of this one. */
interface Shared {
  index: number;
  /** When the load ends, by `performance.now()`. */
  end: number;
  times: number[];
  tally: { failed: number };
}

function connection(options: Load, { index, end, times, tally }: Shared): Promise<void> {
  const requests = options.paths.map((path) => requestOf(options, path));
  const { status } = options;
  const reader = new AnswerReader();
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(options.port, '127.0.0.1');
    socket.setNoDelay(true);
    let next = index;
    let sent = 0;
    const send = () => {
      if (performance.now() >= end) {
        socket.destroy();
        resolve();
        return;
      }
      sent = performance.now();
      socket.write(requests[next++ % requests.length]?.() ?? '');
    };
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.on('connect', send);
    socket.on('data', (chunk: Buffer) => {
      const isWhole = reader.takes(chunk);
      if (status !== undefined && reader.status !== status) {
        socket.destroy(new Error(`expected ${status}, got ${chunk.toString('latin1', 0, 500)}`));
        return;
      }
      if (!isWhole) return;
      if (reader.status === (status ?? 200)) times.push(performance.now() - sent);
      else tally.failed += 1;
      send();
    });
  });
}

/** The text of each request for a path. */
function requestOf({ headers = {}, write }: Load, path: string): () => string {
  const head = requestText(write?.method ?? 'GET', path, headers);
  if (write === undefined) return () => `${head}\r\n`;
  return () => {
    const body = JSON.stringify(write.body());
    const length = Buffer.byteLength(body);
    return `${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
  };
}
