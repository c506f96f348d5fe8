import { isUtf8 } from 'node:buffer';
import { Failure } from '@pressroom/common/failures/failure';
import { webUri } from '@pressroom/common/fields/fields';
import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { parseJsonFeed } from 'feedsmith';
import { Parser } from 'htmlparser2';
import { languageTag } from '../fields.ts';
import { creditsOf, type RawCredits, type RawEnclosure, withDuration } from './credits.ts';
import { feedDate } from './dates.ts';
import {
  addressOf,
  distinctEntries,
  entryImage,
  type FeedEntry,
  isImage,
  isRecording,
  type LeftOut,
  MOST_NAMED,
  type ParsedFeed,
  pixels,
  type RawEntry,
  type RawFeed,
  type RawImage,
  type RawLink,
  repeatedEntry,
} from './feed.ts';
import {
  cutText,
  firstSentences,
  looksLikeHtml,
  type MarkedText,
  plainText,
  summaryOf,
  withoutBoilerplate,
} from './text.ts';

/** The most entries of one answer that are read: the newest. */
export const MAX_ENTRIES = 1000;

/** The most characters of a title. */
export const MAX_TITLE = 300;

/** The most characters of a feed's title. */
const MAX_FEED_TITLE = 200;

/** The most bytes of an entry's key. */
const MAX_KEY_BYTES = 2048;

/** The most texts of an entry that are looked through for one that is not its title. */
const MOST_TEXTS = 3;

/** The most characters of a list of keywords. */
const MOST_KEYWORDS = 5000;

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

/**
 * Reads RSS 0.9 to 2.0, RDF, Atom and JSON Feed, and counts and names the parts that it leaves out. Throws a
 * `Failure` that says why the text is not a feed.
 * @param url the feed's address, against which relative links are resolved
 */
export function parseFeed(text: string, url: string): ParsedFeed {
  return feedOf(readRaw(text, url), url);
}

/** @param zone that of dates without one (IANA) */
export function feedOf(raw: RawFeed, url: string, zone?: string): ParsedFeed {
  const base = URL.parse(raw.home?.trim() ?? '', url)?.href ?? url;
  const newest = newestEntries(raw.entries, zone);
  const read = newest.map((entry) => entryOf(entry, base, { ...raw, zone }));
  const { entries, repeated } = distinctEntries(read.filter((entry) => 'key' in entry));
  const unusable = read.filter((entry) => 'reason' in entry);
  const unread = raw.entries.length - newest.length;
  const leftOut = [
    ...unusable,
    ...repeated.map(repeatedEntry),
    ...(unread === 0 ? [] : unreadEntries(raw.entries, newest)),
  ];
  return {
    title: cutText(raw.title === undefined ? '' : plainText(raw.title), MAX_FEED_TITLE) || null,
    home: base,
    entries,
    unusable: unusable.length,
    unread,
    repeated: repeated.length,
    leftOut: leftOut.slice(0, MOST_NAMED),
    updateSeconds: updateSeconds(raw),
    links: raw.links,
  };
}

/** Reads a feed or a sitemap as it is written. Throws a `Failure` that says why it is none. */
export function readRaw(document: string, url: string): RawFeed {
  const text = document.trimStart();
  if (!text.startsWith('{')) return readXmlFeed(text, url);
  try {
    return readJsonFeed(text);
  } catch (error) {
    throw new Failure('invalid', 'it is not a feed', { code: 'source_not_feed', cause: error });
  }
}

/** The newest entries, in the feed's order; one without a date is as old as the one before it. */
function newestEntries(entries: readonly RawEntry[], zone: string | undefined): readonly RawEntry[] {
  if (entries.length <= MAX_ENTRIES) return entries;
  let time = Number.POSITIVE_INFINITY;
  const timed = entries.map((entry, index) => {
    time = dateOf(entry, { zone })?.getTime() ?? time;
    return { index, time };
  });
  const newest = timed.toSorted((a, b) => Math.sign(b.time - a.time) || a.index - b.index);
  const read = new Set(newest.slice(0, MAX_ENTRIES).map(({ index }) => index));
  return entries.filter((_, index) => read.has(index));
}

