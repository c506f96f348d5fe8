/** The bounds of the time between two polls of a source, in seconds. */
export interface PollBounds {
  minSeconds: number;
  maxSeconds: number;
}

/** The longest interval of the worker itself, in seconds: a quiet source is read four times a day. */
const MAX_SECONDS = 21_600;

/** The bounds where two polls are at least so far apart. */
export function pollBounds(minSeconds: number): PollBounds {
  return { minSeconds, maxSeconds: Math.max(minSeconds, MAX_SECONDS) };
}

/** The longest wait that a source can ask for, in seconds. */
const MAX_ASKED_SECONDS = 7 * 86_400;

/** The longest wait that a source's cache headers or update period can cause, in seconds. */
const MAX_DECLARED_SECONDS = 86_400;

/** The longest wait after failures, in seconds. */
const MAX_BACKOFF_SECONDS = 86_400;

/** The most that is added to a wait by chance, so that sources do not fall due together. */
const JITTER = 0.1;

/** The next interval of a source: shorter when it has changed, longer when it has not. */
export function adaptedInterval(seconds: number, changed: boolean, bounds: PollBounds): number {
  const adapted = changed ? seconds / 2 : seconds * 1.5;
  return Math.round(Math.min(bounds.maxSeconds, Math.max(bounds.minSeconds, adapted)));
}

/** The wait after a success: the interval, and no less than what the source says about itself. */
export function waitAfterSuccess(
  intervalSeconds: number,
  declared: readonly (number | undefined | null)[],
  random: number,
): number {
  const least = Math.max(0, ...declared.map((seconds) => Math.min(seconds ?? 0, MAX_DECLARED_SECONDS)));
  return Math.max(intervalSeconds, least) * (1 + JITTER * random);
}

/** The wait after the nth failure in a row, and no less than `Retry-After` asks for. */
export function waitAfterFailure(
  intervalSeconds: number,
  failures: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number {
  const backoff = Math.min(MAX_BACKOFF_SECONDS, intervalSeconds * 2 ** Math.min(20, failures - 1));
  return Math.max(backoff, Math.min(retryAfterSeconds ?? 0, MAX_ASKED_SECONDS)) * (1 + JITTER * random);
}

/** `Retry-After` in seconds (RFC 9110, section 10.2.3); undefined if it is absent or unreadable. */
export function retryAfterSeconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header);
  const at = new Date(header).getTime();
  return Number.isNaN(at) ? undefined : Math.max(0, (at - now.getTime()) / 1000);
}

/** For how long an answer is fresh by `Cache-Control` and `Age`, in seconds (RFC 9111). */
export function freshSeconds(headers: Readonly<Record<string, string>>): number | undefined {
  const control = headers['cache-control'] ?? '';
  if (/\bno-(cache|store)\b/i.test(control)) return undefined;
  const maxAge = /\bmax-age\s*=\s*"?(\d{1,9})/i.exec(control)?.[1];
  if (maxAge === undefined) return undefined;
  return Math.max(0, Number(maxAge) - Number(/^\d{1,9}$/.exec(headers.age ?? '')?.[0] ?? 0));
}
