import type { IncomingMessage } from 'node:http';
import { invalidRequest, type Problem } from '../problems/problem.ts';

/** Longer than any path parameter that a document allows, so that a route and not the router refuses it. */
export const MAX_SEGMENT_LENGTH = 4096;

/** Where a request goes whose path cannot be read: no route is there, so it passes what every unknown path passes. */
const NOWHERE = '/(unreadable)';

function faultOf(path: string): string | undefined {
  if (path.length > MAX_SEGMENT_LENGTH && path.split('/').some(({ length }) => length > MAX_SEGMENT_LENGTH))
    return 'a segment of the path is longer than anything here';
  try {
    decodeURIComponent(path);
    return undefined;
  } catch {
    return 'the path is not percent-encoded UTF-8 (RFC 3986)';
  }
}

/**
 * The requests whose path cannot be decoded. The router would refuse them before any hook, so they would not be counted,
 * denied or answered as any other; instead they are routed to where nothing is, and refused there, after what counts and refuses requests.
 */
export class UnreadablePaths {
  readonly #faults = new WeakMap<IncomingMessage, string>();

  /** The URL by which a request is routed. For Fastify's `rewriteUrl`, which keeps its own as `originalUrl`. */
  routableUrl(request: IncomingMessage): string {
    const { url = '/' } = request;
    if (!url.includes('%') && url.length <= MAX_SEGMENT_LENGTH) return url;
    const [path = ''] = url.split(/[?#]/, 1);
    const fault = faultOf(path);
    if (fault === undefined) return url;
    this.#faults.set(request, fault);
    return NOWHERE;
  }

  /** The problem of a request that is one of them. */
  problem(request: IncomingMessage): Problem | undefined {
    const fault = this.#faults.get(request);
    return fault === undefined ? undefined : invalidRequest(fault);
  }
}
