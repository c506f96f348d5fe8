import type { FastifyRequest } from 'fastify';
import { isTracking } from '../fields/tracking-parameters.ts';
import type { Server } from './server.ts';

/**
 * The address without what networks add to an address that people share (`fbclid`, `utm_source`); relative,
 * so that it is right behind any proxy. Undefined if nothing was added.
 *
 * @param url path and query string
 * @param isUnwanted whether a parameter of this name is left out
 */
export function withoutTracking(url: string, isUnwanted = isTracking): string | undefined {
  const at = url.indexOf('?');
  if (at === -1) return undefined;
  const members = url
    .slice(at + 1)
    .split('&')
    .filter((member) => member !== '');
  const own = members.filter((member) => !isUnwanted(nameOf(member)));
  if (own.length === members.length) return undefined;
  const file = url.slice(url.lastIndexOf('/', at) + 1, at);
  return `./${file}${own.length === 0 ? '' : `?${own.join('&')}`}`;
}

/** The decoded name of a member of a query string; as it is if it cannot be decoded. */
function nameOf(member: string): string {
  const [name = ''] = member.split('=', 1);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Leads readers of a shared address to its own one; in addresses of the API it is refused like any other
 * unknown parameter. To be called when requests have been counted.
 */
export function redirectSharedAddresses(app: Server, isUnwanted = isTracking): void {
  // Not async: what is refused at once is answered before the next bytes are read.
  app.addHook('onRequest', (request, reply, done) => {
    const isReached = !request.is404 && isShared(request);
    const address = isReached ? withoutTracking(request.url, isUnwanted) : undefined;
    if (address === undefined) return done();
    // Each share has its own parameters, so that no cache would answer with this twice.
    reply.header('cache-control', 'private, no-store').redirect(address, 301);
  });
}

function isShared({ method, url }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && !url.startsWith('/api/');
}
