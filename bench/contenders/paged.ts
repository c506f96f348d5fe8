import { isDeepStrictEqual } from 'node:util';
import { ask } from '../ask.ts';
import type { ServerProcess } from '../child.ts';
import { type Asked, askWith } from './turns.ts';

/** The members of an item that every news server gives, and those that it adds. */
export interface NewsItem {
  id: string;
  title: string;
  [member: string]: unknown;
}

/** What a page says, apart from its form. */
export interface NewsPage {
  items: NewsItem[];
  /** Where the next page begins; absent after the last one. */
  cursor: string | undefined;
}

/** A server that gives items page by page. */
export interface Paged {
  /** Its name with its version. */
  name: string;
  process: ServerProcess;
  /** The path of the page at a cursor; the first one without. */
  path: (cursor?: string) => string;
  read: (answer: unknown) => NewsPage;
}

/** A server that gives lists of items. */
export interface NewsLister {
  name: string;
  process: ServerProcess;
  /** The pages of the list that parameters name. */
  list: (parameters: Readonly<Record<string, string>>) => Paged;
}

/** A server that takes the parameters of Pressroom's items, the cursor among them, at `base`. */
export function listerAt(base: string, server: Pick<Paged, 'name' | 'process' | 'read'>): NewsLister {
  const { name, process } = server;
  return {
    name,
    process,
    list: (parameters) => ({
      ...server,
      path: (cursor) => `${base}?${new URLSearchParams({ ...parameters, ...(cursor && { cursor }) })}`,
    }),
  };
}

/** Pages that were read one after the other. */
export interface Followed {
  paths: string[];
  items: NewsItem[];
  /** The cursor of the last one. */
  cursor: string | undefined;
}

/** Reads the pages of a server from its first one, at most `most`. Throws if an answer is not 200. */
export async function follow(
  { process, path, read }: Paged,
  most = Number.POSITIVE_INFINITY,
): Promise<Followed> {
  const followed: Followed = { paths: [], items: [], cursor: undefined };
  do {
    const next = path(followed.cursor);
    const { items, cursor } = read(await ask(`http://127.0.0.1:${process.port}${next}`));
    followed.paths.push(next);
    followed.items.push(...items);
    followed.cursor = cursor;
  } while (followed.cursor !== undefined && followed.paths.length < most);
  return followed;
}

/** What is compared of items: ids and titles in their order. */
function inOrder(items: readonly NewsItem[]): string[] {
  return items.map(({ id, title }) => `${id} ${title}`);
}

/** What is compared of a copy, whose items may come in any order. */
export function inAnyOrder(items: readonly NewsItem[]): string[] {
  return inOrder(items).sort();
}

/** Which pages servers are asked for. */
export interface PageRange {
  /** How many pages there are at most. */
  most?: number;
  /** How many of the first ones are left out. */
  skipped?: number;
  /** What of their items must be the same everywhere. */
  compared?: (items: readonly NewsItem[]) => string[];
}

/**
 * Follows the pages of servers, and returns what each is asked for: its pages in turn. Throws if they have
 * not given the same items.
 */
export async function askedForSame(
  what: string,
  servers: readonly Paged[],
  { most, skipped = 0, compared = inOrder }: PageRange = {},
): Promise<Asked[]> {
  const followed = await Promise.all(
    servers.map(async (server) => ({ server, ...(await follow(server, most)) })),
  );
  const [first, ...others] = followed;
  if (first === undefined || first.items.length === 0) throw new Error(`${what}: there are no items`);
  const expected = compared(first.items);
  for (const { server, items } of others) {
    const message = `${what} of ${server.name} differs from that of ${first.server.name}`;
    if (!isDeepStrictEqual(compared(items), expected)) throw new Error(message);
  }
  return followed.map(({ server, paths }) => askedFor(server, paths.slice(skipped)));
}

/** What a server is asked for: paths in turn. */
export function askedFor(
  { name, process }: Pick<Paged, 'name' | 'process'>,
  paths: readonly string[],
): Asked {
  return { subject: name, process, ask: askWith(process, { paths, status: 200 }) };
}