function unreadEntries(all: readonly RawEntry[], read: readonly RawEntry[]): LeftOut[] {
  const known = new Set(read);
  const unread = all.values().filter((entry) => !known.has(entry));
  const reason = `the feed has more than ${MAX_ENTRIES} entries, and this is one of the oldest`;
  const leftOut = unread.take(MOST_NAMED).map(({ titles }): LeftOut => {
    return { title: nameOf(titles), reason, code: 'too_many' };
  });
  return [...leftOut];
}

function nameOf(titles: RawEntry['titles']): string {
  const title = titles.values().map(plainText).find(Boolean) ?? '';
  return cutText(title, MAX_TITLE).trim();
}

function dateOf(
  { dates }: Pick<RawEntry, 'dates'>,
  { language, zone }: { language?: string | undefined; zone: string | undefined },
): Date | undefined {
  return dates
    .values()
    .map((text) => feedDate(text, language, zone))
    .find((date) => date !== undefined);
}

function entryOf(
  { key, titles, texts, links, dates, images, languages, isUntitled, ...credits }: RawEntry,
  base: string,
  feed: Pick<RawFeed, 'languages' | 'authors'> & { zone: string | undefined },
): FeedEntry | LeftOut {
  // A feed may repeat its texts without end, and each is work.
  const words = texts
    .values()
    .map(plainText)
    .map(withoutBoilerplate)
    .filter(Boolean)
    .take(MOST_TEXTS)
    .toArray();
  // RSS 2.0 wants a title or a description; microblogs have no titles.
  const name = nameOf(titles) || firstSentences(words[0] ?? '', 1, MAX_TITLE);
  const [url] = links.flatMap((link) => addressOf(link, base) ?? []);
  if (name === '') {
    return { title: links[0]?.href ?? '', reason: 'it has neither a title nor text', code: 'no_words' };
  }
  if (url === undefined) return { title: name, reason: 'it has no address', code: 'no_address' };
  const own = key?.replaceAll('\0', '').toWellFormed().trim() || url.href;
  if (Buffer.byteLength(own) > MAX_KEY_BYTES) {
    return { title: name, reason: 'its id or address is too long', code: 'address_too_long' };
  }
  const language =
    [...languages, ...feed.languages].map(languageTag).find((tag) => tag !== undefined) ?? null;
  return {
    key: own,
    title: name,
    summary: summaryOf(words.find((part) => part !== name) ?? ''),
    url: webUri(url),
    publishedAt: dateOf({ dates }, { language: language ?? undefined, zone: feed.zone }) ?? null,
    image: entryImage(images, base) ?? null,
    language,
    ...(isUntitled && { isUntitled }),
    ...creditsOf({ ...credits, authors: credits.authors?.length ? credits.authors : feed.authors }, base),
  };
}

function updateSeconds({ updatePeriod, updateFrequency, ttlMinutes }: RawFeed): number | undefined {
  const period = PERIODS.get(updatePeriod?.trim().toLowerCase() ?? '');
  if (period !== undefined) return Math.round(period / Math.max(1, updateFrequency ?? 1));
  return ttlMinutes !== undefined && ttlMinutes > 0
    ? Math.min(MAX_TTL_SECONDS, Math.round(ttlMinutes * 60))
    : undefined;
}

