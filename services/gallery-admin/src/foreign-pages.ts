import type { Server } from '@pressroom/common/http/server';
import { forbidden } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses with 403 any change requested by another site's page. */
export function refuseForeignPages(app: Server): void {
  app.addHook('onRequest', (request, _reply, done) => {
    done(isForeign(request) ? forbidden('this request comes from a page of another origin') : undefined);
  });
}

/**
 * True for a request that may change something and was sent by a page of another origin (RFC 6454). A `Host`
 * may include the default port of its scheme.
 */
function isForeign({ method, headers, host }: FastifyRequest): boolean {
  if (SAFE_METHODS.has(method) || headers.origin === undefined) return false;
  if (!URL.canParse(headers.origin)) return true;
  const origin = new URL(headers.origin);
  const own = `${origin.protocol}//${host}`;
  return !URL.canParse(own) || new URL(own).host !== origin.host;
}
