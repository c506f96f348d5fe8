import { ConnectionError, ProblemError } from './problem.ts';

/** When a failed request is sent again. */
export interface RetryPolicy {
  /** How often a request is sent at most. */
  attempts: number;
  /** The longest wait, in ms: a service that asks for more time gets no further attempt. */
  longestWaitMs: number;
  /** Between 0 and 1; spreads the retries of many clients. Replaced in tests. */
  random: () => number;
  /** Waits; rejects when `signal` is aborted. Replaced in tests. */
  wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Four attempts, and never a wait of more than 30 s. */
export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  longestWaitMs: 30_000,
  random: Math.random,
  wait,
};

/** The first wait where the service does not name one, in ms; it doubles with each attempt. */
const FIRST_WAIT_MS = 250;

/** Statuses that say "later": of the services, and of what stands in front of them. */
const LATER = new Set([429, 502, 503, 504]);

/**
 * Sends a request, and sends it again as `policy` says. `Retry-After` is the shortest wait; up to a quarter
 * of it, and at least up to a second, is added at random. A request that may change something is only
 * repeated after 429, which says that it was not carried out.
 */
export async function withRetries<T>(
  send: () => Promise<T>,
  {
    policy,
    repeatable,
    signal,
  }: { policy: RetryPolicy; repeatable: boolean; signal?: AbortSignal | undefined },
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send();
    } catch (error) {
      const ms = waitBefore(error, attempt, policy);
      const mayRepeat = repeatable || (error instanceof ProblemError && error.status === 429);
      if (ms === undefined || !mayRepeat || attempt >= policy.attempts) throw error;
      await policy.wait(ms, signal);
    }
  }
}

/** How long to wait after a failure, in ms; undefined if another attempt makes no sense. */
function waitBefore(
  error: unknown,
  attempt: number,
  { random, longestWaitMs }: RetryPolicy,
): number | undefined {
  if (error instanceof ProblemError) {
    if (!LATER.has(error.status)) return undefined;
    if (error.retryAfter !== undefined) {
      const asked = error.retryAfter * 1000;
      return asked > longestWaitMs ? undefined : asked + random() * Math.max(1000, asked / 4);
    }
  } else if (!(error instanceof ConnectionError)) return undefined;
  return Math.min(longestWaitMs, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + random() / 2);
}

/** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
export function wait(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