/** Reads a JSON Feed, in which only `content_html` is HTML. Throws an error that says what is wrong. */
function readJsonFeed(json: string): RawFeed {
  const feed = parseJsonFeed<string>(json);
  const { title, home_page_url, feed_url, language, hubs = [], items = [] } = feed;
  return {
    title: title === undefined ? undefined : { value: title, markup: 'none' },
    home: home_page_url,
    entries: items.map((item) => ({
      key: item.id,
      titles: jsonTexts('none', item.title),
      texts: [
        ...jsonTexts('none', item.summary),
        ...jsonTexts('html', item.content_html),
        ...jsonTexts('none', item.content_text),
      ],
      links: [
        item.url,
        item.external_url,
        // JSON Feed advises addresses as ids.
        /^https?:/i.test(item.id ?? '') ? item.id : undefined,
        ...(item.attachments ?? []).map(({ mime_type: type = '', url = '' }) =>
          isRecording(type, url) ? url : undefined,
        ),
      ].flatMap((href) => (href === undefined ? [] : [{ href }])),
      dates: [item.date_published, item.date_modified].filter((date) => date !== undefined),
      images: [
        item.image,
        item.banner_image,
        ...(item.attachments ?? []).map(({ mime_type, url }) => (isImage(mime_type) ? url : undefined)),
      ].flatMap((href) => (href === undefined ? [] : [{ href }])),
      languages: item.language === undefined ? [] : [item.language],
      authors: jsonAuthors(item.authors),
      tags: (item.tags ?? []).flatMap((tag) => jsonTexts('none', tag)),
      enclosures: (item.attachments ?? []).flatMap((file) =>
        file.url === undefined
          ? []
          : [
              {
                href: file.url,
                type: file.mime_type,
                length: file.size_in_bytes,
                duration: file.duration_in_seconds,
              },
            ],
      ),
    })),
    authors: jsonAuthors(feed.authors),
    languages: language === undefined ? [] : [language],
    links: [{ href: feed_url, rel: 'self' }, ...hubs.map(({ url }) => ({ href: url, rel: 'hub' }))],
  };
}

function jsonAuthors(authors: readonly { name?: string }[] = []): MarkedText[] {
  return authors.flatMap(({ name }) => jsonTexts('none', name));
}

function jsonTexts(markup: MarkedText['markup'], value: string | undefined): MarkedText[] {
  return value === undefined ? [] : [{ value, markup }];
}

/** Media types whose bytes Atom has in base64 (RFC 4287, section 4.1.3.3); some are text after all. */
const BINARY = /^(?:(?:image|audio|video|font)\/|application\/octet-stream$)/i;

/**
 * Reads RSS 0.9 to 2.0, RDF, Atom 0.3 and 1.0, and sitemaps. Throws a `Failure` if the text is none of them.
 *
 * @param url the feed's address
 */
function readXmlFeed(text: string, url: string): RawFeed {
  const feed = readXml(text, url);
  const { root, language, members, entries } = feed;
  if (root === 'urlset' || root === 'sitemapindex') return sitemap(feed);
  const isAtom = root === 'feed';
  const links = named(members, isAtom ? 'link' : 'atom:link').map(({ attributes: { href, rel } }) => ({
    href,
    rel,
  }));
  const [title] = named(members, 'title');
  return {
    title: title && (isAtom ? atomText(title) : rssText(title)),
    home: isAtom ? atomLinks(members, 'link')[0]?.href : named(members, 'link')[0]?.text,
    links,
    entries: entries.map((entry) => (isAtom ? atomEntry(entry) : rssEntry(entry))),
    updatePeriod: named(members, 'sy:updateperiod')[0]?.text,
    updateFrequency: numberOf(named(members, 'sy:updatefrequency')[0]),
    ttlMinutes: numberOf(named(members, 'ttl')[0]),
    languages: [...texts(members, 'language', 'dc:language'), ...(language === undefined ? [] : [language])],
    // RFC 4287, section 4.2.1; RSS says who edits the channel, not who writes.
    ...(isAtom && { authors: people(members, 'author') }),
  };
}

