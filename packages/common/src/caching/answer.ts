import { headerLines } from '../http/header-lines.ts';
import type { Representation } from './entity-tag.ts';

/** What the log and the metrics need to know of a route. */
interface RouteOptions {
  readonly url?: string | undefined;
  readonly config: { readonly secretQuery?: boolean };
}

/** A representation with all that its answers say of it. */
export interface Answer extends Representation {
  /** The headers of a 200, as lines, besides its length. */
  readonly head: string;
  /** Those of a 304. */
  readonly unchanged: string;
  /** The length of the body, in bytes. */
  readonly length: string;
  /** Its route, for the log and the metrics. */
  readonly routeOptions: RouteOptions;
}

/** Prepares the answers of a representation; `headers` are names and values in turn. */
export function answerOf(
  representation: Representation,
  mediaType: string,
  headers: readonly string[],
  routeOptions: RouteOptions,
): Answer {
  const { body, etag } = representation;
  const unchanged = headerLines(['etag', etag, ...headers]);
  const head = unchanged + headerLines(['content-type', mediaType]);
  return { ...representation, head, unchanged, length: String(Buffer.byteLength(body)), routeOptions };
}
