import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PreparedResponse } from '../http/constant-headers.ts';
import type { EarlyRequest } from '../http/early-request.ts';
import { isNotModified, type Representation } from './entity-tag.ts';

/** A representation with all that its answers say of it. */
export interface Answer extends Representation {
  /** The headers of a 200: names and values in turn. */
  readonly head: readonly string[];
  /** Those of a 304. */
  readonly unchanged: readonly string[];
  /** Its route, for the log and the metrics. */
  readonly routeOptions: EarlyRequest['routeOptions'];
}

/** Prepares the answers of a representation; `headers` are names and values in turn. */
export function answerOf(
  representation: Representation,
  mediaType: string,
  headers: readonly string[],
  routeOptions: EarlyRequest['routeOptions'],
): Answer {
  const { body, etag } = representation;
  const unchanged = ['etag', etag, ...headers];
  const length = String(Buffer.byteLength(body));
  const head = [...unchanged, 'content-type', mediaType, 'content-length', length];
  return { ...representation, head, unchanged, routeOptions };
}

/**
 * Answers a GET or HEAD, whoever has it: the whole representation, or 304 when `If-None-Match` names it (RFC
 * 9110, section 13.1.2).
 *
 * @param headers those of this answer alone, names and values in turn
 */
export function writeAnswer(
  { method, headers: { 'if-none-match': known } }: IncomingMessage,
  response: ServerResponse,
  { head, unchanged, body, etag }: Answer,
  headers: readonly string[],
): void {
  const prepared = response as PreparedResponse;
  if (isNotModified(known, etag)) prepared.writeList(304, unchanged, headers).end();
  else prepared.writeList(200, head, headers).end(method === 'HEAD' ? undefined : body);
}
