import { invalidRequest } from '../problems/problem.ts';
import type { Server } from './server.ts';

/**
 * Answers as problems what Node would answer with an empty body: a request without `Host` is 400 (RFC 9112, section
 * 3.2; the server has to be made with `requireHostHeader: false`), and an expectation other than `100-continue` is passed
 * over, which RFC 9110, section 10.1.1 leaves open.
 */
export function judgeRequests(app: Server): void {
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    if (raw.headers.host !== undefined || raw.httpVersion === '1.0') return done();
    return done(invalidRequest('the request has no Host header'));
  });
}
