import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** The bytes to send on one connection, and how. */
export interface Speech {
  /** Each character is a byte; pieces are sent one after the other, `pauseMs` apart. */
  pieces: readonly string[];
  pauseMs?: number;
  /** True to close the sending half after the last piece. */
  ends?: boolean;
  /** Time limit of the whole conversation, in ms. */
  patienceMs: number;
}

export interface HeardAnswer {
  status: number;
  /** The status line and the header lines. */
  head: string;
  body: string;
}

export interface Heard {
  /** The answers in their order. */
  answers: HeardAnswer[];
  /** The statuses of the answers, in their order. */
  statuses: number[];
  /** True if the server closed the connection in time. */
  closed: boolean;
  /** From the connection's beginning to its end, in ms. */
  ms: number;
  /** The bytes that could not be parsed as an answer. */
  rest: string;
}

/** Sends on one connection and reads until the server closes it or the time is up. */
export async function converse(url: string, speech: Speech): Promise<Heard> {
  const { patienceMs } = speech;
  const started = performance.now();
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
  let received = '';
  let closed = false;
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
  });
  // A server may reset a connection on which it has not read everything: an end like any other, at which
  // `once` of node:events would throw.
  socket.on('error', () => undefined);
  const over = new Promise<void>((resolve) => {
    const end = () => {
      closed = true;
      resolve();
    };
    socket.once('end', end).once('close', end);
  });
  const speaking = speak(socket, speech);
  const patience = new AbortController();
  await Promise.race([
    over,
    delay(patienceMs, undefined, { signal: patience.signal }).catch(() => undefined),
  ]);
  patience.abort();
  socket.destroy();
  await speaking;
  const { answers, rest } = readAnswers(received);
  const statuses = answers.map(({ status }) => status);
  return { answers, statuses, rest, closed, ms: performance.now() - started };
}

/** Sends the pieces until they are sent or the connection is gone. */
async function speak(socket: Socket, { pieces, pauseMs = 20, ends = false }: Speech): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await delay(pauseMs);
    if (!socket.writable) return;
    socket.write(piece, 'latin1');
  }
  if (ends) socket.end();
}

/** Splits answers with or without a `Content-Length`. */
function readAnswers(text: string): Pick<Heard, 'answers' | 'rest'> {
  const answers: HeardAnswer[] = [];
  let rest = text;
  for (;;) {
    const [head] = /^HTTP\/1\.1 (\d{3})[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/.exec(rest) ?? [];
    if (head === undefined) return { answers, rest };
    const status = Number(head.slice(9, 12));
    const length = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? 0);
    answers.push({ status, head, body: rest.slice(head.length, head.length + length) });
    rest = rest.slice(head.length + length);
  }
}
