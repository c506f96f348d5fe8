import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { Problem } from '../problems/problem.ts';
import { PROBLEM_MEDIA_TYPE, type ProblemDocument, problemDocument } from '../problems/problem-document.ts';
import type { ProblemExtension } from '../problems/problem-replies.ts';
import { isAnsweredEarly } from './early-answer.ts';
import { requestId } from './request-id.ts';

/** Node's HTTP server error for a request that it cannot read. */
export interface UnreadableFault extends Error {
  code: string;
}

/** Errors with a specific answer; all others are 400. */
const ANSWERS: Record<string, [status: number, detail: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive; send it again'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are larger than this service accepts'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions are larger than this service accepts'],
};

/** How long an answer may take to be sent before its connection is closed, in ms. */
const DELIVERY_MS = 5_000;

/** The log name of a request that could not be read and so has no id. */
const UNREAD = { headers: {} } as IncomingMessage;

/**
 * Makes the handler for requests that are not valid HTTP: it sends a problem document with an id and headers
 * like any other error, then closes the connection, because the next bytes cannot be interpreted (RFC 9112,
 * section 2.2).
 *
 * @param headers the headers of every answer
 */
export function answerUnreadable(
  log: FastifyBaseLogger,
  headers: Readonly<Record<string, string>>,
  extend?: ProblemExtension,
) {
  const constant = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (fault: UnreadableFault, socket: Socket): void => {
    if (isAnsweredEarly(socket)) return void endAfterAnswer(socket);
    if (!socket.writable || fault.code === 'ECONNRESET' || isAnswerBegun(socket))
      return void socket.destroy();
    const [status, detail] = ANSWERS[fault.code] ?? [400, 'this is not a valid HTTP/1.1 request'];
    const problem = new Problem(status, status === 413 ? 'payload_too_large' : 'invalid_request', detail);
    const document = problemDocument(problem, requestId(UNREAD));
    const event = { requestId: document.requestId, status, address: socket.remoteAddress, fault: fault.code };
    log.info(event, 'request_unreadable');
    socket.end(response(document, constant, extend));
    socket.destroySoon();
  };
}

/**
 * Node keeps the current answer on its socket under a private name; a second one must not be written into it.
 */
type Answering = Socket & { _httpMessage?: ServerResponse | null };

function isAnswerBegun(socket: Answering): boolean {
  return socket._httpMessage?.headersSent === true;
}

/** Bytes after an answer do not matter, but the answer may still be in transit. */
function endAfterAnswer(socket: Answering): void {
  const answer = socket._httpMessage;
  if (answer?.writableEnded === false) answer.once('finish', () => socket.end());
  else socket.end();
  const timer = setTimeout(() => socket.destroy(), DELIVERY_MS);
  socket.once('close', () => clearTimeout(timer));
}

function response(document: ProblemDocument, constant: string[], extend?: ProblemExtension): string {
  const body = JSON.stringify({ ...document, ...extend?.(document) });
  return [
    `HTTP/1.1 ${document.status} ${document.title}`,
    `content-type: ${PROBLEM_MEDIA_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
    `x-request-id: ${document.requestId}`,
    ...constant,
    '',
    body,
  ].join('\r\n');
}
