import { temporarilyUnavailable } from '../problems/problem.ts';
import { onEveryRequest } from './every-request.ts';
import { PROBES } from './probes.ts';
import type { Server } from './server.ts';

/** Paths that are answered under any load: an overloaded process is alive. */
const EXEMPT = new Set(['/healthz']);

/** How often the delay is sampled while requests arrive, in ms. */
const SAMPLE_MS = 250;

/** How long the samples are collected before they are averaged, in ms. */
const WINDOW_MS = 1000;

/** The fewest that are averaged: a single pause, on a busy machine, is not an overload. */
const LEAST_SAMPLES = 2;

/**
 * Answers 503 while the event loop lags by more than `maxDelayMs` on average over a second; with 0, never.
 * The delay is sampled from the first request on, until a second has passed without one: each sample wakes a
 * process that would otherwise sleep.
 */
export function refuseUnderPressure(app: Server, maxDelayMs: number): void {
  if (maxDelayMs === 0) return;
  const watch = new DelayWatch(maxDelayMs);
  onEveryRequest(app, (request, _reply, done) => {
    // Probes alone are not a load that needs to be watched.
    if (!PROBES.has(request.url)) watch.noteRequest();
    if (watch.delayMs <= maxDelayMs || EXEMPT.has(request.url)) return done();
    return done(temporarilyUnavailable('the service is overloaded; try again'));
  });
  app.addHook('onClose', async () => watch.stop());
}

/** Measures by how much timers are late, as long as there are requests. */
class DelayWatch {
  /** The average of the last window, in ms; 0 at rest. */
  delayMs = 0;
  readonly #maxDelayMs: number;
  #timer: NodeJS.Timeout | undefined;
  /** When the next sample is due, by `performance.now()`. */
  #dueAt = 0;
  #windowBegan = 0;
  #samples: number[] = [];
  #hasRequests = false;

  constructor(maxDelayMs: number) {
    this.#maxDelayMs = maxDelayMs;
  }

  /** Starts to measure, or goes on. */
  noteRequest(): void {
    this.#hasRequests = true;
    if (this.#timer !== undefined) return;
    this.#beginWindow();
    this.#schedule();
  }

  /** Stops until the next request. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.delayMs = 0;
  }

  #beginWindow(): void {
    this.#windowBegan = performance.now();
    this.#samples = [];
  }

  #schedule(): void {
    this.#dueAt = performance.now() + SAMPLE_MS;
    this.#timer = setTimeout(() => this.#sample(), SAMPLE_MS).unref();
  }

  #sample(): void {
    const now = performance.now();
    this.#samples.push(now - this.#dueAt);
    if (now - this.#windowBegan >= WINDOW_MS && this.#samples.length >= LEAST_SAMPLES) {
      this.delayMs = this.#samples.reduce((sum, late) => sum + late, 0) / this.#samples.length;
      // A process that lags may have requests that it has not seen yet.
      if (!this.#hasRequests && this.delayMs <= this.#maxDelayMs) {
        this.stop();
        return;
      }
      this.#hasRequests = false;
      this.#beginWindow();
    }
    this.#schedule();
  }
}
