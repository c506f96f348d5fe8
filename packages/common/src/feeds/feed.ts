import { x } from 'xastscript';
import { z } from 'zod';
import { NOT_MODIFIED, type Operation } from '../http/operation.ts';
import { problemResponses } from '../problems/problem.ts';
import { asHtml, rssTitle, xmlDocument, xmlText } from './xml.ts';

/** A feed, whatever format it is written in. All texts are plain text. */
export interface Feed {
  /** Stays the same for as long as the site's address does; a URL, not necessarily of a page. */
  id: string;
  title: string;
  description: string;
  /** The page that the feed belongs to. */
  homeUrl: string;
  /** The feed's own address in this format; relative to itself if the service does not know its address. */
  selfUrl: string;
  /** The language of its texts (BCP 47); undefined if it is not known. */
  language: string | undefined;
  /** The address of the publisher's logo, if there is one. */
  logo?: string | undefined;
  /** The hub that distributes changes (W3C WebSub); undefined if there is none. */
  hubUrl: string | undefined;
  /** What JSON Feed says beyond its standard, by names that begin with `_`. */
  extensions?: Record<`_${string}`, object>;
  /** When the newest entry was added or changed. */
  updated: Date;
  /** Newest first. */
  entries: FeedEntry[];
}

export interface FeedEntry {
  /** Like a feed's. */
  id: string;
  title: string;
  url: string;
  summary: string | null;
  /** The whole text as clean HTML; null if there is only the summary. */
  html: string | null;
  published: Date;
  updated: Date;
  /** At least one; `url` is a page about them. */
  authors: readonly { name: string; url?: string }[];
  categories: string[];
  /** Its picture, with its size in pixels and what it shows; one of a known media type is also enclosed. */
  image?: { url: string; type?: string; width?: number; height?: number; alt?: string };
  /** Recordings and other files, of a media type, with their bytes and seconds where they are known. */
  enclosures?: readonly { url: string; type: string; length?: number; duration?: number }[];
  /** The language of its texts (BCP 47) where it may be another one than the feed's. */
  language?: string;
}

/** A format that feeds are written in. */
interface FeedFormat {
  mediaType: string;
  write: (feed: Feed) => string;
}

/** The formats by the ending of a feed's path. */
const FEED_FORMATS = {
  /** RSS 2.0, with the whole text in `content:encoded`. */
  xml: { mediaType: 'application/rss+xml; charset=utf-8', write: writeRss },
  /** Atom (RFC 4287). */
  atom: { mediaType: 'application/atom+xml; charset=utf-8', write: writeAtom },
  /** JSON Feed 1.1. */
  json: { mediaType: 'application/feed+json; charset=utf-8', write: writeJson },
} as const satisfies Record<string, FeedFormat>;

/** The ending of a feed's path. */
export type FeedEnding = keyof typeof FEED_FORMATS;

const RSS_NAMESPACES = {
  'xmlns:atom': 'http://www.w3.org/2005/Atom',
  'xmlns:content': 'http://purl.org/rss/1.0/modules/content/',
  'xmlns:dc': 'http://purl.org/dc/elements/1.1/',
  'xmlns:media': 'http://search.yahoo.com/mrss/',
};

/** Texts of RSS are HTML, whether they mean to be or not: what is plain text is escaped twice. */
function writeRss(feed: Feed): string {
  const channel = x('channel', [
    x('title', rssTitle(feed.title)),
    x('link', feed.homeUrl),
    x('description', asHtml(feed.description)),
    ...(feed.language === undefined ? [] : [x('language', feed.language)]),
    x('lastBuildDate', feed.updated.toUTCString()),
    ...(feed.logo === undefined
      ? []
      : [x('image', [x('url', feed.logo), x('title', rssTitle(feed.title)), x('link', feed.homeUrl)])]),
    ...linksOf(feed, FEED_FORMATS.xml.mediaType).map((link) => x('atom:link', link)),
    ...feed.entries.map((entry) =>
      x('item', [
        x('title', rssTitle(entry.title)),
        x('link', entry.url),
        x('guid', { isPermaLink: 'false' }, entry.id),
        x('pubDate', entry.published.toUTCString()),
        // RSS wants an e-mail address in `author`; `dc:creator` takes a name.
        ...entry.authors.map(({ name }) => x('dc:creator', xmlText(name))),
        ...entry.categories.map((name) => x('category', xmlText(name))),
        ...(entry.language === undefined ? [] : [x('dc:language', entry.language)]),
        ...mediaOf(entry),
        // The RSS Advisory Board has one of an item, with 0 for a length that is not known.
        ...enclosuresOf(entry)
          .slice(0, 1)
          .map(({ length = 0, ...file }) => x('enclosure', { ...file, length: String(length) })),
        ...(entry.summary === null ? [] : [x('description', asHtml(entry.summary))]),
        ...(entry.html === null ? [] : [x('content:encoded', xmlText(entry.html))]),
      ]),
    ),
  ]);
  return xmlDocument(x(null, [x('rss', { version: '2.0', ...RSS_NAMESPACES }, [channel])]));
}

