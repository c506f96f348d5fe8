import { connect, type Socket } from 'node:net';
import { quantile } from './compare.ts';

/** The requests to send at a steady rate. */
export interface SteadyLoad {
  /** 127.0.0.1 only. */
  port: number;
  path: string;
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
}

/** Connections; a request that finds none free waits, and its wait counts. */
const CONNECTIONS = 64;

/**
 * Sends GETs at a steady rate, whether earlier ones have been answered or not, and measures each from the
 * time at which it was due. A load that waits for answers sends little while the server stands still, so its
 * percentiles hide just those times. Throws if an answer is not 200.
 */
export async function steadyLoad({ port, path, rate, durationMs }: SteadyLoad): Promise<SteadyResult> {
  const request = `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`;
  const total = Math.floor((rate * durationMs) / 1000);
  const times: number[] = [];
  const waiting: number[] = [];
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port)));
  const free = [...sockets];
  const start = performance.now();
  await new Promise<void>((resolve, reject) => {
    let sent = 0;
    const send = () => {
      while (waiting.length > 0 && free.length > 0) {
        const [due = 0] = waiting.splice(0, 1);
        const socket = free.pop();
        if (socket === undefined) return;
        receive(socket, reject, () => {
          times.push(performance.now() - due);
          free.push(socket);
          if (times.length === total) resolve();
          send();
        });
        socket.write(request);
      }
    };
    const tick = () => {
      const now = performance.now();
      for (; sent < total && start + (sent * 1000) / rate <= now; sent += 1)
        waiting.push(start + (sent * 1000) / rate);
      send();
      // Not at once: a loop without a pause would take a core from what is measured.
      if (sent < total) setTimeout(tick, 1);
    };
    tick();
  });
  for (const socket of sockets) socket.destroy();
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), highest: Math.max(...times) };
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.setNoDelay(true)));
    socket.once('error', reject);
  });
}

/** Waits for one whole answer. */
function receive(socket: Socket, reject: (error: Error) => void, done: () => void): void {
  let missing: number | undefined;
  const onData = (chunk: Buffer) => {
    if (missing === undefined) {
      const end = chunk.indexOf('\r\n\r\n');
      const head = chunk.toString('latin1', 0, end);
      if (!head.startsWith('HTTP/1.1 200 ')) return reject(new Error(`expected 200, got ${head}`));
      missing = end + 4 + Number(/content-length: (\d+)/i.exec(head)?.[1]);
    }
    missing -= chunk.length;
    if (missing > 0) return;
    socket.off('data', onData);
    done();
  };
  socket.on('data', onData);
}
