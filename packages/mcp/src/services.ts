import type { NewsFeedClient } from '@pressroom/client';
import { type ClientOptions, type ContentClient, contentClient, newsFeedClient } from '@pressroom/client';
import type { ServiceAddresses } from './config.ts';

/** The services as anybody may read them: what is given this cannot write. */
export interface Readers {
  news: Pick<NewsFeedClient, 'get'>;
  content: Pick<ContentClient, 'get'>;
}

/** The services as one caller reaches them. */
export interface Services {
  readers: Readers;
  /** Content with the caller's key; absent if they have none. */
  writer?: ContentClient;
}

/** Who calls. */
export interface Caller {
  /** The header with their key, as content takes it. */
  key?: { 'x-api-key': string } | { authorization: string } | undefined;
  /** Their address, for the rate limits of services that trust this server as a proxy. */
  address?: string;
}

/** How long a call waits for its turn at a rate limit, in ms: the caller may ask again. */
const PATIENCE_MS = 5000;

/** Opens the services for a caller. The key goes to content alone, with writes alone. */
export function openServices(
  { MCP_NEWS_FEED_URL, MCP_CONTENT_URL }: ServiceAddresses,
  { key, address }: Caller,
): Services {
  const common: Omit<ClientOptions, 'baseUrl'> = {
    retry: { patience: PATIENCE_MS },
    headers: { 'user-agent': 'pressroom-mcp', ...(address !== undefined && { 'x-forwarded-for': address }) },
  };
  const readers = {
    news: newsFeedClient({ ...common, baseUrl: MCP_NEWS_FEED_URL }),
    content: contentClient({ ...common, baseUrl: MCP_CONTENT_URL }),
  };
  if (key === undefined) return { readers };
  const writer = contentClient({
    ...common,
    baseUrl: MCP_CONTENT_URL,
    headers: { ...common.headers, ...key },
    // A key is never carried elsewhere.
    fetch: (url, init) => fetch(url, { ...init, redirect: 'error' }),
  });
  return { readers, writer };
}
