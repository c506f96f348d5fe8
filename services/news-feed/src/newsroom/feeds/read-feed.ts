import { Failure } from '@pressroom/common/failures/failure';
import { type HubLinks, hubLinks } from '../websub/links.ts';
import { decodeDocument } from './decode.ts';
import { discoverFeeds } from './discover-feeds.ts';
import type { ParsedFeed } from './feed.ts';
import { parseFeed } from './parse-feed.ts';

/** What a source has answered. */
export interface SourceAnswer {
  body: Uint8Array;
  /** The address that answered. */
  url: string;
  contentType: string | undefined;
  /** Its `Link` header. */
  link: string | undefined;
  /** Whether it may be a page that names its feed. */
  mayBePage: boolean;
}

/** What an answer is. */
export type SourceReading =
  | { kind: 'feed'; feed: Omit<ParsedFeed, 'links'>; hub: HubLinks | undefined }
  | { kind: 'page'; feedUrl: string };

/** Reads the answer of a source. Throws a {@link Failure} that says why it is not a feed. */
export function readFeed({ body, url, contentType, link, mayBePage }: SourceAnswer): SourceReading {
  const text = decodeDocument(Buffer.from(body), contentType);
  try {
    const { links, ...feed } = parseFeed(text, url);
    return { kind: 'feed', feed, hub: hubLinks(link, links, url) };
  } catch (error) {
    const [feedUrl] = mayBePage && error instanceof Failure ? discoverFeeds(text, url) : [];
    if (feedUrl === undefined || feedUrl === url) throw error;
    return { kind: 'page', feedUrl };
  }
}
