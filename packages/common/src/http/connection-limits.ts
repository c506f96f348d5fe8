import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Server } from './server.ts';

/** How long a client may take, in ms. */
export interface ConnectionLimits {
  /** For the head of a request, from its first byte, or from the beginning of the connection. */
  headersMs: number;
  /** For a whole request, body included. */
  requestMs: number;
  /** For sending what is not a request, such as empty lines, after the last answer. */
  noiseMs: number;
  /** Pause between two looks at the connections: what is over its limit may last so much longer. */
  lookMs: number;
}

/** A slow head ends after 30 s, a slow body and mere noise after 60 s at the latest. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 29_000,
  requestMs: 59_000,
  noiseMs: 59_000,
  lookMs: 1_000,
};

/** What was seen of a connection at the last look. */
interface Seen {
  received: number;
  sent: number;
  /** When something was first received after the last answer. */
  noiseSince: number | undefined;
}

/**
 * Answers clients that close their sending half after the request, notices those that are gone, and ends connections on which bytes arrive that never
 * become a request: Node takes empty lines before a request for activity, so that its own limits do not apply between two
 * requests.
 */
export function limitConnections(app: Server, { noiseMs, lookMs }: ConnectionLimits): void {
  keepHalfOpen(app.server);
  const connections = new Map<Socket, Seen>();
  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, { received: 0, sent: 0, noiseSince: undefined });
    socket.once('close', () => connections.delete(socket));
  });
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, seen] of connections) {
      if (isNoise(socket, seen, now, noiseMs)) socket.destroy();
      else if (socket.readableEnded) askIfThere(socket);
    }
  }, lookMs).unref();
  app.addHook('onClose', async () => clearInterval(timer));
}

/** True when a connection has sent for too long without a request; notes what is seen of it. */
function isNoise(socket: Socket, seen: Seen, now: number, noiseMs: number): boolean {
  const { bytesRead, bytesWritten } = socket;
  const isAnswered = bytesWritten !== seen.sent || hasRequest(socket);
  const hasSent = bytesRead !== seen.received;
  Object.assign(seen, { received: bytesRead, sent: bytesWritten });
  if (isAnswered) seen.noiseSince = undefined;
  else if (hasSent) seen.noiseSince ??= now;
  return seen.noiseSince !== undefined && now - seen.noiseSince > noiseMs;
}

/**
 * A client that has closed its sending half may wait for its answer or be gone: TCP tells only who sends to it. Interim
 * answers (RFC 9110, section 15.2) are passed over by the one; the other resets the connection at the first, so that the
 * second fails and the work ends.
 */
function askIfThere(socket: Socket): void {
  const response = answerOf(socket);
  if (response?.headersSent === false && response.req.httpVersion === '1.1') response.writeProcessing();
}

function hasRequest(socket: Socket): boolean {
  return answerOf(socket) !== undefined;
}

/** Node keeps the answer under way on its socket, without a public name. Were it renamed, `requestMs` is still less. */
function answerOf(socket: Socket & { _httpMessage?: ServerResponse | null }): ServerResponse | undefined {
  return socket._httpMessage ?? undefined;
}

/** Node's name of what its documentation does not mention: otherwise the end of a client's half ends the answer. */
function keepHalfOpen(server: Server['server'] & { httpAllowHalfOpen?: boolean }): void {
  server.httpAllowHalfOpen = true;
}
