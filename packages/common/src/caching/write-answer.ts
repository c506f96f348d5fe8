import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PreparedResponse } from '../http/constant-headers.ts';
import type { Answer } from './answer.ts';
import { isNotModified } from './entity-tag.ts';

/**
 * Answers a GET or HEAD, whoever has it: the whole representation, or 304 when `If-None-Match` names it (RFC
 * 9110, section 13.1.2).
 *
 * @param headers those of this answer alone, names and values in turn
 */
export function writeAnswer(
  { method, headers: { 'if-none-match': known } }: IncomingMessage,
  response: ServerResponse,
  { head, unchanged, length, body, etag }: Answer,
  headers: string[],
): void {
  const prepared = response as PreparedResponse;
  if (isNotModified(known, etag)) return void prepared.writePrepared(304, unchanged, headers).end();
  headers.push('content-length', length);
  prepared.writePrepared(200, head, headers).end(method === 'HEAD' ? undefined : body);
}
