/** An answer that can be asked about with `If-None-Match`. */
export interface CachedAnswer {
  etag: string;
  /** The body as text: JSON. */
  text: string;
}

/**
 * Where a client keeps answers, by URL. Any store will do: a `Map`, a file, the browser's storage. One cache
 * belongs to one client, because answers can depend on who asks.
 */
export interface AnswerCache {
  get(url: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>;
  set(url: string, answer: CachedAnswer): unknown;
}

/** A cache in memory that keeps the answers used last, 200 by default. */
export function memoryCache(most = 200): AnswerCache {
  const kept = new Map<string, CachedAnswer>();
  const put = (url: string, answer: CachedAnswer) => {
    kept.delete(url);
    kept.set(url, answer);
    for (const oldest of kept.keys()) {
      if (kept.size <= most) break;
      kept.delete(oldest);
    }
  };
  return {
    get: (url) => {
      const answer = kept.get(url);
      if (answer !== undefined) put(url, answer);
      return answer;
    },
    set: put,
  };
}
