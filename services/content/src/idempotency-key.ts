import { invalidRequest } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';

/** The format of an `Idempotency-Key`. */
const PATTERN = /^[\x21-\x7e]{1,255}$/;

/**
 * The `Idempotency-Key` of a request (IETF draft "The Idempotency-Key HTTP Header Field"), with which a
 * create can be repeated without creating a second article. Throws 400 if it is malformed.
 */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const given = request.headers['idempotency-key'];
  if (given === undefined) return undefined;
  if (typeof given === 'string' && PATTERN.test(given)) return given;
  throw invalidRequest('header: Idempotency-Key must be 1 to 255 visible ASCII characters');
}