/** A sitemap, with Google's extensions for news and images, or an index of sitemaps (sitemaps.org, 0.9). */
function sitemap({ root, entries }: XmlFeed): RawFeed {
  const listed = entries.map(({ members }): RawEntry => {
    const address = texts(members, 'loc')[0]?.trim();
    return {
      key: address,
      titles: named(members, 'news:title').map(rssText),
      texts: [],
      links: address === undefined ? [] : [{ href: address }],
      dates: dates(members, 'news:publication_date', 'lastmod'),
      images: named(members, 'image:loc').map(({ text }) => ({ href: text })),
      languages: texts(members, 'news:language'),
      tags: keywords(members, 'news:keywords'),
    };
  });
  const common = { title: undefined, home: undefined, links: [], languages: [], isSitemap: true };
  return root === 'urlset' ? { ...common, entries: listed } : { ...common, entries: [], sitemaps: listed };
}

function atomEntry({ members, language }: XmlEntry): RawEntry {
  const [id] = named(members, 'id');
  return {
    key: id?.text,
    titles: [...named(members, 'title').map(atomText), ...named(members, 'media:title').map(mediaText)],
    texts: [
      ...named(members, 'summary', 'content').map(atomText),
      ...named(members, 'media:description').map(mediaText),
    ],
    // An id that is an address is the best there is where no link is.
    links: [
      ...atomLinks(members, 'link'),
      ...addressIn(id),
      ...recordings(named(members, 'link').filter(({ attributes: { rel } }) => rel === 'enclosure')),
    ],
    dates: dates(members, 'published', 'issued', 'created', 'updated', 'modified'),
    images: images(members),
    languages: languages(members, language),
    ...credits(members),
  };
}

function rssEntry({ attributes: { about }, members, language }: XmlEntry): RawEntry {
  const [guid] = named(members, 'guid');
  return {
    key: guid?.text ?? about,
    titles: [
      ...named(members, 'title', 'dc:title').map(rssText),
      ...named(members, 'media:title').map(mediaText),
      ...named(members, 'atom:title').map(atomText),
    ],
    texts: [
      ...named(members, 'description', 'content:encoded', 'summary').map(rssText),
      ...named(members, 'atom:summary', 'atom:content').map(atomText),
      ...named(members, 'dc:description', 'itunes:summary', 'xhtml:body', 'body', 'fullitem').map(rssText),
      ...named(members, 'media:description').map(mediaText),
    ],
    links: [
      ...named(members, 'link').map(linkOf),
      ...(about === undefined ? [] : [{ href: about }]),
      // RSS 2.0: a guid is the entry's address unless it says otherwise.
      ...(guid?.attributes.ispermalink === 'false' ? [] : addressIn(guid)),
      ...atomLinks(members, 'atom:link'),
      // A podcast may have no page: then its recording is what it links to.
      ...recordings(named(members, 'enclosure', 'media:content')),
    ],
    dates: dates(
      members,
      'pubdate',
      'dcterms:issued',
      'atom:published',
      'dc:date',
      'dcterms:modified',
      'atom:updated',
      'dcterms:created',
    ),
    images: images(members),
    languages: languages(members, language),
    ...credits(members),
  };
}

/** The members of these names, in the order of the names. */
function named(members: readonly XmlElement[], ...names: string[]): XmlElement[] {
  return names.flatMap((name) => members.filter((member) => member.name === name));
}

/** The dates of these names; where one is repeated, the last is what the source meant. */
function dates(members: readonly XmlElement[], ...names: string[]): string[] {
  return names.flatMap((name) => named(members, name).at(-1)?.text ?? []);
}

/** Returns the texts of the members with these names. */
function texts(members: readonly XmlElement[], ...names: string[]): string[] {
  return named(members, ...names).map(({ text }) => text);
}

/** Languages that its texts declare, or the entry itself, or the element around it. */
function languages(members: readonly XmlElement[], outer: string | undefined): string[] {
  const own = named(members, 'title', 'summary', 'content', 'description');
  return [
    ...own.flatMap(({ attributes }) => attributes['xml:lang'] ?? []),
    ...texts(members, 'dc:language', 'language'),
    ...(outer === undefined ? [] : [outer]),
  ];
}

