import { isUtf8 } from 'node:buffer';
import { invalidRequest } from '../problems/problem.ts';
import type { Server } from './server.ts';

/**
 * Reads JSON bodies as Fastify does, and refuses bytes that are no UTF-8 (RFC 8259, section 8.1) instead of
 * quietly replacing them: what is stored is what was sent. No other media type is read. An empty body is none
 * where the route takes none, whatever its `Content-Type`. A member named `__proto__` is left to the schemas, which
 * refuse it by its name and copy it nowhere.
 */
export function readJsonBodies(app: Server): void {
  const parse = app.getDefaultJsonParser('ignore', 'ignore');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0 && request.routeOptions.schema?.body === undefined) return done(null, undefined);
    if (!isUtf8(body)) return done(invalidRequest('the body is not UTF-8'));
    return parse(request, body.toString('utf8'), done);
  });
}
