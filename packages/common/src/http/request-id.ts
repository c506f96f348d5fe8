import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * 1–128 visible ASCII characters: what an incoming `X-Request-Id` must be to be kept (`docs/spec/wire.md`,
 * "Errors").
 */
const ACCEPTABLE = /^[\x21-\x7e]{1,128}$/;

/** The id of a request: the client's `X-Request-Id` if it is acceptable, else a new UUID. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && ACCEPTABLE.test(given) ? given : randomUUID();
}
