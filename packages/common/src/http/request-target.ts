import type { IncomingMessage } from 'node:http';
import { invalidRequest, type Problem } from '../problems/problem.ts';

/** Longer than any allowed path parameter, so that a route, not the router, refuses it. */
export const MAX_SEGMENT_LENGTH = 4096;

/**
 * The target of a request whose path cannot be read: without a route, it is treated like any unknown path.
 */
const NOWHERE = '/(unreadable)';

function faultOf(path: string): string | undefined {
  if (path.length > MAX_SEGMENT_LENGTH && path.split('/').some(({ length }) => length > MAX_SEGMENT_LENGTH))
    return 'a segment of the path is too long';
  try {
    decodeURIComponent(path);
    return undefined;
  } catch {
    return 'the path is not percent-encoded UTF-8 (RFC 3986)';
  }
}

/**
 * The requests whose path cannot be decoded. The router would refuse them before any hook, so they would not
 * be counted, denied or answered like others. Instead they are routed to an unknown path and refused there,
 * after the hooks that count and deny requests.
 */
export class UnreadablePaths {
  readonly #faults = new WeakMap<IncomingMessage, string>();

  /**
   * The URL used to route a request. For Fastify's `rewriteUrl`, which keeps the original as `originalUrl`.
   */
  routableUrl(request: IncomingMessage): string {
    const { url = '/' } = request;
    if (!url.includes('%') && url.length <= MAX_SEGMENT_LENGTH) return url;
    const [path = ''] = url.split(/[?#]/, 1);
    const fault = faultOf(path);
    if (fault === undefined) return url;
    this.#faults.set(request, fault);
    return NOWHERE;
  }

  /** The problem for such a request. */
  problem(request: IncomingMessage): Problem | undefined {
    const fault = this.#faults.get(request);
    return fault === undefined ? undefined : invalidRequest(fault);
  }
}