/** Elements that name authors, those that mean nothing else first; the first kind of an entry counts. */
const AUTHORS = ['dc:creator', 'dc:author', 'author', 'atom:author', 'itunes:author'];

function credits(members: readonly XmlElement[]): RawCredits {
  const byline = AUTHORS.map((name) => people(members, name)).find((names) => names.length > 0);
  const credited = named(members, 'media:credit').filter(({ attributes: { role } }) => role === 'author');
  return {
    authors: byline ?? credited.map(rssText),
    tags: [
      ...named(members, 'category', 'atom:category', 'dc:subject', 'media:category').map(categoryText),
      ...keywords(members, 'media:keywords', 'itunes:keywords'),
    ],
    enclosures: withDuration(
      [...enclosures(members), ...named(members, 'media:content').filter(isRecordingOf)].flatMap(fileOf),
      texts(members, 'itunes:duration')[0],
    ),
  };
}

/** The names of people, whom Atom has in elements of their own. */
function people(members: readonly XmlElement[], name: string): MarkedText[] {
  return named(members, name).flatMap((person): MarkedText[] => {
    const names = [...(person.markup ?? '').matchAll(/<name>([^<]*)</gi)].map(([, text = '']) => text);
    if (names.length > 0) return names.map((value) => ({ value: decodeHTML(value), markup: 'none' }));
    const isNameless = /<(?:uri|url|homepage|email)>/i.test(person.markup ?? '');
    return isNameless || person.text.trim() === '' ? [] : [rssText(person)];
  });
}

/** The labels of a category that readers see. */
function categoryText(element: XmlElement): MarkedText {
  const { label, term } = element.attributes;
  const value = label ?? term;
  return value === undefined ? rssText(element) : { value, markup: 'none' };
}

function keywords(members: readonly XmlElement[], ...names: string[]): MarkedText[] {
  const words = texts(members, ...names).flatMap((list) => list.slice(0, MOST_KEYWORDS).split(','));
  return words.map((value) => ({ value, markup: 'none' }));
}

function enclosures(members: readonly XmlElement[]): XmlElement[] {
  return [
    ...named(members, 'enclosure'),
    ...named(members, 'link', 'atom:link').filter(({ attributes: { rel } }) => rel === 'enclosure'),
  ];
}

function isRecordingOf({ attributes: { type = '', url = '' } }: XmlElement): boolean {
  return isRecording(type, url);
}

function fileOf({ attributes, base }: XmlElement): RawEnclosure[] {
  const { url, href = url, type, length, filesize = length, duration } = attributes;
  return href === undefined ? [] : [{ href, base, type, length: filesize, duration }];
}

/** Its pictures, the best first: what is published with it, then what stands for it. */
function images(members: readonly XmlElement[]): RawImage[] {
  return [
    ...largestFirst(named(members, 'media:content').filter(isPicture)),
    ...enclosures(members).filter(isPicture),
    ...largestFirst(named(members, 'media:thumbnail')),
    ...named(members, 'itunes:image'),
  ].map(({ attributes: { url, href, width, height }, text, base }) => {
    return { href: url ?? href ?? text, base, width, height, alt: url === undefined ? undefined : text };
  });
}

