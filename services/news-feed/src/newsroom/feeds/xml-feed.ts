import { isUtf8 } from 'node:buffer';
import { decodeHTML } from 'entities';
import { isImage, isRecording, pixels } from './entry-image.ts';
import { looksLikeHtml, type MarkedText } from './plain-text.ts';
import type { RawEntry, RawFeed, RawImage, RawLink } from './raw-feed.ts';
import { readXml, type XmlElement, type XmlEntry, type XmlFeed } from './xml-elements.ts';

/** Media types whose bytes Atom has in base64 (RFC 4287, section 4.1.3.3); some are text after all. */
const BINARY = /^(?:(?:image|audio|video|font)\/|application\/octet-stream$)/i;

/**
 * Reads RSS 0.9 to 2.0, RDF, Atom 0.3 and 1.0, and sitemaps. Throws a `Failure` if the text is none of them.
 *
 * @param url the feed's address
 */
export function readXmlFeed(text: string, url: string): RawFeed {
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

/** What the members of these names say. */
function texts(members: readonly XmlElement[], ...names: string[]): string[] {
  return named(members, ...names).map(({ text }) => text);
}

/** What its texts say of their language, the entry itself, or what it is in. */
function languages(members: readonly XmlElement[], outer: string | undefined): string[] {
  const own = named(members, 'title', 'summary', 'content', 'description');
  return [
    ...own.flatMap(({ attributes }) => attributes['xml:lang'] ?? []),
    ...texts(members, 'dc:language', 'language'),
    ...(outer === undefined ? [] : [outer]),
  ];
}

/** Its pictures, the best first: what is published with it, then what stands for it. */
function images(members: readonly XmlElement[]): RawImage[] {
  const enclosures = [
    ...named(members, 'enclosure'),
    ...named(members, 'link', 'atom:link').filter(({ attributes: { rel } }) => rel === 'enclosure'),
  ];
  return [
    ...largestFirst(named(members, 'media:content').filter(isPicture)),
    ...enclosures.filter(isPicture),
    ...largestFirst(named(members, 'media:thumbnail')),
    ...named(members, 'itunes:image'),
  ].map(({ attributes: { url, href, width, height }, text, base }) => {
    return { href: url ?? href ?? text, base, width, height, alt: url === undefined ? undefined : text };
  });
}

/** By its medium or type, else by its name. */
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

/** The addresses of what can be heard or watched. */
function recordings(members: readonly XmlElement[]): RawLink[] {
  return members.flatMap(({ attributes: { type = '', url, href = url }, base }) =>
    href !== undefined && isRecording(type, href) ? [{ href, base }] : [],
  );
}

function linkOf({ text, base }: XmlElement): RawLink {
  return { href: text, base };
}

/** What identifies an entry, if it is an address too. */
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

/** What Atom's `type`, and the `mode` of version 0.3, say that the text is (RFC 4287, section 3.1). */
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
