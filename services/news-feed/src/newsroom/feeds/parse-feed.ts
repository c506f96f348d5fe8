import { Failure } from '@pressroom/common/failures/failure';
import { DetectError, MalformedError, ParseError, parseFeed as parseAnyFeed } from 'feedsmith';
import type { FeedEntry, ParsedFeed } from './feed.ts';
import { feedDate } from './feed-date.ts';
import { cutText, plainText } from './plain-text.ts';
import { firstSentences, summaryOf } from './summary.ts';

/** The most entries of one answer that are read, in the feed's order. */
export const MAX_ENTRIES = 1000;

/** The most characters of a title. */
const MAX_TITLE = 300;

/** The most characters of a feed's title. */
const MAX_FEED_TITLE = 200;

/** The most bytes of an entry's key. */
const MAX_KEY_BYTES = 2048;

/** `sy:updatePeriod` in seconds (RDF Site Summary 1.0, Syndication module). */
const PERIODS = new Map([
  ['hourly', 3600],
  ['daily', 86_400],
  ['weekly', 7 * 86_400],
  ['monthly', 30 * 86_400],
  ['yearly', 365 * 86_400],
]);

/** A longer `ttl` means this one, in seconds. */
const MAX_TTL_SECONDS = 365 * 86_400;

/** A feed as the parser returns it, with dates as they are written. */
type AnyFeed = ReturnType<typeof parseAnyFeed<string>>;

/** What the formats call the parts of an entry. */
interface RawEntry {
  key: string | undefined;
  title: string | undefined;
  texts: (string | undefined)[];
  link: string | undefined;
  dates: (string | undefined)[];
}

/** What the formats call the parts of a feed. */
interface RawFeed {
  title: string | undefined;
  link: string | undefined;
  entries: RawEntry[];
  updatePeriod: string | undefined;
  updateFrequency: number | undefined;
  ttlMinutes: number | undefined;
  links: ParsedFeed['links'];
}

/**
 * Reads RSS 0.9 to 2.0, RDF, Atom and JSON Feed. Entries without an address, or with neither title nor text,
 * are counted and left out. Throws a `Failure` that says why the text is not a feed.
 *
 * @param url the feed's address, against which relative links are resolved
 */
export function parseFeed(text: string, url: string): ParsedFeed {
  const raw = readRaw(text);
  const base = raw.link !== undefined && URL.canParse(raw.link, url) ? new URL(raw.link, url).href : url;
  const usable = raw.entries.slice(0, MAX_ENTRIES).map((entry) => entryOf(entry, base));
  const entries = usable.filter((entry) => entry !== undefined);
  return {
    title: cutText(plainText(raw.title ?? ''), MAX_FEED_TITLE) || null,
    // A feed that repeats a key means one entry: the first, which is the newest.
    entries: [...new Map(entries.toReversed().map((entry) => [entry.key, entry])).values()].toReversed(),
    unusable: usable.length - entries.length,
    unread: raw.entries.length - usable.length,
    updateSeconds: updateSeconds(raw),
    links: raw.links,
  };
}

function readRaw(text: string): RawFeed {
  try {
    return rawFeed(parseAnyFeed<string>(text.trimStart()));
  } catch (error) {
    if (error instanceof DetectError) throw new Failure('invalid', 'it is not a feed', { cause: error });
    if (error instanceof MalformedError || error instanceof ParseError || error instanceof Error) {
      const [reason = ''] = error.message.split('\n');
      throw new Failure('invalid', `the feed is malformed: ${reason.slice(0, 200)}`, { cause: error });
    }
    throw error;
  }
}

