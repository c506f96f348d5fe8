import { invalidRequest } from '../problems/problem.ts';
import type { Server } from './server.ts';

/** A host name, an IPv4 address or an IPv6 address in brackets, with or without a port (RFC 3986, section 3.2.2). */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Answers as problems what Node would answer with an empty body, or not at all: a request without `Host`, with two, or
 * with one that is not a host is 400 (RFC 9112, section 3.2; the server has to be made with `requireHostHeader: false`
 * and `joinDuplicateHeaders: true`), and an expectation other than `100-continue` is passed over, which RFC 9110,
 * section 10.1.1 leaves open.
 */
export function judgeRequests(app: Server): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    const { host } = raw.headers;
    if (host !== undefined && HOST.test(host)) return done();
    if (host !== undefined) return done(invalidRequest('the Host header is not one host'));
    return done(raw.httpVersion === '1.0' ? undefined : invalidRequest('the request has no Host header'));
  });
}
