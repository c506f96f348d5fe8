import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { quantile } from '../quantile.ts';
import type { SiteRequest } from './mix.ts';

/** The requests to send over TLS and HTTP/2, each at its time. */
export interface OpenLoad {
  /** 127.0.0.1 only. */
  port: number;
  host: string;
  request: () => SiteRequest;
  rate: number;
  /** Duration, in ms. */
  durationMs: number;
}

/** Times from when a request was due to the end of its answer, in ms. */
export interface OpenResult {
  p50: number;
  p99: number;
  p999: number;
  /** Requests that did not succeed in time, and their share in percent. */
  failed: number;
  lost: number;
}

/** So many that none has a thousand requests at any rate, after which nginx closes it. */
const CONNECTIONS = 128;

/** Longest wait of a reader, in ms. */
const PATIENCE_MS = 10_000;

/** Sends requests at a steady rate, whether earlier ones have been answered or not. */
export async function openLoad({ port, host, request, rate, durationMs }: OpenLoad): Promise<OpenResult> {
  const sessions = await Promise.all(Array.from({ length: CONNECTIONS }, () => open(port, host)));
  const total = Math.floor((rate * durationMs) / 1000);
  const times: number[] = [];
  const failures: Record<number, number> = {};
  let [sent, failed] = [0, 0];
  const { promise, resolve } = Promise.withResolvers<void>();
  const start = performance.now();
  const end = (due: number, status: number) => {
    const succeeded = status >= 200 && status < 300;
    // A reader whose request is lost has waited in vain: it counts as the longest.
    times.push(succeeded ? performance.now() - due : PATIENCE_MS);
    if (!succeeded) {
      failed += 1;
      failures[status] = (failures[status] ?? 0) + 1;
    }
    if (times.length === total) resolve();
  };
  const send = () => {
    for (const now = performance.now(); sent < total && start + (sent * 1000) / rate <= now; sent += 1) {
      const due = start + (sent * 1000) / rate;
      const session = sessions[sent % CONNECTIONS];
      if (session === undefined || session.closed || session.destroyed) end(due, 0);
      else void ask(session, request()).then((status) => end(due, status));
    }
  };
  const timer = setInterval(send, 1);
  await promise;
  clearInterval(timer);
  for (const session of sessions) session.destroy();
  if (failed > 0) console.log(`${rate} a second, lost by status; 0: no answer in time:`, failures);
  const at = (share: number) => quantile(times, share);
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), failed, lost: (100 * failed) / total };
}

async function open(port: number, host: string): Promise<ClientHttp2Session> {
  const session = connect(`https://${host}`, {
    createConnection: () =>
      connectTls({
        host: '127.0.0.1',
        port,
        servername: host,
        ALPNProtocols: ['h2'],
        rejectUnauthorized: false,
      }),
  });
  session.on('error', () => undefined);
  await once(session, 'connect');
  return session;
}

/** Sends a request; the status of its answer, or 0 if it was not whole in time. */
function ask(session: ClientHttp2Session, { method, path, headers, body }: SiteRequest): Promise<number> {
  return new Promise((resolve) => {
    const stream = session.request(
      { ':method': method, ':path': path, 'accept-encoding': 'gzip', ...headers },
      { endStream: body === undefined },
    );
    let answered = 0;
    stream.setTimeout(PATIENCE_MS, () => stream.close());
    stream.on('response', ({ ':status': status = 0 }) => {
      answered = status;
    });
    stream.on('error', () => undefined);
    stream.on('close', () => resolve(stream.readableEnded ? answered : 0));
    stream.resume();
    if (body !== undefined) stream.end(body);
  });
}
