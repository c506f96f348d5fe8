import { notFound, Problem } from '../problems/problem.ts';
import type { Server } from './server.ts';

/** Finds the methods that a path supports. */
export type AllowedMethods = (path: string) => string[];

/**
 * Records the routes of `app` as they are added, so that a known path with an unsupported method can be
 * recognized.
 */
export function watchMethods(app: Server): AllowedMethods {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    methods.set(url, known);
  });
  return (path) => {
    const known = [...methods].filter(([url]) => pattern(url).test(path));
    return [...new Set(known.flatMap(([, names]) => [...names]))].sort();
  };
}

/** A route's URL as an expression: `:name` is one segment or its beginning, a `*` at the end the rest. */
function pattern(url: string): RegExp {
  const escaped = url.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll(/:\w+/g, '[^/]+').replace(/\*$/, '.*')}$`);
}

/** 405 with `Allow` for a known path (RFC 9110, section 15.5.6), 404 for an unknown one. */
export function noSuchRoute(allowed: string[]): Problem {
  if (allowed.length === 0) return notFound('there is nothing at this path');
  return new Problem(405, 'method_not_allowed', `this path supports only ${allowed.join(', ')}`, {
    headers: { allow: allowed.join(', ') },
  });
}
