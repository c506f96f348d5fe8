import type { Server } from '@pressroom/common/http/server';
import { forbidden } from '@pressroom/common/problems/problem';
import type { FastifyRequest } from 'fastify';
import type { CookieStyle } from './session-cookies.ts';

/** Methods that change nothing (RFC 9110, section 9.2.1). */
const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** `Sec-Fetch-Site` of browsers' requests of the service's own pages or of a person; others send none. */
const OWN_SITES = new Set<unknown>(['same-origin', 'none', undefined]);

/** Refuses with 403 any change requested by another site's page. */
export function refuseForeignPages(app: Server, style: CookieStyle): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { method, headers } = request;
    if (SAFE_METHODS.has(method)) return done();
    if (!OWN_SITES.has(headers['sec-fetch-site']))
      return done(forbidden('this request comes from another site'));
    if (headers.origin === undefined) return done();
    const own = ownOrigin(request, style);
    if (own !== undefined && URL.parse(headers.origin)?.origin === own) return done();
    done(forbidden(`this request comes from a page of another origin${own ? ` than ${own}` : ''}`));
  });
}

/**
 * The origin (RFC 6454) at which browsers reach the service: over https if its cookies are for that alone,
 * else by the scheme that a trusted proxy tells. `Host` may include the default port of its scheme.
 */
function ownOrigin({ protocol, host }: FastifyRequest, { secure }: CookieStyle): string | undefined {
  return URL.parse(`${secure || protocol === 'https' ? 'https' : 'http'}://${host}`)?.origin;
}
