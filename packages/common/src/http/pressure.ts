import { monitorEventLoopDelay } from 'node:perf_hooks';
import { temporarilyUnavailable } from '../problems/problem.ts';
import type { Server } from './server.ts';

/** Paths that are answered under any load: an overloaded process is alive. */
const EXEMPT = new Set(['/healthz']);

/** How often the delay is sampled, in ms. Each sample wakes the process, which would else sleep at rest. */
const SAMPLE_MS = 250;

/** How often the samples are averaged, in ms. */
const LOOK_MS = 1000;

/**
 * Answers 503 while the event loop lags by more than `maxDelayMs` on average over a second; with 0, never.
 */
export function refuseUnderPressure(app: Server, maxDelayMs: number): void {
  if (maxDelayMs === 0) return;
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  histogram.enable();
  let delayMs = 0;
  let lookedAt = performance.now();
  const timer = setInterval(() => {
    // Without a sample, the process has not run since the last look, and this timer is as late as they are.
    const lateMs = performance.now() - lookedAt - LOOK_MS;
    delayMs = histogram.count === 0 ? lateMs : histogram.mean / 1e6 - SAMPLE_MS;
    lookedAt = performance.now();
    histogram.reset();
  }, LOOK_MS).unref();
  app.addHook('onRequest', (request, _reply, done) => {
    if (delayMs <= maxDelayMs || EXEMPT.has(request.url)) return done();
    return done(temporarilyUnavailable('the service is overloaded; try again'));
  });
  app.addHook('onClose', async () => {
    clearInterval(timer);
    histogram.disable();
  });
}
