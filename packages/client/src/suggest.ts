import { type AnswerOf, DEFAULT_RETRY, type OperationOf, type RetryPolicy } from './api-client.ts';
import type { paths } from './openapi/content.ts';
import type { ContentClient } from './services.ts';

/** The articles, tags and authors that begin with, or contain, what is typed. */
export type Suggestions = AnswerOf<OperationOf<paths, '/api/articles/suggest', 'get'>>['data'];

interface SuggestOptions {
  /** The pause in typing before a request, in ms. */
  pause?: number;
  /** Waits, as that of `RetryPolicy`. Replaced in tests. */
  wait?: RetryPolicy['wait'];
}

/**
 * Suggestions for one search field. Call what it returns with the text of the field at each change: a call
 * asks after a pause, and ends the call before it, which resolves to undefined. So does one with nothing to
 * ask for. Others throw as every request does, at once where a limit is reached.
 */
export function suggest(
  client: ContentClient,
  { pause = 150, wait = DEFAULT_RETRY.wait }: SuggestOptions = {},
): (typed: string) => Promise<Suggestions | undefined> {
  let current = new AbortController();
  return async (typed) => {
    current.abort();
    current = new AbortController();
    const { signal } = current;
    // One spelling of what is searched alike, which caches in front of the service know already.
    const q = typed.trim().toLowerCase();
    if (q === '') return undefined;
    try {
      await wait(pause, signal);
      const { data } = await client.get('/api/articles/suggest', { query: { q }, signal, patience: 0 });
      if (!signal.aborted) return data;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    return undefined;
  };
}
