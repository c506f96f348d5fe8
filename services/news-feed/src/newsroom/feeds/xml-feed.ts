import { isUtf8 } from 'node:buffer';
import { decodeHTML } from 'entities';
import { looksLikeHtml, type MarkedText } from './plain-text.ts';
import type { RawEntry, RawFeed, RawLink } from './raw-feed.ts';
import { readXml, type XmlElement, type XmlEntry } from './xml-elements.ts';

/** Media types whose bytes Atom has in base64 (RFC 4287, section 4.1.3.3); some are text after all. */
const BINARY = /^(?:(?:image|audio|video|font)\/|application\/octet-stream$)/i;

/**
 * Reads RSS 0.9 to 2.0, RDF and Atom 0.3 and 1.0. Throws a `Failure` if the text is none of them.
 *
 * @param url the feed's address
 */
export function readXmlFeed(text: string, url: string): RawFeed {
  const { isAtom, members, entries } = readXml(text, url);
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
  };
}

function atomEntry({ members }: XmlEntry): RawEntry {
  const [id] = named(members, 'id');
  return {
    key: id?.text,
    titles: [...named(members, 'title').map(atomText), ...named(members, 'media:title').map(mediaText)],
    texts: [
      ...named(members, 'summary', 'content').map(atomText),
      ...named(members, 'media:description').map(mediaText),
    ],
    // An id that is an address is the best there is where no link is.
    links: [...atomLinks(members, 'link'), ...addressIn(id)],
    dates: dates(members, 'published', 'issued', 'created', 'updated', 'modified'),
  };
}

function rssEntry({ attributes: { about }, members }: XmlEntry): RawEntry {
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
