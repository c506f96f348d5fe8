import { isUtf8 } from 'node:buffer';
import { invalidRequest } from './problem.ts';
import type { Server } from './server.ts';

/**
 * Reads JSON bodies as Fastify does, and refuses bytes that are no UTF-8 (RFC 8259, section 8.1) instead of
 * quietly replacing them: what is stored is what was sent.
 */
export function readJsonBodies(app: Server): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (!isUtf8(body)) return done(invalidRequest('the body is not UTF-8'));
    return parse(request, body.toString('utf8'), done);
  });
}