/** Texts of Atom are plain text unless they say otherwise. */
function writeAtom(feed: Feed): string {
  const links = [{ rel: 'alternate', href: feed.homeUrl }, ...linksOf(feed, FEED_FORMATS.atom.mediaType)];
  const namespaces = { xmlns: RSS_NAMESPACES['xmlns:atom'], 'xmlns:media': RSS_NAMESPACES['xmlns:media'] };
  const root = x('feed', { ...namespaces, 'xml:lang': feed.language }, [
    x('id', feed.id),
    x('title', xmlText(feed.title)),
    x('subtitle', xmlText(feed.description)),
    x('updated', feed.updated.toISOString()),
    ...(feed.logo === undefined ? [] : [x('logo', feed.logo)]),
    ...links.map((link) => x('link', link)),
    ...feed.entries.map((entry) =>
      x('entry', { 'xml:lang': entry.language }, [
        x('id', entry.id),
        x('title', xmlText(entry.title)),
        x('link', { rel: 'alternate', href: entry.url }),
        ...enclosuresOf(entry).map(({ url, ...file }) => x('link', { rel: 'enclosure', ...file, href: url })),
        x('published', entry.published.toISOString()),
        x('updated', entry.updated.toISOString()),
        ...entry.authors.map(({ name, url }) =>
          x('author', [x('name', xmlText(name)), ...(url === undefined ? [] : [x('uri', url)])]),
        ),
        ...entry.categories.map((term) => x('category', { term: xmlText(term) })),
        ...mediaOf(entry),
        ...(entry.summary === null ? [] : [x('summary', xmlText(entry.summary))]),
        ...(entry.html === null ? [] : [x('content', { type: 'html' }, xmlText(entry.html))]),
      ]),
    ),
  ]);
  return xmlDocument(x(null, [root]));
}

function writeJson(feed: Feed): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: feed.title,
    home_page_url: feed.homeUrl,
    // Unlike in the other formats, nothing says what a relative address is relative to.
    ...(URL.canParse(feed.selfUrl) && { feed_url: feed.selfUrl }),
    description: feed.description,
    language: feed.language,
    icon: feed.logo,
    ...feed.extensions,
    ...(feed.hubUrl !== undefined && { hubs: [{ type: 'WebSub', url: feed.hubUrl }] }),
    items: feed.entries.map((entry) => ({
      id: entry.id,
      url: entry.url,
      title: entry.title,
      ...contentOf(entry),
      ...(entry.summary !== null && { summary: entry.summary }),
      date_published: entry.published,
      date_modified: entry.updated,
      authors: entry.authors,
      image: entry.image?.url,
      language: entry.language,
      tags: entry.categories.length === 0 ? undefined : entry.categories,
      attachments: entry.enclosures?.map(({ url, type, length, duration }) => ({
        url,
        mime_type: type,
        size_in_bytes: length,
        duration_in_seconds: duration,
      })),
    })),
  });
}

/** The entry's picture and recordings, as Media RSS has them. */
function mediaOf({ image, enclosures = [] }: FeedEntry) {
  const recordings = enclosures.flatMap(({ url, type, length, duration }) => {
    const medium = /^(?:audio|video)(?=\/)/.exec(type)?.[0];
    return medium === undefined
      ? []
      : [x('media:content', { url, type, medium, fileSize: length, duration })];
  });
  if (image === undefined) return recordings;
  const { url, type, width, height, alt } = image;
  const described = alt === undefined ? [] : [x('media:description', { type: 'plain' }, xmlText(alt))];
  return [x('media:content', { url, type, medium: 'image', width, height }, described), ...recordings];
}

/** The files that come with the entry. */
function enclosuresOf({
  image,
  enclosures = [],
}: FeedEntry): { url: string; type: string; length?: number }[] {
  const picture = image?.type === undefined ? [] : [{ url: image.url, type: image.type }];
  const files = enclosures.map(({ url, type, length }) => ({ url, type, ...(length && { length }) }));
  return [...picture, ...files];
}

/** A JSON Feed's item must have content, so an entry without any repeats its title. */
function contentOf({ html, summary, title }: FeedEntry) {
  return html === null ? { content_text: summary ?? title } : { content_html: html };
}

/** The links to the feed itself and to its hub, which RSS borrows from Atom. */
function linksOf({ selfUrl, hubUrl }: Feed, mediaType: string) {
  const [type] = mediaType.split(';');
  return [
    { rel: 'self', href: selfUrl, type },
    ...(hubUrl === undefined ? [] : [{ rel: 'hub', href: hubUrl }]),
  ];
}

/** One feed, by the ending of its path. */
export type FeedOperations = Record<FeedEnding, Operation>;

/** When a feed without entries was changed: Atom wants a date, and validators doubt those before 1990. */
const NEVER = Date.UTC(2000);

const ENDINGS = Object.keys(FEED_FORMATS) as FeedEnding[];

/** The first word of an operation's id for each ending. */
export const FORMAT_NAMES: Record<FeedEnding, string> = { xml: 'Rss', atom: 'Atom', json: 'Json' };

/** Makes the operation of each ending. */
export function forEachEnding(make: (ending: FeedEnding) => Operation): FeedOperations {
  const operations = ENDINGS.map((ending) => [ending, make(ending)] as const);
  return Object.fromEntries(operations) as FeedOperations;
}

/** The answers of a feed, for the OpenAPI description; `problems` are the statuses of its errors. */
export function feedResponses<Status extends number>(ending: FeedEnding, ...problems: Status[]) {
  const [mediaType = ''] = FEED_FORMATS[ending].mediaType.split(';');
  const schema = ending === 'json' ? z.looseObject({}) : z.string();
  return {
    200: { description: 'The feed.', content: { [mediaType]: { schema } } },
    ...NOT_MODIFIED,
    ...problemResponses(...problems),
  };
}

/** A feed in the format of an ending, as what an operation loads. */
export function feedDocument(ending: FeedEnding, feed: Omit<Feed, 'updated'>) {
  const { mediaType, write } = FEED_FORMATS[ending];
  return { text: write({ ...feed, updated: lastChange(feed.entries) }), mediaType };
}

function lastChange(entries: readonly FeedEntry[]): Date {
  return new Date(Math.max(NEVER, ...entries.map(({ updated }) => updated.getTime())));
}
