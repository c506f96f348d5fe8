import underPressure from '@fastify/under-pressure';
import { temporarilyUnavailable } from '../problems/problem.ts';
import type { Server } from './server.ts';

/** How long the event loop may lag on average, in ms, before requests are refused. */
const MAX_EVENT_LOOP_DELAY_MS = 1000;

/** Paths that are answered whatever the pressure: an overloaded process is alive. */
const EXEMPT = new Set(['/healthz']);

/**
 * Answers 503 while the event loop is overloaded. The plugin measures in a scope of its own and is asked from here,
 * because its own hook looks up the options of the route for every request.
 */
export async function refuseUnderPressure(app: Server): Promise<void> {
  let overloaded = () => false;
  await app.register(async (scope) => {
    await scope.register(underPressure, { maxEventLoopDelay: MAX_EVENT_LOOP_DELAY_MS });
    overloaded = () => scope.isUnderPressure();
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (!overloaded() || EXEMPT.has(request.url)) return done();
    return done(temporarilyUnavailable('the service has more to do than it can; try again'));
  });
}
