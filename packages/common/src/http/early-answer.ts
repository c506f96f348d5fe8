import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long an idle connection is still read after its last answer, in ms. */
const SILENCE_MS = 5_000;

/** How long it is read in total, in ms. */
const LINGER_MS = 30_000;

/** By connection, the request that was answered before its body had arrived. */
const answeredEarly = Symbol('answeredEarly');

type Connection = Socket & { [answeredEarly]?: IncomingMessage };

/**
 * Handles a response that comes before the body of its request, such as the refusal of a sender or of a body
 * that is too large. If the connection ends after it, remaining bytes are first read and dropped for a while:
 * many clients send everything before they read, and bytes arriving at a closed connection reset it, so that
 * the answer is lost (RFC 9112, section 9.6). Call it before the head is written.
 */
export function prepareEarlyAnswer(response: ServerResponse, status: number): void {
  const { req } = response;
  if (!owesBody(req)) return;
  (req.socket as Connection)[answeredEarly] = req;
  linger(req);
  if (status === 413) response.setHeader('connection', 'close');
}

/**
 * True while a connection receives the rest of a request that has been answered and must not be answered
 * again.
 */
export function isAnsweredEarly(connection: Connection): boolean {
  return connection[answeredEarly]?.complete === false;
}

/** True while an announced body has not completely arrived. */
function owesBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Delays the end of the connection until the client has sent all of `request`, is silent, or sends for too
 * long. Node calls `destroySoon` when the last answer of a connection has been queued.
 */
function linger(request: IncomingMessage): void {
  const { socket } = request;
  const close = socket.destroySoon.bind(socket);
  socket.destroySoon = () => {
    if (request.complete) return close();
    socket.end();
    request.resume();
    socket.setTimeout(SILENCE_MS, () => socket.destroy());
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => clearTimeout(timer));
    request.once('end', () => hangUp(socket));
  };
}

/** Everything has been read, so nothing can reset the connection. */
function hangUp(socket: Socket): void {
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}