function rawFeed(parsed: AnyFeed): RawFeed {
  const common = { updatePeriod: undefined, updateFrequency: undefined, ttlMinutes: undefined };
  switch (parsed.format) {
    case 'json': {
      const { title, home_page_url, feed_url, hubs = [], items = [] } = parsed.feed;
      const entries = items.map((item) => ({
        key: item.id,
        title: item.title,
        texts: [item.summary, item.content_html, item.content_text],
        link: item.url ?? item.external_url,
        dates: [item.date_published, item.date_modified],
      }));
      const links = [{ href: feed_url, rel: 'self' }, ...hubs.map(({ url }) => ({ href: url, rel: 'hub' }))];
      return { ...common, title, link: home_page_url, entries, links };
    }
    case 'atom': {
      const { title, links, entries = [], sy } = parsed.feed;
      return {
        ...common,
        title: title?.value,
        link: alternate(links),
        links: links ?? [],
        entries: entries.map((entry) => ({
          key: entry.id,
          title: entry.title?.value,
          texts: [entry.summary?.value, entry.content?.value],
          link: alternate(entry.links),
          dates: [entry.published, entry.updated],
        })),
        updatePeriod: sy?.updatePeriod,
        updateFrequency: sy?.updateFrequency,
      };
    }
    case 'rdf': {
      const { title, link, items = [], sy, atom } = parsed.feed;
      return {
        ...common,
        title,
        link,
        links: atom?.links ?? [],
        entries: items.map((item) => ({
          key: item.rdf?.about,
          title: item.title ?? item.dc?.titles?.[0],
          texts: [item.description, item.content?.encoded, item.dc?.descriptions?.[0]],
          link: item.link ?? item.rdf?.about,
          dates: [item.dc?.dates?.[0]],
        })),
        updatePeriod: sy?.updatePeriod,
        updateFrequency: sy?.updateFrequency,
      };
    }
    case 'rss': {
      const { title, link, items = [], sy, ttl, atom } = parsed.feed;
      return {
        title,
        link,
        links: atom?.links ?? [],
        entries: items.map((item) => ({
          key: item.guid?.value,
          title: item.title ?? item.dc?.titles?.[0],
          texts: [item.description, item.content?.encoded, item.dc?.descriptions?.[0]],
          link: item.link ?? permalink(item.guid) ?? alternate(item.atom?.links),
          dates: [item.pubDate, item.dc?.dates?.[0], item.atom?.published, item.atom?.updated],
        })),
        updatePeriod: sy?.updatePeriod,
        updateFrequency: sy?.updateFrequency,
        ttlMinutes: ttl,
      };
    }
  }
}

/** RSS 2.0: a guid is the entry's address unless it says otherwise. */
function permalink(guid: { value?: string; isPermaLink?: boolean } | undefined): string | undefined {
  const isLink = guid?.isPermaLink !== false && /^https?:/.test(guid?.value ?? '');
  return isLink ? guid?.value : undefined;
}

function alternate(links: readonly { href?: string; rel?: string }[] | undefined): string | undefined {
  return links?.find(({ rel }) => rel === undefined || rel === 'alternate')?.href;
}

function entryOf({ key, title, texts, link, dates }: RawEntry, base: string): FeedEntry | undefined {
  const words = texts.map((part) => plainText(part ?? '')).filter((part) => part !== '');
  // RSS 2.0 wants a title or a description; microblogs have no titles.
  const name = cutText(plainText(title ?? ''), MAX_TITLE) || firstSentences(words[0] ?? '', 1, MAX_TITLE);
  const url = link === undefined || !URL.canParse(link.trim(), base) ? undefined : new URL(link.trim(), base);
  if (name === '' || url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  // Credentials would only disguise where the link leads.
  url.username = '';
  url.password = '';
  const own = key?.replaceAll('\0', '').toWellFormed().trim() || url.href;
  if (Buffer.byteLength(own) > MAX_KEY_BYTES) return undefined;
  return {
    key: own,
    title: name,
    summary: summaryOf(words.find((part) => part !== name) ?? ''),
    url: uriOf(url),
    publishedAt: dates.map((date) => feedDate(date ?? '')).find((date) => date !== undefined) ?? null,
  };
}

/** Characters that browsers accept in an address and RFC 3986 does not. */
const NOT_URI = /[\s"<>\\^`{|}[\]]/g;

/** The address as the answers show it, a URI. */
function uriOf(url: URL): string {
  const start = url.origin.length;
  return url.origin + url.href.slice(start).replace(NOT_URI, (character) => encodeURIComponent(character));
}

function updateSeconds({ updatePeriod, updateFrequency, ttlMinutes }: RawFeed): number | undefined {
  const period = PERIODS.get(updatePeriod?.trim().toLowerCase() ?? '');
  if (period !== undefined) return Math.round(period / Math.max(1, updateFrequency ?? 1));
  return ttlMinutes !== undefined && ttlMinutes > 0
    ? Math.min(MAX_TTL_SECONDS, Math.round(ttlMinutes * 60))
    : undefined;
}
