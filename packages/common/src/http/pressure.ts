import underPressure from '@fastify/under-pressure';
import { temporarilyUnavailable } from '../problems/problem.ts';
import type { Server } from './server.ts';

/** Paths that are answered under any load: an overloaded process is alive. */
const EXEMPT = new Set(['/healthz']);

/**
 * Answers 503 while the event loop lags by more than `maxDelayMs` on average; with 0, never. The plugin
 * measures in its own scope and is queried from here, because its own hook looks up the route's options for
 * every request.
 */
export async function refuseUnderPressure(app: Server, maxDelayMs: number): Promise<void> {
  let overloaded = () => false;
  await app.register(async (scope) => {
    await scope.register(underPressure, { maxEventLoopDelay: maxDelayMs });
    overloaded = () => scope.isUnderPressure();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (!overloaded() || EXEMPT.has(request.url)) return done();
    return done(temporarilyUnavailable('the service is overloaded; try again'));
  });
}
