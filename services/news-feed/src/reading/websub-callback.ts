import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listenError } from '@pressroom/common/start/run-service';
import { type CallbackParts, noteFault, pollAtOnce, secretOf, verify } from './websub.ts';

/** The largest notification, in bytes. Its text is not read, only its signature is computed. */
const MOST_BYTES = 10 * 2 ** 20;

/** Time limit for receiving a hub's request, in ms. */
const REQUEST_MS = 20_000;

const PATH = /^\/websub\/([A-Za-z0-9_-]{43})$/;

/** `X-Hub-Signature` (WebSub, "Signature validation"), without SHA-1, which can be forged. */
const SIGNATURE = /^(sha256|sha384|sha512)=([0-9a-f]+)$/i;

/** Serves the callbacks of the subscriptions. Returns what closes the port. Throws as `listenError` says. */
export async function serveCallback(
  parts: CallbackParts,
  port: number,
  host: string,
): Promise<{ port: number; close: () => void }> {
  const server = createServer({ requestTimeout: REQUEST_MS }, (request, response) => {
    answer(parts, request).then(
      ({ status, text }) => end(request, response, status, text),
      (error: unknown) => {
        parts.log.warn({ err: error }, 'callback_failed');
        // The hub sends it again.
        end(request, response, 503, '');
      },
    );
  });
  try {
    await once(server.listen(port, host), 'listening');
  } catch (error) {
    throw listenError(error, { host, port, portVariable: 'NEWS_CALLBACK_PORT' });
  }
  const address = server.address();
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: typeof address === 'object' && address !== null ? address.port : port, close };
}

function end(request: IncomingMessage, response: ServerResponse, status: number, text: string): void {
  const isRead = request.complete;
  // The echoed challenge must not be taken for a page.
  const headers = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' };
  response.writeHead(status, isRead ? headers : { ...headers, connection: 'close' }).end(text);
}

interface Answer {
  status: number;
  text: string;
}

async function answer(parts: CallbackParts, request: IncomingMessage): Promise<Answer> {
  const url = URL.parse(request.url ?? '', 'http://callback.invalid');
  const token = PATH.exec(url?.pathname ?? '')?.[1];
  if (url === null || token === undefined) return { status: 404, text: '' };
  const names = [...url.searchParams].flat();
  if (names.some((text) => text.includes('\0')))
    return { status: 400, text: 'the query has a NUL character' };
  if (request.method === 'GET') return verified(parts, token, url.searchParams);
  if (request.method === 'POST') return notified(parts, token, request);
  return { status: 405, text: '' };
}

async function verified({ db, log }: CallbackParts, token: string, query: URLSearchParams): Promise<Answer> {
  const mode = query.get('hub.mode') ?? '';
  const challenge = query.get('hub.challenge') ?? '';
  if (mode === 'denied') {
    const reason = query.get('hub.reason')?.slice(0, 200) || 'without a reason';
    await noteFault(db, token, `the hub has refused it: ${reason}`, 'hub_refuses');
    return { status: 200, text: '' };
  }
  const topic = query.get('hub.topic') ?? '';
  const leaseSeconds = Number(query.get('hub.lease_seconds')) || 0;
  const isWanted = challenge !== '' && (await verify(db, token, { mode, topic, leaseSeconds }));
  if (isWanted) log.info({ mode, topic }, 'subscription_verified');
  return isWanted ? { status: 200, text: challenge } : { status: 404, text: '' };
}

/** A notification without a valid signature is answered alike and ignored, as WebSub asks. */
async function notified(
  { db, clock, log }: CallbackParts,
  token: string,
  request: IncomingMessage,
): Promise<Answer> {
  const secret = await secretOf(db, token);
  // The hub forgets a subscription that is gone.
  if (secret === undefined) return { status: 410, text: '' };
  const [, method = 'sha256', digits = ''] = SIGNATURE.exec(header(request, 'x-hub-signature')) ?? [];
  const hmac = createHmac(method.toLowerCase(), secret);
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return { status: 413, text: '' };
    hmac.update(chunk);
  }
  const [expected, given] = [hmac.digest(), Buffer.from(digits, 'hex')];
  if (expected.length === given.length && timingSafeEqual(expected, given)) {
    await pollAtOnce(db, token, clock());
  } else {
    log.warn({ bytes }, 'notification_not_signed');
  }
  return { status: 202, text: '' };
}

function header(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return typeof value === 'string' ? value : '';
}
