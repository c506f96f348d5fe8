import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Server } from './server.ts';

/** How long a client may take, in ms. */
export interface ConnectionLimits {
  /** For the head of a request, from its first byte or from the start of the connection. */
  headersMs: number;
  /** For a whole request, including its body. */
  requestMs: number;
  /** For sending anything but a request, such as empty lines, after the last answer. */
  noiseMs: number;
  /** Interval of the checks of connections: a limit may be exceeded by this much. */
  lookMs: number;
}

/**
 * A slow head ends after 30 s at the latest, a slow body or mere noise after 60 s. Each check wakes a process
 * that would otherwise sleep, so there are few.
 */
export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 25_000,
  requestMs: 55_000,
  noiseMs: 55_000,
  lookMs: 5_000,
};

/** The state of a connection at the last check. */
interface Seen {
  received: number;
  sent: number;
  /** When the first byte after the last answer was received. */
  noiseSince: number | undefined;
}

/**
 * Answers clients that close their sending half after the request, notices those that are gone, and ends
 * connections whose bytes never become a request: Node treats empty lines before a request as activity, so
 * its own limits do not apply between two requests.
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

/** True if a connection has been sending for too long without a request; records its state. */
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
 * A client that has closed its sending half may be waiting for its answer or be gone: TCP shows which only
 * when something is sent. A waiting client ignores interim answers (RFC 9110, section 15.2); a client that is
 * gone resets the connection at the first, so that the second fails and the work ends.
 */
function askIfThere(socket: Socket): void {
  const response = answerOf(socket);
  if (response?.headersSent === false && response.req.httpVersion === '1.1') response.writeProcessing();
}

function hasRequest(socket: Socket): boolean {
  return answerOf(socket) !== undefined;
}

/**
 * Node keeps the current answer on its socket under a private name. If it were renamed, `requestMs` would
 * still be lower.
 */
function answerOf(socket: Socket & { _httpMessage?: ServerResponse | null }): ServerResponse | undefined {
  return socket._httpMessage ?? undefined;
}

/** An undocumented Node option: otherwise a client closing its half would end the answer. */
function keepHalfOpen(server: Server['server'] & { httpAllowHalfOpen?: boolean }): void {
  server.httpAllowHalfOpen = true;
}

/** Interval of the checks of open connections while the server closes, in ms. */
const CLOSING_LOOK_MS = 20;

/**
 * Closes each connection as soon as its last request is answered while the server closes. Node closes those
 * that are idle when closing starts; the others would stay open as long as their clients like and keep the
 * process alive.
 */
export function closeAnsweredConnections(app: Server): void {
  app.addHook('preClose', (done) => {
    if (!app.server.listening) return done();
    const timer = setInterval(() => app.server.closeIdleConnections(), CLOSING_LOOK_MS);
    app.server.once('close', () => clearInterval(timer));
    return done();
  });
}
