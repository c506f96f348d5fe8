import { isDeepStrictEqual } from 'node:util';
import { ask } from '../ask.ts';
import { type Asked, askedFor } from '../compare.ts';
import type { ServerProcess } from '../server.ts';

/** The members of an item that every news server gives, and those that it adds. */
export interface NewsItem {
  id: string;
  title: string;
  [member: string]: unknown;
}

/** The content of a page, apart from its form. */
export interface NewsPage {
  items: NewsItem[];
  cursor: string | null;
}

/** A server that gives items page by page. */
export interface Paged {
  name: string;
  process: ServerProcess;
  /** The path of the page at a cursor; the first one without. */
  path: (cursor?: string) => string;
  read: (answer: unknown) => NewsPage;
}

/** Makes the pages of a list from its parameters, those of Pressroom's items. */
export type NewsLister = (parameters: Readonly<Record<string, string>>) => Paged;

/** A list that takes the parameters of Pressroom's items, the cursor among them, at `base`. */
export function listerAt(base: string, paged: (path: Paged['path']) => Paged): NewsLister {
  return (parameters) =>
    paged((cursor) => `${base}?${new URLSearchParams({ ...parameters, ...(cursor && { cursor }) })}`);
}

/** Reads the pages of a server from its first one, at most `most`: their paths and items. */
export async function follow({ process, path, read }: Paged, most = Number.POSITIVE_INFINITY) {
  const [paths, items]: [string[], NewsItem[]] = [[], []];
  for (let next: string | null = path(); next !== null && paths.length < most; ) {
    const page = read(await ask(`http://127.0.0.1:${process.port}${next}`));
    paths.push(next);
    items.push(...page.items);
    next = page.cursor && path(page.cursor);
  }
  return { paths, items };
}

export interface PageRange {
  /** Most pages. */
  most?: number;
  /** Pages left out at the beginning. */
  skipped?: number;
  /** True if the items may come in any order. */
  isSet?: boolean;
}

/**
 * Follows the pages of servers, and returns what each is asked for: its pages in turn. Throws if they have
 * not given the same items.
 */
export async function askedForSame(
  what: string,
  servers: readonly Paged[],
  { most, skipped = 0, isSet = false }: PageRange = {},
): Promise<Asked[]> {
  const followed = await Promise.all(
    servers.map(async (server) => {
      const { paths, items } = await follow(server, most);
      const shown = items.map(({ id, title }) => `${id} ${title}`);
      return { server, paths, shown: isSet ? shown.sort() : shown };
    }),
  );
  const [first] = followed;
  if (first === undefined || first.shown.length === 0) throw new Error(`${what}: there are no items`);
  return followed.map(({ server, paths, shown }) => {
    if (!isDeepStrictEqual(shown, first.shown))
      throw new Error(`${what} of ${server.name} differs from that of ${first.server.name}`);
    return askedForPaths(server, paths.slice(skipped));
  });
}

/** Requests to a server: the paths in turn. */
export function askedForPaths(server: Paged, paths: readonly string[]): Asked {
  return askedFor(server, { requests: paths.map((path) => ({ path })), status: 200 });
}
