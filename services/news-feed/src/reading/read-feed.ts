import { gunzipSync } from 'node:zlib';
import { Failure } from '@pressroom/common/failures/failure';
import { decodeDocument } from '@pressroom/common/html/decode';
import { type HubLinks, hubLinks, type ParsedFeed, type RawFeed } from './feed.ts';
import { readList } from './list.ts';
import { feedOf, readRaw } from './parse-feed.ts';
import { discoverFeeds, newestSitemaps, newInSitemap, type SitemapMemory } from './sitemap.ts';

interface SourceAnswer {
  body: Uint8Array;
  url: string;
  contentType: string | undefined;
  /** Its `Link` header. */
  link: string | undefined;
  /** True if it may be a page that names a feed. */
  mayBePage: boolean;
  /** Selectors of the list that the page is, see `listSelectors`; null if the source is no page. */
  listSelectors: string | null;
  memory: SitemapMemory;
  /** That of dates without one (IANA); UTC by default. */
  timeZone?: string | undefined;
}

export interface FeedReading {
  kind: 'feed';
  feed: Omit<ParsedFeed, 'links'>;
  hub: HubLinks | undefined;
  /** Memory of a sitemap, and the number of articles that it lists; undefined for anything else. */
  sitemap: { known: Uint8Array; listed: number } | undefined;
}

export type SourceReading =
  | FeedReading
  | { kind: 'page'; feedUrl: string }
  | ({ kind: 'index' } & ReturnType<typeof newestSitemaps>);

const IS_PAGE = /^\s*<(?:!doctype html|html)[\s>]/i;

/** Reads the answer of a source. Throws a {@link Failure} that says why it is not a feed. */
export function readFeed(answer: SourceAnswer): SourceReading {
  const { url, contentType, link, mayBePage, listSelectors, memory } = answer;
  const text = decodeDocument(unzipped(Buffer.from(answer.body)), contentType);
  const read = (raw: RawFeed, sitemap?: FeedReading['sitemap']): FeedReading => {
    const { links, ...feed } = feedOf(raw, url, answer.timeZone);
    return { kind: 'feed', feed, hub: hubLinks(link, links, url), sitemap };
  };
  if (listSelectors !== null) return read(readList(text, url, listSelectors));
  try {
    const raw = readRaw(text, url);
    if (raw.sitemaps !== undefined) return { kind: 'index', ...newestSitemaps(raw.sitemaps, memory.since) };
    if (!raw.isSitemap) return read(raw);
    const { entries, known } = newInSitemap(raw.entries, memory);
    return read({ ...raw, entries }, { known, listed: raw.entries.length });
  } catch (error) {
    const [feedUrl] = mayBePage && error instanceof Failure ? discoverFeeds(text, url) : [];
    if (feedUrl === undefined && mayBePage && IS_PAGE.test(text)) {
      throw new Failure(
        'invalid',
        'it is a page that names no feed; --page reads the articles that it lists',
        { code: 'source_names_no_feed' },
      );
    }
    if (feedUrl === undefined || feedUrl === url) throw error;
    return { kind: 'page', feedUrl };
  }
}

/** Sitemaps are often files of gzip; then they are limited as they would be with a content coding. */
function unzipped(bytes: Buffer): Buffer {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (error) {
    throw new Failure('invalid', `it is not valid gzip, or larger than ${MOST_BYTES / 2 ** 20} MiB`, {
      code: 'source_encoding_wrong',
      cause: error,
    });
  }
}

/** The most bytes of an answer. */
const MOST_BYTES = 10 * 2 ** 20;
