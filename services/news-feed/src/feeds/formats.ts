import type { Feed, FeedEntry } from './feed.ts';
import { xmlText } from './xml-text.ts';

/** A format that feeds are written in. */
export interface FeedFormat {
  mediaType: string;
  /** The document, as text. */
  write: (feed: Feed) => Promise<string>;
}

/** Its many files are loaded with the first feed that is asked for. */
const loadFeedsmith = () => import('feedsmith');

/** The formats by the ending of a feed's path. */
export const FEED_FORMATS = {
  /** RSS 2.0, with the whole text in `content:encoded`. */
  xml: { mediaType: 'application/rss+xml; charset=utf-8', write: writeRss },
  /** Atom (RFC 4287). */
  atom: { mediaType: 'application/atom+xml; charset=utf-8', write: writeAtom },
  /** JSON Feed 1.1. */
  json: { mediaType: 'application/feed+json; charset=utf-8', write: writeJson },
} as const satisfies Record<string, FeedFormat>;

/** The ending of a feed's path. */
export type FeedEnding = keyof typeof FEED_FORMATS;

async function writeRss(feed: Feed): Promise<string> {
  const { generateRssFeed } = await loadFeedsmith();
  const links = linksOf(feed, FEED_FORMATS.xml.mediaType);
  return generateRssFeed({
    title: xmlText(feed.title),
    link: feed.homeUrl,
    description: xmlText(feed.description),
    lastBuildDate: feed.updated,
    atom: { links },
    items: feed.entries.map((entry) => ({
      title: xmlText(entry.title),
      link: entry.url,
      guid: { value: entry.id, isPermaLink: false },
      pubDate: entry.published,
      ...(entry.summary !== null && { description: xmlText(entry.summary) }),
      ...(entry.html !== null && { content: { encoded: xmlText(entry.html) } }),
      // RSS wants an e-mail address in `author`; `dc:creator` takes a name.
      dc: { creators: [xmlText(entry.author)] },
      categories: entry.categories.map((name) => ({ name })),
    })),
  });
}

async function writeAtom(feed: Feed): Promise<string> {
  const { generateAtomFeed } = await loadFeedsmith();
  return generateAtomFeed({
    id: feed.id,
    title: { value: xmlText(feed.title) },
    subtitle: { value: xmlText(feed.description) },
    updated: feed.updated,
    links: [{ href: feed.homeUrl, rel: 'alternate' }, ...linksOf(feed, FEED_FORMATS.atom.mediaType)],
    entries: feed.entries.map((entry) => ({
      id: entry.id,
      title: { value: xmlText(entry.title) },
      links: [{ href: entry.url, rel: 'alternate' }],
      published: entry.published,
      updated: entry.updated,
      ...(entry.summary !== null && { summary: { value: xmlText(entry.summary) } }),
      ...(entry.html !== null && { content: { type: 'html', value: xmlText(entry.html) } }),
      authors: [{ name: xmlText(entry.author) }],
      categories: entry.categories.map((term) => ({ term })),
    })),
  });
}

async function writeJson(feed: Feed): Promise<string> {
  const { generateJsonFeed } = await loadFeedsmith();
  const document = generateJsonFeed({
    title: feed.title,
    home_page_url: feed.homeUrl,
    ...(feed.selfUrl !== undefined && { feed_url: feed.selfUrl }),
    description: feed.description,
    ...(feed.hubUrl !== undefined && { hubs: [{ type: 'WebSub', url: feed.hubUrl }] }),
    items: feed.entries.map((entry) => ({
      id: entry.id,
      url: entry.url,
      title: entry.title,
      ...contentOf(entry),
      ...(entry.summary !== null && { summary: entry.summary }),
      date_published: entry.published,
      date_modified: entry.updated,
      authors: [{ name: entry.author }],
      tags: entry.categories,
    })),
  });
  return JSON.stringify(document);
}

/** A JSON Feed's item must have content, so an entry without any repeats its title. */
function contentOf({ html, summary, title }: FeedEntry) {
  return html === null ? { content_text: summary ?? title } : { content_html: html };
}

/** The links to the feed itself and to its hub, which RSS borrows from Atom. */
function linksOf({ selfUrl, hubUrl }: Feed, mediaType: string) {
  const [type] = mediaType.split(';');
  return [
    ...(selfUrl === undefined ? [] : [{ href: selfUrl, rel: 'self', type }]),
    ...(hubUrl === undefined ? [] : [{ href: hubUrl, rel: 'hub' }]),
  ];
}
