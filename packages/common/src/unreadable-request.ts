import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from './problem.ts';
import { PROBLEM_MEDIA_TYPE, problemDocument } from './problem-document.ts';
import type { ProblemExtension } from './problem-replies.ts';

/** What Node's HTTP parser gives up on, by its code; anything else is 400. */
const REFUSALS: Record<string, [status: number, detail: string]> = {
  HPE_HEADER_OVERFLOW: [431, 'the headers are larger than this service accepts'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
};

/**
 * Answers bytes that no request could be read from, for which there is neither a route nor a reply, as every
 * other error is answered, and closes the connection.
 */
export function refuseUnreadable(
  error: Error & { code?: string },
  socket: Socket,
  extend?: ProblemExtension,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
  const [status, detail] = REFUSALS[error.code ?? ''] ?? [400, 'this is not a request of HTTP/1.1'];
  const document = problemDocument(new Problem(status, 'invalid_request', detail), randomUUID());
  const body = JSON.stringify({ ...document, ...extend?.(document) });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${document.requestId}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
