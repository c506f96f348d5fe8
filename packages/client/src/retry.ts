import { ConnectionError, ProblemError } from './problem.ts';

/** When a failed request is sent again. */
export interface RetryPolicy {
  /** How often a request is sent at most; those answered 429 do not count. */
  attempts: number;
  /**
   * How long a request waits for its turn in all, in ms, when the service answers 429 and says when to come
   * back. `Infinity` waits as long as it says, for programs that have time: static builds, mirrors.
   */
  patience: number;
  /** Between 0 and 1; spreads the retries of many clients. Replaced in tests. */
  random: () => number;
  /** Waits; rejects when `signal` is aborted. Replaced in tests. */
  wait: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Four attempts, and 30 s of patience. */
export const DEFAULT_RETRY: RetryPolicy = {
  attempts: 4,
  patience: 30_000,
  random: Math.random,
  wait,
};

/** The first wait where the service does not name one, in ms; it doubles with each attempt. */
const FIRST_WAIT_MS = 250;

/** The longest wait before another attempt, in ms: a service that fails and asks for more time gets none. */
const LONGEST_WAIT_MS = 30_000;

/** What a timer can hold, in ms: 24 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Statuses that say "later": of the services, and of what stands in front of them. */
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);

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
  let attempt = 1;
  let patience = policy.patience;
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const isTold = error instanceof ProblemError && error.status === 429;
      const asked = error instanceof ProblemError ? error.retryAfter : undefined;
      if (isTold && asked !== undefined) {
        // A service that says 0 is asked again after the share of chance, and uses patience up too.
        patience -= Math.max(1, asked) * 1000;
        if (patience < 0) throw error;
        await policy.wait(longer(asked * 1000, policy), signal);
        continue;
      }
      const ms = waitBefore(error, attempt, policy);
      if (ms === undefined || !(repeatable || isTold) || attempt >= policy.attempts) throw error;
      await policy.wait(ms, signal);
      attempt += 1;
    }
  }
}

/** How long to wait after a failure, in ms; undefined if another attempt makes no sense. */
function waitBefore(error: unknown, attempt: number, policy: RetryPolicy): number | undefined {
  if (error instanceof ProblemError) {
    if (!RETRIED_STATUSES.has(error.status)) return undefined;
    if (error.retryAfter !== undefined) {
      const asked = error.retryAfter * 1000;
      return asked > LONGEST_WAIT_MS ? undefined : longer(asked, policy);
    }
  } else if (!(error instanceof ConnectionError)) return undefined;
  return Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + policy.random() / 2);
}

/** What a service asked for, and up to a quarter of it by chance. */
function longer(asked: number, { random }: RetryPolicy): number {
  return Math.min(LONGEST_TIMER_MS, asked + random() * Math.max(1000, asked / 4));
}

/** Resolves after `ms`; rejects with the signal's reason when it is aborted. */
function wait(ms: number, signal?: AbortSignal): Promise<void> {
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
