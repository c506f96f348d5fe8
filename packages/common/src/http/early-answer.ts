import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a connection is read after its last answer while nothing more arrives, in ms. */
const SILENCE_MS = 5_000;

/** How long it is read in all, in ms. */
const LINGER_MS = 30_000;

/** By connection, the request that was answered before its body had arrived. */
const answeredEarly = Symbol('answeredEarly');

type Connection = Socket & { [answeredEarly]?: IncomingMessage };

/**
 * Looks after a response that comes before the body of its request: the refusal of a sender, or of a body that is too
 * large, after which the connection ends. Where it ends, what still comes is read and dropped for a while first: many
 * clients send all before they read, and what arrives at a closed connection resets it and takes the answer with it
 * (RFC 9112, section 9.6). To be called before the head is written.
 */
export function prepareEarlyAnswer(response: ServerResponse, status: number): void {
  const { req } = response;
  if (!owesBody(req)) return;
  (req.socket as Connection)[answeredEarly] = req;
  linger(req);
  if (status === 413) response.setHeader('connection', 'close');
}

/** True while what arrives on a connection is the rest of a request that has its answer, and must not get another. */
export function isAnsweredEarly(connection: Connection): boolean {
  return connection[answeredEarly]?.complete === false;
}

/** True while a body is announced that has not arrived whole. */
function owesBody({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Has the end of the connection wait until the client has sent all of `request`, is silent, or sends for too long.
 * Node calls `destroySoon` when the last answer of a connection is on its way.
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

/** All has been read, so nothing can reset what was answered. */
function hangUp(socket: Socket): void {
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}
