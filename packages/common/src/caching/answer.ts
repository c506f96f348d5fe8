import type { Representation } from './entity-tag.ts';

/** What the log and the metrics need to know of a route. */
interface RouteOptions {
  readonly url?: string | undefined;
  readonly config: { readonly secretQuery?: boolean };
}

/** A representation with all that its answers say of it. */
export interface Answer extends Representation {
  /** The headers of a 200: names and values in turn. */
  readonly head: readonly string[];
  /** Those of a 304. */
  readonly unchanged: readonly string[];
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
  const unchanged = ['etag', etag, ...headers];
  const length = String(Buffer.byteLength(body));
  const head = [...unchanged, 'content-type', mediaType, 'content-length', length];
  return { ...representation, head, unchanged, routeOptions };
}
