import { monitorEventLoopDelay } from 'node:perf_hooks';
import { temporarilyUnavailable } from '../problems/problem.ts';
import type { Server } from './server.ts';

/** Paths that are answered under any load: an overloaded process is alive. */
const EXEMPT = new Set(['/healthz']);

/** Paths that are asked for at rest, too: they alone are no load that needs to be watched. */
const PROBES = new Set(['/healthz', '/readyz']);

/** How often the delay is sampled while requests arrive, in ms. */
const SAMPLE_MS = 250;

/** How often the samples are averaged, in ms. */
const LOOK_MS = 1000;

/**
 * Answers 503 while the event loop lags by more than `maxDelayMs` on average over a second; with 0, never.
 * The delay is sampled from the first request on, until a second has passed without one: each sample wakes
 * a process that would else sleep.
 */
export function refuseUnderPressure(app: Server, maxDelayMs: number): void {
  if (maxDelayMs === 0) return;
  const histogram = monitorEventLoopDelay({ resolution: SAMPLE_MS });
  let delayMs = 0;
  let lookedAt = 0;
  let requested = false;
  let timer: NodeJS.Timeout | undefined;
  const start = () => {
    lookedAt = performance.now();
    histogram.reset();
    histogram.enable();
    timer = setInterval(look, LOOK_MS).unref();
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    histogram.disable();
    delayMs = 0;
  };
  const look = () => {
    // Without a sample, the process has not run since the last look, and this timer is as late as they are.
    const lateMs = performance.now() - lookedAt - LOOK_MS;
    delayMs = histogram.count === 0 ? lateMs : histogram.mean / 1e6 - SAMPLE_MS;
    // A process that lags may have requests that it has not seen yet.
    if (!requested && delayMs <= maxDelayMs) return stop();
    lookedAt = performance.now();
    requested = false;
    histogram.reset();
  };
  app.addHook('onRequest', (request, _reply, done) => {
    if (!PROBES.has(request.url)) {
      requested = true;
      if (timer === undefined) start();
    }
    if (delayMs <= maxDelayMs || EXEMPT.has(request.url)) return done();
    return done(temporarilyUnavailable('the service is overloaded; try again'));
  });
  app.addHook('onClose', async () => stop());
}
