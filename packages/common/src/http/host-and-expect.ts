import { invalidRequest } from '../problems/problem.ts';
import { onEveryRequest } from './every-request.ts';
import type { Server } from './server.ts';

/**
 * A host name, an IPv4 address or an IPv6 address in brackets, with or without a port (RFC 3986, section
 * 3.2.2).
 */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

/**
 * Sends problem documents where Node would answer with an empty body or not at all: a request without `Host`,
 * with two, or with an invalid one is 400 (RFC 9112, section 3.2; the server needs `requireHostHeader: false`
 * and `joinDuplicateHeaders: true`). An expectation other than `100-continue` is ignored, as RFC 9110,
 * section 10.1.1 permits.
 */
export function judgeRequests(app: Server): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  onEveryRequest(app, ({ raw }, _reply, done) => {
    const { host } = raw.headers;
    if (host !== undefined && HOST.test(host)) return done();
    if (host !== undefined) return done(invalidRequest('the Host header must contain exactly one host'));
    return done(raw.httpVersion === '1.0' ? undefined : invalidRequest('the request has no Host header'));
  });
}
