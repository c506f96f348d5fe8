import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { corsHeaders, preflight } from './cors.ts';
import { S3Error } from './errors.ts';
import { withHoistedHeaders } from './hoisted-headers.ts';
import { Payload } from './payload.ts';
import { parseRequest, type S3Request } from './request.ts';
import { errorResponse, type S3Response, send } from './response.ts';
import { findOperation } from './router.ts';
import { authenticate, type Credentials } from './signature.ts';
import type { Storage } from './storage/storage.ts';

/** What requests are answered with. */
export interface HandlerOptions {
  storage: Storage;
  credentials: Credentials;
  region: string;
  /** ms since 1970. */
  now(): number;
  /** Receives internal errors. */
  log(message: string): void;
}

/** Answers a request. Never throws: errors become answers. */
export async function handleRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: HandlerOptions,
): Promise<void> {
  const requestId = randomUUID();
  outgoing.setHeader('x-amz-request-id', requestId);
  outgoing.setHeader('server', 'pressroom-object-store');
  try {
    await send(outgoing, incoming.method ?? 'GET', await answer(incoming, outgoing, options));
  } catch (error) {
    await sendError(error, { incoming, outgoing, requestId, log: options.log });
  }
}

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { storage, credentials, region, now }: HandlerOptions,
): Promise<S3Response> {
  const request = parseRequest(incoming);
  const rules = request.headers.origin === undefined ? [] : storage.buckets.cors(request.bucket);
  if (request.method === 'OPTIONS') return preflight(rules, request);
  // Set before anything can fail: a page must be able to read the error, too.
  for (const [name, value] of Object.entries(corsHeaders(rules, request))) outgoing.setHeader(name, value);
  const authorization = await authenticate(request, credentials, now());
  const signed: S3Request = { ...request, headers: withHoistedHeaders(request) };
  const payload = new Payload(signed, authorization);
  const secret = credentials.secretAccessKey;
  return findOperation(signed)({ storage, request: signed, payload, secret, region, now });
}

async function sendError(
  error: unknown,
  context: {
    incoming: IncomingMessage;
    outgoing: ServerResponse;
    requestId: string;
    log(message: string): void;
  },
): Promise<void> {
  const { incoming, outgoing, requestId, log } = context;
  if (!(error instanceof S3Error) && !isDisconnect(incoming, outgoing)) {
    log(`${incoming.method} request ${requestId} failed: ${error instanceof Error ? error.stack : error}`);
  }
  if (outgoing.headersSent || outgoing.destroyed) {
    outgoing.destroy();
    return;
  }
  const answered = error instanceof S3Error ? error : new S3Error('InternalError');
  const resource = (incoming.url ?? '/').split('?')[0] ?? '/';
  await send(outgoing, incoming.method ?? 'GET', errorResponse(answered, resource, requestId));
}

function isDisconnect(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  return incoming.destroyed || outgoing.destroyed || incoming.socket.destroyed;
}