/** True for a picture, judging by its medium or type, else by its name. */
function isPicture({ attributes: { medium, type, url, href } }: XmlElement): boolean {
  if (medium !== undefined) return medium === 'image';
  return (
    isImage(type) ||
    (type === undefined && /\.(?:jpe?g|png|webp|avif|gif)(?:[?#]|$)/i.test(url ?? href ?? ''))
  );
}

function largestFirst(members: readonly XmlElement[]): XmlElement[] {
  const width = ({ attributes }: XmlElement) => pixels(attributes.width) ?? 0;
  return members.toSorted((a, b) => width(b) - width(a));
}

/** The addresses of audio and video. */
function recordings(members: readonly XmlElement[]): RawLink[] {
  return members.flatMap(({ attributes: { type = '', url, href = url }, base }) =>
    href !== undefined && isRecording(type, href) ? [{ href, base }] : [],
  );
}

function linkOf({ text, base }: XmlElement): RawLink {
  return { href: text, base };
}

/** The identifier of an entry, if it is an address too. */
function addressIn(id: XmlElement | undefined): RawLink[] {
  return id !== undefined && /^\s*https?:/i.test(id.text) ? [linkOf(id)] : [];
}

/** The addresses of the page that Atom's links lead to. */
function atomLinks(members: readonly XmlElement[], name: string): RawLink[] {
  const links = named(members, name).filter(
    ({ attributes: { rel } }) => rel === undefined || rel === 'alternate',
  );
  return links.flatMap(({ attributes: { href }, text, base }) => {
    const address = href ?? text;
    return address.trim() === '' ? [] : [{ href: address, base }];
  });
}

/** Reads a text by Atom's `type`, and the `mode` of version 0.3 (RFC 4287, section 3.1). */
function atomText({ attributes: { type = 'text', mode }, text, markup }: XmlElement): MarkedText {
  const isHtml = type === 'html' || type === 'text/html';
  // Elements around HTML that is escaped all the same, as some write it, are more HTML.
  if (markup !== undefined) return { value: isHtml ? decodeHTML(markup) : markup, markup: 'html' };
  const isBase64 = mode === 'base64' || BINARY.test(type);
  return { value: isBase64 ? fromBase64(text) : text, markup: isHtml ? 'html' : 'none' };
}

/** RSS does not say what its texts are; some mix elements with escaped ones. */
function rssText({ text, markup }: XmlElement): MarkedText {
  if (markup === undefined) return { value: text, markup: 'unknown' };
  return { value: looksLikeHtml(text) ? decodeHTML(markup) : markup, markup: 'html' };
}

/** Media RSS says `plain` or `html`, or nothing. */
function mediaText({ attributes: { type }, text }: XmlElement): MarkedText {
  return { value: text, markup: type === 'plain' ? 'none' : 'unknown' };
}

/** The text in base64; empty if it is none. */
function fromBase64(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  return isUtf8(bytes) ? bytes.toString() : '';
}

function numberOf(element: XmlElement | undefined): number | undefined {
  const value = Number(element?.text.trim() || Number.NaN);
  return Number.isFinite(value) ? value : undefined;
}

/** A member of a feed or of an entry: an element with everything in it. */
interface XmlElement {
  /** In lower case; with the usual prefix if it is of another vocabulary than the feed itself. */
  name: string;
  /** Attributes by name in lower case, without prefixes except `xml`. */
  attributes: Readonly<Record<string, string>>;
  /** The character data, its references resolved, of the elements inside too. */
  text: string;
  /** The same as HTML, with the tags of the elements inside; undefined if there are none. */
  markup: string | undefined;
  /** The address that `xml:base` gives it (XML Base); undefined if nothing does. */
  base: string | undefined;
}

/** An entry with its own attributes. */
interface XmlEntry {
  /** `xml:lang` of the element or of one around it. */
  language: string | undefined;
  attributes: XmlElement['attributes'];
  members: XmlElement[];
}

/** A feed as its XML says it, the same for every format. */
interface XmlFeed {
  /** Its root, without a prefix. */
  root: string;
  /** `xml:lang` of the root. */
  language: string | undefined;
  members: XmlElement[];
  entries: XmlEntry[];
}

/** The roots of RSS, RDF, Atom, sitemaps and their indexes, and what their entries are called. */
const ROOTS = new Map<string, readonly string[]>([
  ...['rss', 'rdf', 'feed'].map((root) => [root, ['item', 'entry']] as const),
  ['urlset', ['url']],
  ['sitemapindex', ['sitemap']],
]);

/** Elements whose own members are those of the entry that they are in. */
const TRANSPARENT = [
  ...['media:group', 'media:content', 'enclosure'],
  ...['news:news', 'news:publication', 'image:image'],
];

/** The vocabularies by their namespaces, in lower case and without the final slash. Empty: the feed's own. */
const VOCABULARIES = new Map([
  ['http://purl.org/rss/1.0', ''],
  ['http://www.w3.org/2005/atom', 'atom'],
  ['http://purl.org/atom/ns#', 'atom'],
  ['http://purl.org/dc/elements/1.1', 'dc'],
  ['http://purl.org/dc/elements/1.0', 'dc'],
  ['http://purl.org/dc/terms', 'dcterms'],
  ['http://purl.org/rss/1.0/modules/content', 'content'],
  ['http://purl.org/rss/1.0/modules/syndication', 'sy'],
  ['http://search.yahoo.com/mrss', 'media'],
  ['http://www.itunes.com/dtds/podcast-1.0.dtd', 'itunes'],
  ['http://www.google.com/schemas/sitemap-news/0.9', 'news'],
  ['http://www.google.com/schemas/sitemap-image/1.1', 'image'],
  ['http://www.w3.org/1999/xhtml', 'xhtml'],
  ['http://www.w3.org/2000/svg', 'svg'],
]);

/** No feed nests deeper, and the parser's time for an end tag grows with the depth. */
const MOST_DEPTH = 200;

/** State that an open element hands to those inside. */
interface Frame {
  role: 'feed' | 'entry';
  /** Namespaces that it declares itself, by prefix. */
  namespaces: ReadonlyMap<string, string>;
  base: string | undefined;
  language: string | undefined;
  /** The element itself, where it is one of {@link TRANSPARENT}. */
  member?: XmlElement;
}

/**
 * Reads the XML of a feed, well-formed or not, in one pass and without recursion. The last piece of a cut-off
 * document is left out, and everything before it is read. Throws a {@link Failure} if it is not a feed.
 * @param url the feed's address, against which relative values of `xml:base` are resolved
 */
function readXml(text: string, url: string): XmlFeed {
  const reader = new XmlReader(url);
  const parser = new Parser(reader, { xmlMode: true, decodeEntities: false });
  parser.write(text);
  const { feed } = reader;
  // Ending closes what is open, which would make whole members of halves.
  if (feed === undefined) throw new Failure('invalid', 'it is not a feed', { code: 'source_not_feed' });
  return feed;
}

class XmlReader {
  feed: XmlFeed | undefined;
  readonly #url: string;
  readonly #frames: Frame[] = [];
  #own = '';
  #entries: readonly string[] = [];
  /** The member that is being read, and how many elements inside it are open. */
  #member: XmlElement | undefined;
  #depth = 0;
  #isCdata = false;

  constructor(url: string) {
    this.#url = url;
  }

  onopentag(tag: string, raw: Record<string, string>): void {
    if (this.#frames.length + this.#depth >= MOST_DEPTH) {
      throw new Failure('invalid', `the feed is malformed: it is nested deeper than ${MOST_DEPTH} elements`, {
        code: 'source_not_feed',
      });
    }
    if (this.#member !== undefined) {
      this.#depth += 1;
      this.#member.markup = `${this.#member.markup ?? escapeHtml(this.#member.text)}<${localName(tag)}>`;
      return;
    }
    const attributes = attributesOf(raw);
    const frame = this.#frameFor(attributes, raw);
    const name = this.#nameOf(tag, frame);
    if (this.feed === undefined) this.#startFeed(name, tag, frame);
    else if (this.#entries.includes(name)) this.#startEntry(attributes, frame);
    else if (name === 'channel') this.#frames.push(frame);
    else {
      const member = { name, attributes, text: '', markup: undefined, base: frame.base };
      if (!TRANSPARENT.includes(name)) {
        this.#member = member;
        return;
      }
      this.#members.push(member);
      this.#frames.push({ ...frame, member });
    }
  }

  onclosetag(tag: string): void {
    const member = this.#member;
    if (member === undefined) {
      this.#frames.pop();
    } else if (this.#depth > 0) {
      this.#depth -= 1;
      member.markup += `</${localName(tag)}>`;
    } else {
      this.#members.push(member);
      const outer = this.#frames.at(-1)?.member;
      // The description of a picture is its text.
      if (outer !== undefined && member.name === 'media:description') outer.text = member.text;
      this.#member = undefined;
    }
  }

  ontext(data: string): void {
    const member = this.#member;
    if (member === undefined) return;
    const text = this.#isCdata ? data : decodeHTML(data);
    member.text += text;
    if (member.markup !== undefined) member.markup += escapeHtml(text);
  }

  oncdatastart(): void {
    this.#isCdata = true;
  }

  oncdataend(): void {
    this.#isCdata = false;
  }

  get #members(): XmlElement[] {
    const { feed } = this;
    const entry = this.#frames.at(-1)?.role === 'entry' ? feed?.entries.at(-1) : undefined;
    return entry?.members ?? feed?.members ?? [];
  }

  #startFeed(name: string, tag: string, frame: Frame): void {
    const root = localName(tag).toLowerCase();
    const entries = ROOTS.get(root);
    if (entries === undefined) throw new Failure('invalid', 'it is not a feed', { code: 'source_not_feed' });
    this.#entries = entries;
    this.feed = { root, language: frame.language, members: [], entries: [] };
    this.#own = name.slice(0, -root.length);
    this.#frames.push(frame);
  }

  #startEntry(attributes: XmlElement['attributes'], frame: Frame): void {
    this.feed?.entries.push({ language: frame.language, attributes, members: [] });
    this.#frames.push({ ...frame, role: 'entry' });
  }

  #frameFor(attributes: XmlElement['attributes'], raw: Record<string, string>): Frame {
    const { role = 'feed', base, language } = this.#frames.at(-1) ?? {};
    const declared = Object.entries(raw).filter(([name]) => /^xmlns(:|$)/.test(name));
    const given = attributes['xml:base'];
    const inner = given === undefined ? undefined : URL.parse(given, base ?? this.#url)?.href;
    return {
      role,
      namespaces: new Map(declared.map(([name, uri]) => [name.slice(6).toLowerCase(), uri])),
      base: inner ?? base,
      language: attributes['xml:lang'] ?? language,
    };
  }

  /** An unknown namespace is the feed's own if it is the default one, else what its prefix usually is. */
  #nameOf(tag: string, frame: Frame): string {
    const prefix = tag.slice(0, Math.max(0, tag.indexOf(':'))).toLowerCase();
    const { namespaces } = [...this.#frames, frame].findLast((open) => open.namespaces.has(prefix)) ?? frame;
    const uri = namespaces.get(prefix)?.trim().toLowerCase().replace(/\/$/, '') ?? '';
    const vocabulary = VOCABULARIES.get(uri) ?? prefix;
    const name = `${vocabulary}${vocabulary === '' ? '' : ':'}${localName(tag).toLowerCase()}`;
    return this.#own !== '' && name.startsWith(this.#own) ? name.slice(this.#own.length) : name;
  }
}

function localName(tag: string): string {
  return tag.slice(tag.indexOf(':') + 1);
}

function attributesOf(raw: Record<string, string>): XmlElement['attributes'] {
  const entries = Object.entries(raw).map(([name, value]) => {
    const lower = name.toLowerCase();
    return [lower.startsWith('xml') ? lower : localName(lower), decodeHTMLAttribute(value)] as const;
  });
  return Object.fromEntries(entries);
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
