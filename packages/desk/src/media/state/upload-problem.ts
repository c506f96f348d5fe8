/**
 * Statuses of 4xx with which another try may succeed: a signature that has ended, a lost upload, another file
 * that has come to the same name, or load.
 */
const PASSING = new Set([401, 403, 404, 408, 409, 412, 425, 429]);

/** The status of an answer to an upload's request; 0 if none came, undefined if nothing was asked. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  // Uppy's error where a request to the store has failed without an answer.
  if ('code' in error && error.code === 'NETWORK') return 0;
  return 'status' in error && typeof error.status === 'number' ? error.status : undefined;
}

/** True if the same upload may succeed a moment later. */
export function isPassing(error: unknown): boolean {
  const status = statusOf(error);
  return status === undefined || status < 400 || status >= 500 || PASSING.has(status);
}
